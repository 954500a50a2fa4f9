"""Conversations out of the exports of other chat tools (U13). To add one: write its file, and add it to `READERS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from talkfield.core.importing import chatgpt, claude, open_webui, talkfield
from talkfield.core.importing.base import (
    MAX_CONVERSATIONS,
    MAX_MESSAGES,
    ImportedChat,
    ImportedConversation,
    ImportedMessage,
    items,
    mapping,
)
from talkfield.core.importing.talkfield import ImportedCanvas
from talkfield.errors import InvalidArgument


@dataclass(frozen=True)
class Reader:
    """One tool's format: whether a conversation is of it, and what it holds."""

    name: str
    fits: Callable[[dict[str, Any]], bool]
    read: Callable[[dict[str, Any]], ImportedConversation]


READERS = tuple(Reader(each.NAME, each.fits, each.read) for each in (chatgpt, claude, open_webui))


@dataclass(frozen=True, kw_only=True)
class Export:
    """What a file holds. `left_out` counts entries that are no conversation, are empty, or came after the bounds.

    `canvas`: the file is our own, and its conversations only show what the nodes of the canvas are.
    """

    source: str
    conversations: tuple[ImportedConversation, ...]
    left_out: int = 0
    canvas: ImportedCanvas | None = None


def read_export(data: bytes, report: Callable[[int, int], None] = lambda _done, _total: None) -> Export:
    """The conversations of a file, in its order. Raises `InvalidArgument` for what none of the readers knows.

    `report` is told how many of how many are read, and may end it by raising.
    """
    try:
        value = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidArgument(f"is no JSON: {error}", place="file") from None
    if talkfield.fits(value):
        canvas = talkfield.read_canvas(data)
        return Export(source=talkfield.NAME, conversations=talkfield.previews(canvas), canvas=canvas)
    entries = [mapping(each) for each in (items(value) if isinstance(value, list) else [value])]
    reader = next((each for each in READERS if any(each.fits(entry) for entry in entries)), None)
    if reader is None:
        known = ", ".join((*(each.name for each in READERS), talkfield.NAME))
        raise InvalidArgument(f"holds no conversations that Talkfield knows ({known})", place="file")
    found: list[ImportedConversation] = []
    messages = left_out = 0
    for number, entry in enumerate(entries):
        report(number, len(entries))
        conversation = reader.read(entry) if reader.fits(entry) and len(found) < MAX_CONVERSATIONS else None
        count = sum(len(chat.messages) for chat in conversation.chats) if conversation is not None else 0
        if conversation is None or count == 0 or messages + count > MAX_MESSAGES:
            left_out += 1
            continue
        messages += count
        found.append(replace(conversation, title=conversation.title or "Untitled"))
    return Export(source=reader.name, conversations=tuple(found), left_out=left_out)


__all__ = [
    "READERS",
    "Export",
    "ImportedCanvas",
    "ImportedChat",
    "ImportedConversation",
    "ImportedMessage",
    "read_export",
]
