"""Keeps what is in the files of a project's file nodes, and sees when it changes (L1, L3).

Lives on the event loop, one for each session; reads in a thread, confined as tools are. While there are file nodes it
looks every `LOOK_S`, and at once when one comes or names another file: a file that has not changed costs a look at its
date. What cannot be read says why, and disturbs nothing else.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from talkfield.core.changes import Frame, Put, Transition
from talkfield.core.file_state import FileContent, FileStateRecord, file_state_id
from talkfield.core.ids import NodeId
from talkfield.core.nodes import FileData
from talkfield.core.records import NodeRecord
from talkfield.errors import ToolError
from talkfield.runtime.ports import ToolContext

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

LOOK_S = 2.0
MOST_FOUND = 50

NO_FILE = "Name a file of the project."
NO_FOLDER = "This project has no folder. Open one with: talkfield open FOLDER"


class FileWatch:
    """See the module."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._paths = {node.id: node.data.path for node in session.nodes() if isinstance(node.data, FileData)}
        self._signatures: dict[NodeId, str] = {}
        """Of what was read last."""
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        session.workspace.listen(self._notice, growth=False)
        self._wake()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _notice(self, _frame: Frame, transitions: list[Transition]) -> None:
        for before, after in transitions:
            record = after if after is not None else before
            if not isinstance(record, NodeRecord) or not isinstance(record.data, FileData):
                continue
            if after is None:
                self._paths.pop(record.id, None)
            elif self._paths.get(record.id) != record.data.path:
                self._paths[record.id] = record.data.path
                self._signatures.pop(record.id, None)
                self._wake()

    def _wake(self) -> None:
        self._woken.set()
        if self._paths and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while self._paths:
            self._woken.clear()
            for node, path in list(self._paths.items()):
                await self._look(node, path)
            await self._pause()

    async def _pause(self) -> None:
        loop = asyncio.get_running_loop()
        waits = [
            loop.create_task(self._session.services.clock.sleep_s(LOOK_S)),
            loop.create_task(self._woken.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _look(self, node: NodeId, path: str) -> None:
        try:
            content = await self._read(node, path, self._signatures.get(node, ""))
        except ToolError as error:
            self._signatures.pop(node, None)
            self._keep(path, FileStateRecord(id=file_state_id(node), node_id=node, error=error.message))
            return
        if content is None:
            return
        self._signatures[node] = content.signature
        state = FileStateRecord(
            id=file_state_id(node),
            node_id=node,
            text=content.text,
            size_bytes=content.size_bytes,
            modified_at=content.modified_at,
        )
        self._keep(path, state)

    async def _read(self, node: NodeId, path: str, known: str) -> FileContent | None:
        """What is in the file; None: what it was. Raises `ToolError` in words for a person."""
        read = self._session.services.read_file
        context = _context(self._session, node)
        if read is None or context is None:
            raise ToolError(NO_FOLDER)
        if not path:
            raise ToolError(NO_FILE)
        return await read(path, context, known)

    def _keep(self, path: str, state: FileStateRecord) -> None:
        """One commit where something is new, no part of what undo takes back."""
        if self._paths.get(state.node_id) != path:
            self._signatures.pop(state.node_id, None)
        elif self._session.document.get(state.id) != state:
            self._session.workspace.commit([Put(state)], "file", "skip")


async def project_files(session: Session, like: str) -> tuple[str, ...]:
    """Paths of files in the project's folder that hold `like`, `MOST_FOUND` at most; none without a folder."""
    context, find = _context(session, NodeId("")), session.services.find_files
    return await find(like, context, MOST_FOUND) if context is not None and find is not None else ()


def _context(session: Session, node: NodeId) -> ToolContext | None:
    """The project's folder as a tool has it; None where there is none."""
    folder = session.app.folder_of(session.project)
    if folder is None:
        return None
    closed = session.services.closed_folders
    return ToolContext(node=node, folder=folder, project=session.project, closed_folders=closed)
