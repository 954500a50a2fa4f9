"""What a store is, and what is kept beside it: attachments' bytes and the project file.

Synchronous on purpose: one writer thread owns all of it (ST4), nobody else calls it. Contract of a store, checked by
`tests/contracts/store_contract.py` for every one:

* all batches of a write are seen whole or not at all, also after `kill -9` at any instant (ST1);
* what `write` returned from is durable;
* a write costs what changed, never what the project holds (ST3);
* `load` gives back exactly the records that were put and not removed, but for what no store can hold: a lone
  surrogate becomes U+FFFD, a place or size that is not a finite number becomes 0;
* an unknown project raises `UnknownThing`; a full or failing disk raises `SaveFailed`, with nothing half written (W9);
* a message's usage stays on the books when the message or its project goes: the money is spent (P7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import IO, Literal, NamedTuple, Protocol

from talkfield.core.audit import AuditEntry, AuditQuery
from talkfield.core.ids import NodeId, ProjectId, RecordId
from talkfield.core.records import DocumentRecord, ProjectState
from talkfield.core.shelf import ShelfItem


@dataclass(frozen=True, kw_only=True)
class StoredProject:
    """A project as the store knows it; times are epoch milliseconds.

    `file_digests` are those of the project file's bytes that this machine wrote or was about to write, newest first: a
    file with another digest was changed by someone else (ST7).
    """

    id: ProjectId
    title: str
    folder: str | None
    created_at: int
    opened_at: int
    file_digests: tuple[str, ...] = ()
    state: ProjectState = "active"


@dataclass(frozen=True, kw_only=True)
class WriteBatch:
    """What changed in one project: records in their new state, and ids of records that are gone.

    Removes come after puts: an id in both is gone. Removing what is not there is nothing. `shelve` is put on the shelf
    in the same transaction, `unshelve` (ids of items) taken off it after that (W14). `audit` goes into the log of tool
    calls; an entry of a call that is there already replaces it (T8).
    """

    project: ProjectId
    puts: tuple[DocumentRecord, ...] = ()
    removes: tuple[RecordId, ...] = ()
    shelve: tuple[ShelfItem, ...] = ()
    unshelve: tuple[str, ...] = ()
    audit: tuple[AuditEntry, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SearchHit:
    """A message that matches a search, with a piece of it."""

    project: ProjectId
    node: NodeId
    message: str
    snippet: str


@dataclass(frozen=True, kw_only=True)
class ShelfEntry:
    """An item of the shelf in a list: everything but its messages, of which `messages` is the count (W14)."""

    id: str
    node: NodeId
    title: str
    why: str
    taken_at: int
    messages: int
    snippet: str


@dataclass(frozen=True, kw_only=True)
class UsageRow:
    """Tokens and money of one local day (`2026-08-14`), project, provider and model (U12, M5).

    `unpriced` of the `provider_calls` had no known price and are not in `usd`; `estimated` of them had their tokens
    counted by us. Provider and model are empty where the message does not say.
    """

    day: str
    project: ProjectId
    provider: str
    model: str
    provider_calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    usd: Decimal
    unpriced: int
    estimated: int


class AuditLine(NamedTuple):
    """An entry of the audit log and its place in it (T8)."""

    row: int
    entry: AuditEntry


class ProjectStore(Protocol):
    """Holds every project of one data folder. See the module for the contract."""

    def projects(self) -> list[StoredProject]:
        """All projects, the one opened last first."""
        ...

    def add_project(self, project: StoredProject) -> None:
        """Add a project, or replace everything but the records of the one with its id. Raises `SaveFailed`."""
        ...

    def remove_project(self, project: ProjectId) -> None:
        """Forget a project and all its records; an unknown one is nothing. Raises `SaveFailed`."""
        ...

    def load(self, project: ProjectId) -> tuple[DocumentRecord, ...]:
        """All records of a project, in no particular order. Raises `UnknownThing`, `ProjectUnreadable`."""
        ...

    def owner_of(self, record: RecordId) -> ProjectId | None:
        """The project that holds a record, of several the one opened last; None when none does."""
        ...

    def put(self, batches: Sequence[WriteBatch]) -> None:
        """Keep all batches, in one transaction. They outlive this process at once, and a loss of power after `sync`.

        Raises `SaveFailed`, `UnknownThing`.
        """
        ...

    def sync(self) -> None:
        """Make durable what was put before. Another thread may call meanwhile. Raises `SaveFailed`."""
        ...

    def write(self, batches: Sequence[WriteBatch]) -> None:
        """Make all batches durable in one transaction. Raises `SaveFailed`, `UnknownThing`."""
        ...

    def search(self, text: str, project: ProjectId | None = None, limit: int = 50) -> list[SearchHit]:
        """Messages that contain all words of `text`, best first (ST8).

        Any text is a valid search. Case and accents make no difference, the last word may be the beginning of one.
        """
        ...

    def shelf(self, project: ProjectId, text: str = "", limit: int = 100) -> list[ShelfEntry]:
        """What was taken out of a project, newest first; with `text`, what contains all its words (W14).

        Any text is a valid search. Case makes no difference in ASCII.
        """
        ...

    def shelved(self, project: ProjectId, item: str) -> ShelfItem:
        """One item of the shelf, whole. Raises `UnknownThing`, `ProjectUnreadable`."""
        ...

    def named_blobs(self) -> frozenset[str]:
        """Digests of the attachments that any record or anything on the shelf names, of all projects."""
        ...

    def audit(self, project: ProjectId, *, after: int = 0, limit: int = 1000) -> list[AuditLine]:
        """Tool calls of a project in the order in which they began, from the one after `after` on (T8).

        They stay when the project goes.
        """
        ...

    def recent_audit(self, project: ProjectId, query: AuditQuery) -> list[AuditLine]:
        """Tool calls of a project that fit, the one that began last first (T8). Any text is a valid search."""
        ...

    def usage(self, *, since: int = 0, until: int | None = None, zone: tzinfo = UTC) -> list[UsageRow]:
        """What was used from `since` to before `until` (epoch ms), by days of `zone`, newest first (U12)."""
        ...

    def close(self) -> None:
        """Give the files back."""
        ...


class BlobStore(Protocol):
    """Attachments' bytes by what they are. Threads may call at once."""

    def put(self, data: bytes) -> str:
        """Keep the bytes; gives their SHA-256 in hex. Raises `InvalidArgument` for too many, `SaveFailed`."""
        ...

    def get(self, digest: str) -> bytes:
        """The bytes. Raises `UnknownThing`, and `ProjectUnreadable` when the disk gives back other ones."""
        ...

    def has(self, digest: str) -> bool:
        """Whether the bytes are here. Raises `UnknownThing` for what is no digest."""
        ...

    def sweep(self, named: Set[str], *, before_ms: int) -> int:
        """Delete what `named` has not and was last put before that time (epoch ms); how many that were."""
        ...


Written = Literal["written", "unchanged", "changed-outside"]


class SharedFile(Protocol):
    """A project's file, which others may change at any time (W11, ST6, ST7).

    `digests` are those of the bytes that are ours: the ones last written, and before them the ones about to be, for a
    crash may leave either. They outlive the process in `StoredProject.file_digests`. To write what changed::

        if file.differs(data):
            remember(file.intend(data))     # store.add_project(replace(project, file_digests=…))
            file.write(data)
            remember(file.digests)

    The second `remember` matters when someone takes the file back to what it was before (`git checkout`).
    """

    path: Path
    digests: tuple[str, ...]

    def differs(self, data: bytes) -> bool:
        """Whether `data` is other than what was last written, or the file was touched since."""
        ...

    def knows(self, data: bytes) -> bool:
        """Whether these are bytes of ours."""
        ...

    def intend(self, data: bytes) -> tuple[str, ...]:
        """The digests to remember before `write(data)`; from now on these bytes are known as ours."""
        ...

    def accept(self, data: bytes) -> tuple[str, ...]:
        """These bytes, changed by someone else, have been loaded: they are ours now. Gives the digests to remember."""
        ...

    def read(self) -> bytes | None:
        """The file's bytes; None: there is none. Raises `ProjectUnreadable`."""
        ...

    def outside_change(self) -> bytes | None:
        """The file's bytes when someone else wrote them (ST7), else None. Cheap while the file is not touched.

        A file that was deleted is no change: it is written again with the next save. Raises `ProjectUnreadable`.
        """
        ...

    def write(self, data: bytes) -> Written:
        """Replace the file's bytes by `data`, unless it holds these already or someone else's.

        After `changed-outside` the file is as it was: load it, `accept` it, then write. Raises `SaveFailed`,
        `ProjectUnreadable`.
        """
        ...

    def set_aside(self, at: datetime) -> Path:
        """Move a file that makes no sense out of the way; gives its new path (ST9). Raises `ProjectUnreadable`."""
        ...


# All of it: where it is, out as a backup, in again -------------------------------------------------------------------

Report = Callable[[int, int], None]
"""Told by long work how much of how much is done (0 of 0: unknown); raises `WorkStopped` when nobody wants it."""


class WorkStopped(Exception):
    """Raised by a `Report`: what was begun is to be taken back, and the exception to go on."""


@dataclass(frozen=True, kw_only=True)
class BackedUpProject:
    """A project in a backup."""

    title: str
    state: ProjectState
    messages: int


@dataclass(frozen=True, kw_only=True)
class Backup:
    """What a backup holds; `at` (epoch ms) is when it was made, by Talkfield `version`."""

    id: str
    at: int
    version: str
    projects: tuple[BackedUpProject, ...]
    attachments: int
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class DataState:
    """Where everything is, and how large. `set_aside`: names of what was damaged or restored over, in the folder.

    `restoring`: the backup that takes its place when Talkfield next starts; what is here then moves to
    `restoring_aside`.
    """

    folder: str
    database_bytes: int
    attachments: int
    attachment_bytes: int
    free_bytes: int
    set_aside: tuple[str, ...] = ()
    restoring: Backup | None = None
    restoring_aside: str = ""


class DataKeeper(Protocol):
    """Backups of everything, without keys. Blocking; one is made, and one taken in, at a time."""

    def state(self) -> DataState:
        """Where everything is now."""
        ...

    def pack(self, report: Report) -> Path:
        """Make a backup of what is saved, as of one moment: a new file, which the next one removes.

        Raises `SaveFailed`; nothing is left then.
        """
        ...

    def pack_files(self, files: Sequence[tuple[str, bytes]], report: Report) -> Path:
        """Make an archive of these, which the next one removes. Raises `SaveFailed`; nothing is left then."""
        ...

    def begin_upload(self) -> IO[bytes]:
        """Where a backup's bytes go. Raises `SaveFailed`, `NothingToDo` while one waits to be restored."""
        ...

    def unpack(self, report: Report) -> Backup:
        """Check and unpack what was uploaded; nothing takes its place yet.

        Raises `InvalidArgument` for what is no backup, `ProjectTooNew`, `SaveFailed`; nothing is left then.
        """
        ...

    def confirm(self, id: str) -> None:
        """Restore what was unpacked when Talkfield next starts. Raises `NothingToDo`, `SaveFailed`."""
        ...

    def drop(self) -> None:
        """Restore nothing after all."""
        ...
