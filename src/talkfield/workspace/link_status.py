"""Whether what links delivered is what their sources say now (L3): derived with every commit, and written nowhere else.

Text that grows costs nothing here: a reply that is being written says nothing to a link before its end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from talkfield.core.changes import Change, Changes, Put, Transition
from talkfield.core.document import Document
from talkfield.core.estimate import estimate_tokens
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.link_content import content_digest, link_content
from talkfield.core.link_order import carries
from talkfield.core.link_record import LinkSummary
from talkfield.core.links import InjectContext, context_id
from talkfield.core.nodes import GroupData
from talkfield.core.records import (
    EdgeRecord,
    FileStateRecord,
    LinkMemoryRecord,
    LinkState,
    LinkStatusRecord,
    MessageRecord,
    NodeRecord,
    RunRecord,
    link_memory_id,
    link_status_id,
    run_id,
)


class LinkStatuses:
    """Derives the `LinkStatusRecord` of each link that a commit may have touched."""

    def __init__(self) -> None:
        self._links: dict[NodeId, dict[EdgeId, None]] = {}
        """Links by their source."""

    def __call__(self, document: Document, transitions: list[Transition]) -> Changes:
        touched: dict[EdgeId, None] = {}
        sources: dict[NodeId, None] = {}
        for before, after in transitions:
            match after if after is not None else before:
                case EdgeRecord() as edge:
                    self._index(edge, present=after is not None)
                    touched[edge.id] = None
                case LinkMemoryRecord(edge_id=edge_id):
                    touched[edge_id] = None
                case NodeRecord() as node:
                    if before is None:
                        self._index_all(document, node.id)
                    if self._links:
                        sources[node.id] = None
                case MessageRecord() as message:
                    if message.source is not None and message.source.link is not None:
                        touched[message.source.link] = None
                    if self._links and not _is_live(document, message):
                        sources[message.node_id] = None
                case FileStateRecord(node_id=node_id):
                    if self._links:
                        sources[node_id] = None
                case RunRecord(node_id=node_id):
                    if self._links and after is None:
                        sources[node_id] = None
                case _:
                    pass
        for source in self._affected(document, sources):
            touched.update(self._links.get(source, {}))
        return tuple(_statuses(document, touched))

    def _affected(self, document: Document, sources: Iterable[NodeId]) -> Iterable[NodeId]:
        """The sources, and groups: whatever changes may stand on one, or did."""
        sources = tuple(sources)
        if not sources:
            return ()
        groups = [
            source
            for source in self._links
            if (node := document.node(source)) is not None and isinstance(node.data, GroupData)
        ]
        return (*sources, *groups)

    def _index(self, edge: EdgeRecord, *, present: bool) -> None:
        links = self._links.setdefault(edge.source, {})
        if present and carries(edge):
            links[edge.id] = None
        else:
            links.pop(edge.id, None)
        if not links:
            del self._links[edge.source]

    def _index_all(self, document: Document, node: NodeId) -> None:
        """A project is opened node by node: its edges have no transitions of their own then."""
        for dependent in document.dependents(node):
            edge = document.get(dependent)
            if isinstance(edge, EdgeRecord) and edge.source == node and carries(edge):
                self._links.setdefault(node, {})[edge.id] = None


def _is_live(document: Document, message: MessageRecord) -> bool:
    run = document.get(run_id(message.node_id))
    return isinstance(run, RunRecord) and message.turn == run.turn


def _statuses(document: Document, edges: Iterable[EdgeId]) -> Iterable[Change]:
    for edge_id in edges:
        edge = document.get(edge_id)
        if not isinstance(edge, EdgeRecord) or not carries(edge):
            continue
        status = status_of(document, edge)
        if status != document.get(status.id):
            yield Put(status)


def status_of(document: Document, edge: EdgeRecord) -> LinkStatusRecord:
    """How a link stands: what it would deliver now, against what it did."""
    content = content_of(document, edge)
    digest = content_digest(content) if content else ""
    memory = document.get(link_memory_id(edge.id))
    delivered = memory.digest if isinstance(memory, LinkMemoryRecord) and stands(document, edge) else ""
    armed = isinstance(memory, LinkMemoryRecord) and memory.armed
    summary = summary_state(document, edge)
    state: LinkState
    if armed:
        state = "armed"
    elif not delivered:
        state = "new" if digest else "empty"
    elif edge.pinned:
        state = "pinned"
    else:
        state = "current" if digest == delivered and summary != "changed" else "changed"
    return LinkStatusRecord(
        id=link_status_id(edge.id),
        edge_id=edge.id,
        state=state,
        digest=digest,
        tokens=estimate_tokens(content),
        summary=summary,
    )


def summary_state(document: Document, edge: EdgeRecord) -> Literal["", "missing", "current", "changed"]:
    """Whether a link's summary is one of what its source says now."""
    if edge.behavior is None or edge.behavior.part != "summary":
        return ""
    summary = summary_of(document, edge)
    if summary is None or not summary.text:
        return "missing"
    return "current" if summary.of == content_digest(material_of(document, edge)) else "changed"


def stands(document: Document, edge: EdgeRecord) -> bool:
    """Whether what a link may have delivered is still there: context can be cleared away; a file is not looked at."""
    if not isinstance(edge.behavior, InjectContext):
        return True
    added = document.get(context_id(edge.id))
    return isinstance(added, MessageRecord) and added.node_id == edge.target


def content_of(document: Document, edge: EdgeRecord) -> str:
    """What goes through a link now."""
    if edge.behavior is not None and edge.behavior.part == "summary":
        summary = summary_of(document, edge)
        return summary.text if summary is not None else ""
    return material_of(document, edge)


def material_of(document: Document, edge: EdgeRecord) -> str:
    """What a link's source says now; of a summary, what it would be made of."""
    source = document.node(edge.source)
    if source is None or edge.behavior is None:
        return ""
    return link_content(document, source, edge.behavior.part)


def summary_of(document: Document, edge: EdgeRecord) -> LinkSummary | None:
    memory = document.get(link_memory_id(edge.id))
    return memory.summary if isinstance(memory, LinkMemoryRecord) else None
