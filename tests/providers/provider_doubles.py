"""Doubles for the provider tests: a clock that is moved by hand, and requests built in one line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from doubles import FakeClock, settle
from talkfield.core.ids import CallId, MessageId, ProviderId
from talkfield.core.messages import Message, ToolCall
from talkfield.runtime.ports import Chunk, Driver, ProviderConfig, ProviderRequest, TextChunk

__all__ = ["HandClock", "NoWaitClock", "settle"]


class HandClock(FakeClock):
    """The clock that tests move, from zero; `slept` remembers what was waited for."""

    def __init__(self) -> None:
        super().__init__(now_ms=0)
        self.slept: list[float] = []

    async def sleep_s(self, seconds: float) -> None:
        self.slept.append(seconds)
        await super().sleep_s(seconds)


class NoWaitClock(FakeClock):
    """Sleeping takes no real time: it only moves the clock, from zero."""

    def __init__(self) -> None:
        super().__init__(now_ms=0)
        self.slept: list[float] = []

    @property
    def now_s(self) -> float:
        return self.monotonic_s()

    async def sleep_s(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now_s += seconds
        await asyncio.sleep(0)


async def until(holds: Callable[[], bool], *, timeout_s: float = 60.0) -> None:
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
