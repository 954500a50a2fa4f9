"""The real world's clock and ids, for whoever assembles a runtime; the core and its tests are handed others."""

from __future__ import annotations

import asyncio
import secrets
import time

from talkfield.core.ids import IdKind

PREFIXES: dict[IdKind, str] = {
    "project": "p",
    "node": "n",
    "edge": "e",
    "message": "m",
    "call": "c",
    "turn": "t",
    "attachment": "a",
    "rule": "r",
}


class SystemClock:
    """The machine's time."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    monotonic_s = staticmethod(time.monotonic)

    async def sleep_s(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class RandomIds:
    """Ids nobody can guess and nothing collides with: a letter for the kind and 96 random bits."""

    def __call__(self, kind: IdKind, /) -> str:
        return f"{PREFIXES[kind]}_{secrets.token_urlsafe(12)}"
