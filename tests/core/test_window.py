"""The history window: whole turns, real bytes, nothing torn apart (C7)."""

from __future__ import annotations

from typing import Any

import pytest

from builders import assistant, call, note, user
from talkfield.core.ids import MessageId
from talkfield.core.messages import Message
from talkfield.core.serialization import ConversationData, serialize_conversation
from talkfield.core.window import ENVELOPE_BYTES, Window, cap_conversation_messages, message_bytes


def system(content: str = "be kind", **fields: Any) -> Message:
    return Message(id=MessageId("s"), role="system", content=content, ts=0, **fields)


def tool(content: str = "result", message: str = "tool1", **fields: Any) -> Message:
    return Message(id=MessageId(message), role="tool", content=content, ts=3, **fields)


def turns(count: int, **fields: Any) -> list[Message]:
    """Turns of a user and an assistant message, all of the same size."""
    return [
        message
        for number in range(count)
        for message in (user(message=f"u{number:04}", **fields), assistant(message=f"a{number:04}", **fields))
    ]


def written_bytes(messages: Any) -> int:
    """The size of the form of the seeds, which is what the budget is about."""
    text = serialize_conversation(ConversationData(id="", created_at=0, messages=tuple(messages)))
    return len(text.encode().replace(b',"id":"","createdAt":0', b""))


def kept(window: Window) -> list[str]:
    return [message.id for message in window.messages]


def test_C7_a_conversation_within_budget_is_untouched() -> None:
    messages = tuple(turns(3))
    assert cap_conversation_messages(messages, written_bytes(messages)) == Window(messages)


def test_C7_one_byte_less_drops_the_oldest_turn_whole() -> None:
    messages = turns(3)
    window = cap_conversation_messages(messages, written_bytes(messages) - 1)
    assert window == Window(tuple(messages[2:]), over_budget=False, dropped=2)


@pytest.mark.parametrize(
    "content", ["plain words", "汉字和假名かな", "👩‍👩‍👧‍👦 🎉", "\ud83d lone \udc00", '"\\\n\x00\x1b\u2028']
)
def test_C7_the_budget_is_in_real_utf8_bytes(content: str) -> None:
    messages = [user(content, message="u1"), assistant(content), user(content, message="u2")]
    last = written_bytes(messages[2:])
    assert kept(cap_conversation_messages(messages, last)) == ["u2"]
    assert cap_conversation_messages(messages, last).over_budget is False
    assert cap_conversation_messages(messages, last - 1).over_budget is True
    assert kept(cap_conversation_messages(messages, written_bytes(messages))) == ["u1", "a1", "u2"]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1)) == ["u2"]


def test_seed_cap_counts_bytes_where_the_original_counted_utf16_units() -> None:
    messages = [user("汉" * 100, message=f"u{number}") for number in range(4)]
    assert len(cap_conversation_messages(messages, 1000).messages) == 2


def test_C7_a_leading_system_message_always_stays() -> None:
    messages = [system(), *turns(3)]
    window = cap_conversation_messages(messages, written_bytes(messages) - 1)
    assert kept(window) == ["s", "u0001", "a0001", "u0002", "a0002"]
    assert window.dropped == 2
    assert written_bytes(window.messages) <= written_bytes(messages) - 1


def test_C7_a_lone_system_message_over_budget_is_kept_and_flagged() -> None:
    assert cap_conversation_messages([system()], 10) == Window((system(),), over_budget=True)


def test_C7_a_system_message_further_on_goes_with_its_turn() -> None:
    messages = [*turns(1), system(), *turns(2)[2:]]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1)) == ["u0001", "a0001"]


def test_C7_a_newest_turn_over_budget_is_kept_whole_and_flagged() -> None:
    messages = [system(), *turns(2), user("x" * 5000, message="u9"), assistant(message="a9")]
    window = cap_conversation_messages(messages, 1000)
    assert kept(window) == ["s", "u9", "a9"]
    assert (window.over_budget, window.dropped) == (True, 4)


def test_C7_without_any_user_message_nothing_can_be_dropped() -> None:
    messages = [assistant(message=f"a{number}") for number in range(5)]
    assert cap_conversation_messages(messages, 10) == Window(tuple(messages), over_budget=True)


def test_C7_an_empty_conversation_fits_any_budget_its_braces_fit() -> None:
    assert cap_conversation_messages([]) == Window(())
    assert cap_conversation_messages([], ENVELOPE_BYTES - 1) == Window((), over_budget=True)
    assert written_bytes([]) == ENVELOPE_BYTES


def test_C7_what_follows_a_user_message_belongs_to_its_turn() -> None:
    messages = [user(message="u1"), assistant(), note(), assistant(message="a2"), user(message="u2")]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1)) == ["u2"]


def test_C7_what_stands_before_the_first_user_message_is_dropped_first() -> None:
    messages = [assistant("welcome", message="a0"), *turns(2)]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1))[0] == "u0000"


def test_C7_messages_of_one_turn_stay_together() -> None:
    steered = [
        user(message="u1", turn="t1"),
        assistant(message="a1", turn="t1"),
        user("linked", message="context"),
        assistant(message="a2", turn="t1"),
        user(message="u2", turn="t2"),
    ]
    assert kept(cap_conversation_messages(steered, written_bytes(steered) - 1)) == ["u2"]


def test_C7_a_second_user_message_of_one_turn_begins_none() -> None:
    messages = [
        user(message="u1", turn="t1"),
        note(message="n1"),
        user(message="u2", turn="t1"),
        user(message="u3", turn="t3"),
    ]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1)) == ["u3"]


def test_C7_turns_with_ids_come_apart_where_they_meet() -> None:
    messages = [message for name in "abcd" for message in (user(message=name, turn=name), assistant(turn=name))]
    window = cap_conversation_messages(messages, written_bytes(messages) - 1)
    assert window == Window(tuple(messages[2:]), dropped=2)


def test_C7_turns_without_an_id_come_apart_at_each_user_message() -> None:
    messages = [*turns(2), *turns(4, turn="t")[6:]]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1))[0] == "u0001"


def test_C7_a_call_is_never_separated_from_its_results() -> None:
    messages = [
        user(message="u1"),
        assistant(message="a1", tool_calls=(call(),)),
        user("by the way", message="u2"),
        tool(),
        user(message="u3"),
    ]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1)) == ["u3"]


def test_C7_a_result_inside_its_turn_holds_nothing_else() -> None:
    messages = [*turns(1), user(message="u1"), assistant(message="a1", tool_calls=(call(),)), tool(), *turns(3)[4:]]
    assert kept(cap_conversation_messages(messages, written_bytes(messages) - 1)) == [
        *("u1", "a1", "tool1"),
        *("u0002", "a0002"),
    ]


def test_C7_kept_sizes_give_the_same_window() -> None:
    messages = [system(), *turns(20), user("汉字", message="last")]
    sizes = [message_bytes(message) for message in messages]
    for max_bytes in range(0, written_bytes(messages) + 50, 37):
        assert cap_conversation_messages(messages, max_bytes, sizes=sizes) == cap_conversation_messages(
            messages, max_bytes
        )


def test_C7_messages_that_are_left_out_are_not_measured() -> None:
    """What keeps the cost independent of how long a conversation is."""
    asked: list[int] = []

    class Sizes(list[int]):
        def __getitem__(self, index: Any) -> Any:
            asked.append(index)
            return super().__getitem__(index)

    messages = turns(500)
    window = cap_conversation_messages(messages, 1000, sizes=Sizes([100] * 1000))
    assert len(window.messages) == 8
    assert len(asked) <= 8 + 2


def test_C7_the_caller_may_have_a_larger_envelope() -> None:
    messages = turns(2)
    assert len(cap_conversation_messages(messages, written_bytes(messages), envelope_bytes=100).messages) == 2


def test_C7_the_default_budget_is_200_kib() -> None:
    messages = [user("x" * 102_000, message=f"u{number}") for number in range(3)]
    assert len(cap_conversation_messages(messages).messages) == 2
