"""A disk that refuses: projects open all the same, and who ends Talkfield is told what would be lost (W9)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from session_desk import desk
from talkfield.core.records import SAVE_ID
from talkfield.errors import SaveFailed
from talkfield.storage.base import StoredProject
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask


class FullDisk(MemoryStore):
    """A store whose disk takes nothing more once it is `full`."""

    full = False

    def put(self, batches: Any) -> None:
        self.refuse()
        super().put(batches)

    def add_project(self, project: StoredProject) -> None:
        self.refuse()
        super().add_project(project)

    def refuse(self) -> None:
        if self.full:
            raise SaveFailed("the disk is full.", hint="Free some space.")


async def test_W9_a_project_opens_while_the_disk_is_full() -> None:
    store = FullDisk()
    async with desk(store=store) as subject:
        other = await subject.studio.add_project("Other")
        store.full = True
        subject.clock._now_s += 1
        session = await subject.studio.session(other.project)
        with pytest.raises(SaveFailed):
            await session.handle(ask.AddNode(kind="chat", x=0, y=0))
        assert [node.x for node in session.nodes()] == [0]
        assert await subject.studio.session(other.project) is session
        store.full = False
        await session.durable()
        assert [record.id for record in store.load(other.project)] == [node.id for node in session.nodes()]


async def test_W9_what_is_not_saved_is_told_by_project_and_the_end_can_wait_for_it() -> None:
    store = FullDisk()
    async with desk(store=store) as subject:
        assert await subject.studio.unsaved() == ""
        store.full = True
        with pytest.raises(SaveFailed):
            await subject.chat()
        expected = "1 change in “My canvas” could not be saved: the disk is full. Free some space."
        assert await subject.studio.unsaved() == expected
        assert subject.record(SAVE_ID).state == "failed"
        with pytest.raises(SaveFailed):
            await subject.chat()
        assert (await subject.studio.unsaved()).startswith("2 changes in “My canvas”")
        store.full = False
        await subject.do(ask.AddNode(kind="chat", x=5, y=5))  # what a person does next tries again at once
        async with asyncio.timeout(60):
            await subject.studio.saved()
        assert await subject.studio.unsaved() == ""
        assert subject.record(SAVE_ID).state == "saved"
        assert len(store.load(subject.session.project)) == len(subject.session.nodes()) == 3
