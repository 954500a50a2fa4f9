"""Doubles for the provider tests: a clock that is moved by hand, and requests built in one line."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Callable, Sequence

from talkfield.core.ids import CallId, MessageId, ProviderId
from talkfield.core.messages import Message, ToolCall
from talkfield.runtime.ports import Chunk, Driver, ProviderConfig, ProviderRequest, TextChunk


class HandClock:
    """Time stands still until `advance`; sleepers wake in order of their time."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    def now_ms(self) -> int:
        return round(self.now_s * 1000)

    def monotonic_s(self) -> float:
        return self.now_s

    async def sleep_s(self, seconds: float) -> None:
        self.slept.append(seconds)
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now_s + seconds, next(self._numbers), woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Let time pass; whoever wakes runs before later sleepers do."""
        end_s = self.now_s + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= end_s:
            self.now_s, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
            await settle()
        self.now_s = end_s


class NoWaitClock(HandClock):
    """Sleeping takes no real time: it only moves the clock."""

    async def sleep_s(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds
        await asyncio.sleep(0)


async def settle() -> None:
    """Let everything that is ready run."""
    for _ in range(20):
        await asyncio.sleep(0)


async def until(holds: Callable[[], bool], *, timeout_s: float = 5.0) -> None:
    """Wait until something outside this process (a socket, a child) has made it true."""
    async with asyncio.timeout(timeout_s):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.005)


def config(*, provider: str = "scripted", api: str = "scripted", base_url: str = "", key: str = "") -> ProviderConfig:
    return ProviderConfig(id=ProviderId(provider), name=provider, api=api, base_url=base_url, key=key)


def user(text: str) -> Message:
    return Message(id=MessageId("u"), role="user", content=text, ts=0)


def assistant(text: str = "", *calls: ToolCall) -> Message:
    return Message(id=MessageId("a"), role="assistant", content=text, ts=0, tool_calls=calls)


def called(name: str, result: str, *, is_error: bool = False) -> ToolCall:
    return ToolCall(id=CallId(name), name=name, args_json="{}", status="done", result=result, is_error=is_error)


def request(*messages: Message, model: str = "scripted-1", system: str = "") -> ProviderRequest:
    return ProviderRequest(provider=config(), model=model, messages=messages, system=system)


async def played(driver: Driver, asked: ProviderRequest) -> list[Chunk]:
    return [chunk for chunks in [part async for part in driver.stream(asked)] for chunk in chunks]


def text_of(chunks: Sequence[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))


async def parts(stream: AsyncIterator[list[Chunk]], into: list[Chunk]) -> None:
    """Read a stream to its end into a list that can be looked at meanwhile."""
    async for chunks in stream:
        into.extend(chunks)
