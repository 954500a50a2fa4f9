"""`conversations.json` of a Claude data export: lists of messages, which newer files join to trees."""

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
    moment,
    text,
)

NAME = "Claude"


def fits(conversation: dict[str, Any]) -> bool:
    return isinstance(conversation.get("chat_messages"), list)


def read(conversation: dict[str, Any]) -> ImportedConversation:
    messages = [mapping(each) for each in items(conversation.get("chat_messages"))]
    known = {text(each.get("uuid")) for each in messages}
    tree: dict[str, TreeMessage] = {}
    last = ""
    for index, message in enumerate(messages):
        name = text(message.get("uuid"))
        if not name or name in tree:
            name = f"#{index}"
        parent = message.get("parent_message_uuid")
        # Without parents they follow each other; a parent that is not there is the root.
        tree[name] = TreeMessage(
            parent=last if parent is None else text(parent) if text(parent) in known else "",
            message=message_of(message),
        )
        last = name
    chats, left_out = chats_of(tree, text(conversation.get("current_leaf_message_uuid")) or last)
    return ImportedConversation(
        title=line(conversation.get("name")),
        created_at=moment(conversation.get("created_at")),
        chats=chats,
        left_out=left_out,
    )


def message_of(message: dict[str, Any]) -> ImportedMessage | None:
    blocks = [mapping(each) for each in items(message.get("content"))]
    words = joined(text(block.get("text")) for block in blocks if block.get("type") == "text")
    files = [mapping(each) for each in items(message.get("attachments"))]
    content = joined([words or text(message.get("text")), *map(file_of, files)])
    if not content:
        return None
    return ImportedMessage(
        role="user" if message.get("sender") == "human" else "assistant",
        content=content,
        ts=moment(message.get("created_at")),
        thinking=joined(text(block.get("thinking")) for block in blocks if block.get("type") == "thinking"),
        model=line(message.get("model")),
    )


def file_of(file: dict[str, Any]) -> str:
    content = text(file.get("extracted_content"))
    name = line(file.get("file_name"))
    if not content:
        return f"[{name}]" if name else ""
    fence = "`" * (3 + content.count("```"))
    return f"{name}\n{fence}\n{content}\n{fence}"
