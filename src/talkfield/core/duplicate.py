"""Copies of nodes with all that belongs to them, and with the edges between them (U6). Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from msgspec.structs import replace

from talkfield.core.branch import copies_of
from talkfield.core.changes import Change, Changes, Put
from talkfield.core.document import Document
from talkfield.core.ids import EdgeId, Ids, NodeId, TurnId
from talkfield.core.records import EdgeRecord, NodeRecord


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """The copies' ids, in the order of the originals, and what makes them."""

    nodes: tuple[NodeId, ...]
    changes: Changes


def duplicate(
    document: Document, nodes: Sequence[NodeRecord], dx: float, dy: float, live: Set[TurnId], ids: Ids
) -> Duplicate:
    """Copies of `nodes`, each (dx, dy) from its original, without the messages of the turns in `live`.

    Copies carry neither usage nor cost: money is counted once. All ids are new.
    """
    copies = {node.id: NodeId(ids("node")) for node in nodes}
    changes: list[Change] = []
    for node in nodes:
        changes.append(Put(replace(node, id=copies[node.id], x=node.x + dx, y=node.y + dy, extra={})))
        kept = [message for message in document.messages(node.id) if message.turn is None or message.turn not in live]
        calls = {message.id: document.calls(message.id) for message in kept}
        free = [replace(message, usage=None, cost=None) for message in kept]
        changes += copies_of(free, calls, copies[node.id], ids)
    changes += [
        Put(replace(edge, id=EdgeId(ids("edge")), source=copies[edge.source], target=copies[edge.target], extra={}))
        for edge in edges_from(document, nodes)
        if edge.target in copies
    ]
    return Duplicate(nodes=tuple(copies.values()), changes=tuple(changes))


def edges_from(document: Document, nodes: Sequence[NodeRecord]) -> list[EdgeRecord]:
    """Edges that begin at one of the nodes, each once."""
    return [
        edge
        for node in nodes
        for dependent in document.dependents(node.id)
        if isinstance(edge := document.get(dependent), EdgeRecord) and edge.source == node.id
    ]
