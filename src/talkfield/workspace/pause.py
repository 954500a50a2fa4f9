"""Waiting that something can cut short."""

from __future__ import annotations

import asyncio

from talkfield.runtime.ports import Clock


async def pause(clock: Clock, seconds: float, event: asyncio.Event) -> None:
    """Return when `event` is set, after `seconds` at the latest."""
    if event.is_set():
        return
    loop = asyncio.get_running_loop()
    waits = [loop.create_task(event.wait()), loop.create_task(clock.sleep_s(seconds))]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
