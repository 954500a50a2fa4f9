"""Talkfield's own JSON: a chat or a canvas as it was exported, or a `talkfield.json`, with all that is in it (U13).

Chosen nodes become copies with ids of their own, with their tool calls and with the edges between them; no link of a
file runs by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from msgspec.structs import replace

from talkfield.core.changes import Changes
from talkfield.core.document import Document
from talkfield.core.duplicate import duplicate
from talkfield.core.ids import Ids, NodeId
from talkfield.core.importing.base import (
    MAX_CONVERSATIONS,
    MAX_MESSAGES,
    ImportedChat,
    ImportedConversation,
    ImportedMessage,
)
from talkfield.core.nodes import ChatData, FileData, GroupData, StickyData
from talkfield.core.project import ProjectFile, load_project
from talkfield.core.project_change import changes_uniting
from talkfield.core.records import NodeRecord
from talkfield.errors import InvalidArgument, InvalidChange, ProjectError

NAME = "Talkfield"
MAX_TITLE = 60


@dataclass(frozen=True, kw_only=True)
class ImportedCanvas:
    """A canvas that was read, and its nodes in the order in which they are shown."""

    document: Document
    nodes: tuple[NodeRecord, ...]


def fits(value: object) -> bool:
    return isinstance(value, dict) and "talkfield" in value


def read_canvas(data: bytes) -> ImportedCanvas:
    """Raises `InvalidArgument`, which names the place in the file."""
    try:
        file = load_project(data)
        edges = {name: replace(edge, automatic=False) for name, edge in file.edges.items()}
        document = Document()
        document.apply(changes_uniting(document, ProjectFile(nodes=file.nodes, edges=edges)))
    except (ProjectError, InvalidChange, RecursionError) as error:
        raise InvalidArgument(str(error), place="file") from None
    nodes = sorted(document.nodes(), key=lambda node: (node.y, node.x, node.id))
    if len(nodes) > MAX_CONVERSATIONS or len(document) > MAX_MESSAGES:
        raise InvalidArgument("holds more than can be imported at once", place="file")
    return ImportedCanvas(document=document, nodes=tuple(nodes))


def previews(canvas: ImportedCanvas) -> tuple[ImportedConversation, ...]:
    """What a person is shown of each node."""
    return tuple(preview(canvas.document, node) for node in canvas.nodes)


def preview(document: Document, node: NodeRecord) -> ImportedConversation:
    said = tuple(
        ImportedMessage(role="note", content="", ts=message.ts)
        for message in document.messages(node.id)
        if message.role in ("user", "assistant")
    )
    created_at = said[0].ts if said else 0
    return ImportedConversation(title=title_of(node), created_at=created_at, chats=(ImportedChat(messages=said),))


def title_of(node: NodeRecord) -> str:
    match node.data:
        case ChatData():
            return node.title or "Untitled"
        case StickyData(text=text):
            words = " ".join((node.title or text).split())[:MAX_TITLE]
            return f"Note: {words}" if words else "Note"
        case FileData(path=path):
            return f"File: {node.title or path}"
        case GroupData():
            return f"Group: {node.title}" if node.title else "Group"
        case _:
            assert_never(node.data)


def place_canvas(
    canvas: ImportedCanvas, numbers: tuple[int, ...], x: float, y: float, ids: Ids
) -> tuple[tuple[NodeId, ...], Changes]:
    """Copies of the chosen nodes as they stood to each other, their top left corner at (x, y), and what makes them."""
    nodes = [canvas.nodes[number] for number in numbers]
    left, top = min((node.x for node in nodes), default=0.0), min((node.y for node in nodes), default=0.0)
    made = duplicate(canvas.document, nodes, x - left, y - top, set(), ids)
    return made.nodes, made.changes
