"""Doubles for what is injected: a clock that tests move, ids that count, and a record of what was broadcast."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from talkfield.core.events import ChatEvent
from talkfield.core.ids import IdKind, NodeId, ProviderId
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.ports import ProviderConfig, RuntimePorts, Tool


class CountingIds:
    """`node-1`, `message-1`, `message-2`…: the same in every run."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def __call__(self, kind: IdKind, /) -> str:
        self._counts[kind] += 1
        return f"{kind}-{self._counts[kind]}"


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


async def settle(rounds: int = 20) -> None:
    """Let everything that is ready to run do so."""
    for _ in range(rounds):
        await asyncio.sleep(0)


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
