"""When changes reach the store, and what happens when it refuses (ST1 to ST4, W9)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

import doubles
from builders import chat
from doubles import FakeClock, settle
from talkfield.core.ids import ProjectId, RecordId
from talkfield.core.records import Record
from talkfield.errors import SaveFailed
from talkfield.storage.base import StoredProject, WriteBatch
from talkfield.storage.memory import MemoryStore
from talkfield.workspace.autosave import PAUSE_S, Saver

PROJECT = ProjectId("p")


class WatchedStore(MemoryStore):
    """Remembers its writes, and refuses while it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.add_project(StoredProject(id=PROJECT, title="p", folder=None, created_at=0, opened_at=0))
        self.writes: list[list[str]] = []
        self.failure: Exception | None = None
        self.sync_failure: Exception | None = None
        self.disk = threading.Event()
        """Set while the disk answers."""
        self.disk.set()
        self.synced: list[list[str]] = []

    def sync(self) -> None:
        known = [name for names in self.writes for name in names]
        assert self.disk.wait(20)
        if self.sync_failure is not None:
            raise self.sync_failure
        self.synced.append(known)

    def put(self, batches: Sequence[WriteBatch]) -> None:
        if self.failure is not None:
            raise self.failure
        self.writes.append([record.id for batch in batches for record in batch.puts])
        super().put(batches)


class Bench:
    def __init__(self) -> None:
        self.store = WatchedStore()
        self.clock = FakeClock()
        self.states: list[str] = []
        self.records: dict[str, Record] = {}
        self.saver = Saver(
            self.store, self.clock, lambda failure: self.states.append(failure.message if failure else "saved")
        )
        self.saver.watch(PROJECT, self.records.get)

    def change(self, name: str, *, urgent: bool) -> None:
        self.records[name] = chat(name)
        self.saver.mark(PROJECT, [RecordId(name)], urgent=urgent)


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    made.saver.start()
    try:
        yield made
    finally:
        made.store.failure = None
        await made.saver.close()


async def until(condition: object) -> None:
    """Let the writer thread work; it answers in real time."""
    for _ in range(60000):
        if condition():  # type: ignore[operator]
            return
        await asyncio.sleep(0.001)
    raise AssertionError("never happened")


async def test_ST1_an_urgent_change_is_written_at_once_and_flush_means_durable() -> None:
    async with bench() as subject:
        subject.change("a", urgent=True)
        await subject.saver.flush()
        assert subject.store.writes == [["a"]]
        await subject.saver.flush()
        assert subject.store.writes == [["a"]]


async def test_ST2_growing_text_is_written_at_most_every_quarter_second() -> None:
    async with bench() as subject:
        for name in ("a", "b", "a"):
            subject.change(name, urgent=False)
            await settle()
        assert subject.store.writes == []
        await subject.clock.advance(0.25)
        await until(lambda: subject.store.writes)
        assert subject.store.writes == [["a", "b"]]


async def test_ST1_an_urgent_change_takes_with_it_what_was_waiting() -> None:
    async with bench() as subject:
        subject.change("a", urgent=False)
        await settle()
        subject.change("b", urgent=True)
        await subject.saver.flush()
        assert subject.store.writes == [["a", "b"]]


async def test_W8_growing_text_is_written_while_the_disk_is_busy_with_what_came_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doubles, "HELD_S", 0.2)
    async with bench() as subject:
        subject.store.disk.clear()
        subject.change("a", urgent=True)
        durable = asyncio.ensure_future(subject.saver.flush())
        await until(lambda: subject.store.writes == [["a"]])
        subject.change("text", urgent=False)
        await settle(1)
        await subject.clock.advance(PAUSE_S)
        await until(lambda: subject.store.writes == [["a"], ["text"]])
        assert not durable.done()
        subject.store.disk.set()
        await durable
        assert subject.store.synced == [["a"]]
        await subject.saver.flush()
        assert subject.store.synced == [["a"], ["a", "text"]]


async def test_ST2_growing_text_alone_does_not_make_the_disk_work() -> None:
    async with bench() as subject:
        subject.change("text", urgent=False)
        await settle()
        await subject.clock.advance(PAUSE_S)
        await until(lambda: subject.store.writes)
        assert subject.store.synced == []


async def test_check_15_W9_a_failed_sync_is_told_and_what_it_held_is_written_and_synced_again() -> None:
    async with bench() as subject:
        subject.store.sync_failure = SaveFailed("the disk reports an error")
        subject.change("a", urgent=True)
        with pytest.raises(SaveFailed, match="reports an error"):
            await subject.saver.flush()
        assert subject.states == ["the disk reports an error"]
        left = await subject.saver.unsaved()
        assert left is not None
        assert left[1] == {PROJECT: 1}
        subject.store.sync_failure = None
        await subject.clock.advance(1)
        await subject.saver.recovered()
        assert subject.store.synced[-1][-1] == "a"
        assert subject.states[-1] == "saved"


async def test_W9_a_sync_that_works_does_not_hide_that_the_last_write_failed() -> None:
    async with bench() as subject:
        subject.store.disk.clear()
        subject.change("a", urgent=True)
        first = asyncio.ensure_future(subject.saver.flush())
        await until(lambda: subject.store.writes == [["a"]])
        subject.store.failure = SaveFailed("disk full")
        subject.change("b", urgent=True)
        with pytest.raises(SaveFailed, match="disk full"):
            await subject.saver.flush()
        assert not first.done()
        subject.store.disk.set()
        await first
        assert subject.states == ["disk full"]


async def test_ST3_what_is_gone_is_removed_and_session_records_are_never_written() -> None:
    async with bench() as subject:
        subject.change("a", urgent=True)
        await subject.saver.flush()
        del subject.records["a"]
        subject.saver.mark(PROJECT, [RecordId("a"), RecordId("never")], urgent=True)
        await subject.saver.flush()
        assert subject.store.load(PROJECT) == ()


async def test_W9_a_failed_save_is_told_kept_and_tried_again() -> None:
    async with bench() as subject:
        subject.store.failure = SaveFailed("disk full")
        subject.change("a", urgent=True)
        with pytest.raises(SaveFailed):
            await subject.saver.flush()
        assert subject.states == ["disk full"]
        subject.store.failure = None
        await subject.clock.advance(0.5)
        await until(lambda: subject.store.writes)
        await until(lambda: subject.states[-1] == "saved")
        assert subject.store.load(PROJECT) == (chat("a"),)


async def test_W9_a_new_change_tries_at_once_and_takes_everything_along() -> None:
    async with bench() as subject:
        subject.store.failure = OSError("no space left")
        subject.change("a", urgent=True)
        with pytest.raises(SaveFailed, match="OSError"):
            await subject.saver.flush()
        subject.store.failure = None
        subject.change("b", urgent=True)
        await subject.saver.flush()
        assert sorted(record.id for record in subject.store.load(PROJECT)) == ["a", "b"]
        assert subject.states[-1] == "saved"


async def test_W9_closing_says_when_the_last_save_failed() -> None:
    made = Bench()
    made.saver.start()
    made.store.failure = SaveFailed("disk full")
    made.change("a", urgent=True)
    failure = await made.saver.close()
    assert failure is not None
    assert failure.message == "disk full"


async def test_W9_what_is_not_saved_can_be_counted_and_waited_for() -> None:
    async with bench() as subject:
        assert await subject.saver.unsaved() is None
        subject.store.failure = SaveFailed("disk full")
        subject.change("a", urgent=True)
        subject.change("b", urgent=False)
        left = await subject.saver.unsaved()
        assert left is not None
        assert (left[0].message, left[1]) == ("disk full", {PROJECT: 2})
        waiting = asyncio.ensure_future(subject.saver.recovered())
        await settle()
        assert not waiting.done()
        subject.store.failure = None
        await subject.clock.advance(0.5)
        await waiting
        assert await subject.saver.unsaved() is None


async def test_ST4_other_work_of_the_store_waits_for_the_writes_before_it() -> None:
    async with bench() as subject:
        subject.change("a", urgent=True)
        await subject.saver.flush()
        assert await subject.saver.call(lambda store: store.load(PROJECT)) == (chat("a"),)
