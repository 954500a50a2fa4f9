"""A turn as a terminal shows it."""

from __future__ import annotations

import io
from decimal import Decimal

from builders import NODE, assistant, call, usage, user
from talkfield.core.card import Card
from talkfield.core.events import (
    ChatEvent,
    Delta,
    Done,
    MessageFinished,
    MessageRestarted,
    NoteAdded,
    RetryWaiting,
    ThinkingDelta,
    ToolCalled,
    ToolCarded,
    ToolReturned,
    ToolSaid,
)
from talkfield.core.ids import CallId, MessageId
from talkfield.core.messages import MessageCost, ToolCall
from talkfield.terminal.reply import Reply, usage_line
from talkfield.terminal.screen import Screen

A1 = MessageId("a1")


def shown(*events: ChatEvent) -> tuple[list[str], list[ToolCall]]:
    out = io.StringIO()
    waiting = Reply(Screen(out, {})).show(events, 1_000)
    return out.getvalue().splitlines(), waiting


def called(tool_call: ToolCall) -> ToolCalled:
    return ToolCalled(node=NODE, message=A1, call=tool_call)


def test_Z4_every_kind_of_event_has_its_line() -> None:
    running = call("c1", status="running", result=None, args_json='{"far":\ntrue}')
    lines, waiting = shown(
        ThinkingDelta(node=NODE, message=A1, text="hm"),
        Delta(node=NODE, message=A1, text="one"),
        Delta(node=NODE, message=A1, text="two"),
        MessageFinished(node=NODE, message=A1, finish="length"),
        MessageRestarted(node=NODE, message=A1),
        RetryWaiting(node=NODE, message=A1, attempt=2, retry_at=4_000, reason="busy"),
        called(running),
        ToolReturned(node=NODE, message=A1, call_id=running.id, result="seen\nfar"),
        ToolReturned(node=NODE, message=A1, call_id=CallId("other"), result="no", status="error", is_error=True),
        NoteAdded(node=NODE, message=MessageId("n"), text="a note"),
        MessageFinished(node=NODE, message=A1, finish="stop"),
        Done(node=NODE, reason="end_turn"),
    )
    assert lines == [
        "hm",
        "onetwo",
        "The reply is cut off: it reached the model's limit of tokens.",
        "The provider began its answer again:",
        "busy; trying again in 3 s",
        '· look {"far": true}',
        "✓ look: seen far",
        "✗ tool: no",
        "a note",
    ]
    assert waiting == []


ASKED = call("c1", status="awaiting", result=None)


def carded(*, ready: bool, note: str = "") -> ToolCarded:
    card = Card(digest="d", ready=ready, note=note)
    return ToolCarded(node=NODE, message=A1, call_id=ASKED.id, card=card)


def test_T6_a_call_that_waits_is_a_card_once_all_of_it_can_be_shown() -> None:
    out = io.StringIO()
    reply = Reply(Screen(out, {}))
    assert reply.show([called(ASKED), carded(ready=False)], 0) == []
    assert (out.getvalue(), reply.is_open(ASKED.id)) == ("", True)
    assert reply.show([carded(ready=True, note="2 places")], 0) == [ASKED]
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("╭─ look wants to run ")
    assert "2 places" in lines[2]
    approved = called(call("c1", status="running", result=None))
    assert reply.show([approved, carded(ready=True)], 0) == []
    assert (out.getvalue().splitlines(), reply.is_open(ASKED.id)) == (lines, False)


def test_T6_a_call_without_a_card_is_shown_by_its_arguments() -> None:
    lines, waiting = shown(called(ASKED))
    assert waiting == [ASKED]
    assert "no arguments" in lines[1]


def test_T9_a_call_that_turns_out_to_be_impossible_is_no_question() -> None:
    result = ToolReturned(node=NODE, message=A1, call_id=ASKED.id, result="no such file", status="error", is_error=True)
    lines, waiting = shown(called(ASKED), carded(ready=False), result, carded(ready=True))
    assert (lines, waiting) == (["✗ look: no such file"], [])


def test_T9_what_a_running_tool_says_is_shown_as_it_comes() -> None:
    said = [ToolSaid(node=NODE, message=A1, call_id=ASKED.id, text=text) for text in ("one\n", "two", " and")]
    lines, _ = shown(*said, ToolReturned(node=NODE, message=A1, call_id=ASKED.id, result="over"))
    assert lines == ["one", "two and", "✓ tool: over"]


def test_P5_a_reply_tells_what_it_used_and_cost() -> None:
    cost = MessageCost(usd=Decimal("0.01"), source="table")
    first = assistant(message="a1", usage=usage(1_200, 30), model="m-1", cost=cost)
    second = assistant(message="a2", usage=usage(10, 2, estimated=True), model="m-2")
    assert usage_line([first], [user(), first]) == "m-1 · 1,200 in, 30 out · $0.01"
    assert usage_line([second], [first, second]) == (
        "m-2 · about 10 in, 2 out · n/a · chat so far: at least $0.01 + 1 unpriced"
    )
    assert usage_line([first, second], [first, second]) == (
        "m-1 · m-2 · about 1,210 in, 32 out · at least $0.01 + 1 unpriced"
    )
    assert usage_line([assistant()], [assistant()]) == ""
