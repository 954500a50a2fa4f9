"""Writes `golden/*.json`: what the server says in some small stories, and what a browser must then have.

The one law that two languages share: `test_golden_frames.py` pins the files, and the web UI's mirror applies the same
files and must end with the same records. `python tests/wire/golden_frames.py` (by `make types`) writes them anew.

Each file holds `messages`, as they cross the wire, and `records`: everything in the mirror afterwards, by id.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from talkfield import wire
from talkfield.core.changes import Append, Change, Frame, Put, Remove
from talkfield.core.conversation import changes_for
from talkfield.core.document import Document, removal
from talkfield.core.events import ChatEvent, Delta, Done, MessageFinished, ThinkingDelta, ToolCalled, ToolReturned
from talkfield.core.ids import CallId, EdgeId, MessageId, NodeId, ProjectId, RecordId, TurnId
from talkfield.core.messages import MessageCost, MessageError, ToolCall, Usage
from talkfield.core.nodes import ChatData, StickyData
from talkfield.core.records import (
    HISTORY_ID,
    EdgeRecord,
    HistoryRecord,
    MessageRecord,
    NodeRecord,
    Record,
    RunRecord,
    TotalsRecord,
    run_id,
    totals_id,
)
from talkfield.wire.server import Frames, ServerMessage, Welcome

FOLDER = Path(__file__).resolve().parent / "golden"
NODE, OTHER, TURN = NodeId("node-1"), NodeId("node-2"), TurnId("turn-1")
ASKED, REPLY, CALL = MessageId("message-1"), MessageId("message-2"), CallId("call-1")
AT = 1_700_000_000_000


class Story:
    """A document and what the server said about it."""

    def __init__(self, *records: Record) -> None:
        self.document = Document(records)
        self.seq = 0
        self.messages: list[ServerMessage] = [
            Welcome(
                protocol=wire.PROTOCOL_VERSION,
                version="0.0.0",
                project=ProjectId("project-1"),
                epoch="epoch-1",
                seq=0,
                resumed=False,
                records=tuple(self.document),
            )
        ]

    def commit(self, cause: str, changes: Iterable[Change]) -> Frame:
        changes = tuple(changes)
        self.document.apply(changes)
        self.seq += 1
        return Frame(self.seq, cause, changes)

    def say(self, *frames: Frame) -> None:
        self.messages.append(Frames(frames=frames))

    def tell(self, *events: ChatEvent) -> None:
        """Each event is one commit, as in a turn."""
        self.say(*(self.commit("turn", changes_for(self.document, [event], AT)) for event in events))


def node(node_id: NodeId = NODE, *, title: str = "") -> NodeRecord:
    return NodeRecord(id=node_id, x=10.5, y=-20, width=460, height=520, data=ChatData(model="m"), title=title)


def asked(text: str) -> MessageRecord:
    return MessageRecord(id=ASKED, node_id=NODE, index=0, role="user", content=text, ts=AT, turn=TURN)


def running(phase: Any = "waiting") -> RunRecord:
    return RunRecord(id=run_id(NODE), node_id=NODE, turn=TURN, phase=phase, started_at=AT)


def a_turn_streams() -> Story:
    """Text, thinking, usage and the end; characters of two UTF-16 units and a combining mark on a frame's edge."""
    story = Story(node())
    story.say(story.commit("sendMessage", [Put(asked("Grüße 🌍")), Put(running())]))
    story.tell(
        ThinkingDelta(node=NODE, message=REPLY, text="hm"),
        ThinkingDelta(node=NODE, message=REPLY, text="…"),
        Delta(node=NODE, message=REPLY, text="Hello 👩"),
        Delta(node=NODE, message=REPLY, text="\u200d🚀 e"),
        Delta(node=NODE, message=REPLY, text="\u0301\n```\nx < y\n```"),
        MessageFinished(node=NODE, message=REPLY, finish="stop"),
    )
    usage = Usage(input_tokens=12, output_tokens=7, cache_read_tokens=4)
    cost = MessageCost(usd=Decimal("0.000123"), source="table", price_id="m")
    reply = story.document.get(REPLY)
    assert isinstance(reply, MessageRecord)
    totals = TotalsRecord(
        id=totals_id(NODE),
        node_id=NODE,
        input_tokens=12,
        output_tokens=7,
        usd=Decimal("0.000123"),
        label="$0.0001",
    )
    whole = msgspec.structs.replace(reply, usage=usage, cost=cost, model="m")
    story.say(story.commit("done", [Put(whole), Put(totals), Remove(run_id(NODE))]))
    return story


def appends_are_merged() -> Story:
    """One frame stands for several commits that only appended, and another puts what was put before."""
    reply = MessageRecord(id=REPLY, node_id=NODE, index=0, role="assistant", content="a", ts=AT, turn=TURN)
    story = Story(node(), reply)
    for text in ("b", "c", "d"):
        story.commit("turn", [Append(RecordId(REPLY), "content", text)])
    story.say(Frame(3, "turn", (Append(RecordId(REPLY), "content", "bcd"),), first=1))
    story.say(story.commit("turn", [Append(RecordId(REPLY), "content", "e"), Put(node(title="Named"))]))
    return story


def a_tool_is_approved() -> Story:
    """A card opens, is decided, runs and shows its result; the turn then fails with an error on the message."""
    story = Story(node(), asked("list it"), running("streaming"))
    call = ToolCall(id=CALL, name="list_dir", args_json='{"path":"."}', status="awaiting", wire_id="w")
    story.tell(ToolCalled(node=NODE, message=REPLY, call=call))
    story.say(story.commit("run", [Put(running("awaiting"))]))
    story.tell(
        ToolCalled(node=NODE, message=REPLY, call=msgspec.structs.replace(call, status="running")),
        ToolReturned(node=NODE, message=REPLY, call_id=CALL, result="a\nb", status="done"),
        Done(
            node=NODE,
            message=REPLY,
            reason="error",
            error=MessageError(code="cut", message="the answer broke off", retryable=True),
        ),
    )
    story.say(story.commit("done", [Remove(run_id(NODE))]))
    return story


def a_node_goes_and_comes_back() -> Story:
    """Undo and redo are ordinary frames; removing what is not there is nothing."""
    edge = EdgeRecord(id=EdgeId("edge-1"), source=NODE, target=OTHER)
    sticky = NodeRecord(id=NodeId("note-1"), x=0, y=0, width=240, height=200, data=StickyData(text="# hi"))
    story = Story(node(), node(OTHER), asked("kept"), edge, sticky)
    gone = removal(story.document, NODE)
    before: Sequence[Record] = [record for each in gone if (record := story.document.get(each.id)) is not None]
    story.say(story.commit("removeNodes", [*gone, Put(HistoryRecord(id=HISTORY_ID, undo="remove chat"))]))
    story.say(
        story.commit("undo", [*map(Put, before), Put(HistoryRecord(id=HISTORY_ID, redo="remove chat"))]),
        story.commit("removeNodes", [Remove(RecordId("note-1")), Remove(RecordId("never-was"))]),
    )
    return story


STORIES: tuple[Callable[[], Story], ...] = (
    a_turn_streams,
    appends_are_merged,
    a_tool_is_approved,
    a_node_goes_and_comes_back,
)


def golden(story: Story) -> bytes:
    records = sorted(story.document, key=lambda record: record.id)
    messages = [msgspec.json.decode(wire.encode(message)) for message in story.messages]
    data = {"messages": messages, "records": msgspec.to_builtins(records, str_keys=True, builtin_types=())}
    return msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n"


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for story in STORIES:
        (FOLDER / f"{story.__name__}.json").write_bytes(golden(story()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
