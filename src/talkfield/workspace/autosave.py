"""When changes reach the disk (ST1 to ST4).

What clients see is in memory first. A record that changed is marked; the saver writes its newest state, all marked
records in one transaction, in a thread of its own, so neither a turn nor another client waits for the disk. A person's
edit, the end of a turn, a card and a tool's start are urgent: written at once, then synced, and only then durable. A
growing message is written every 200 ms, which is enough to outlive the process (W8), and not held up by a sync: that
has a thread of its own, since a busy disk may take a second for it.

What failed, a write or a sync, is marked again, told to `on_state`, and tried again with a growing pause (W9).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from talkfield.core.audit import AuditEntry
from talkfield.core.changes import Frame, Transition
from talkfield.core.ids import CallId, ProjectId, RecordId
from talkfield.core.records import DocumentRecord, Record, in_document
from talkfield.core.shelf import ShelfItem
from talkfield.errors import SaveFailed
from talkfield.runtime.ports import Clock
from talkfield.storage.base import ProjectStore, WriteBatch
from talkfield.workspace.pause import pause

PAUSE_S = 0.2
"""With what a write takes, a quarter of a second."""

RETRY_FIRST_S = 0.5
RETRY_MOST_S = 15.0

Lookup = Callable[[str], Record | None]


@dataclass
class Pending:
    """What of one project is to be written: marked records, items to put on the shelf (None: to take off it), and
    entries of the audit log by their call.
    """

    records: dict[RecordId, None] = field(default_factory=dict)
    shelf: dict[str, ShelfItem | None] = field(default_factory=dict)
    audit: dict[CallId, AuditEntry] = field(default_factory=dict)


Result = TypeVar("Result")


class Saver:
    """One for all projects of a data folder. Every call of the store goes through its writer thread, but for `sync`.

    Generations count marks: `_marked` are made, `_written` are in the store, `_durable` are on the disk.
    """

    def __init__(self, store: ProjectStore, clock: Clock, on_state: Callable[[SaveFailed | None], None]) -> None:
        self._store = store
        self._clock = clock
        self._on_state = on_state
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="talkfield-writer")
        self._syncer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="talkfield-syncer")
        self._lookups: dict[ProjectId, Lookup] = {}
        self._dirty: dict[ProjectId, Pending] = {}
        self._unsynced: dict[ProjectId, Pending] = {}
        self._marked = 0
        self._written = 0
        self._durable = 0
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._urgent = asyncio.Event()
        self._to_sync = asyncio.Event()
        self._refused = False
        """The last write failed; a sync that works does not mean that all is well again."""
        self._retry_s = RETRY_FIRST_S
        self._failure: SaveFailed | None = None
        self._saving = asyncio.Event()
        """Set unless the last try failed."""
        self._saving.set()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._write_on()), loop.create_task(self._sync_on())]

    def watch(self, project: ProjectId, lookup: Lookup) -> None:
        """From now on, records of this project are read through `lookup` when they are written."""
        self._lookups[project] = lookup

    def take_up(self, project: ProjectId, frame: Frame, transitions: Iterable[Transition]) -> None:
        """Mark what a commit changed. Growing text can wait; everything else is written at once (ST1, ST2)."""
        changed = [
            RecordId(record.id)
            for before, after in transitions
            if (record := after if after is not None else before) is not None and in_document(record)
        ]
        if changed:
            self.mark(project, changed, urgent=frame.cause not in ("delta", "thinking", "toolOutput"))

    def mark(self, project: ProjectId, records: Iterable[RecordId], *, urgent: bool) -> None:
        """These records changed."""
        marked = self._dirty.setdefault(project, Pending()).records
        for record in records:
            marked[record] = None
        self._marked += 1
        self._wake.set()
        if urgent:
            self._urgent.set()

    def shelve(self, project: ProjectId, items: Iterable[ShelfItem]) -> None:
        """Put these on the shelf in the same transaction as what is marked (W14)."""
        pending = self._dirty.setdefault(project, Pending())
        pending.shelf.update({item.id: item for item in items})
        self._marked += 1
        self._wake.set()
        self._urgent.set()

    def unshelve(self, project: ProjectId, item: str) -> None:
        """Take this off the shelf in the same transaction as what is marked."""
        self._dirty.setdefault(project, Pending()).shelf[item] = None
        self._marked += 1
        self._wake.set()
        self._urgent.set()

    def audit(self, project: ProjectId, entry: AuditEntry) -> None:
        """Write this into the audit log in the same transaction as what is marked (T8)."""
        self._dirty.setdefault(project, Pending()).audit[entry.call] = entry
        self._marked += 1
        self._wake.set()
        self._urgent.set()

    async def flush(self) -> None:
        """Return when everything marked so far is durable. Raises `SaveFailed` when the next try fails."""
        if self._durable >= self._marked:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((self._marked, waiter))
        self._wake.set()
        self._urgent.set()
        await waiter

    async def unsaved(self) -> tuple[SaveFailed, dict[ProjectId, int]] | None:
        """Try to save; None when everything is, else what stands in the way, and how much of each project waits."""
        with suppress(SaveFailed):
            await self.flush()
        if self._failure is None:
            return None
        waiting = {
            project: len(pending.records) + len(pending.shelf) + len(pending.audit)
            for project, pending in self._dirty.items()
        }
        return self._failure, waiting

    async def recovered(self) -> None:
        """Return when the last try to save did not fail; tries go on by themselves."""
        await self._saving.wait()

    async def call(self, work: Callable[[ProjectStore], Result]) -> Result:
        """Do something else with the store, in the writer thread, after the writes before it."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, work, self._store)

    async def close(self) -> SaveFailed | None:
        """Write what is marked, end the thread, close the store. Returns what the last write failed with."""
        failure: SaveFailed | None = None
        if self._tasks:
            try:
                await self.flush()
            except SaveFailed as error:
                failure = error
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.call(lambda store: store.close())
        self._writer.shutdown(wait=False)
        self._syncer.shutdown(wait=False)
        return failure

    async def _write_on(self) -> None:
        while True:
            await self._wake.wait()
            urgent = await self._gather()
            taken, generation = self._take()
            try:
                await self._write(taken)
            except SaveFailed as error:
                self._refused = True
                self._failed(error, taken, self._written, generation)
            else:
                self._refused = False
                self._written = generation
                _add(self._unsynced, taken)
            if urgent:
                self._to_sync.set()

    async def _sync_on(self) -> None:
        while True:
            await self._to_sync.wait()
            self._to_sync.clear()
            taken, self._unsynced = self._unsynced, {}
            generation = self._written
            try:
                await asyncio.get_running_loop().run_in_executor(self._syncer, _sync, self._store)
            except SaveFailed as error:
                self._failed(error, taken, self._durable, generation)
            else:
                self._durable = generation
                self._release(0, generation, None)
                if not self._refused:
                    self._retry_s = RETRY_FIRST_S
                    self._tell(None)

    async def _gather(self) -> bool:
        """Wait for what belongs together, after a failure for the next try; whether it is to be synced then."""
        failed = self._failure is not None
        await pause(self._clock, self._retry_s if failed else PAUSE_S, self._urgent)
        if failed:
            self._retry_s = min(self._retry_s * 2, RETRY_MOST_S)
        urgent = failed or self._urgent.is_set()
        self._wake.clear()
        self._urgent.clear()
        return urgent

    def _failed(self, error: SaveFailed, taken: dict[ProjectId, Pending], after: int, generation: int) -> None:
        """What was taken is not on the disk: neither for those who wait for a generation after `after`."""
        newer, self._dirty = self._dirty, taken
        _add(self._dirty, newer)
        self._wake.set()
        self._urgent.clear()
        self._tell(error)
        self._release(after, generation, error)

    def _take(self) -> tuple[dict[ProjectId, Pending], int]:
        taken, self._dirty = self._dirty, {}
        return taken, self._marked

    async def _write(self, taken: dict[ProjectId, Pending]) -> None:
        batches = [batch for project, pending in taken.items() if (batch := self._batch(project, pending)) is not None]
        if batches:
            await self.call(lambda store: _write(store, batches))

    def _batch(self, project: ProjectId, pending: Pending) -> WriteBatch | None:
        puts: list[DocumentRecord] = []
        removes: list[RecordId] = []
        lookup = self._lookups[project]
        for record_id in pending.records:
            record = lookup(record_id)
            if record is None:
                removes.append(record_id)
            elif in_document(record):
                puts.append(record)  # type: ignore[arg-type]
        if not puts and not removes and not pending.shelf and not pending.audit:
            return None
        return WriteBatch(
            project=project,
            puts=tuple(puts),
            removes=tuple(removes),
            shelve=tuple(item for item in pending.shelf.values() if item is not None),
            unshelve=tuple(name for name, item in pending.shelf.items() if item is None),
            audit=tuple(pending.audit.values()),
        )

    def _release(self, after: int, generation: int, error: SaveFailed | None) -> None:
        """Answer those who wait for a generation after `after` and not after `generation`."""
        waiting, self._waiters = self._waiters, []
        for wanted, waiter in waiting:
            if not after < wanted <= generation:
                self._waiters.append((wanted, waiter))
            elif not waiter.done():
                if error is None:
                    waiter.set_result(None)
                else:
                    waiter.set_exception(error)

    def _tell(self, error: SaveFailed | None) -> None:
        if error is None and self._failure is None:
            return
        self._failure = error
        if error is None:
            self._saving.set()
        else:
            self._saving.clear()
        self._on_state(error)


def _add(to: dict[ProjectId, Pending], newer: dict[ProjectId, Pending]) -> None:
    """Both together; of what is in both, the newer counts."""
    for project, new in newer.items():
        old = to.setdefault(project, Pending())
        old.records.update(new.records)
        old.shelf.update(new.shelf)
        old.audit.update(new.audit)


def _write(store: ProjectStore, batches: Sequence[WriteBatch]) -> None:
    _attempt(lambda: store.put(batches))


def _sync(store: ProjectStore) -> None:
    _attempt(store.sync)


def _attempt(work: Callable[[], None]) -> None:
    """Whatever goes wrong in a store is a failed save to everyone else."""
    try:
        work()
    except SaveFailed:
        raise
    except Exception as error:
        raise SaveFailed(f"saving failed: {type(error).__name__}: {error}") from error
