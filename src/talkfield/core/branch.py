"""Continuing a conversation in another node: copies of its messages, joined to where they came from (W13, L4). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from talkfield.core.changes import Change, Changes, Put
from talkfield.core.document import Document
from talkfield.core.ids import CallId, EdgeId, Ids, MessageId, NodeId, TurnId
from talkfield.core.messages import FINAL_STATUSES
from talkfield.core.nodes import ChatData
from talkfield.core.nodes.chat import without_draft
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, ToolCallRecord
from talkfield.core.turn import NOT_RUN

GAP = 80.0
"""Canvas pixels between a node and what is put beside it."""


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A node with copies, and what makes it."""

    node: NodeRecord
    changes: Changes


def branch(
    document: Document,
    source: NodeRecord,
    kept: Sequence[MessageRecord],
    moved: Sequence[MessageRecord],
    ids: Ids,
    *,
    called: str = "earlier",
    draft: str = "",
) -> Branch:
    """A new chat beside `source` with copies of `kept` and then of `moved`, joined to it by a lineage edge.

    `kept` stays in the source as well, so its copies carry neither usage nor cost: money is counted once. `moved` is
    leaving the source and takes both along. `called` stands after its title, `draft` in its composer.
    """
    data = replace(without_draft(source.data), draft=draft) if isinstance(source.data, ChatData) else source.data
    x, y = free_place(document.nodes(), source.x + source.width + GAP, source.y, source.width, source.height)
    title = f"{source.title} ({called})" if source.title else ""
    node = replace(source, id=NodeId(ids("node")), x=x, y=y, title=title, data=data, extra={})
    edge = EdgeRecord(id=EdgeId(ids("edge")), source=source.id, target=node.id, kind="lineage")
    free = [replace(message, usage=None, cost=None) for message in kept]
    calls = {message.id: document.calls(message.id) for message in (*kept, *moved)}
    copies = copies_of([*free, *moved], calls, node.id, ids)
    return Branch(node=node, changes=(Put(node), Put(edge), *copies))


def quotation(text: str) -> str:
    """The text as markdown quotes it, with room below for what is asked about it; nothing of nothing."""
    lines = text.strip().splitlines()
    return "".join(f"> {line}".rstrip() + "\n" for line in lines) + "\n" if lines else ""


def copies_of(
    messages: Iterable[MessageRecord], calls: dict[MessageId, tuple[ToolCallRecord, ...]], node: NodeId, ids: Ids
) -> list[Change]:
    """Copies of messages with their calls, in this order, all ids new; what had one turn still has one.

    A card that is open is not copied as open: decided here and there, its tool would run twice (R14). Context that a
    link added is no link's in the copy: it stays as it was when it was copied.
    """
    turns: dict[TurnId, TurnId] = {}
    changes: list[Change] = []
    for index, message in enumerate(messages):
        turn = message.turn
        if turn is not None:
            turn = turns[turn] if turn in turns else turns.setdefault(turn, TurnId(ids("turn")))
        copy = replace(
            message,
            id=MessageId(ids("message")),
            node_id=node,
            index=index,
            turn=turn,
            copied_from=message.id,
            source=None if message.source is None else replace(message.source, link=None),
        )
        changes.append(Put(copy))
        changes += [
            Put(replace(settled(call), id=CallId(ids("call")), node_id=node, message_id=copy.id))
            for call in calls.get(message.id, ())
        ]
    return changes


def settled(call: ToolCallRecord) -> ToolCallRecord:
    """The call as one that nobody decides any more."""
    if call.status in FINAL_STATUSES:
        return call
    return replace(call, status="cancelled", result=NOT_RUN, is_error=True)


def free_place(nodes: Iterable[NodeRecord], x: float, y: float, width: float, height: float) -> tuple[float, float]:
    """The first place at `x`, from `y` down, where nothing stands."""
    column = [node for node in nodes if node.x < x + width and x < node.x + node.width]
    while True:
        hit = next((node for node in column if node.y < y + height and y < node.y + node.height), None)
        if hit is None:
            return x, y
        y = hit.y + hit.height + GAP
