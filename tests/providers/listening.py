"""An answer over real sockets, read in a task of its own: a test can look at what came and move the clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from providers.raw_server import Answer, Peer, RawServer, serving
from talkfield.core.ids import MessageId, ProviderId
from talkfield.core.messages import Message
from talkfield.errors import (
    ProviderError,
)
from talkfield.providers.base import HttpDriver
from talkfield.runtime.ports import (
    Chunk,
    FinishChunk,
    Parameters,
    ProviderConfig,
    ProviderRequest,
    RetryChunk,
    TextChunk,
)

KEY = "sk-secret-0123456789abcdef"
DONE = b"data: [DONE]\n\n"


def event(content: str = "", finish: str | None = None, **extra: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    return b"data: " + msgspec.json.encode({"choices": [choice], **extra}) + b"\n\n"


def asked(
    base_url: str, *, text: str = "Hello", model: str = "m", key: str = KEY, **parameters: Any
) -> ProviderRequest:
    provider = ProviderConfig(id=ProviderId("p"), name="Service", api="openai", base_url=base_url, key=key)
    message = Message(id=MessageId("u"), role="user", content=text, ts=0)
    return ProviderRequest(provider=provider, model=model, messages=(message,), parameters=Parameters(**parameters))


class Listener:
    """Reads a stream in a task of its own, so that a test can look at what has come and move the clock."""

    def __init__(self, driver: HttpDriver, request: ProviderRequest) -> None:
        self.chunks: list[Chunk] = []
        self.error: ProviderError | None = None
        self.task = asyncio.create_task(self._listen(driver, request))

    async def _listen(self, driver: HttpDriver, request: ProviderRequest) -> None:
        try:
            async for chunks in driver.stream(request):
                self.chunks += chunks
        except ProviderError as error:
            self.error = error

    @property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, TextChunk))

    @property
    def waits(self) -> list[float]:
        return [chunk.wait_s for chunk in self.chunks if isinstance(chunk, RetryChunk)]

    @property
    def finish(self) -> str | None:
        return next((chunk.finish for chunk in self.chunks if isinstance(chunk, FinishChunk)), None)


@asynccontextmanager
async def listening(driver: HttpDriver, *answers: Answer, **request: Any) -> AsyncIterator[tuple[RawServer, Listener]]:
    async with serving(*answers) as server:
        listener = Listener(driver, asked(server.url, **request))
        try:
            yield server, listener
        finally:
            listener.task.cancel()
            await asyncio.wait([listener.task])


async def whole(driver: HttpDriver, *answers: Answer, **request: Any) -> tuple[RawServer, Listener]:
    """Listen to the end."""
    async with listening(driver, *answers, **request) as (server, listener):
        await asyncio.wait_for(asyncio.shield(listener.task), 60)
    return server, listener


async def good(peer: Peer) -> None:
    await peer.events()
    await peer.chunk(event("Hi") + event(" there"))
    await peer.chunk(event("", "stop") + DONE)
    await peer.last_chunk()


def refusing(status: int, body: bytes = b"{}", **headers: str) -> Answer:
    async def answer(peer: Peer) -> None:
        await peer.answer(status, body, **headers)

    return answer
