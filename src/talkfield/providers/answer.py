"""One answer while it is read: what an exchange gets, through a decoder, as chunks (D4, D7).

Owns the bound on an answer, the deadline's progress, and what the end of a body means. Knows no wire, and asks nothing
again: that is the driver's. This is the hot road, once for each read of a socket: nothing in it is awaited but the
read, and nothing queued or timed for each event.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from talkfield.errors import ProviderCut, ProviderError, ProviderGarbled
from talkfield.providers.base_url import origin_of
from talkfield.providers.transport import Exchange
from talkfield.runtime.ports import Chunk, UsageChunk

AT_ONCE_BYTES = 128 * 1024
"""So much is read before everybody else has a turn: what was compressed comes in pieces of any size, without a wait."""


class Decoder(Protocol):
    """Reads an answer's body; pure. See `OpenAiDecoder`."""

    done: bool
    progress: int

    @property
    def closing(self) -> bool: ...

    def feed(self, data: bytes) -> list[Chunk]: ...

    def rest(self) -> list[Chunk]: ...

    def finish(self) -> list[Chunk]: ...


class Answer:
    """The answer to an opened exchange. Read it until nothing comes, then ask for its `rest` and for its `end`."""

    def __init__(self, exchange: Exchange, decoder: Decoder, *, max_bytes: int) -> None:
        self._exchange = exchange
        self._decoder = decoder
        self._max_bytes = max_bytes
        self._received_bytes = 0
        self._pause_at_bytes = AT_ONCE_BYTES
        self._large = b""
        self._at = 0
        self._progress = 0

    async def read(self) -> list[Chunk]:
        """The next chunks; none at the end of what can be read. Raises `ProviderGarbled` (code `too_large`)."""
        exchange, decoder = self._exchange, self._decoder
        while not decoder.done and (data := self._next_piece() if self._large else await exchange.read()):
            if len(data) > AT_ONCE_BYTES:  # it was compressed
                self._large, self._at = data, 0
                continue
            self._received_bytes += len(data)
            if self._received_bytes > self._max_bytes:
                raise self._too_large()
            if self._received_bytes >= self._pause_at_bytes:
                self._pause_at_bytes = self._received_bytes + AT_ONCE_BYTES
                await asyncio.sleep(0)
            chunks = decoder.feed(data)
            if decoder.progress != self._progress:
                self._progress = decoder.progress
                exchange.progressed(words=exchange.words_given or has_words(chunks), closing=decoder.closing)
            if chunks:
                return chunks
        return []

    def rest(self) -> list[Chunk]:
        """What was held back until the body was over."""
        chunks = self._decoder.rest()
        if chunks:
            self._exchange.progressed(words=has_words(chunks), closing=True)
        return chunks

    def end(self) -> list[Chunk]:
        """The last chunks of a complete answer. Raises why any other is not complete (D4)."""
        exchange = self._exchange
        try:
            return self._decoder.finish()
        except ProviderCut as cut:
            error: ProviderError = cut
        if exchange.deadline.expired:
            error = exchange.timed_out()
        elif exchange.broken is not None:
            message = f"the connection to {origin_of(exchange.url)} broke in the middle of the answer"
            error = ProviderCut(message, retryable=True)
        raise error

    def _next_piece(self) -> bytes:
        piece = self._large[self._at : self._at + AT_ONCE_BYTES]
        self._at += AT_ONCE_BYTES
        if self._at >= len(self._large):
            self._large = b""
        return piece

    def _too_large(self) -> ProviderError:
        return ProviderGarbled(f"the answer is larger than {self._max_bytes} bytes and was cut off", code="too_large")


def has_words(chunks: list[Chunk]) -> bool:
    """Whether a person would see anything of it."""
    for chunk in chunks:  # noqa: SIM110 - `any` costs five times as much for the one chunk of most reads
        if type(chunk) is not UsageChunk:
            return True
    return False
