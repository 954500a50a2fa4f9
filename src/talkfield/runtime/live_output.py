"""What a running tool says, told a few times a second and not without end (T9).

The first words are told at once, what follows them at most every `INTERVAL_S`: a tool that prints a million lines makes
four events a second. Everything happens on the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from talkfield.runtime.ports import Clock

INTERVAL_S = 0.25
MAX_CHARS = 64 * 1024
NO_MORE = "\n[what it said after this is not shown here]\n"


class LiveOutput:
    """The output of one call. `say` is given to the tool, `tell` is given what it says; `end` once it is over."""

    def __init__(self, clock: Clock, tell: Callable[[str], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._pieces: list[str] = []
        self._said = 0
        self._pause: asyncio.Task[None] | None = None
        self._over = False

    def say(self, text: str) -> None:
        if not text or self._over or self._said >= MAX_CHARS:
            return
        room = MAX_CHARS - self._said
        self._pieces.append(text if len(text) <= room else text[:room] + NO_MORE)
        self._said += len(text)
        if self._pause is None:
            self._flush()
            self._pause = asyncio.get_running_loop().create_task(self._rest())

    def _flush(self) -> None:
        text, self._pieces = "".join(self._pieces), []
        if text:
            self._tell(text)

    async def _rest(self) -> None:
        while True:
            await self._clock.sleep_s(INTERVAL_S)
            if not self._pieces:
                self._pause = None
                return
            self._flush()

    async def end(self) -> None:
        """Tell what is left, and nothing afterwards."""
        self._flush()
        self._over = True
        if self._pause is not None:
            self._pause.cancel()
            await asyncio.wait([self._pause])
