"""Order across messages and repetition do not matter to a conversation (C9)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from builders import NODE, call, user
from talkfield.core.conversation import Conversation
from talkfield.core.events import (
    ChatEvent,
    ContextAdded,
    Delta,
    MessageFinished,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
)
from talkfield.core.ids import CallId, MessageId

REPLIES = [MessageId("a1"), MessageId("a2")]


def events_of(message: MessageId) -> st.SearchStrategy[list[ChatEvent]]:
    """One reply's events in the order in which a turn says them."""
    texts = st.lists(st.text("xyz", min_size=1, max_size=3), max_size=4)
    count = st.integers(0, 2)

    def build(parts: list[str], thoughts: list[str], calls: int) -> list[ChatEvent]:
        events: list[ChatEvent] = [Delta(node=NODE, message=message, text="")]
        events += [ThinkingDelta(node=NODE, message=message, text=text) for text in thoughts]
        events += [Delta(node=NODE, message=message, text=text) for text in parts]
        events.append(MessageFinished(node=NODE, message=message, finish="tool_calls" if calls else "stop"))
        for number in range(calls):
            made = call(f"{message}-{number}", status="awaiting", result=None)
            events.append(ToolCalled(node=NODE, message=message, call=made))
            running = call(f"{message}-{number}", status="running", result=None)
            events.append(ToolCalled(node=NODE, message=message, call=running))
            events.append(ToolReturned(node=NODE, message=message, call_id=CallId(f"{message}-{number}"), result="r"))
        return events

    return st.builds(build, texts, texts, count)


REPEATABLE = (ToolCalled, ToolReturned, ContextAdded)


@given(st.data(), events_of(REPLIES[0]), events_of(REPLIES[1]))
def test_C9_any_interleaving_and_repetition_ends_the_same(
    data: Any, first: list[ChatEvent], second: list[ChatEvent]
) -> None:
    context = ContextAdded(node=NODE, message=MessageId("x"), value=user("linked", "x"))
    plain = Conversation("n", 0, [user()])
    shuffled, once = Conversation("n", 0, plain.messages), Conversation("n", 0, plain.messages)
    plain.apply(context, *first, *second)

    queues: list[list[Any]] = [list(first), list(second), [context]]
    said: list[ChatEvent] = []
    while any(queues):
        queue = data.draw(st.sampled_from([queue for queue in queues if queue]))
        event = queue.pop(0)
        shuffled.apply(event)
        once.apply(event)
        if isinstance(event, REPEATABLE):
            said.append(event)
        if said and data.draw(st.booleans()):
            shuffled.apply(data.draw(st.sampled_from(said)))
    assert shuffled.messages == once.messages
    # Where the context stands among the replies is the one thing that order decides.
    assert sorted(shuffled.messages, key=lambda m: m.id) == sorted(plain.messages, key=lambda m: m.id)


@given(st.data(), events_of(REPLIES[0]), events_of(REPLIES[1]))
def test_C9_events_do_the_same_one_by_one_and_in_any_batches(
    data: Any, first: list[ChatEvent], second: list[ChatEvent]
) -> None:
    order = data.draw(st.permutations([0] * len(first) + [1] * len(second)))
    queues: list[list[ChatEvent]] = [list(first), list(second)]
    events = [queues[which].pop(0) for which in order]
    singly, in_batches = Conversation("n", 0, [user()]), Conversation("n", 0, [user()])
    for event in events:
        singly.apply(event)
    while events:
        size = data.draw(st.integers(1, len(events)))
        in_batches.apply(*events[:size])
        del events[:size]
    assert in_batches.messages == singly.messages
