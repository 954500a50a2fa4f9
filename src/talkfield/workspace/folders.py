"""The copies that projects keep in their folders, and the one thread that reads and writes there.

A thread apart from the store's: a folder may lie on a slow disk or a network, and no acknowledgement waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from talkfield.core.ids import ProjectId
from talkfield.errors import ProjectError
from talkfield.runtime.ports import Clock
from talkfield.storage.base import SharedFile
from talkfield.workspace.project_list import ProjectList
from talkfield.workspace.save_state import SaveState
from talkfield.workspace.shared_copy import CopiedProject, SharedCopy

Result = TypeVar("Result")
CLOSING_GRACE_S = 2.0
OpenFile = Callable[[str, tuple[str, ...]], SharedFile]
"""The project file in a folder, given the digests that are remembered of it."""


class Folders:
    """All copies of one studio. Without `open_file` projects are kept in the store alone."""

    def __init__(
        self,
        open_file: OpenFile | None,
        clock: Clock,
        projects: ProjectList,
        state: SaveState,
        log: Callable[[str], None],
    ) -> None:
        self.clock = clock
        self.projects = projects
        self.state = state
        self._open_file = open_file
        self._log = log
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="talkfield-files")
        self._copies: dict[ProjectId, SharedCopy] = {}

    async def open(self, project: ProjectId, session: CopiedProject) -> None:
        """Keep the copy of a project that has just been opened, if it has a folder."""
        stored = self.projects.get(project)
        if stored.folder is None or self._open_file is None:
            return
        file = self._open_file(stored.folder, stored.file_digests)
        copy = SharedCopy(session, file, ProjectDesk(self, project))
        self._copies[project] = copy
        await copy.open()
        copy.start()

    def renamed(self, project: ProjectId) -> None:
        """The project's title changed: it stands in the file."""
        copy = self._copies.get(project)
        if copy is not None:
            copy.changed()

    async def forget(self, project: ProjectId) -> None:
        """Write what is not written yet, and leave the file alone from now on."""
        copy = self._copies.pop(project, None)
        if copy is not None:
            await copy.close()

    async def work(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """Write what is not written yet. A disk that does not answer is not waited for: the next start writes it."""
        tasks = [asyncio.ensure_future(copy.close()) for copy in self._copies.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSING_GRACE_S)
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                self._log(f"a project's file is not up to date: {outcome}")
        self._thread.shutdown(wait=False)


class ProjectDesk:
    """The `CopyDesk` of one project."""

    def __init__(self, folders: Folders, project: ProjectId) -> None:
        self.clock = folders.clock
        self._folders = folders
        self._project = project
        self._source = f"file of {project}"

    async def work(self, work: Callable[[], Result]) -> Result:
        return await self._folders.work(work)

    async def remember(self, digests: tuple[str, ...]) -> None:
        await self._folders.projects.change(self._project, file_digests=digests)

    def title(self) -> str:
        return self._folders.projects.get(self._project).title

    async def rename(self, title: str) -> None:
        await self._folders.projects.change(self._project, title=title)

    def tell(self, failure: ProjectError | None) -> None:
        self._folders.state.tell(self._source, failure)

    def notice(self, line: str) -> None:
        self._folders.state.notice(self._source, line)
