"""The composition root: the only file that knows every concrete class.

`build` takes what a person asked for on the command line and the environment, and gives a studio that is open and a
socket that is bound. Everything it opens it closes again, in the reverse order, however its block ends.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path

from talkfield.core.cost import stamp
from talkfield.core.events import ChatEvent
from talkfield.core.ids import NodeId
from talkfield.core.messages import MessageCost, Usage
from talkfield.core.records import SettingsRecord
from talkfield.core.slash import COMMANDS
from talkfield.errors import StartFailed
from talkfield.prices import DEFAULT_PRICES
from talkfield.providers import PROVIDERS
from talkfield.providers.directory import Directory
from talkfield.providers.local import LocalDriver, LocalModel
from talkfield.providers.scripted import ScriptedDriver, chooser, scripted_rules
from talkfield.providers.vendor import VENDORS
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.config import Configuration
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import Driver, ProviderConfig, RuntimePorts, SendRequest, Tool
from talkfield.server.config import ServerConfig
from talkfield.server.serve import address_of, bind
from talkfield.storage.base import ProjectStore
from talkfield.storage.folder import DataFolder
from talkfield.storage.memory import MemoryStore
from talkfield.storage.project_file import DiskProjectFile
from talkfield.storage.secrets import Secrets
from talkfield.storage.settings import ConfigurationFile
from talkfield.system import RandomIds, SystemClock
from talkfield.tools import TOOLS
from talkfield.tools.schema import check_arguments
from talkfield.wire.server import SlashCommandInfo, VendorInfo
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

        store, notices = await asyncio.to_thread(_open_store, data, options.scratch)
        settings = ConfigurationFile(data.settings)
        book = ConfigurationBook(settings, await asyncio.to_thread(settings.load))
        port: int = listener.getsockname()[1]
        directory = await _directory(options.environment, data, book, own_port=port)
        studio = await open_studio(_services(store, directory, book), lambda: secrets.token_hex(8))
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
            notices=(*notices, *settings.notices),
        )


@dataclass(frozen=True, kw_only=True)
class Library:
    """The runtime by itself, every provider it may ask, and the person's settings."""

    runtime: ChatRuntime
    directory: Directory
    settings: SettingsRecord


@asynccontextmanager
async def library_runtime(
    environment: Mapping[str, str],
    broadcast: Callable[[NodeId, tuple[ChatEvent, ...]], None],
    *,
    tools_for: Callable[[SendRequest], Sequence[Tool]] = lambda _request: (),
) -> AsyncIterator[Library]:
    """The runtime without a canvas or a store, for the terminal and for programs (Z4).

    `broadcast` is told the events of each turn, `tools_for` says what tools a turn has: none, unless told otherwise.
    Settings and keys are those of the data folder. Nothing there is changed or locked, so it works beside a Talkfield
    that is open.
    """
    data = await asyncio.to_thread(DataFolder.locate, environment)
    current = await asyncio.to_thread(ConfigurationFile(data.settings).load)
    book = ConfigurationBook(UnsavedConfiguration(current), current)
    directory = await _directory(environment, data, book, own_port=0)
    services = _services(MemoryStore(), directory, book)
    runtime = ChatRuntime(
        RuntimePorts(
            resolve_provider=lambda request: directory.resolve(request.provider),
            driver_for=directory.driver_for,
            broadcast=broadcast,
            ids=services.ids,
            clock=services.clock,
            tools_for=tools_for,
            log=services.log,
            price=services.price,
            check_arguments=services.check_arguments,
        )
    )
    try:
        await directory.start()
        asyncio.get_running_loop().run_in_executor(None, DEFAULT_PRICES.load)
        yield Library(runtime=runtime, directory=directory, settings=current.settings)
    finally:
        await runtime.close()
        await directory.close()


@dataclass(frozen=True)
class UnsavedConfiguration:
    """A `ConfigurationStore` for who may read the settings but not change them: what is learned lasts until the end."""

    current: Configuration

    def load(self) -> Configuration:
        return self.current

    def save(self, configuration: Configuration) -> None:
        """Nothing is written."""


def _open_store(data: DataFolder, scratch: bool) -> tuple[ProjectStore, list[str]]:
    if scratch:
        return MemoryStore(), []
    from talkfield.storage.database import DatabaseStore  # SQLAlchemy, which a scratch canvas need not load

    store = DatabaseStore(data.database)
    return store, store.notices


async def _directory(
    environment: Mapping[str, str], data: DataFolder, book: ConfigurationBook, *, own_port: int
) -> Directory:
    clock = SystemClock()
    local = LocalModel(clock=clock, environment=environment, log=logger.info)
    rules = await asyncio.to_thread(scripted_rules, environment)

    def on_the_wire(api: str) -> Driver:
        """A driver that remembers what endpoints refuse, over restarts too (D13)."""
        learned = dict(book.current.learned)
        return PROVIDERS[api](clock, learned=learned, on_learned=lambda key, said: directory.learn(key, said))

    directory = Directory(
        book=book,
        secrets=Secrets(data.keys, environ=environment),
        environment=environment,
        clock=clock,
        drivers={
            **{api: partial(on_the_wire, api) for api in PROVIDERS},
            # The embedded model's port is another each time: nothing is to be remembered of it.
            "local": lambda: LocalDriver(local, partial(PROVIDERS["openai"], clock)),
            "scripted": lambda: ScriptedDriver(choose=chooser(rules or ()), clock=clock),
        },
        vendors=VENDORS,
        local=local,
        scripted=rules is not None,
        log=logger.info,
        own_ports=lambda: (own_port,),
    )
    return directory


def _services(store: ProjectStore, directory: Directory, book: ConfigurationBook) -> Services:
    clock = SystemClock()

    def price(model: str, provider: ProviderConfig, usage: Usage, usd: Decimal | None) -> MessageCost:
        return stamp(
            usage,
            model=model,
            provider=provider.id,
            base_url=provider.base_url,
            reported_usd=usd,
            overrides=book.current.settings.price_overrides,
            table=DEFAULT_PRICES,
            at=clock.now_ms(),
        )

    def context_limit(model: str, provider: str) -> int | None:
        """What the provider itself says of its model, else what is generally known."""
        for record in directory.records():
            if record.provider == provider:
                told = next((info.context_tokens for info in record.models if info.id == model), None)
                return told or DEFAULT_PRICES.context_limit(model, provider=provider, base_url=record.base_url)
        return DEFAULT_PRICES.context_limit(model, provider=provider)

    return Services(
        store=store,
        directory=directory,
        configuration=book,
        ids=RandomIds(),
        clock=clock,
        price=price,
        context_limit=context_limit,
        check_arguments=check_arguments,
        tools_for=lambda request: tuple(TOOLS.values()) if request.folder else (),
        log=logger.info,
        open_file=lambda folder, digests: DiskProjectFile(Path(folder), digests=digests),
    )


def _server_config(token: str, port: int) -> ServerConfig:
    return ServerConfig(
        port=port,
        bearer_token=token,
        slash_commands=tuple(
            SlashCommandInfo(name=command.name, about=command.about, argument=command.argument)
            for command in COMMANDS.values()
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
