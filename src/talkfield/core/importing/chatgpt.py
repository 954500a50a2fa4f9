"""`conversations.json` of a ChatGPT data export: conversations as trees of messages."""

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

NAME = "ChatGPT"


def fits(conversation: dict[str, Any]) -> bool:
    return isinstance(conversation.get("mapping"), dict)


def read(conversation: dict[str, Any]) -> ImportedConversation:
    nodes = mapping(conversation.get("mapping"))
    system = ""
    tree: dict[str, TreeMessage] = {}
    for name, value in nodes.items():
        node = mapping(value)
        message = mapping(node.get("message"))
        role = text(mapping(message.get("author")).get("role"))
        content = content_of(mapping(message.get("content")))
        if role == "system":
            system = system or content
        tree[name] = TreeMessage(parent=text(node.get("parent")), message=message_of(message, role, content))
    chats, left_out = chats_of(tree, text(conversation.get("current_node")))
    return ImportedConversation(
        title=line(conversation.get("title")),
        created_at=seconds(conversation.get("create_time")),
        chats=chats,
        system=system,
        left_out=left_out,
    )


def message_of(message: dict[str, Any], role: str, content: str) -> ImportedMessage | None:
    if role not in ("user", "assistant", "tool") or not content.strip():
        return None
    metadata = mapping(message.get("metadata"))
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return None
    kind = text(mapping(message.get("content")).get("content_type"))
    thinks = role == "assistant" and kind in ("thoughts", "reasoning_recap")
    return ImportedMessage(
        role="user" if role == "user" else "assistant" if role == "assistant" and not thinks else "note",
        content=content,
        ts=seconds(message.get("create_time")),
        model=line(metadata.get("model_slug")) if role == "assistant" else "",
    )


def content_of(content: dict[str, Any]) -> str:
    """The words of a message; a picture or a file is named, its bytes are not in the export."""
    parts = [part if isinstance(part, str) else part_of(mapping(part)) for part in items(content.get("parts"))]
    thoughts = [text(mapping(each).get("content")) for each in items(content.get("thoughts"))]
    code = text(content.get("text"))
    if code and content.get("content_type") == "code":
        code = f"```\n{code}\n```"
    return joined([*map(text, parts), code, *thoughts, text(content.get("content"))])


def part_of(part: dict[str, Any]) -> str:
    if part.get("content_type") == "audio_transcription":
        return text(part.get("text"))
    kind = text(part.get("content_type"))
    return f"[{kind.replace('_', ' ')}]" if kind else ""
