"""Work that blocks, in a thread, so that the event loop stays free; and a word to it when nobody waits any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from talkfield.errors import ToolError

Result = TypeVar("Result")


class Cancelled(ToolError):
    """The work was told to end."""


class Cancellation:
    """Looked at by long work now and then."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    def check(self) -> None:
        """Raises `Cancelled` when nobody waits any more."""
        if self._event.is_set():
            raise Cancelled("cancelled")


async def in_thread(
    work: Callable[[Cancellation], Result], discard: Callable[[Result], object] = lambda _result: None
) -> Result:
    """The result of `work`. Cancelled while it runs, it tells the work so and waits until it has ended.

    Cancelled a second time, it waits no more. `discard` gives back what the work made when nobody takes it.
    """
    cancellation = Cancellation()
    running = asyncio.get_running_loop().run_in_executor(None, work, cancellation)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cancellation.cancel()
        running.add_done_callback(lambda done: _discard(done, discard))
        await asyncio.wait([running])
        raise


def _discard(done: asyncio.Future[Result], discard: Callable[[Result], object]) -> None:
    if not done.cancelled() and done.exception() is None:
        discard(done.result())
