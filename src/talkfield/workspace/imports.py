"""Files of other chat tools, from the moment that they were read until a person has said what of them is wanted.

Nothing is added before that (U13). The few that wait are kept in memory alone; the oldest goes first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from talkfield.core.importing import Export, ImportedConversation, read_export
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.workspace.base import ConversationPreview, ImportPreview
from talkfield.workspace.long_work import LongWork

MAX_WAITING = 3


class Imports:
    """The files of one studio that were read and not added yet."""

    def __init__(self, new_id: Callable[[], str], work: LongWork) -> None:
        self._new_id = new_id
        self._work = work
        self._waiting: dict[str, Export] = {}

    async def preview(self, data: bytes) -> ImportPreview:
        """Read a file in a thread: nothing else waits for a large one. Raises `InvalidArgument`."""
        export = await self._work.run(
            "Reading a file of conversations", lambda report: asyncio.to_thread(read_export, data, report)
        )
        name = self._new_id()
        self._waiting[name] = export
        while len(self._waiting) > MAX_WAITING:
            self._waiting.pop(next(iter(self._waiting)))
        return ImportPreview(
            id=name,
            source=export.source,
            left_out=export.left_out,
            conversations=tuple(map(preview_of, export.conversations)),
        )

    def chosen(self, name: str, numbers: tuple[int, ...]) -> tuple[Export, tuple[int, ...]]:
        """A file, and places of conversations in it, each once. Raises `UnknownThing`, `InvalidArgument`."""
        export = self._waiting.get(name)
        if export is None:
            raise UnknownThing("this import is no longer there; choose the file again")
        if not all(0 <= number < len(export.conversations) for number in numbers):
            raise InvalidArgument("names a conversation that is not in the file", place="conversations")
        return export, tuple(dict.fromkeys(numbers))


def preview_of(conversation: ImportedConversation) -> ConversationPreview:
    return ConversationPreview(
        title=conversation.title,
        created_at=conversation.created_at,
        messages=len(conversation.chats[0].messages),
        branches=len(conversation.chats) - 1,
        left_out=conversation.left_out,
    )
