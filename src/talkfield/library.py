"""The runtime without a canvas, for programs and for the commands of the terminal (Z4).

Two ways in: `library_runtime` asks whatever the program itself would ask, by the person's settings and keys;
`runtime_ports` and `driver_for` take one provider that the caller names. Neither loads a server or a database, and
neither writes anything. `assemble.py` builds the canvas on the same providers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from talkfield.core.audit import AuditEntry
from talkfield.core.cost import stamp
from talkfield.core.events import ChatEvent
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.messages import Message, MessageCost, Usage
from talkfield.core.provider_api import APIS, Api
from talkfield.core.records import PriceOverride, SettingsRecord
from talkfield.core.rule import Rule
from talkfield.errors import InvalidArgument
from talkfield.prices import DEFAULT_PRICES
from talkfield.providers import PROVIDERS
from talkfield.providers.directory import Directory
from talkfield.providers.local import LocalDriver, LocalModel
from talkfield.providers.recorder import Recorder, record_folder
from talkfield.providers.scripted import ScriptedDriver, chooser, scripted_rules
from talkfield.providers.timeout_setting import timeouts_of
from talkfield.providers.transport import Observer
from talkfield.providers.vendor import VENDORS
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.config import Configuration
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import Clock, Driver, ProviderConfig, RuntimePorts, SendRequest, Tool
from talkfield.storage.folder import DataFolder
from talkfield.storage.secrets import Secrets
from talkfield.storage.settings import ConfigurationFile
from talkfield.system import RandomIds, SystemClock
from talkfield.tools.schema import check_arguments

logger = logging.getLogger("talkfield")

Broadcast = Callable[[NodeId, tuple[ChatEvent, ...]], None]
Price = Callable[[str, ProviderConfig, Usage, Decimal | None], MessageCost | None]
ToolsFor = Callable[[SendRequest], Sequence[Tool]]
Audit = Callable[[AuditEntry], None]
RulesFor = Callable[[SendRequest], Sequence[Rule]]


@dataclass(frozen=True, kw_only=True)
class Library:
    """The runtime by itself, every provider it may ask, and the person's settings."""

    runtime: ChatRuntime
    directory: Directory
    settings: SettingsRecord


@asynccontextmanager
async def library_runtime(
    environment: Mapping[str, str],
    broadcast: Broadcast,
    *,
    tools_for: ToolsFor = lambda _request: (),
    audit: Audit = lambda _entry: None,
    rules_for: RulesFor = lambda _request: (),
) -> AsyncIterator[Library]:
    """The runtime with every provider that this machine knows: from the environment, from Settings, embedded, found.

    `broadcast` is told the events of each turn, `tools_for` says what tools a turn has: none, unless told otherwise.
    `audit` is told what runs, before and after (T8); `rules_for` gives the decisions that are remembered, as they are
    now (T7). No tool enters the data folder.
    Settings and keys are those of the data folder. Nothing there is changed or locked, so it works beside a Talkfield
    that is open.
    """
    data = await asyncio.to_thread(DataFolder.locate, environment)
    current = await asyncio.to_thread(ConfigurationFile(data.settings).load)
    book = ConfigurationBook(UnsavedConfiguration(current), current)
    directory = await directory_of(environment, data, book, own_port=0)
    runtime = ChatRuntime(
        RuntimePorts(
            resolve_provider=lambda request: directory.resolve(request.provider),
            driver_for=directory.driver_for,
            broadcast=broadcast,
            ids=RandomIds(),
            clock=SystemClock(),
            tools_for=tools_for,
            log=logger.info,
            price=pricing(lambda: book.current.settings.price_overrides),
            check_arguments=check_arguments,
            audit=audit,
            rules_for=rules_for,
            closed_folders=(str(data.path),),
            max_provider_calls=lambda: book.current.settings.max_provider_calls,
        )
    )
    try:
        await directory.start()
        asyncio.get_running_loop().run_in_executor(None, DEFAULT_PRICES.load)
        yield Library(runtime=runtime, directory=directory, settings=current.settings)
    finally:
        await runtime.close()
        await directory.close()


def driver_for(provider: ProviderConfig, *, clock: Clock | None = None) -> Driver:
    """A driver that speaks the provider's API, `openai` or `anthropic`. Raises `InvalidArgument` for another.

    It serves any number of turns at once, and any provider of that API. Whoever made it closes it.
    """
    make = PROVIDERS.get(provider.api)
    if make is None:
        raise InvalidArgument(f"is {provider.api!r}, and no driver speaks that", place="api", hint=f"{_known_apis()}.")
    return make(clock or SystemClock())


def runtime_ports(
    provider: ProviderConfig,
    driver: Driver,
    broadcast: Broadcast,
    *,
    tools: Sequence[Tool] = (),
    price_overrides: Sequence[PriceOverride] = (),
) -> RuntimePorts:
    """All that a `ChatRuntime` needs to ask one provider: random ids, the machine's clock, the built-in prices.

    Arguments of tools are checked against their schema (T3). Take `dataclasses.replace` for any other wish. The first
    price loads the price list, for 0.2 s; `DEFAULT_PRICES.load` in a thread does that beforehand.
    """
    return RuntimePorts(
        resolve_provider=lambda request: provider if request.provider in (None, provider.id) else None,
        driver_for=lambda _provider: driver,
        broadcast=broadcast,
        ids=RandomIds(),
        clock=SystemClock(),
        tools_for=lambda _request: tools,
        log=logger.info,
        price=pricing(lambda: price_overrides),
        check_arguments=check_arguments,
    )


def user_message(content: str) -> Message:
    """What a person says, now, under a new id."""
    return Message(id=MessageId(RandomIds()("message")), role="user", content=content, ts=SystemClock().now_ms())


# What the canvas is built on as well (assemble.py) --------------------------------------------------------------------


def pricing(overrides: Callable[[], Sequence[PriceOverride]]) -> Price:
    """Stamps what a provider call cost, as of now: the person's prices, then the built-in ones (P2, P7)."""
    clock = SystemClock()

    def price(model: str, provider: ProviderConfig, usage: Usage, usd: Decimal | None) -> MessageCost:
        return stamp(
            usage,
            model=model,
            provider=provider.id,
            base_url=provider.base_url,
            reported_usd=usd,
            overrides=overrides(),
            table=DEFAULT_PRICES,
            at=clock.now_ms(),
        )

    return price


async def directory_of(
    environment: Mapping[str, str], data: DataFolder, book: ConfigurationBook, *, own_port: int
) -> Directory:
    """Every provider there is. Not started; `own_port` is where Talkfield itself listens, and is never looked at.

    Raises `StartFailed` when a script of replies is asked for and cannot be read, or a time-out is none.
    """
    clock = SystemClock()
    local = LocalModel(clock=clock, environment=environment, log=logger.info)
    rules = await asyncio.to_thread(scripted_rules, environment)
    recorder = await recorder_for(environment, clock)
    timeouts = timeouts_of(environment)

    def observer(api: Api) -> Observer | None:
        return recorder.observer(api) if recorder is not None else None

    def on_the_wire(api: Api) -> Driver:
        """A driver that remembers what endpoints refuse, over restarts too (D13)."""
        learned = dict(book.current.learned)
        return PROVIDERS[api](
            clock,
            learned=learned,
            on_learned=lambda key, said: directory.learn(key, said),
            timeouts=timeouts,
            observer=observer(api),
        )

    directory = Directory(
        book=book,
        secrets=Secrets(data.keys, environ=environment),
        environment=environment,
        clock=clock,
        drivers={
            **{api: partial(on_the_wire, api) for api in APIS},
            # The embedded model's port is another each time: nothing is to be remembered of it.
            "local": lambda: LocalDriver(local, partial(PROVIDERS["openai"], clock, observer=observer("openai"))),
            "scripted": lambda: ScriptedDriver(choose=chooser(rules or ()), clock=clock),
        },
        vendors=VENDORS,
        local=local,
        scripted=rules is not None,
        log=logger.info,
        own_ports=lambda: (own_port,),
    )
    return directory


async def recorder_for(environment: Mapping[str, str], clock: Clock) -> Recorder | None:
    """What records provider calls, where `TALKFIELD_RECORD` asks for it. Raises `StartFailed`."""
    folder = await asyncio.to_thread(record_folder, environment)
    if folder is None:
        return None
    logger.warning("recording provider calls in %s: records hold what is said, but no keys", folder)
    return Recorder(folder, clock, logger.warning)


@dataclass(frozen=True)
class UnsavedConfiguration:
    """A `ConfigurationStore` for who may read the settings but not change them: what is learned lasts until the end."""

    current: Configuration

    def load(self) -> Configuration:
        return self.current

    def save(self, configuration: Configuration) -> None:
        """Nothing is written."""


def _known_apis() -> str:
    return f"Known are {' and '.join(PROVIDERS)}; a driver of your own goes to runtime_ports"
