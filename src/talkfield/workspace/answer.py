"""What a command's handler hands back, what it may ask of the studio, and the checks that every handler needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from talkfield.core.document import Document
from talkfield.core.ids import ProjectId, RecordId
from talkfield.core.importing import Export
from talkfield.core.messages import Attachment
from talkfield.core.records import ProjectState
from talkfield.errors import InvalidArgument
from talkfield.wire.client import ChangeSettings

MAX_TITLE = 200
MAX_TEXT_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a handler hands back: ids it made, and text and files for a composer."""

    made: tuple[str, ...] = ()
    text: str | None = None
    attachments: tuple[Attachment, ...] = ()


class AppRequests(Protocol):
    """What a command may ask that is not about this project alone: the studio does it."""

    def folder_of(self, project: ProjectId) -> str | None: ...

    async def document_of(self, project: ProjectId) -> Document:
        """The document of a project, opened if need be, to read. Raises `UnknownThing`, `ProjectUnreadable`."""
        ...

    async def new_project(self, title: str) -> ProjectId: ...

    def imported(self, file: str, conversations: tuple[int, ...]) -> tuple[Export, tuple[int, ...]]:
        """A file that was read, and places in it, each once. Raises `UnknownThing`, `InvalidArgument`."""
        ...

    async def move_project(self, project: ProjectId, state: ProjectState) -> None: ...

    async def duplicate_project(self, project: ProjectId) -> ProjectId: ...

    async def delete_project(self, project: ProjectId) -> None: ...

    async def rename_project(self, project: ProjectId, title: str) -> None: ...

    async def change_settings(self, change: ChangeSettings) -> None: ...

    def cancel_work(self, work: RecordId) -> None:
        """Raises `UnknownThing` when it is over."""
        ...


def finite(value: float, place: str) -> float:
    if not math.isfinite(value) or abs(value) > 1e7:
        raise InvalidArgument("must be a finite number on the canvas", place=place)
    return value


def size(value: float | None, default: float, least: float, place: str) -> float:
    return default if value is None else max(least, finite(value, place))


def title(value: str) -> str:
    return " ".join(value.split())[:MAX_TITLE]


def text(value: str, place: str) -> str:
    if len(value.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        raise InvalidArgument(f"is longer than {MAX_TEXT_BYTES // 1024 // 1024} MiB", place=place)
    return value
