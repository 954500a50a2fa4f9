"""The last words of a server on its standard error: what it says before it fails."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from typing import TextIO

from talkfield.core.visible import visible_text

KEPT_BYTES = 4096
SHOWN_CHARS = 400


class StderrTail(asyncio.Protocol):
    """Keeps the end of what is written into `file`."""

    def __init__(self) -> None:
        self.data = b""

    def data_received(self, data: bytes) -> None:
        self.data = (self.data + data)[-KEPT_BYTES:]

    @property
    def text(self) -> str:
        """The last lines, short and visible; empty where it said nothing."""
        words = " ".join(self.data.decode("utf-8", "replace").split())
        return visible_text(words[-SHOWN_CHARS:])


@contextlib.asynccontextmanager
async def stderr_tail() -> AsyncIterator[tuple[StderrTail, TextIO]]:
    """A tail, and the file to give to the program as its standard error."""
    reading, writing = os.pipe()
    tail = StderrTail()
    with os.fdopen(writing, "w") as file:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: tail, os.fdopen(reading, "rb"))
        try:
            yield tail, file
        finally:
            transport.close()
