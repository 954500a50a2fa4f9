"""Chats and canvases as files for people and programs (U13). A new format is a file, and a line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from talkfield.core.document import Document
from talkfield.core.exporting.base import ExportedNode, exported
from talkfield.core.exporting.html import to_html
from talkfield.core.exporting.markdown import to_markdown
from talkfield.core.ids import NodeId
from talkfield.core.project import content_of
from talkfield.core.project_text import node_text, project_text
from talkfield.core.records import EdgeRecord

NO_LIMIT = 1 << 60


@dataclass(frozen=True)
class ExportFormat:
    """A kind of file: what it is called, and how it is made of a document's nodes under a title."""

    name: str
    suffix: str
    media_type: str
    write: Callable[[Document, Collection[NodeId], str], bytes]


def write_markdown(document: Document, nodes: Collection[NodeId], title: str) -> bytes:
    return to_markdown(title, exported(document, nodes)).encode("utf-8", "replace")


def write_html(document: Document, nodes: Collection[NodeId], title: str) -> bytes:
    return to_html(title, exported(document, nodes)).encode("utf-8", "replace")


def write_json(document: Document, nodes: Collection[NodeId], title: str) -> bytes:
    """The nodes with all their messages and the edges between them, as `talkfield.json` has them."""
    texts = {node.id: node_text(content_of(document, node), NO_LIMIT) for node in document.nodes() if node.id in nodes}
    edges = [edge for edge in document.every(EdgeRecord) if edge.source in nodes and edge.target in nodes]
    return project_text(title, texts, edges)


FORMATS: dict[str, ExportFormat] = {
    each.name: each
    for each in (
        ExportFormat("markdown", "md", "text/markdown; charset=utf-8", write_markdown),
        ExportFormat("html", "html", "text/html; charset=utf-8", write_html),
        ExportFormat("json", "json", "application/json", write_json),
    )
}

__all__ = ["FORMATS", "ExportFormat", "ExportedNode"]
