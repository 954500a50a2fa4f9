"""Links as scripts and a link's window see them: what each does, how it stands, and how what it delivered differs."""

from __future__ import annotations

from talkfield.core.diff import unified_diff
from talkfield.core.document import Document
from talkfield.core.ids import EdgeId
from talkfield.core.link_order import links_of
from talkfield.core.links import InjectContext, context_id, context_text
from talkfield.core.records import (
    EdgeRecord,
    LinkMemoryRecord,
    LinkStatusRecord,
    MessageRecord,
    link_memory_id,
    link_status_id,
    node_name,
)
from talkfield.errors import UnknownThing
from talkfield.workspace.base import LinkView
from talkfield.workspace.link_status import content_of


def link_views(document: Document) -> tuple[LinkView, ...]:
    return tuple(link_view(document, link.id) for link in links_of(document))


def link_view(document: Document, edge_id: EdgeId) -> LinkView:
    """One link. Raises `UnknownThing`."""
    edge, status = document.get(edge_id), document.get(link_status_id(edge_id))
    if not isinstance(edge, EdgeRecord) or not isinstance(status, LinkStatusRecord):
        raise UnknownThing(f"there is no link {edge_id}")
    memory = document.get(link_memory_id(edge_id))
    source, target = document.node(edge.source), document.node(edge.target)
    return LinkView(
        edge=edge,
        status=status,
        memory=memory if isinstance(memory, LinkMemoryRecord) else None,
        source_title=node_name(source) if source is not None else "",
        target_title=node_name(target) if target is not None else "",
    )


def link_diff(document: Document, edge_id: EdgeId) -> str:
    """What would change in what the link added, as a unified diff; empty where it added nothing, or nothing changed."""
    view = link_view(document, edge_id)
    added = document.get(context_id(edge_id))
    if not isinstance(added, MessageRecord) or not isinstance(view.edge.behavior, InjectContext):
        return ""
    wanted = context_text(view.edge.behavior, view.source_title, content_of(document, view.edge))
    return unified_diff(added.content, wanted).text
