"""Plays a body through a decoder and collects what came out, in one value that tests compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any

from talkfield.core.messages import Finish, Usage
from talkfield.errors import ProviderError
from talkfield.providers.answer import Decoder
from talkfield.runtime.ports import CallChunk, Chunk, FinishChunk, RestartChunk, TextChunk, ThinkingChunk, UsageChunk


@dataclass
class Reading:
    """What one answer came to. `error` is what `finish` raised, as (class name, code, message)."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    finish: Finish | None = None
    raw: str = ""
    detail: str = ""
    state: str | None = None
    usage: Usage | None = None
    usd: Decimal | None = None
    model: str | None = None
    error: tuple[str, str, str] | None = None
    restarts: int = 0

    def take(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            match chunk:
                case TextChunk(text):
                    self.text += text
                case ThinkingChunk(text):
                    self.thinking += text
                case CallChunk(wire_id, name, args_json):
                    self.calls.append((wire_id, name, args_json))
                case UsageChunk(usage, model, usd):
                    self.usage, self.model, self.usd = usage, model, usd
                case FinishChunk(finish, raw, state, detail):
                    assert self.finish is None, "two ends"
                    self.finish, self.raw, self.detail = finish, raw, detail
                    self.state = state.data if state is not None else None
                case RestartChunk():
                    self.text = self.thinking = ""
                    self.restarts += 1
                case _:
                    raise AssertionError(chunk)


def read(decoder: Decoder, reads: Iterable[bytes]) -> Reading:
    """Everything a decoder makes of these reads; nothing but `finish` may raise."""
    reading = Reading()
    for data in reads:
        reading.take(decoder.feed(data))
    reading.take(decoder.rest())
    try:
        reading.take(decoder.finish())
    except ProviderError as error:
        reading.error = (type(error).__name__, error.code, error.message)
    return reading


def joined(chunks: Iterable[Chunk]) -> Any:
    """Whether neighbours of one kind are one chunk."""
    kinds = [type(chunk) for chunk in chunks if isinstance(chunk, TextChunk | ThinkingChunk)]
    return all(first is not second for first, second in pairwise(kinds))
