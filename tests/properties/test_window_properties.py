"""What holds for the history window of any conversation (C7, C9)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.ids import MessageId, TurnId
from talkfield.core.messages import Message
from talkfield.core.serialization import ConversationData, serialize_conversation
from talkfield.core.window import Window, cap_conversation_messages, message_bytes

TEXTS = st.text(max_size=30)  # surrogates included


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Turns in order, as one run at a time makes them, with messages of no turn anywhere between."""
    parts: list[tuple[str, str | None]] = []
    if draw(st.booleans()):
        parts.append(("system", None))
    for number in range(draw(st.integers(0, 6))):
        turn = draw(st.sampled_from([None, f"t{number}"]))
        roles = ["user", *draw(st.lists(st.sampled_from(["assistant", "tool", "note", "user"]), max_size=5))]
        for role in roles:
            parts.append((role, turn))
            if draw(st.integers(0, 4)) == 0:
                parts.append((draw(st.sampled_from(["note", "user", "system"])), None))
    return [
        Message(
            id=MessageId(f"m{index}"),
            role=role,  # type: ignore[arg-type]
            content=draw(TEXTS),
            ts=index,
            turn=TurnId(turn) if turn else None,
        )
        for index, (role, turn) in enumerate(parts)
    ]


BUDGETS = st.integers(0, 1500)


@st.composite
def conversations_and_budgets(draw: st.DrawFn) -> tuple[list[Message], int]:
    """Any budget, and often one that a part of the conversation fits to the byte, or misses by one."""
    messages = draw(conversations())
    place = draw(st.integers(0, len(messages)))
    head = messages[:1] if place and messages[0].role == "system" else []
    exact = written([*head, *messages[place:]]) + draw(st.integers(-1, 1))
    return messages, draw(BUDGETS | st.just(exact))


def written(messages: Sequence[Message]) -> int:
    text = serialize_conversation(ConversationData(id="", created_at=0, messages=tuple(messages)))
    return len(text.encode().replace(b',"id":"","createdAt":0', b""))


def may_begin(messages: list[Message], first: int, place: int) -> bool:
    """By the definition: whether a window may begin at a place, looking at everything before it and after it."""
    if place == first:
        return True
    turns_before = {message.turn for message in messages[:place] if message.turn}
    if messages[place].role != "user" or turns_before & {message.turn for message in messages[place:]}:
        return False
    results = [index for index in range(place, len(messages)) if messages[index].role == "tool"]
    callers = [max((i for i in range(result) if messages[i].role == "assistant"), default=0) for result in results]
    return all(caller >= place for caller in callers)


@given(conversations_and_budgets())
def test_C9_a_window_is_the_longest_run_of_whole_turns_that_fits(given_one: tuple[list[Message], int]) -> None:
    messages, max_bytes = given_one
    head = messages[:1] if messages and messages[0].role == "system" else []
    first = len(head)
    places = [place for place in range(first, len(messages)) if may_begin(messages, first, place)]
    candidates = [[*head, *messages[place:]] for place in places] or [head]
    best = next((kept for kept in candidates if written(kept) <= max_bytes), candidates[-1])
    assert cap_conversation_messages(messages, max_bytes) == Window(
        tuple(best), over_budget=written(best) > max_bytes, dropped=len(messages) - len(best)
    )


@given(conversations_and_budgets())
def test_C9_a_window_of_a_window_is_itself(given_one: tuple[list[Message], int]) -> None:
    messages, max_bytes = given_one
    window = cap_conversation_messages(messages, max_bytes)
    again = cap_conversation_messages(window.messages, max_bytes)
    assert (again.messages, again.over_budget, again.dropped) == (window.messages, window.over_budget, 0)


@given(conversations_and_budgets())
def test_C9_kept_sizes_change_nothing(given_one: tuple[list[Message], int]) -> None:
    messages, max_bytes = given_one
    sizes = [message_bytes(message) for message in messages]
    assert cap_conversation_messages(messages, max_bytes, sizes=sizes) == cap_conversation_messages(messages, max_bytes)
