"""One deadline for one connection (D7): a single timer, moved by an assignment, never set anew for each read.

Owns the time by an injected clock. What is to end when it passes is a callback, since the generator that reads may be
suspended while its consumer works, and cancelling that consumer would be wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from talkfield.runtime.ports import Clock


class Deadline:
    """`phase` names what is waited for; `expired` stays True once the time was up."""

    def __init__(self, clock: Clock) -> None:
        self.phase = ""
        self.expired = False
        self.on_expiry: Callable[[], object] = lambda: None
        self._clock = clock
        self._at_s = 0.0
        self._woken_at_s = 0.0
        self._watch: asyncio.Task[None] | None = None

    def move(self, seconds: float, phase: str) -> None:
        """The time is up `seconds` from now."""
        self._at_s = self._clock.monotonic_s() + seconds
        self.phase = phase
        if self._watch is None or self._at_s < self._woken_at_s:
            self.stop()
            self._woken_at_s = self._at_s
            self._watch = asyncio.get_running_loop().create_task(self._wait())

    def stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    async def _wait(self) -> None:
        while (left_s := self._at_s - self._clock.monotonic_s()) > 0:
            self._woken_at_s = self._at_s
            await self._clock.sleep_s(left_s)
        self.expired = True
        self.on_expiry()
