"""When changes reach the disk (ST1 to ST4).

What clients see is in memory first. A record that changed is marked; the saver writes its newest state, all marked
records in one transaction, in a thread of its own, so neither a turn nor another client waits for the disk. A person's
edit, the end of a turn, a card and a tool's start are urgent; a growing message is written at most every 250 ms.

A failed write keeps everything marked, tells `on_state`, and is tried again with a growing pause (W9).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from talkfield.core.audit import AuditEntry
from talkfield.core.ids import CallId, ProjectId, RecordId
from talkfield.core.records import DocumentRecord, Record, in_document
from talkfield.core.shelf import ShelfItem
from talkfield.errors import SaveFailed
from talkfield.runtime.ports import Clock
from talkfield.storage.base import ProjectStore, WriteBatch
from talkfield.workspace.pause import pause

PAUSE_S = 0.25
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
    """One for all projects of a data folder. Owns the writer thread: every call of the store goes through it."""

    def __init__(self, store: ProjectStore, clock: Clock, on_state: Callable[[SaveFailed | None], None]) -> None:
        self._store = store
        self._clock = clock
        self._on_state = on_state
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="talkfield-writer")
        self._lookups: dict[ProjectId, Lookup] = {}
        self._dirty: dict[ProjectId, Pending] = {}
        self._marked = 0
        self._durable = 0
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._urgent = asyncio.Event()
        self._failure: SaveFailed | None = None
        self._saving = asyncio.Event()
        """Set unless the last try failed."""
        self._saving.set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    def watch(self, project: ProjectId, lookup: Lookup) -> None:
        """From now on, records of this project are read through `lookup` when they are written."""
        self._lookups[project] = lookup

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
        if self._task is not None:
            try:
                await self.flush()
            except SaveFailed as error:
                failure = error
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self.call(lambda store: store.close())
        self._writer.shutdown(wait=False)
        return failure

    async def _run(self) -> None:
        retry_s = RETRY_FIRST_S
        while True:
            await self._wake.wait()
            await self._gather()
            taken, generation = self._take()
            try:
                await self._write(taken)
            except SaveFailed as error:
                self._put_back(taken)
                self._tell(error)
                self._release(generation, error)
                await pause(self._clock, retry_s, self._urgent)
                self._urgent.set()  # this was the pause
                retry_s = min(retry_s * 2, RETRY_MOST_S)
            else:
                retry_s = RETRY_FIRST_S
                self._durable = generation
                self._tell(None)
                self._release(generation, None)

    async def _gather(self) -> None:
        """Wait for what belongs together: until something is urgent, at most `PAUSE_S`."""
        await pause(self._clock, PAUSE_S, self._urgent)
        self._wake.clear()
        self._urgent.clear()

    def _take(self) -> tuple[dict[ProjectId, Pending], int]:
        taken, self._dirty = self._dirty, {}
        return taken, self._marked

    def _put_back(self, taken: dict[ProjectId, Pending]) -> None:
        for project, old in taken.items():
            new = self._dirty.get(project, Pending())
            self._dirty[project] = Pending(
                {**old.records, **new.records}, {**old.shelf, **new.shelf}, {**old.audit, **new.audit}
            )
        self._wake.set()
        self._urgent.clear()

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

    def _release(self, generation: int, error: SaveFailed | None) -> None:
        waiting, self._waiters = self._waiters, []
        for wanted, waiter in waiting:
            if wanted > generation:
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


def _write(store: ProjectStore, batches: Sequence[WriteBatch]) -> None:
    """Whatever goes wrong in a store is a failed save to everyone else."""
    try:
        store.write(batches)
    except SaveFailed:
        raise
    except Exception as error:
        raise SaveFailed(f"saving failed: {type(error).__name__}: {error}") from error
