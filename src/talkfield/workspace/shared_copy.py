"""Keeps `talkfield.json` in a project's folder in step with the project, both ways (W11, ST6, ST7).

Written after a turn's end and half a second after an edit, never for text that only grows, and not at all when no byte
would change. Looked at every two seconds: what someone else changed there is taken in as one undoable commit, united
with what changed here meanwhile; while a reply runs in a chat that it touches, that waits for the reply's end.

The store is the truth and the file a copy, so nothing here can lose anything: what cannot be written is told and tried
again, what cannot be read is told and left alone until there is something to write, and then moved aside. All reading
and writing happens in a thread of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Protocol, TypeVar

from talkfield.core.changes import Append, Change, Frame, Put, Remove, Transition
from talkfield.core.document import Document
from talkfield.core.history import Undo
from talkfield.core.ids import NodeId
from talkfield.core.message_format import Json
from talkfield.core.project import load_project
from talkfield.core.project_change import changed_since, changes_since, changes_uniting
from talkfield.core.records import MessageRecord, NodeRecord, QueuedRecord, ToolCallRecord
from talkfield.errors import InvalidChange, ProjectError, ProjectTooNew, ProjectUnreadable, SaveFailed, TurnRunning
from talkfield.runtime.ports import Clock
from talkfield.storage.base import SharedFile
from talkfield.workspace.pause import pause
from talkfield.workspace.shared_text import SharedText
from talkfield.workspace.workspace import Workspace

EDIT_PAUSE_S = 0.5
LOOK_EVERY_S = 2.0
RETRY_FIRST_S = 1.0
RETRY_MOST_S = 30.0
TRIES = 3
LABEL = "change on disk"
CONFLICT_MARK = b"\n<<<<<<< "

Result = TypeVar("Result")


class CopiedProject(Protocol):
    """What is asked of the session whose project is copied."""

    workspace: Workspace

    def is_busy(self, node: NodeId) -> bool: ...

    async def durable(self) -> None: ...


class CopyDesk(Protocol):
    """What is asked of whoever keeps the list of projects."""

    clock: Clock

    async def work(self, work: Callable[[], Result]) -> Result:
        """Do something in the thread that reads and writes files."""
        ...

    async def remember(self, digests: tuple[str, ...]) -> None:
        """Keep the file's digests beyond this process."""
        ...

    def title(self) -> str: ...

    async def rename(self, title: str) -> None: ...

    def tell(self, failure: ProjectError | None) -> None:
        """How writing to the folder stands."""
        ...

    def notice(self, line: str) -> None:
        """What a person should know besides."""
        ...


class SharedCopy:
    """The copy of one open project. `open`, then `start`; `close` writes what is not written yet."""

    def __init__(self, session: CopiedProject, file: SharedFile, desk: CopyDesk) -> None:
        self._session = session
        self._file = file
        self._desk = desk
        self._text = SharedText(self._document)
        self._base: bytes | None = None
        """What the file held when it and the project last agreed: where a change on either side began."""
        self._extra: Json = {}
        self._refused: tuple[bytes, ProjectError] | None = None
        """What the file holds and cannot be taken in, and why."""
        self._failure: ProjectError | None = None
        """Why the last try to read or write came to nothing."""
        self._waits = False
        """Whether what the file holds waits for the end of a turn."""
        self._due_at: float | None = None
        self._look_at = desk.clock.monotonic_s() + LOOK_EVERY_S
        self._retry_s = RETRY_FIRST_S
        self._wake = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self._unlisten: Callable[[], None] = lambda: None

    async def open(self) -> None:
        """Take in what someone else changed while the project was closed."""
        self._unlisten = self._session.workspace.listen(self._note)
        try:
            await self._look()
            if self._base is None and self._refused is None:
                await self._know_our_own()
        except ProjectError as error:
            self._failure = error
        self._tell()
        if self._refused is None and (self._base is not None or self._document.nodes()):
            self._write_after(EDIT_PAUSE_S)

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    def changed(self) -> None:
        """Something that is no record changed: the project's title."""
        self._write_after(EDIT_PAUSE_S)

    async def close(self) -> ProjectError | None:
        """Write what is not written yet. Returns why it could not be; the next start writes it then."""
        self._unlisten()
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await self._task
        try:
            if self._due_at is not None:
                await self._write()
        except Exception as error:
            return failure_of(error)
        return None

    # When -------------------------------------------------------------------------------------------------------------

    @property
    def _document(self) -> Document:
        return self._session.workspace.document

    def _note(self, _frame: Frame, transitions: list[Transition]) -> None:
        match self._text.note(transitions):
            case "turn":
                self._look_at = self._desk.clock.monotonic_s()  # what waited for this turn's end
                self._write_after(0)
            case "edit":
                self._write_after(EDIT_PAUSE_S)
            case "none":
                pass

    def _write_after(self, seconds: float) -> None:
        due = self._desk.clock.monotonic_s() + seconds
        if self._due_at is None or due < self._due_at:
            self._due_at = due
            self._wake.set()

    def _due_again(self, due: float | None) -> None:
        if self._due_at is None:
            self._due_at = due

    async def _run(self) -> None:
        clock = self._desk.clock
        while True:
            due = self._look_at if self._due_at is None else min(self._look_at, self._due_at)
            await pause(clock, max(0.0, due - clock.monotonic_s()), self._wake)
            self._wake.clear()
            if self._closing:
                return
            try:
                if clock.monotonic_s() >= self._look_at:
                    await self._look()
                if self._due_at is not None and clock.monotonic_s() >= self._due_at:
                    await self._write()
                    self._retry_s = RETRY_FIRST_S
                    self._failure = None
                elif self._due_at is None:
                    self._failure = None
            except Exception as error:
                self._failure = failure_of(error)
                if self._due_at is not None:
                    self._due_at = clock.monotonic_s() + self._retry_s
                    self._retry_s = min(2 * self._retry_s, RETRY_MOST_S)
            self._tell()
            self._look_at = max(self._look_at, clock.monotonic_s() + LOOK_EVERY_S)

    def _tell(self) -> None:
        self._desk.tell(self._failure or (self._refused[1] if self._refused is not None else None))

    # Out --------------------------------------------------------------------------------------------------------------

    async def _write(self) -> None:
        """Write the project as it is. Raises `SaveFailed`, `ProjectUnreadable`, `ProjectTooNew`."""
        due, self._due_at = self._due_at, None
        try:
            for _ in range(TRIES):
                if await self._write_once():
                    return
                await self._look()
                if self._waits:
                    return  # until the end of the turn, which asks for a write
                if self._refused is not None:
                    await self._set_aside(self._refused[1])
            raise SaveFailed(f"{self._file.path} keeps being changed by another program.", hint="It is tried again.")
        except BaseException:
            self._due_again(due)
            raise

    async def _write_once(self) -> bool:
        """Whether the file is ours to write, and now is as it should be."""
        snapshot = await self._text.take()
        title, extra = self._desk.title(), self._extra
        await self._session.durable()  # the copy is never ahead of the store: after a crash the store counts
        data = await self._desk.work(lambda: self._text.render(snapshot, title, extra))
        if not await self._desk.work(lambda: self._file.differs(data)):
            self._base = data
            return True
        await self._desk.remember(await self._desk.work(lambda: self._file.intend(data)))
        if await self._desk.work(lambda: self._file.write(data)) == "changed-outside":
            return False
        await self._desk.remember(self._file.digests)
        self._base = data
        return True

    async def _set_aside(self, why: ProjectError) -> None:
        """Make room for our own file; what is there is kept under another name. Raises `why` where it must stay."""
        if isinstance(why, ProjectTooNew | ConflictInFile):
            raise why
        at = datetime.fromtimestamp(self._desk.clock.now_ms() / 1000, UTC).astimezone()
        aside = await self._desk.work(lambda: self._file.set_aside(at))
        self._refused = None
        self._desk.notice(f"{why.message} It is kept as {aside}, and written anew.")

    # In ---------------------------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Take in what someone else wrote to the file. Raises `ProjectUnreadable` when it cannot be read at all."""
        self._waits = False
        data = await self._desk.work(self._file.outside_change)
        if data is None:
            self._refused = None
        elif self._refused is None or self._refused[0] != data:
            self._refused = None
            try:
                await self._take_in(data)
            except (ProjectUnreadable, ProjectTooNew) as error:
                error.message = error.message.replace("talkfield.json", str(self._file.path), 1)
                self._refused = (data, error)

    async def _know_our_own(self) -> None:
        """Read the file that is as we left it, for what it holds besides the project."""
        data = await self._desk.work(self._file.read)
        if data is not None:
            known = await self._desk.work(lambda: load_project(data))
            self._base, self._extra = data, known.extra

    async def _written_before(self, extra: Json) -> bytes | None:
        """What the file held before someone else wrote it, as far as it can be told: when we are what we wrote."""
        if not self._file.digests:
            return None
        snapshot, title = await self._text.take(), self._desk.title()
        data = await self._desk.work(lambda: self._text.render(snapshot, title, extra))
        return data if self._file.knows(data) else None

    async def _take_in(self, data: bytes) -> None:
        """Raises `ProjectUnreadable`, `ProjectTooNew` for what is no project of ours."""
        if CONFLICT_MARK in data:
            raise ConflictInFile(str(self._file.path))
        theirs = await self._desk.work(lambda: load_project(data))
        base = self._base or await self._written_before(theirs.extra)
        before = None if base is None else await self._desk.work(lambda: load_project(base))
        scope = None if before is None else await self._desk.work(lambda: changed_since(before, theirs))
        # From here to the commit nothing is awaited: the document is one and the same.
        if before is None or scope is None:
            changes = changes_uniting(self._document, theirs)
        else:
            changes = changes_since(self._document, before, theirs, scope)
        if any(self._session.is_busy(node) for node in nodes_of(self._document, changes)):
            self._waits = True
            return
        fresh = before is None and not self._file.digests and not self._document.nodes()
        undo: Undo = "skip" if fresh else "own"
        try:
            self._session.workspace.commit(changes, "changedOnDisk", undo, label=LABEL)
        except TurnRunning:
            self._waits = True
            return
        except InvalidChange as error:
            raise ProjectUnreadable(f"talkfield.json cannot be taken in: {error.message}.") from error
        await self._session.durable()  # before the file counts as ours: else a crash here would lose what was in it
        await self._desk.remember(await self._desk.work(lambda: self._file.accept(data)))
        self._base, self._extra = data, theirs.extra
        if theirs.title and theirs.title != (before.title if before is not None else self._desk.title()):
            await self._desk.rename(theirs.title)
        self._write_after(EDIT_PAUSE_S)


class ConflictInFile(ProjectUnreadable):
    """Someone is in the middle of a merge: the file is theirs until they are done."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} has conflict marks of git in it.",
            hint="Resolve them; until then the project is saved on this machine alone.",
        )


def nodes_of(document: Document, changes: Iterable[Change]) -> set[NodeId]:
    """The nodes that changes are about."""
    found: set[NodeId] = set()
    for change in changes:
        match change:
            case Put(value):
                record = value
            case Remove(name) | Append(name):
                known = document.get(name)
                if known is None:
                    continue
                record = known
        match record:
            case NodeRecord():
                found.add(record.id)
            case MessageRecord() | ToolCallRecord() | QueuedRecord():
                found.add(record.node_id)
            case _:
                pass
    return found


def failure_of(error: Exception) -> ProjectError:
    """Whatever goes wrong here is a copy that is not written, to everyone else."""
    if isinstance(error, ProjectError):
        return error
    return SaveFailed(f"talkfield.json could not be written: {type(error).__name__}: {error}")
