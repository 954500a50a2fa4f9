"""What a node has to say to a link: the same text until its source really changes (L3). Pure.

A reply that is still being written says nothing yet, nor does one that failed; notes are for the reader alone (C4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import assert_never

from talkfield.core.document import Document
from talkfield.core.links import LinkPart
from talkfield.core.nodes import ChatData, FileData, GroupData, StickyData
from talkfield.core.records import (
    FileStateRecord,
    MessageRecord,
    NodeRecord,
    RunRecord,
    file_state_id,
    node_name,
    run_id,
)


def link_content(document: Document, source: NodeRecord, part: LinkPart) -> str:
    """What goes through a link from `source`; empty where there is nothing to tell. For a summary: what it sums up."""
    match source.data:
        case ChatData():
            return _of_chat(settled_messages(document, source), part)
        case StickyData(text=text):
            return text.strip()
        case FileData():
            state = document.get(file_state_id(source.id))
            return state.text.strip() if isinstance(state, FileStateRecord) else ""
        case GroupData():
            return _of_group(document, source, part)
        case _:
            assert_never(source.data)


def _of_group(document: Document, source: NodeRecord, part: LinkPart) -> str:
    members = [node for node in document.nodes() if stands_on(node, source)]
    members.sort(key=lambda node: (node.y, node.x))
    parts = [(node_name(node), link_content(document, node, part)) for node in members]
    told = [(title or "Untitled", text) for title, text in parts if text]
    return "\n\n".join(f"## {number}. {title}\n\n{text}" for number, (title, text) in enumerate(told, start=1))


def content_digest(content: str) -> str:
    """A word for a content: two with the same word are the same."""
    return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def stands_on(node: NodeRecord, group: NodeRecord) -> bool:
    """Whether a node belongs to a group: its middle is on it. No group stands on another, for a link's purposes."""
    if isinstance(node.data, GroupData):
        return False
    x, y = node.x + node.width / 2, node.y + node.height / 2
    return group.x <= x <= group.x + group.width and group.y <= y <= group.y + group.height


def settled_messages(document: Document, chat: NodeRecord) -> list[MessageRecord]:
    """The messages of a chat that are said and stay so: not those of a turn that is under way."""
    run = document.get(run_id(chat.id))
    live = run.turn if isinstance(run, RunRecord) else None
    return [
        message
        for message in document.messages(chat.id)
        if (live is None or message.turn != live)
        and message.role in ("user", "assistant")
        and message.error is None
        and message.content.strip()
    ]


def _of_chat(messages: Sequence[MessageRecord], part: LinkPart) -> str:
    if part in ("conversation", "summary"):
        return _spoken(messages)
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    if last is None:
        return ""
    turn = [message for message in messages if message is last or (last.turn is not None and message.turn == last.turn)]
    if part == "lastTurn":
        return _spoken(turn)
    return "\n\n".join(message.content.strip() for message in turn if message.role == "assistant")


def _spoken(messages: Iterable[MessageRecord]) -> str:
    return "\n\n".join(f"{_who(message)}: {message.content.strip()}" for message in messages)


def _who(message: MessageRecord) -> str:
    if message.source is not None:
        return "Context"
    return "Assistant" if message.role == "assistant" else "User"
