"""What an export is about: chats and notes in the order in which one reads a canvas (U13). Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import assert_never

from talkfield.core.document import Document
from talkfield.core.ids import NodeId
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData, FileData, GroupData, StickyData
from talkfield.core.records import NodeRecord


@dataclass(frozen=True, kw_only=True)
class ExportedNode:
    """A chat with its messages, or a note with its text."""

    title: str
    messages: tuple[Message, ...] = ()
    system: str = ""
    note: str | None = None


def exported(document: Document, nodes: Collection[NodeId]) -> tuple[ExportedNode, ...]:
    """The nodes, from top to bottom and from left to right; groups are places alone and not in it."""
    chosen = sorted((node for node in document.nodes() if node.id in nodes), key=lambda node: (node.y, node.x, node.id))
    return tuple(each for node in chosen if (each := exported_node(document, node)) is not None)


def exported_node(document: Document, node: NodeRecord) -> ExportedNode | None:
    match node.data:
        case ChatData(system=system):
            title = node.title or "Untitled chat"
            return ExportedNode(title=title, messages=document.conversation(node.id), system=system)
        case StickyData(text=text):
            return ExportedNode(title=node.title or "Note", note=text)
        case FileData(path=path):
            return ExportedNode(title=node.title or "File", note=path)
        case GroupData():
            return None
        case _:
            assert_never(node.data)


def speaker(message: Message) -> str:
    """Who says it, in a word."""
    words = {"user": "You", "assistant": message.model or "Assistant", "system": "System", "tool": "Tool"}
    return words.get(message.role, "Note")


def ending(message: Message) -> str:
    """Why a reply is not whole, in words; empty for a whole one."""
    if message.error is not None:
        return message.error.message
    return "Stopped" if message.stopped else ""
