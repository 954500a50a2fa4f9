"""Doubles for what is injected: a clock that tests move, ids that count, and a record of what was broadcast."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakSet

from talkfield.core.cost import stamp
from talkfield.core.events import ChatEvent
from talkfield.core.ids import IdKind, NodeId, ProviderId
from talkfield.core.records import ProviderRecord, provider_record_id
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.config import Configuration, ProviderChange
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import ProviderConfig, RuntimePorts, Tool
from talkfield.storage.base import BlobStore, ProjectStore
from talkfield.storage.blobs import MemoryBlobs
from talkfield.storage.memory import MemoryStore
from talkfield.workspace.folders import OpenFile
from talkfield.workspace.service import Services


class CountingIds:
    """`node-1`, `message-1`, `message-2`…: the same in every run. `life` keeps the ids of two processes apart."""

    def __init__(self, life: str = "") -> None:
        self._life = life
        self._counts: Counter[str] = Counter()

    def __call__(self, kind: IdKind, /) -> str:
        self._counts[kind] += 1
        return f"{self._life}{kind}-{self._counts[kind]}"


class FakeClock:
    """Time moves when `advance` is called, and only then."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self._now_s = now_ms / 1000
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now_ms(self) -> int:
        return round(self._now_s * 1000)

    def monotonic_s(self) -> float:
        return self._now_s

    async def sleep_s(self, seconds: float) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now_s + seconds, next(self._order), waiter))
        await waiter

    async def advance(self, seconds: float) -> None:
        """Let `seconds` pass: whoever sleeps until then wakes, in order."""
        end = self._now_s + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            self._now_s, _, waiter = heapq.heappop(self._sleepers)
            if not waiter.done():
                waiter.set_result(None)
            await settle()
        self._now_s = end


HELD_S = 5.0
"""Of this machine's own time. A thread that is only slow, on a machine with much to do, must not be taken for held."""

IN_THREADS: WeakSet[asyncio.Future[Any]] = WeakSet()
RUN_IN_EXECUTOR = asyncio.BaseEventLoop.run_in_executor


def run_and_remember(loop: asyncio.BaseEventLoop, executor: Any, func: Any, *arguments: Any) -> asyncio.Future[Any]:
    work = RUN_IN_EXECUTOR(loop, executor, func, *arguments)
    IN_THREADS.add(work)
    return work


# Nothing else knows what an event loop has given to threads, which `settle` waits for.
asyncio.BaseEventLoop.run_in_executor = run_and_remember  # type: ignore[assignment, method-assign]


async def settle(rounds: int = 60) -> None:
    """Let everything that is ready to run do so, and threads finish what the event loop gave them.

    A thread that is held, as by a store that hangs, is waited for no longer than `HELD_S`.
    """
    while True:
        for _ in range(rounds):
            await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        if not (given := [work for work in IN_THREADS if not work.done() and work.get_loop() is loop]):
            return
        done, _ = await asyncio.wait(given, timeout=HELD_S)
        if not done:
            return


class Recorder:
    """Takes broadcasts: `batches` as they came, `events` flat."""

    def __init__(self) -> None:
        self.batches: list[tuple[ChatEvent, ...]] = []
        self.consumers: list[Callable[[NodeId, tuple[ChatEvent, ...]], None]] = []

    def __call__(self, node: NodeId, events: tuple[ChatEvent, ...]) -> None:
        self.batches.append(events)
        for consumer in self.consumers:
            consumer(node, events)

    @property
    def events(self) -> list[ChatEvent]:
        return [event for batch in self.batches for event in batch]


PROVIDER = ProviderConfig(
    id=ProviderId("scripted"), name="Scripted", api="scripted", base_url="", key="", model="scripted-1"
)


def ports(
    driver: ScriptedDriver,
    recorder: Recorder,
    *,
    tools: Sequence[Tool] = (),
    clock: FakeClock | None = None,
    **more: Any,
) -> RuntimePorts:
    """Ports around one scripted driver; anything else by keyword."""
    given: dict[str, Any] = {
        "resolve_provider": lambda _request: PROVIDER,
        "driver_for": lambda _provider: driver,
        "broadcast": recorder,
        "ids": CountingIds(),
        "clock": clock or FakeClock(),
        "tools_for": lambda _request: tools,
    }
    return RuntimePorts(**{**given, **more})


class KeptConfiguration:
    """A configuration store that keeps what was saved."""

    def __init__(self) -> None:
        self.saved = Configuration()

    def load(self) -> Configuration:
        return self.saved

    def save(self, configuration: Configuration) -> None:
        self.saved = configuration


class OneProvider:
    """A directory that holds one scripted provider, or none."""

    def __init__(self, driver: ScriptedDriver, *, usable: bool = True) -> None:
        self._driver = driver
        self._listeners: list[Callable[[], None]] = []
        self.usable = usable
        self.refreshed: list[ProviderId] = []

    def records(self) -> tuple[ProviderRecord, ...]:
        if not self.usable:
            return ()
        record = ProviderRecord(
            id=provider_record_id(PROVIDER.id),
            provider=PROVIDER.id,
            name=PROVIDER.name,
            api=PROVIDER.api,
            base_url="",
            origin="scripted",
            status="ready",
        )
        return (record,)

    def resolve(self, provider: ProviderId | None) -> ProviderConfig | None:
        return PROVIDER if self.usable and provider in (None, PROVIDER.id) else None

    def driver_for(self, provider: ProviderConfig) -> ScriptedDriver:
        return self._driver

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def set_usable(self, usable: bool) -> None:
        self.usable = usable
        for listener in self._listeners:
            listener()

    async def save(self, change: ProviderChange) -> ProviderId:
        return ProviderId(change.name)

    async def remove(self, provider: ProviderId) -> None:
        self.set_usable(False)

    async def refresh(self, provider: ProviderId) -> None:
        self.refreshed.append(provider)

    def begin_refresh(self, provider: ProviderId) -> None:
        self.refreshed.append(provider)

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        await self._driver.close()


def services(
    driver: ScriptedDriver,
    *,
    store: ProjectStore | None = None,
    blobs: BlobStore | None = None,
    directory: OneProvider | None = None,
    clock: FakeClock | None = None,
    ids: CountingIds | None = None,
    tools: Sequence[Tool] = (),
    open_file: OpenFile | None = None,
    **more: Any,
) -> Services:
    """Services around one scripted driver, a store in memory, and time that stands still; anything else by keyword."""
    return Services(
        store=store or MemoryStore(),
        blobs=blobs or MemoryBlobs(),
        directory=directory or OneProvider(driver),
        configuration=ConfigurationBook(KeptConfiguration(), Configuration()),
        ids=ids or CountingIds(),
        clock=clock or FakeClock(),
        price=more.pop("price", lambda model, _provider, used, usd: stamp(used, model=model, reported_usd=usd)),
        context_limit=more.pop("context_limit", lambda _model, _provider: 1000),
        check_arguments=lambda _schema, _arguments: None,
        tools_for=lambda _request: tools,
        log=lambda _line: None,
        open_file=open_file,
        **more,
    )
