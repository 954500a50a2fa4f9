"""All sources of tools but Talkfield's own: which may run, which do, and what tools they give (T10).

Owns the connections, and the tools of installed Python packages. A person's own servers are shared by all projects and
run where Talkfield runs; those of a project's `.mcp.json` run in that project's folder, once a person has agreed to
exactly that file. Everything happens on one event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from talkfield.core.ids import NodeId
from talkfield.core.records import ToolServerRecord, ToolServerStatus, tool_server_record_id
from talkfield.core.tool_server import ToolServer, checked_server
from talkfield.core.visible import visible_line
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.runtime.config import Configuration
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import Clock, SendRequest, Tool, ToolContext
from talkfield.tools.entry_point import EntryPointTools, Find, installed
from talkfield.tools.mcp.connection import Connection
from talkfield.tools.mcp.server_file import NAME, ServerFile, read_server_file

FIRST_WAIT_S = 5.0
"""How long a provider call waits for servers that are starting: the SDK alone takes a second to load."""

END_LIMIT_S = 4.6
"""The SDK asks twice before it kills, two seconds each."""


@dataclass(frozen=True)
class Wanted:
    """A server that may run, and the project's folder if it is that project's."""

    server: ToolServer
    folder: str | None

    @property
    def key(self) -> str:
        """Names exactly this description: a changed one is another server."""
        return msgspec.json.encode((self.folder, self.server), order="deterministic").decode()


class ToolServers:
    """See the module, and `runtime.config.ToolServerDirectory` for what others may ask."""

    def __init__(
        self,
        book: ConfigurationBook,
        clock: Clock,
        closed_folders: tuple[str, ...],
        log: Callable[[str], None],
        *,
        installed: Find = installed,
        first_wait_s: float = FIRST_WAIT_S,
    ) -> None:
        self._packages = EntryPointTools(lambda: book.current.settings.python_tools, self._tell, installed)
        self._book = book
        self._clock = clock
        self._closed_folders = closed_folders
        self._first_wait_s = first_wait_s
        self._log = log
        self._files: dict[str, ServerFile] = {}
        self._connections: dict[str, Connection] = {}
        self._waited: set[str] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._listeners: list[Callable[[], None]] = []
        self._closed = False
        self._unwatch = book.watch(self._configuration_changed)

    def records(self, folder: str | None) -> tuple[ToolServerRecord, ...]:
        own = [
            *(self._record(server, None) for server in self._book.current.tool_servers),
            *self._packages.records(),
        ]
        if folder is None or folder not in self._files:
            return tuple(own)
        file = self._files[folder]
        if file.problem:
            broken = ToolServerRecord(
                id=tool_server_record_id("project", NAME),
                name=NAME,
                origin="project",
                status="failed",
                what=NAME,
                message=visible_line(file.problem),
            )
            return (*own, broken)
        return (*own, *(self._record(server, folder) for server in file.servers))

    def tools_for(self, request: SendRequest) -> tuple[Tool, ...]:
        tools: dict[str, Tool] = {tool.name: tool for tool in self._packages.tools()}
        for wanted in self._wanted(request.folder):
            connection = self._connections.get(wanted.key)
            if connection is not None and connection.state == "ready":
                for tool in connection.tools:
                    tools.setdefault(tool.name, tool)
        return tuple(tools.values())

    async def prepare(self, request: SendRequest) -> None:
        await self.look(request.folder)
        awaited: list[Connection] = []
        for wanted in self._wanted(request.folder):
            if wanted.server.name in request.tools_off:
                continue
            connection = self._connection(wanted)
            connection.need()
            # A start is waited for once: whoever is slow is not waited for by every provider call until it is there.
            if connection.state == "ready" or wanted.key not in self._waited:
                awaited.append(connection)
            self._waited.add(wanted.key)
        if awaited:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._first_wait_s):
                    await asyncio.gather(*(connection.settled() for connection in awaited))

    async def look(self, folder: str | None) -> None:
        await self._packages.prepare()
        if folder is None:
            return
        context = ToolContext(node=NodeId(""), folder=folder, closed_folders=self._closed_folders)
        file = await asyncio.to_thread(read_server_file, context)
        if file == self._files.get(folder):
            return
        if file is None:
            self._files.pop(folder, None)
        else:
            self._files[folder] = file
        self._end_unwanted()
        self._tell()

    async def save(self, server: ToolServer, replaces: str | None) -> None:
        try:
            checked_server(server)
        except ValueError as error:
            raise InvalidArgument(str(error), place="server") from None

        def change(current: Configuration) -> Configuration:
            if replaces != server.name and any(known.name == server.name for known in current.tool_servers):
                raise InvalidArgument(f"there is a server {server.name} already", place="name")
            saved = tuple(server if known.name == replaces else known for known in current.tool_servers)
            return replace(current, tool_servers=saved if server in saved else (*saved, server))

        await self._book.update(change)

    async def remove(self, name: str) -> None:
        if all(known.name != name for known in self._book.current.tool_servers):
            raise UnknownThing(f"there is no tool server {name}")
        await self._book.update(
            lambda current: replace(
                current, tool_servers=tuple(known for known in current.tool_servers if known.name != name)
            )
        )

    async def decide(self, folder: str, digest: str, allow: bool) -> None:
        await self.look(folder)
        file = self._files.get(folder)
        if file is None or not digest or file.digest != digest:
            raise UnknownThing(f"{NAME} has changed since it was shown; look at it again")
        await self._book.update(lambda current: replace(current, server_files={**current.server_files, digest: allow}))

    def restart(self, folder: str | None, name: str) -> None:
        for wanted in self._wanted(folder):
            if wanted.server.name == name:
                self._waited.discard(wanted.key)
                self._connection(wanted).restart()
                return
        raise UnknownThing(f"there is no tool server {name} that may run")

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def close(self) -> None:
        self._closed = True
        self._unwatch()
        connections, self._connections = list(self._connections.values()), {}
        await asyncio.gather(*(connection.close(END_LIMIT_S) for connection in connections), *self._ending)

    # Parts ------------------------------------------------------------------------------------------------------------

    def _wanted(self, folder: str | None) -> list[Wanted]:
        """The servers that may run for a project, a person's own first."""
        current = self._book.current
        wanted = [Wanted(server, None) for server in current.tool_servers if server.enabled]
        file = self._files.get(folder) if folder is not None else None
        if file is not None and current.server_files.get(file.digest) is True:
            taken = {server.name for server in current.tool_servers}
            wanted += [Wanted(server, folder) for server in file.servers if server.enabled and server.name not in taken]
        return wanted

    def _connection(self, wanted: Wanted) -> Connection:
        known = self._connections.get(wanted.key)
        if known is None:
            known = Connection(wanted.server, wanted.folder, self._clock, self._tell, self._log)
            self._connections[wanted.key] = known
        return known

    def _record(self, server: ToolServer, folder: str | None) -> ToolServerRecord:
        status, message, tools = self._status(server, folder)
        origin = "settings" if folder is None else "project"
        return ToolServerRecord(
            id=tool_server_record_id(origin, server.name),
            name=server.name,
            origin="settings" if folder is None else "project",
            status=status,
            what=visible_line(server.what),
            names=tuple(visible_line(name) for name in (*server.env, *server.headers)),
            tools=tools,
            read_only=self._read_only(server, folder),
            message=visible_line(message),
            digest="" if folder is None else self._files[folder].digest,
        )

    def _read_only(self, server: ToolServer, folder: str | None) -> tuple[str, ...]:
        connection = self._connections.get(Wanted(server, folder).key)
        return () if connection is None else tuple(tool.name for tool in connection.tools if tool.reads_by_its_word)

    def _status(self, server: ToolServer, folder: str | None) -> tuple[ToolServerStatus, str, tuple[str, ...]]:
        if not server.enabled:
            return "off", "", ()
        if folder is not None:
            if any(own.name == server.name for own in self._book.current.tool_servers):
                return "off", "Settings has a server of this name.", ()
            decided = self._book.current.server_files.get(self._files[folder].digest)
            if decided is not True:
                return ("asking", f"{NAME} of this project names it.", ()) if decided is None else ("refused", "", ())
        connection = self._connections.get(Wanted(server, folder).key)
        if connection is None:
            return "idle", "", ()
        return connection.state, connection.message, tuple(tool.name for tool in connection.tools)

    def _configuration_changed(self) -> None:
        self._packages.settings_changed()
        self._end_unwanted()
        self._tell()

    def _end_unwanted(self) -> None:
        """End what may no longer run: removed, changed, turned off, or of a file that is another now."""
        keep = {wanted.key for folder in (None, *self._files) for wanted in self._wanted(folder)}
        for key in [key for key in self._connections if key not in keep]:
            connection = self._connections.pop(key)
            self._waited.discard(key)
            task = asyncio.get_running_loop().create_task(connection.close(END_LIMIT_S))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    def _tell(self) -> None:
        if not self._closed:
            for listener in list(self._listeners):
                listener()
