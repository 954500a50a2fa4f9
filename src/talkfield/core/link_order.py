"""Which pairs of nodes links may join, their loops, and in what order they run. Pure.

Links carry from their source to their target. Lineage carries nothing (L4) and is no part of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from talkfield.core.document import Document
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.link_content import stands_on
from talkfield.core.nodes import ChatData, GroupData
from talkfield.core.records import EdgeRecord, NodeRecord, node_name


def pair_refusal(source: NodeRecord, target: NodeRecord) -> str | None:
    """Why nothing could go from `source` to `target`; None where it can."""
    if source.id == target.id:
        return "a node can't be joined to itself"
    if not isinstance(target.data, ChatData):
        return "a link leads to a chat: only a chat takes context"
    return None


def links_of(document: Document) -> list[EdgeRecord]:
    """The edges that carry something."""
    return [edge for edge in document.every(EdgeRecord) if carries(edge)]


def carries(edge: EdgeRecord) -> bool:
    return edge.kind == "link" and edge.behavior is not None


def with_members(document: Document, links: Iterable[EdgeRecord]) -> list[EdgeRecord]:
    """The links, and an arrow from each node to each group that it stands on: what it says is said by the group too.

    The arrows carry nothing; they are for loops and order alone.
    """
    nodes = document.nodes()
    groups = [node for node in nodes if isinstance(node.data, GroupData)]
    arrows = [
        EdgeRecord(id=EdgeId(f"{node.id} in {group.id}"), source=node.id, target=group.id, kind="lineage")
        for group in groups
        for node in nodes
        if stands_on(node, group)
    ]
    return [*links, *arrows]


def path_between(links: Iterable[EdgeRecord], source: NodeId, target: NodeId) -> tuple[NodeId, ...] | None:
    """The nodes of a shortest way along links from `source` to `target`, both included; None where there is none."""
    outgoing: dict[NodeId, list[NodeId]] = {}
    for link in links:
        outgoing.setdefault(link.source, []).append(link.target)
    came_from: dict[NodeId, NodeId | None] = {source: None}
    waiting = [source]
    for node in waiting:
        if node == target:
            way: list[NodeId] = []
            step: NodeId | None = node
            while step is not None:
                way.append(step)
                step = came_from[step]
            return tuple(reversed(way))
        for following in outgoing.get(node, ()):
            if following not in came_from:
                came_from[following] = node
                waiting.append(following)
    return None


def loop_through(links: Sequence[EdgeRecord], source: NodeId, target: NodeId) -> tuple[NodeId, ...] | None:
    """The loop that a link from `source` to `target` closes, from source back to source; None where it closes none."""
    back = path_between(links, target, source)
    return None if back is None else (source, *back)


def in_order(links: Sequence[EdgeRecord]) -> list[EdgeRecord]:
    """The links so that each comes after all that lead to its source; those in a loop, and behind one, are left out."""
    incoming: dict[NodeId, int] = {}
    by_source: dict[NodeId, list[EdgeRecord]] = {}
    for link in links:
        incoming[link.target] = incoming.get(link.target, 0) + 1
        by_source.setdefault(link.source, []).append(link)
    ready = sorted(source for source in by_source if source not in incoming)
    ordered: list[EdgeRecord] = []
    for node in ready:
        for link in sorted(by_source.get(node, ()), key=lambda link: link.id):
            ordered.append(link)
            incoming[link.target] -= 1
            if not incoming[link.target]:
                ready.append(link.target)
    return ordered


def titles(document: Document, nodes: Iterable[NodeId]) -> str:
    """A way in words: `A → B → A`."""
    found = [(node, document.node(node)) for node in nodes]
    return " → ".join(node if record is None else node_name(record) or f"untitled ({node})" for node, record in found)
