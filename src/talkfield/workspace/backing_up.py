"""Everything as one file, out and in: backups, and exports of all projects (ST10, U13).

A backup is made of what is saved, so what waits to be saved is saved first. The files that are made wait to be fetched;
a new one takes the place of the one before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import PurePath

from talkfield.core.document import Document
from talkfield.core.exporting import FORMATS
from talkfield.core.ids import ProjectId
from talkfield.core.records import DocumentRecord
from talkfield.errors import CommandRejected, UnknownThing
from talkfield.storage.base import Backup, DataKeeper, DataState, ProjectStore, Report, StoredProject
from talkfield.workspace.autosave import Saver
from talkfield.workspace.base import Archive
from talkfield.workspace.long_work import LongWork
from talkfield.workspace.project_list import ProjectList

EXPORTED = ("json", "markdown")


class BackingUp:
    """For one studio. `keeper` None: nothing is kept, so there is nothing to do."""

    def __init__(self, keeper: DataKeeper | None, saver: Saver, projects: ProjectList, work: LongWork) -> None:
        self._keeper = keeper
        self._saver = saver
        self._projects = projects
        self._work = work
        self._made: tuple[str, PurePath] | None = None

    @property
    def keeper(self) -> DataKeeper:
        if self._keeper is None:
            raise CommandRejected("This canvas keeps nothing on the disk.", hint="Export what you want to keep.")
        return self._keeper

    async def state(self) -> DataState:
        return await asyncio.to_thread(self.keeper.state)

    async def back_up(self) -> Archive:
        keeper = self.keeper
        await self._saver.flush()
        path = await self._work.run("Making a backup", lambda report: asyncio.to_thread(keeper.pack, report))
        return self._archive(path)

    async def export_all(self) -> Archive:
        keeper = self.keeper
        await self._saver.flush()
        path = await self._work.run("Exporting all projects", lambda report: self._export(keeper, report))
        return self._archive(path)

    async def _export(self, keeper: DataKeeper, report: Report) -> PurePath:
        stored = self._projects.stored()
        files: list[tuple[str, bytes]] = []
        for number, project in enumerate(stored):
            report(number, len(stored))
            records = await self._saver.call(loading(project.id))
            files += await asyncio.to_thread(exported, project, Document(records), number)
        return await asyncio.to_thread(keeper.pack_files, files, report)

    def fetch(self, archive: str) -> PurePath:
        if self._made is None or self._made[0] != archive:
            raise UnknownThing("This file is no longer there; make it again.")
        path, self._made = self._made[1], None
        return path

    async def take_in(self, data: AsyncIterator[bytes]) -> Backup:
        keeper = self.keeper
        return await self._work.run("Checking a backup", lambda report: receive(keeper, data, report))

    async def restore(self, backup: str) -> None:
        await asyncio.to_thread(self.keeper.confirm, backup)

    async def keep(self) -> None:
        await asyncio.to_thread(self.keeper.drop)

    def _archive(self, path: PurePath) -> Archive:
        name = path.name.removeprefix(".")
        self._made = name, path
        return Archive(id=name, name=name)


async def receive(keeper: DataKeeper, data: AsyncIterator[bytes], report: Report) -> Backup:
    upload = await asyncio.to_thread(keeper.begin_upload)
    try:
        async for block in data:
            report(0, 0)
            await asyncio.to_thread(upload.write, block)
    finally:
        await asyncio.to_thread(upload.close)
    return await asyncio.to_thread(keeper.unpack, report)


def loading(project: ProjectId) -> Callable[[ProjectStore], tuple[DocumentRecord, ...]]:
    return lambda store: store.load(project)


def exported(project: StoredProject, document: Document, number: int) -> list[tuple[str, bytes]]:
    """A project in every format of the export; the number tells apart those of one title."""
    title = project.title or "Untitled"
    plain = "".join(letter if letter.isalnum() or letter in " -_." else "_" for letter in title).strip(" .")[:80]
    nodes = [node.id for node in document.nodes()]
    return [
        (f"{number + 1:03} {plain or 'Untitled'}.{FORMATS[name].suffix}", FORMATS[name].write(document, nodes, title))
        for name in EXPORTED
    ]
