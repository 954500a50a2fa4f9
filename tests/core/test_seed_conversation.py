"""What the documents that Talkfield was made from describe of conversations, and no rule says."""

from __future__ import annotations

import pytest

from builders import assistant, call, note, usage, user
from talkfield.core.conversation import Conversation
from talkfield.core.cost import conversation_cost, cost_of
from talkfield.core.ids import MessageId
from talkfield.core.messages import Message
from talkfield.core.serialization import ConversationData, deserialize_conversation, serialize_conversation
from talkfield.core.slash import SlashCall, detect_slash_command
from talkfield.core.window import cap_conversation_messages
from talkfield.errors import ConversationFormatError

A1 = MessageId("a1")
LONG = (user(), assistant(), note(), user("and?" * 50, "u2"), assistant("so!" * 50, "a2"))


def system(content: str) -> Message:
    return Message(id=MessageId("s"), role="system", content=content, ts=0)


def test_seed_what_fits_is_returned_as_it_is() -> None:
    window = cap_conversation_messages(LONG)
    assert window.messages == LONG
    assert all(kept is given for kept, given in zip(window.messages, LONG, strict=True))


def test_seed_the_window_and_the_text_cut_alike_under_any_budget() -> None:
    data = ConversationData(id="c", created_at=0, messages=LONG)
    whole = len(serialize_conversation(data).encode())
    around = len(serialize_conversation(ConversationData(id="c", created_at=0)).encode())
    for budget in range(0, whole + 10, 7):
        text = serialize_conversation(data, max_bytes=budget)
        window = cap_conversation_messages(LONG, budget, envelope_bytes=around)
        assert deserialize_conversation(text).messages == window.messages


def test_seed_where_nothing_can_be_dropped_what_is_there_is_returned_over_budget() -> None:
    for messages in ((system("x" * 100),), (system("x"), assistant("x" * 100)), (assistant("x" * 100),)):
        window = cap_conversation_messages(messages, max_bytes=10)
        assert (window.messages, window.over_budget, window.dropped) == (messages, True, 0)


def test_seed_events_of_one_tick_agree_on_the_message_they_start() -> None:
    subject = Conversation("n", 0)
    subject.append_thinking(A1, "hm", ts=5)
    subject.append_delta(A1, "hi", ts=6)
    subject.set_usage(A1, usage(), ts=7)
    [message] = subject.messages
    assert (message.thinking, message.content, message.usage, message.ts) == ("hm", "hi", usage(), 5)


def test_seed_usage_without_a_model_leaves_the_model_that_is_known() -> None:
    subject = Conversation("n", 0, [assistant(model="gpt-4o")])
    subject.set_usage(A1, usage())
    assert subject.messages[0].model == "gpt-4o"
    subject.set_usage(A1, usage(), model="gpt-4o-mini")
    assert subject.messages[0].model == "gpt-4o-mini"


def test_seed_detecting_a_command_carries_nothing_out() -> None:
    subject = Conversation("n", 0, LONG)
    assert detect_slash_command("/clear") == SlashCall("clear")
    assert subject.messages == LONG


def test_seed_a_cost_is_that_of_the_usage_whatever_the_calls_say() -> None:
    plain, with_calls = assistant(usage=usage()), assistant(usage=usage(), tool_calls=(call(args_json="{" * 99),))
    assert conversation_cost([plain]) == conversation_cost([with_calls])
    assert cost_of(usage(), None).usd == 0
    assert cost_of(usage(), None).estimated


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", ""),
        ("[]", ""),
        ('{"v":1,"messages":{}}', "messages"),
        ('{"v":1,"messages":[{"role":"user","content":"x","ts":1}]}', "messages[0].id"),
        ('{"v":1,"messages":[{"id":"m","role":"robot","content":"x","ts":1}]}', "messages[0].role"),
        ('{"v":1,"messages":[{"id":"m","role":"user","ts":1}]}', "messages[0].content"),
        ('{"v":1,"messages":[{"id":"m","role":"user","content":"x"}]}', "messages[0].ts"),
        ('{"v":1,"messages":[{"id":"m","role":"assistant","content":"","ts":1,"usage":{"inputTokens":"9"}}]}', None),
    ],
)
def test_seed_a_text_is_refused_for_all_the_original_refused_and_for_what_is_inside(
    text: str, place: str | None
) -> None:
    with pytest.raises(ConversationFormatError) as refused:
        deserialize_conversation(text)
    assert refused.value.place == ("messages[0].usage.inputTokens" if place is None else place)
