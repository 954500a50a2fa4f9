"""What takes a while is told, and can be ended; whoever asked for it hears how it ended (U13)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable

import pytest

from session_desk import desk
from talkfield.core.changes import Change, Put
from talkfield.core.ids import RecordId
from talkfield.core.records import WorkRecord
from talkfield.errors import InvalidArgument, UnknownThing, WorkCancelled
from talkfield.storage.base import Report, WorkStopped
from talkfield.wire import client as ask
from talkfield.workspace.long_work import LongWork

WORK = RecordId("work:1")


def watched() -> tuple[LongWork, list[tuple[int, int] | None]]:
    """Long work, and what everyone sees of it: how far it is, None when it is over."""
    seen: list[tuple[int, int] | None] = []

    def publish(changes: Iterable[Change]) -> None:
        records = [change.value if isinstance(change, Put) else None for change in changes]
        seen.extend((each.done, each.total) if isinstance(each, WorkRecord) else None for each in records)

    return LongWork(publish), seen


async def test_U13_progress_is_told_from_a_thread_in_steps_and_goes_at_the_end() -> None:
    work, seen = watched()

    def count(report: Report) -> str:
        for number in range(1000):
            report(number, 1000)
        return "counted"

    assert await work.run("Counting", lambda report: asyncio.to_thread(count, report)) == "counted"
    assert (seen[:3], seen[-1], len(seen)) == ([(0, 0), (20, 1000), (40, 1000)], None, 51)
    assert work.records() == ()


async def test_U13_what_fails_is_told_to_whoever_asked() -> None:
    work, seen = watched()

    async def fail(_report: Report) -> None:
        raise InvalidArgument("is odd")

    with pytest.raises(InvalidArgument):
        await work.run("Failing", fail)
    assert seen == [(0, 0), None]


async def test_U13_cancelled_work_ends_at_once_and_its_thread_at_its_next_report() -> None:
    work, seen = watched()
    began, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def wait(report: Report) -> None:
        began.set()
        go_on.wait(10)
        try:
            report(1, 2)
        except WorkStopped:
            ended.set()
            raise

    asked = asyncio.create_task(work.run("Waiting", lambda report: asyncio.to_thread(wait, report)))
    assert await asyncio.to_thread(began.wait, 10)
    assert work.records() == (WorkRecord(id=WORK, what="Waiting"),)
    work.cancel(WORK)
    with pytest.raises(WorkCancelled, match="“Waiting” was cancelled"):
        await asked
    assert seen == [(0, 0), None]
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 10)
    with pytest.raises(UnknownThing):
        work.cancel(WORK)


async def test_U13_work_whose_asker_goes_away_is_stopped_and_no_cancellation_is_made_up() -> None:
    work, _ = watched()
    began = asyncio.Event()

    async def wait(_report: Report) -> None:
        began.set()
        await asyncio.Event().wait()

    asked = asyncio.create_task(work.run("Waiting", wait))
    await began.wait()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert work.records() == ()


async def test_U13_everyone_sees_long_work_also_who_comes_later_and_a_command_ends_it() -> None:
    async with desk() as subject:
        went: list[Change] = []
        subject.session.subscribe(lambda frame: went.extend(frame.changes))

        async def wait(_report: Report) -> None:
            await asyncio.Event().wait()

        asked = asyncio.create_task(subject.studio._work.run("Waiting", wait))
        await asyncio.sleep(0)
        assert subject.record(WORK) == WorkRecord(id=WORK, what="Waiting")
        other = await subject.studio.session((await subject.studio.add_project("Other")).project)
        assert other.document.get(WORK) == WorkRecord(id=WORK, what="Waiting")
        await subject.do(ask.CancelWork(work=WORK))
        with pytest.raises(WorkCancelled):
            await asked
        assert (subject.record(WORK), other.document.get(WORK)) == (None, None)
        with pytest.raises(UnknownThing):
            await subject.do(ask.CancelWork(work=WORK))


async def test_U13_closing_ends_what_goes_on() -> None:
    work, _ = watched()

    async def wait(_report: Report) -> None:
        await asyncio.Event().wait()

    asked = asyncio.create_task(work.run("Waiting", wait))
    await asyncio.sleep(0)
    await work.close()
    with pytest.raises(WorkCancelled):
        await asked
