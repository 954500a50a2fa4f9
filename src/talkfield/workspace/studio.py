"""All that one process owns: the projects of one data folder, and what they share.

A project is loaded when it is first asked for, and stays open. Settings, providers and the list of projects are
records too: when one changes, every open project publishes it, so every client sees it at once (W15).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import tzinfo
from pathlib import PurePath
from typing import TypeVar

from msgspec.structs import replace as replace_struct

from talkfield.core.changes import Change, Put, Remove
from talkfield.core.cost import is_usable
from talkfield.core.document import Document
from talkfield.core.duplicate import duplicate
from talkfield.core.ids import NodeId, ProjectId, ProviderId, RecordId
from talkfield.core.importing import Export
from talkfield.core.messages import Attachment
from talkfield.core.records import (
    ProjectRecord,
    ProjectState,
    ProviderRecord,
    Record,
    RunRecord,
    SettingsRecord,
    project_record_id,
)
from talkfield.errors import InvalidArgument, SaveFailed, UnknownThing
from talkfield.runtime.config import Configuration
from talkfield.storage.base import SearchHit, StoredProject, UsageRow
from talkfield.wire.client import ChangeSettings
from talkfield.workspace.activity import watch_activity
from talkfield.workspace.autosave import Saver
from talkfield.workspace.backing_up import BackingUp
from talkfield.workspace.base import ImportPreview
from talkfield.workspace.files import Files
from talkfield.workspace.folders import Folders
from talkfield.workspace.imports import Imports
from talkfield.workspace.long_work import LongWork
from talkfield.workspace.opening import open_workspace
from talkfield.workspace.project_list import ProjectList
from talkfield.workspace.save_state import SaveState
from talkfield.workspace.service import Services
from talkfield.workspace.session import Session
from talkfield.workspace.tool_server import publish_tool_servers

FIRST_TITLE = "My canvas"

Value = TypeVar("Value")


class Studio:
    """See the module, and `workspace.base.StudioLike` for what the server may ask. Made by `open_studio`."""

    def __init__(self, services: Services, stored: list[StoredProject], new_epoch: Callable[[], str]) -> None:
        self._services = services
        self._new_epoch = new_epoch
        self._sessions: dict[ProjectId, Session] = {}
        self._opening = asyncio.Lock()
        self._closed = False
        self._work = LongWork(lambda changes: self._publish_changes(changes, "work"))
        self._imports = Imports(lambda: services.ids("attachment"), self._work)
        self._save = SaveState(lambda record: self._publish([record], "save"))
        self._saver = Saver(services.store, services.clock, lambda failure: self._save.tell("store", failure))
        self._projects = ProjectList(stored, self._saver, self._publish_project)
        self._files = Files(services, self._saver)
        self.data = BackingUp(services.data, self._saver, self._projects, self._work)
        self._sweeping: asyncio.Task[None] | None = None
        self._folders = Folders(services.open_file, services.clock, self._projects, self._save, services.log)
        self._unwatch = [
            services.directory.watch(self._providers_changed),
            services.configuration.watch(self._settings_changed),
        ]
        if services.tool_servers is not None:
            self._unwatch.append(services.tool_servers.watch(self._tool_servers_changed))

    async def start(self) -> None:
        """Begin to save; make the first project where there is none."""
        self._saver.start()
        self._sweeping = asyncio.create_task(self._files.sweep())
        if not self._projects:
            await self.add_project(FIRST_TITLE)

    # What the server asks ---------------------------------------------------------------------------------------------

    def projects(self) -> tuple[ProjectRecord, ...]:
        return self._projects.records()

    async def session(self, project: ProjectId | None = None) -> Session:
        wanted = self.projects()[0].project if project is None else project
        async with self._opening:
            session = self._sessions.get(wanted)
            if session is None:
                session = await self._open(wanted)
        return session

    async def session_of(self, node: NodeId) -> Session:
        for session in self._sessions.values():
            if session.document.node(node) is not None:
                return session
        owner = await self._saver.call(lambda store: store.owner_of(RecordId(node)))
        if owner is None:
            raise UnknownThing(f"there is no node {node}")
        session = await self.session(owner)
        session.node_record(node)
        return session

    async def search(self, text: str, project: ProjectId | None = None, limit: int = 50) -> tuple[SearchHit, ...]:
        if project is not None:
            self._projects.get(project)
        with suppress(SaveFailed):  # a full disk can still be searched
            await self._saver.flush()
        return tuple(await self._saver.call(lambda store: store.search(text, project, limit)))

    async def usage(self, *, since: int, zone: tzinfo) -> tuple[UsageRow, ...]:
        with suppress(SaveFailed):
            await self._saver.flush()
        return tuple(await self._saver.call(lambda store: store.usage(since=since, zone=zone)))

    async def preview_import(self, data: bytes) -> ImportPreview:
        return await self._imports.preview(data)

    async def keep_file(self, name: str, media_type: str, data: bytes) -> Attachment:
        return await self._files.keep(name, media_type, data)

    async def file(self, digest: str) -> bytes:
        return await self._files.read(digest)

    async def add_project(self, title: str, folder: str | None = None) -> ProjectRecord:
        if not title.strip():
            raise InvalidArgument("must not be empty", place="title")
        if folder is not None and (known := self._projects.of_folder(folder)) is not None:
            raise InvalidArgument(f"is the folder of the project {known.title} already", place="folder")
        now = self._services.clock.now_ms()
        stored = StoredProject(
            id=ProjectId(self._services.ids("project")),
            title=" ".join(title.split())[:200],
            folder=folder,
            created_at=now,
            opened_at=now,
        )
        return self._projects.record((await self._projects.add(stored)).id)

    async def open_folder(self, folder: str) -> ProjectRecord:
        """The project of a folder, made where there is none; it is the one opened last afterwards."""
        known = self._projects.of_folder(folder)
        if known is None:
            return await self.add_project(PurePath(folder).name or folder, folder)
        await self._projects.change(known.id, opened_at=self._services.clock.now_ms())
        return self._projects.record(known.id)

    async def unsaved(self) -> str:
        left = await self._saver.unsaved()
        if left is None:
            return ""
        failure, waiting = left
        where = ", ".join(f"“{self._projects.get(project).title}”" for project in waiting)
        count = sum(waiting.values())
        what = f"{count} change{'s' if count != 1 else ''} in {where}" if count else "what was done last"
        return f"{what} could not be saved: {failure.message} {failure.hint}".strip()

    async def saved(self) -> None:
        await self._saver.recovered()

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await self._work.close()
        for unwatch in self._unwatch:
            unwatch()
        if self._sweeping is not None:
            await self._sweeping
        await asyncio.gather(*(session.close() for session in self._sessions.values()), self._end_tool_servers())
        await self._folders.close()
        failure = await self._saver.close()
        await self._services.directory.close()
        if failure is not None:
            raise failure

    async def _end_tool_servers(self) -> None:
        if self._services.tool_servers is not None:
            await self._services.tool_servers.close()

    # What commands ask that is not about one project alone (answer.AppRequests) --------------------------------------

    def folder_of(self, project: ProjectId) -> str | None:
        return self._projects.get(project).folder

    async def document_of(self, project: ProjectId) -> Document:
        return (await self.session(project)).document

    async def new_project(self, title: str) -> ProjectId:
        return (await self.add_project(title)).project

    async def rename_project(self, project: ProjectId, title: str) -> None:
        self._projects.get(project)
        if not title:
            raise InvalidArgument("must not be empty", place="title")
        await self._projects.change(project, title=title)
        self._folders.renamed(project)

    def imported(self, file: str, conversations: tuple[int, ...]) -> tuple[Export, tuple[int, ...]]:
        return self._imports.chosen(file, conversations)

    async def move_project(self, project: ProjectId, state: ProjectState) -> None:
        if state != "active" and all(
            each.project == project or each.state != "active" for each in self._projects.records()
        ):
            raise InvalidArgument("is the only project in use; start another one first", place="project")
        if state == "binned" and (session := self._sessions.get(project)) is not None:
            await session.stop_and_wait(tuple(node.id for node in session.nodes()))
        await self._projects.change(project, state=state)

    async def duplicate_project(self, project: ProjectId) -> ProjectId:
        source = (await self.session(project)).document
        made = await self.new_project(f"{self._projects.get(project).title} (copy)")
        session = await self.session(made)
        live = {record.turn for record in source if isinstance(record, RunRecord)}
        copies = duplicate(source, source.nodes(), 0, 0, live, self._services.ids)
        session.workspace.commit(copies.changes, "duplicateProject", "skip")
        await session.durable()
        return made

    async def delete_project(self, project: ProjectId) -> None:
        if self._projects.get(project).state != "binned":
            raise InvalidArgument("is not in the bin", place="project")
        async with self._opening:
            session = self._sessions.pop(project, None)
            if session is not None:
                await session.close()
                await self._saver.flush()
            await self._folders.forget(project)
            await self._projects.remove(project)
        gone = project_record_id(project)
        for each in (*self._sessions.values(), *((session,) if session is not None else ())):
            each.publish([Remove(gone)], "project")

    def cancel_work(self, work: RecordId) -> None:
        self._work.cancel(work)

    async def change_settings(self, change: ChangeSettings) -> None:
        for index, override in enumerate(change.price_overrides or ()):
            if not is_usable(override):
                raise InvalidArgument("must be finite prices, not below 0", place=f"priceOverrides[{index}]")
        await self._services.configuration.update(lambda current: _with_settings(current, change))

    # What changes under every project ---------------------------------------------------------------------------------

    async def _open(self, project: ProjectId) -> Session:
        stored = self._projects.get(project)
        records = await self._saver.call(lambda store: store.load(project))
        workspace, recovered = await open_workspace(self._new_epoch(), records, self._services.context_limit)
        workspace.commit([Put(record) for record in self._shared()], "opened", "skip")
        session = Session(self._projects.record(project), workspace, recovered, self._services, self._saver, self)
        self._sessions[project] = session
        watch_activity(project, workspace, self._projects.tell_activity)
        with suppress(SaveFailed):  # a full disk costs the project its place in the list, and is told at the first edit
            await self._projects.change(project, opened_at=self._services.clock.now_ms())
        await self._folders.open(project, session)
        if self._services.tool_servers is not None:
            await self._services.tool_servers.look(stored.folder)  # so that a person can be asked; nothing is started
        publish_tool_servers(session)
        return session

    def _shared(self) -> list[Record]:
        return [
            self._services.configuration.current.settings,
            self._save.record,
            *self._providers(),
            *self.projects(),
            *self._work.records(),
        ]

    def _providers(self) -> list[ProviderRecord]:
        """Every provider, with the one marked that answers where a chat names none."""
        default = self._services.directory.resolve(None)
        chosen = default.id if default is not None else None
        return [
            replace_struct(self._services.described(record), is_default=record.provider == chosen, place=place)
            for place, record in enumerate(self._services.directory.records())
        ]

    def _publish(self, records: list[Record], cause: str) -> None:
        self._publish_changes([Put(record) for record in records], cause)

    def _publish_changes(self, changes: Iterable[Change], cause: str) -> None:
        for session in self._sessions.values():
            session.publish(changes, cause)

    def _publish_project(self, record: ProjectRecord) -> None:
        """To its own pages without what goes on in it: the end of a turn stays one frame."""
        for project, session in self._sessions.items():
            told = replace_struct(record, live=0, waiting=0) if project == record.project else record
            session.publish([Put(told)], "project")

    def _settings_changed(self) -> None:
        self._publish([self._services.configuration.current.settings, *self._providers()], "settings")

    def _providers_changed(self) -> None:
        current = self._providers()
        kept = {record.id for record in current}
        for session in self._sessions.values():
            known = session.document.every(ProviderRecord)
            gone: list[Change] = [Remove(record.id) for record in known if record.id not in kept]
            session.publish([*gone, *(Put(record) for record in current)], "providers")

    def _tool_servers_changed(self) -> None:
        for session in self._sessions.values():
            publish_tool_servers(session)


def _with_settings(current: Configuration, change: ChangeSettings) -> Configuration:
    old = current.settings

    def chosen(new: Value | None, known: Value) -> Value:
        return known if new is None else new

    settings: SettingsRecord = replace_struct(
        old,
        theme=chosen(change.theme, old.theme),
        enter_behavior=chosen(change.enter_behavior, old.enter_behavior),
        default_provider=ProviderId(chosen(change.default_provider, old.default_provider or "")) or None,
        default_model=chosen(change.default_model, old.default_model or "") or None,
        price_overrides=chosen(change.price_overrides, old.price_overrides),
        python_tools=chosen(change.python_tools, old.python_tools),
        hidden_models=chosen(change.hidden_models, old.hidden_models),
        provider_order=chosen(change.provider_order, old.provider_order),
    )
    return replace_struct(current, settings=settings)


async def open_studio(services: Services, new_epoch: Callable[[], str]) -> Studio:
    """The studio of a data folder, ready to be asked. Raises what the store raises."""
    stored = await asyncio.get_running_loop().run_in_executor(None, services.store.projects)
    studio = Studio(services, stored, new_epoch)
    await studio.start()
    return studio
