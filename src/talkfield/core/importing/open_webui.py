"""Chats as Open WebUI exports them: a history of messages by id, each with its parent."""

from __future__ import annotations

from typing import Any

from talkfield.core.importing.base import (
    ImportedConversation,
    ImportedMessage,
    TreeMessage,
    chats_of,
    items,
    joined,
    line,
    mapping,
    seconds,
    text,
)

NAME = "Open WebUI"


def fits(conversation: dict[str, Any]) -> bool:
    return isinstance(mapping(conversation.get("chat")).get("history"), dict)


def read(conversation: dict[str, Any]) -> ImportedConversation:
    chat = mapping(conversation.get("chat"))
    history = mapping(chat.get("history"))
    system = text(mapping(chat.get("params")).get("system")) or text(chat.get("system"))
    tree = {
        name: TreeMessage(parent=text(mapping(value).get("parentId")), message=message_of(mapping(value)))
        for name, value in mapping(history.get("messages")).items()
    }
    chats, left_out = chats_of(tree, text(history.get("currentId")))
    return ImportedConversation(
        title=line(conversation.get("title")) or line(chat.get("title")),
        created_at=seconds(conversation.get("created_at")) or seconds(chat.get("timestamp")),
        chats=chats,
        system=system,
        left_out=left_out,
    )


def message_of(message: dict[str, Any]) -> ImportedMessage | None:
    content = message.get("content")
    parts = [text(mapping(part).get("text")) for part in items(content)]
    words = text(content) or joined(parts)
    role = message.get("role")
    if role not in ("user", "assistant") or not words.strip():
        return None
    return ImportedMessage(
        role="user" if role == "user" else "assistant",
        content=words,
        ts=seconds(message.get("timestamp")),
        model=line(message.get("model")) if role == "assistant" else "",
    )
