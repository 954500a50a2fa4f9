"""The projects of one data folder as the store has them. A change of one is stored before anyone sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from talkfield.core.ids import ProjectId
from talkfield.core.records import ProjectRecord, project_record_id
from talkfield.errors import UnknownThing
from talkfield.storage.base import StoredProject
from talkfield.workspace.autosave import Saver


class ProjectList:
    """`publish` is called with the record of a project that was added or changed."""

    def __init__(self, stored: Iterable[StoredProject], saver: Saver, publish: Callable[[ProjectRecord], None]) -> None:
        self._stored: dict[ProjectId, StoredProject] = {project.id: project for project in stored}
        self._saver = saver
        self._publish = publish
        self._activity: dict[ProjectId, tuple[int, int]] = {}
        self._turn = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._stored)

    def records(self) -> tuple[ProjectRecord, ...]:
        """All of them, the one opened last first; those in the archive or the bin after all others."""
        last_first = sorted(
            self._stored.values(), key=lambda project: (project.state != "active", -project.opened_at, project.id)
        )
        return tuple(map(self._record_of, last_first))

    def record(self, project: ProjectId) -> ProjectRecord:
        """Raises `UnknownThing`."""
        return self._record_of(self.get(project))

    def get(self, project: ProjectId) -> StoredProject:
        """Raises `UnknownThing`."""
        stored = self._stored.get(project)
        if stored is None:
            raise UnknownThing(f"there is no project {project}")
        return stored

    def stored(self) -> tuple[StoredProject, ...]:
        """All of them, the oldest first."""
        return tuple(sorted(self._stored.values(), key=lambda project: (project.created_at, project.id)))

    def of_folder(self, folder: str) -> StoredProject | None:
        return next((project for project in self._stored.values() if project.folder == folder), None)

    def tell_activity(self, project: ProjectId, live: int, waiting: int) -> None:
        """So many chats of a project answer, so many cards wait in it; one that is gone has none."""
        if project not in self._stored:
            return
        self._activity[project] = live, waiting
        self._publish(self.record(project))

    async def add(self, project: StoredProject) -> StoredProject:
        async with self._turn:
            return await self._store(project)

    async def change(self, project: ProjectId, **fields: Any) -> StoredProject:
        """Set some fields of a project as it is by then. Raises `UnknownThing`, `SaveFailed`."""
        async with self._turn:
            old = self.get(project)
            new = replace(old, **fields)
            return old if new == old else await self._store(new)

    async def remove(self, project: ProjectId) -> None:
        """Destroy a project with all that is in it. Raises `UnknownThing`, `SaveFailed`."""
        async with self._turn:
            self.get(project)
            await self._saver.call(lambda store: store.remove_project(project))
            del self._stored[project]
            self._activity.pop(project, None)

    async def _store(self, project: StoredProject) -> StoredProject:
        await self._saver.call(lambda store: store.add_project(project))
        self._stored[project.id] = project
        self._publish(self._record_of(project))
        return project

    def _record_of(self, project: StoredProject) -> ProjectRecord:
        live, waiting = self._activity.get(project.id, (0, 0))
        return ProjectRecord(
            id=project_record_id(project.id),
            project=project.id,
            title=project.title,
            folder=project.folder,
            state=project.state,
            live=live,
            waiting=waiting,
        )
