"""Work that takes a while: everyone sees what is being done and how far it is, and anyone may end it.

One way for all of it. Nothing waits for it but whoever asked: what is heavy goes in a thread of its own, and ends at
its next report when it is not wanted any more. It changes no document; what it made is put there by a command.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec.structs import replace

from talkfield.core.changes import Change, Put, Remove
from talkfield.core.ids import RecordId
from talkfield.core.records import WorkRecord
from talkfield.errors import UnknownThing, WorkCancelled
from talkfield.storage.base import Report, WorkStopped

STEPS = 50
"""Progress is told when it has come so much of the way: two in a hundred."""

Result = TypeVar("Result")


@dataclass
class Running:
    """One work: what everyone is told of it, and how to end it."""

    record: WorkRecord
    task: asyncio.Future[Any]
    unwanted: threading.Event


class LongWork:
    """What of that goes on in one process. `publish` brings changes to every open project."""

    def __init__(self, publish: Callable[[Iterable[Change]], None]) -> None:
        self._publish = publish
        self._running: dict[RecordId, Running] = {}
        self._count = 0

    def records(self) -> tuple[WorkRecord, ...]:
        return tuple(each.record for each in self._running.values())

    async def run(self, what: str, work: Callable[[Report], Awaitable[Result]]) -> Result:
        """Do `work` and say so meanwhile. Raises what it raises, and `WorkCancelled` after `cancel`.

        What `work` is given may be called from any thread.
        """
        self._count += 1
        name = RecordId(f"work:{self._count}")
        loop = asyncio.get_running_loop()
        unwanted = threading.Event()
        told = 0

        def report(done: int, total: int) -> None:
            nonlocal told
            if unwanted.is_set():
                raise WorkStopped
            step = done * STEPS // total if total else 0
            if step != told:
                told = step
                loop.call_soon_threadsafe(self._progress, name, done, total)

        task = asyncio.ensure_future(work(report))
        running = Running(WorkRecord(id=name, what=what), task, unwanted)
        self._running[name] = running
        self._publish([Put(running.record)])
        try:
            return await task
        except (asyncio.CancelledError, WorkStopped):
            if not unwanted.is_set():
                raise
            raise WorkCancelled(f"“{what}” was cancelled.") from None
        finally:
            unwanted.set()
            task.cancel()
            del self._running[name]
            self._publish([Remove(name)])

    def cancel(self, work: RecordId) -> None:
        """End it: nobody wants it any more. Raises `UnknownThing` when it is over."""
        running = self._running.get(work)
        if running is None:
            raise UnknownThing("this is over")
        self._end(running)

    async def close(self) -> None:
        """End all of it, and wait until whoever asked has been told."""
        for running in tuple(self._running.values()):
            self._end(running)
            with suppress(BaseException):
                await asyncio.wait([running.task])

    def _end(self, running: Running) -> None:
        running.unwanted.set()
        running.task.cancel()

    def _progress(self, name: RecordId, done: int, total: int) -> None:
        running = self._running.get(name)
        if running is not None:
            running.record = replace(running.record, done=done, total=total)
            self._publish([Put(running.record)])
