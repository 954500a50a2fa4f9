"""The configuration in memory: one current value, changed by one update at a time, saved before it counts.

Settings are changed by commands, providers by the directory, learned corrections by drivers: all of them go through
`update`, so none can overwrite another's change. Saving blocks, so it happens in a thread; an update that has begun is
finished even if whoever asked for it leaves, so that memory and disk never differ.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from talkfield.runtime.config import Configuration, ConfigurationStore


class ConfigurationBook:
    """See the module. `current` is what is saved; listeners hear of each new one after it is."""

    def __init__(self, store: ConfigurationStore, current: Configuration) -> None:
        self._store = store
        self._current = current
        self._lock = asyncio.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def current(self) -> Configuration:
        return self._current

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each change; the result ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def update(self, change: Callable[[Configuration], Configuration]) -> Configuration:
        """Save what `change` makes of the current value, then let it count. On `SaveFailed` nothing has changed."""
        updating = asyncio.create_task(self._update(change))
        updating.add_done_callback(_look_at)
        return await asyncio.shield(updating)

    async def _update(self, change: Callable[[Configuration], Configuration]) -> Configuration:
        async with self._lock:
            changed = change(self._current)
            if changed == self._current:
                return changed
            await asyncio.to_thread(self._store.save, changed)
            self._current = changed
        for listener in list(self._listeners):
            listener()
        return changed


def _look_at(updating: asyncio.Task[Configuration]) -> None:
    # Where nobody waits for it any more, a failure is no error that was forgotten.
    with suppress(asyncio.CancelledError):
        updating.exception()
