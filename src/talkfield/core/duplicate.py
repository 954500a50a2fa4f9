"""Copies of nodes with all that belongs to them, and with the edges between them (U6). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from msgspec.structs import replace

from talkfield.core.branch import copies_of
from talkfield.core.changes import Change, Changes, Put
from talkfield.core.document import Document
from talkfield.core.ids import EdgeId, Ids, MessageId, NodeId, TurnId
from talkfield.core.links import context_id
from talkfield.core.messages import Source
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """The copies' ids, in the order of the originals, and what makes them."""

    nodes: tuple[NodeId, ...]
    changes: Changes


def duplicate(
    document: Document, nodes: Sequence[NodeRecord], dx: float, dy: float, live: Set[TurnId], ids: Ids
) -> Duplicate:
    """Copies of `nodes`, each (dx, dy) from its original, without the messages of the turns in `live`.

    Copies carry neither usage nor cost: money is counted once. All ids are new. What a link added belongs to the copy
    of that link where it is copied too, so that running it replaces the context and adds no second one (L3).
    """
    copies = {node.id: NodeId(ids("node")) for node in nodes}
    changes: list[Change] = []
    edges = {edge.id: EdgeId(ids("edge")) for edge in edges_from(document, nodes) if edge.target in copies}
    for node in nodes:
        changes.append(Put(replace(node, id=copies[node.id], x=node.x + dx, y=node.y + dy, extra={})))
        kept = [message for message in document.messages(node.id) if message.turn is None or message.turn not in live]
        calls = {message.id: document.calls(message.id) for message in kept}
        free = [replace(message, usage=None, cost=None) for message in kept]
        origins = {message.id: message.source for message in kept}
        copied = copies_of(free, calls, copies[node.id], ids)
        changes += [_of_copied_link(change, origins, edges, copies) for change in copied]
    changes += [
        Put(replace(edge, id=edges[edge.id], source=copies[edge.source], target=copies[edge.target], extra={}))
        for edge in edges_from(document, nodes)
        if edge.id in edges
    ]
    return Duplicate(nodes=tuple(copies.values()), changes=tuple(changes))


def _of_copied_link(
    change: Change,
    origins: Mapping[MessageId, Source | None],
    edges: Mapping[EdgeId, EdgeId],
    copies: Mapping[NodeId, NodeId],
) -> Change:
    """The change, where it copies what a link that is copied too had added, as what that copy added."""
    if not isinstance(change, Put) or not isinstance(change.value, MessageRecord) or change.value.copied_from is None:
        return change
    origin = origins.get(change.value.copied_from)
    edge = edges.get(origin.link) if origin is not None and origin.link is not None else None
    if origin is None or edge is None:
        return change
    source = replace(origin, node=copies[origin.node], link=edge)
    return Put(replace(change.value, id=context_id(edge), source=source))


def edges_from(document: Document, nodes: Sequence[NodeRecord]) -> list[EdgeRecord]:
    """Edges that begin at one of the nodes, each once."""
    return [
        edge
        for node in nodes
        for dependent in document.dependents(node.id)
        if isinstance(edge := document.get(dependent), EdgeRecord) and edge.source == node.id
    ]
