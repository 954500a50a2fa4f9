"""The reducer and the library's `Conversation`."""

from __future__ import annotations

import pytest

from builders import NODE, assistant, call, note, usage, user
from doubles import CountingIds
from talkfield.core.conversation import Conversation, create_conversation
from talkfield.core.events import (
    ChatEvent,
    ContextAdded,
    Delta,
    Done,
    MessageFinished,
    MessageRestarted,
    NoteAdded,
    RetryWaiting,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    UsageReported,
)
from talkfield.core.ids import CallId, MessageId
from talkfield.core.messages import Message, MessageError, ProviderState, ToolCall

A1 = MessageId("a1")


def conversation(*messages: Message) -> Conversation:
    return Conversation("n", 1, messages)


def called(tool_call: ToolCall, message: MessageId = A1) -> ToolCalled:
    return ToolCalled(node=NODE, message=message, call=tool_call)


def returned(call_id: str = "c1", result: str = "ok") -> ToolReturned:
    return ToolReturned(node=NODE, message=A1, call_id=CallId(call_id), result=result)


def test_C1_create_append_and_the_appliers() -> None:
    subject = create_conversation(CountingIds(), 7)
    assert (subject.id, subject.created_at, subject.messages) == ("node-1", 7, ())
    subject.append_message("user", "hi", id=MessageId("u1"), ts=1)
    subject.append_delta(A1, "hel", ts=2)
    subject.append_delta(A1, "lo", ts=3)
    subject.append_thinking(A1, "hm")
    subject.set_usage(A1, usage(), model="m")
    subject.mark_stopped(A1)
    assert subject.messages == (
        user(),
        assistant("hello", thinking="hm", usage=usage(), model="m", stopped=True),
    )
    assert subject.message(A1) == subject.messages[1]
    assert subject.message(MessageId("nobody")) is None
    assert subject.call("nobody") is None


def test_C8_a_conversation_may_be_called_like_its_own_messages_and_calls() -> None:
    messages = (user(message="n"), assistant(message="a", tool_calls=(call("n2"),)))
    for name in ("n", "a", "n2", ""):
        assert Conversation(name, 1, messages).messages == messages


def test_C9_a_message_that_is_there_is_not_added_again() -> None:
    subject = conversation(user())
    subject.append(user("other words"))
    subject.append(note())
    assert subject.messages == (user(), note())


def test_C2_an_applier_for_an_unknown_id_makes_an_empty_reply_first() -> None:
    cases: list[tuple[ChatEvent, Message]] = [
        (Delta(node=NODE, message=A1, text="x"), assistant("x")),
        (ThinkingDelta(node=NODE, message=A1, text="x"), assistant("", thinking="x")),
        (UsageReported(node=NODE, message=A1, usage=usage()), assistant("", usage=usage())),
        (MessageFinished(node=NODE, message=A1, finish="stop"), assistant("", finish="stop")),
        (Done(node=NODE, message=A1, reason="stopped"), assistant("", stopped=True)),
    ]
    for event, expected in cases:
        subject = conversation()
        subject.apply(event, at=2)
        assert subject.messages == (expected,)


def test_C3_a_call_twice_is_one_card_and_its_state_only_moves_on() -> None:
    subject = conversation(user(), assistant())
    awaiting, running = call(status="awaiting", result=None), call(status="running", result=None, args_json='{"a":1}')
    subject.apply(called(awaiting), called(awaiting), called(running), called(awaiting))
    assert subject.call("c1") == running
    subject.apply(returned(), called(running), returned(result="again"))
    assert subject.messages[1].tool_calls == (call(args_json='{"a":1}'),)


def test_C3_a_result_for_an_unknown_call_is_ignored() -> None:
    subject = conversation(user())
    subject.apply(returned("nobody"))
    assert subject.messages == (user(),)


def test_C3_calls_keep_the_order_they_came_in() -> None:
    subject = conversation()
    subject.apply(called(call("c1")), called(call("c2")), called(call("c1")))
    assert [each.id for each in subject.messages[0].tool_calls] == ["c1", "c2"]


def test_W2_injected_context_comes_once() -> None:
    subject = conversation(user())
    added = ContextAdded(node=NODE, message=MessageId("x"), value=user("from elsewhere", "other"))
    subject.apply(added, added)
    assert subject.messages == (user(), user("from elsewhere", "x"))


def test_C4_a_note_is_kept_and_comes_once() -> None:
    subject = conversation()
    added = NoteAdded(node=NODE, message=MessageId("x"), text="limit")
    subject.apply(added, added, at=5)
    assert subject.messages == (Message(id=MessageId("x"), role="note", content="limit", ts=5),)
    mine = subject.append_note("mine", id=MessageId("y"), ts=6)
    assert subject.messages[-1] == mine == Message(id=MessageId("y"), role="note", content="mine", ts=6)


def test_D11_provider_state_stays_with_its_message() -> None:
    state = ProviderState(provider="p", model="m", data="[]")
    subject = conversation()
    subject.apply(MessageFinished(node=NODE, message=A1, finish="stop", provider_state=state))
    subject.apply(MessageFinished(node=NODE, message=A1))
    assert subject.message(A1) == Message(
        id=A1, role="assistant", content="", ts=0, finish="stop", provider_state=state
    )


def test_D4_a_refusal_keeps_the_providers_words_beside_the_reply() -> None:
    refused = MessageError(code="refused", message="no")
    subject = conversation(assistant())
    subject.apply(MessageFinished(node=NODE, message=A1, finish="refusal", error=refused))
    assert subject.messages == (assistant(finish="refusal", error=refused),)


def test_D4_a_restarted_message_begins_from_nothing() -> None:
    subject = conversation(assistant("Spark", thinking="hm"))
    subject.apply(MessageRestarted(node=NODE, message=A1))
    assert subject.messages == (assistant(""),)


@pytest.mark.parametrize("reason", ["end_turn", "max_iterations"])
def test_M6_an_ordinary_end_changes_no_message(reason: str) -> None:
    subject = conversation(assistant())
    subject.apply(Done(node=NODE, message=A1, reason=reason))  # type: ignore[arg-type]
    subject.apply(Done(node=NODE, reason="stopped"))
    subject.apply(RetryWaiting(node=NODE, message=A1, attempt=2, retry_at=1, reason="busy"))
    assert subject.messages == (assistant(),)


def test_M6_an_error_is_kept_with_the_message_it_ended() -> None:
    error = MessageError(code="cut", message="gone")
    subject = conversation(assistant())
    subject.apply(Done(node=NODE, message=A1, reason="error", error=error))
    assert subject.messages == (assistant(error=error),)


def test_R5_what_was_handed_out_never_changes() -> None:
    subject = conversation(assistant())
    before = subject.messages
    subject.append_delta(A1, " more")
    assert before == (assistant(),)
