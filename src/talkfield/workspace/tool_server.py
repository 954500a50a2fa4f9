"""What a person can ask of tool servers, and their records in an open project (T10)."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.changes import Change, Put, Remove
from talkfield.core.records import ToolServerRecord
from talkfield.core.tool_server import ToolServer
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.runtime.config import ToolServerDirectory
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def servers(session: Session) -> ToolServerDirectory:
    if session.services.tool_servers is None:
        raise InvalidArgument("there are no tool servers here")
    return session.services.tool_servers


async def save_tool_server(session: Session, command: ask.SaveToolServer) -> Answer:
    """Environment and headers that a change leaves out stay as they are: they may be secret, no browser has them."""
    known = next(
        (
            server
            for server in session.services.configuration.current.tool_servers
            if server.name == (command.replaces or command.name)
        ),
        None,
    )
    try:
        words = command.command or tuple(shlex.split(command.command_line))
    except ValueError as error:
        raise InvalidArgument(f"cannot be read as words: {error}", place="commandLine") from None
    server = ToolServer(
        name=command.name.strip(),
        command=words,
        url=command.url.strip(),
        env=command.env if command.env is not None else known.env if known is not None else {},
        headers=command.headers if command.headers is not None else known.headers if known is not None else {},
        enabled=command.enabled,
    )
    await servers(session).save(server, command.replaces)
    return Answer(made=(server.name,))


async def enable_tool_server(session: Session, command: ask.EnableToolServer) -> Answer:
    known = session.services.configuration.current.tool_servers
    server = next((server for server in known if server.name == command.name), None)
    if server is None:
        raise UnknownThing(f"there is no tool server {command.name}")
    await servers(session).save(replace(server, enabled=command.enabled), server.name)
    return Answer()


async def remove_tool_server(session: Session, command: ask.RemoveToolServer) -> Answer:
    await servers(session).remove(command.name)
    return Answer()


async def decide_tool_servers(session: Session, command: ask.DecideToolServers) -> Answer:
    folder = session.app.folder_of(session.project)
    if folder is None:
        raise UnknownThing("this project has no folder")
    await servers(session).decide(folder, command.digest, command.allow)
    return Answer()


def restart_tool_server(session: Session, command: ask.RestartToolServer) -> Answer:
    servers(session).restart(session.app.folder_of(session.project), command.name)
    return Answer()


def publish_tool_servers(session: Session) -> None:
    """Put the servers of a project into its document, as they are now."""
    if session.services.tool_servers is None:
        return
    current = session.services.tool_servers.records(session.app.folder_of(session.project))
    kept = {record.id for record in current}
    known = session.document.every(ToolServerRecord)
    gone: list[Change] = [Remove(record.id) for record in known if record.id not in kept]
    session.publish([*gone, *(Put(record) for record in current)], "toolServers")
