"""The composition root of the canvas: with `library.py`, the only file that knows the concrete classes.

`build` takes what a person asked for on the command line and the environment, and gives a studio that is open and a
socket that is bound. Everything it opens it closes again, in the reverse order, however its block ends.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from talkfield import __version__
from talkfield.core.messages import Message
from talkfield.core.slash import COMMANDS
from talkfield.errors import ProjectUnreadable, StartFailed, UnknownThing
from talkfield.library import directory_of, pricing
from talkfield.model_description import described
from talkfield.prices import DEFAULT_PRICES
from talkfield.providers.directory import Directory
from talkfield.providers.vendor import VENDORS
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import SendRequest, Tool
from talkfield.server.config import ServerConfig
from talkfield.server.serve import address_of, bind
from talkfield.storage.backup import BackupFolder
from talkfield.storage.base import BlobStore, ProjectStore
from talkfield.storage.blobs import Blobs, MemoryBlobs
from talkfield.storage.folder import DataFolder
from talkfield.storage.memory import MemoryStore
from talkfield.storage.project_file import DiskProjectFile
from talkfield.storage.restore import complete_restore
from talkfield.storage.settings import ConfigurationFile
from talkfield.system import RandomIds, SystemClock
from talkfield.tools import TOOLS
from talkfield.tools.link_file import write_link_file
from talkfield.tools.mcp.directory import ToolServers
from talkfield.tools.node_file import find_node_files, read_node_file
from talkfield.tools.schema import check_arguments, load_validator
from talkfield.wire.server import SlashCommandInfo, ToolInfo, VendorInfo
from talkfield.workspace.service import Services
from talkfield.workspace.studio import Studio, open_studio

logger = logging.getLogger("talkfield")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a person asked for. `port` None: the usual one, else any that is free. `scratch`: keep no projects."""

    environment: Mapping[str, str]
    host: str = "127.0.0.1"
    port: int | None = None
    folder: str | None = None
    scratch: bool = False


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """A Talkfield that is open and ready to be served on `listener`, which is bound to `address` (`name:port`).

    `notices` are lines that the person should see: what was found damaged and set aside, for one.
    """

    studio: Studio
    config: ServerConfig
    directory: Directory
    data: DataFolder
    listener: socket.socket
    address: str
    notices: tuple[str, ...]


@asynccontextmanager
async def build(options: Options) -> AsyncIterator[Assembled]:
    """Open everything. Raises `ProjectLocked`, `StartFailed`, and what a store raises.

    Whoever serves the studio closes it; closing it twice is once.
    """
    async with AsyncExitStack() as stack:
        data = await asyncio.to_thread(DataFolder.locate, options.environment)
        await asyncio.to_thread(data.create)
        lock = data.lock()
        await asyncio.to_thread(lock.acquire)
        stack.callback(lock.release)
        listener = await asyncio.to_thread(bind, options.host, options.port)
        stack.callback(listener.close)
        address = address_of(listener)
        await asyncio.to_thread(lock.announce, f"http://{address}")

        restored = [] if options.scratch else await asyncio.to_thread(_before_opening, data)
        store, notices = await asyncio.to_thread(_open_store, data, options.scratch)
        blobs = MemoryBlobs() if options.scratch else Blobs(data.blobs)
        settings = ConfigurationFile(data.settings)
        book = ConfigurationBook(settings, await asyncio.to_thread(settings.load))
        port: int = listener.getsockname()[1]
        directory = await directory_of(options.environment, data, book, own_port=port)
        studio = await open_studio(_services(store, blobs, directory, book, data), lambda: secrets.token_hex(8))
        stack.push_async_callback(studio.close)
        if options.folder is not None:
            await studio.open_folder(await asyncio.to_thread(_project_folder, options.folder))
        await directory.start()
        asyncio.get_running_loop().run_in_executor(None, DEFAULT_PRICES.load)
        token = await asyncio.to_thread(data.api_token)
        yield Assembled(
            studio=studio,
            config=_server_config(token, port),
            directory=directory,
            data=data,
            listener=listener,
            address=address,
            notices=(*restored, *notices, *settings.notices),
        )


def _before_opening(data: DataFolder) -> list[str]:
    BackupFolder(data, __version__).sweep()
    return complete_restore(data.path)


def _open_store(data: DataFolder, scratch: bool) -> tuple[ProjectStore, list[str]]:
    if scratch:
        return MemoryStore(), []
    from talkfield.storage.database import DatabaseStore  # SQLAlchemy, which a scratch canvas need not load

    store = DatabaseStore(data.database)
    return store, store.notices


def _services(
    store: ProjectStore, blobs: BlobStore, directory: Directory, book: ConfigurationBook, data: DataFolder
) -> Services:
    def context_limit(model: str, provider: str) -> int | None:
        """What the provider itself says of its model, else what is generally known."""
        for record in directory.records():
            if record.provider == provider:
                told = next((info.context_tokens for info in record.models if info.id == model), None)
                return told or DEFAULT_PRICES.context_limit(model, provider=provider, base_url=record.base_url)
        return DEFAULT_PRICES.context_limit(model, provider=provider)

    clock = SystemClock()
    closed_folders = (str(data.path),)
    servers = ToolServers(book, clock, closed_folders, logger.info)

    async def prepare_tools(request: SendRequest) -> None:
        await servers.prepare(request)
        if tools_for(request):
            await asyncio.to_thread(load_validator)  # heavy, and first needed when a model calls a tool

    def tools_for(request: SendRequest) -> tuple[Tool, ...]:
        return (*(TOOLS.values() if request.folder else ()), *servers.tools_for(request))

    async def files(messages: Sequence[Message]) -> dict[str, bytes]:
        """The bytes of attachments by digest; one that is not here any more is left out, and its provider told so."""
        found: dict[str, bytes] = {}
        for digest in {file.digest for message in messages for file in message.attachments}:
            with suppress(UnknownThing, ProjectUnreadable):
                found[digest] = await asyncio.to_thread(blobs.get, digest)
        return found

    return Services(
        store=store,
        blobs=blobs,
        directory=directory,
        configuration=book,
        ids=RandomIds(),
        clock=clock,
        price=pricing(lambda: book.current.settings.price_overrides),
        context_limit=context_limit,
        check_arguments=check_arguments,
        tools_for=tools_for,
        prepare_tools=prepare_tools,
        tool_servers=servers,
        log=logger.info,
        open_file=lambda folder, digests: DiskProjectFile(Path(folder), digests=digests),
        closed_folders=closed_folders,
        write_file=write_link_file,
        read_file=read_node_file,
        find_files=find_node_files,
        data=None if isinstance(store, MemoryStore) else BackupFolder(data, __version__),
        files=files,
        has_file=blobs.has,
        described=lambda record: described(record, book.current.settings.price_overrides),
    )


def _server_config(token: str, port: int) -> ServerConfig:
    return ServerConfig(
        port=port,
        bearer_token=token,
        slash_commands=tuple(
            SlashCommandInfo(name=command.name, about=command.about, argument=command.argument)
            for command in COMMANDS.values()
        ),
        project_tools=tuple(
            ToolInfo(name=tool.name, about=tool.description.partition(".")[0], asks=tool.needs_approval)
            for tool in TOOLS.values()
        ),
        vendors=tuple(
            VendorInfo(
                id=vendor.id,
                name=vendor.name,
                api=vendor.api,
                base_url=vendor.base_url,
                key_variable=vendor.key_variable,
                docs=vendor.docs,
            )
            for vendor in VENDORS
        ),
    )


def _project_folder(folder: str) -> str:
    """The folder a person named, absolute. Raises `StartFailed` where there is none."""
    path = Path(folder).expanduser().resolve()
    if not path.is_dir():
        raise StartFailed(f"There is no folder {path}.", hint="Make it first, or leave the folder out.")
    return str(path)
