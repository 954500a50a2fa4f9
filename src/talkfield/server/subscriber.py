"""One browser's outbox: what it has still to be sent, bounded, and how its connection ends (CH7).

The owner and the feed put text in and never wait; one coroutine takes it out as fast as the browser reads. A browser
that falls behind loses its outbox and is closed; it comes back and resumes by its last `seq` (CH3). Everything happens
on the event loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import NamedTuple

from starlette.websockets import WebSocket, WebSocketDisconnect

from talkfield.wire.server import CLOSE_CODES

MAX_WAITING_REPLIES = 256
"""Past this, the browser's own messages are not read until it has read some answers."""

MAX_REASON_BYTES = 123
"""What a WebSocket close frame can hold besides its code."""


class Outgoing(NamedTuple):
    """One message on its way. `frames` is 0 for answers, which no bound may drop."""

    text: str
    frames: int
    size_bytes: int


class Subscriber:
    """The outbox of one connection."""

    def __init__(self, *, max_frames: int, max_bytes: int, overflow_grace_s: float) -> None:
        self.max_frames = max_frames
        self.max_bytes = max_bytes
        self.overflow_grace_s = overflow_grace_s
        self.ending: tuple[int, str] | None = None
        """Close code and reason, once the end is decided; code 0 where the browser has left by itself."""
        self._queue: deque[Outgoing] = deque()
        self._frames = 0
        self._bytes = 0
        self._replies = 0
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._delivery: asyncio.Task[None] | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._abandoned = False

    def offer_frames(self, text: str, frames: int, size_bytes: int) -> None:
        """Put a batch into the outbox; where it is too full already, end the connection instead.

        A batch that finds no other waiting is always taken, however large: refusing it would refuse it for ever.
        """
        if self.ending is not None:
            return
        full = self._frames + frames > self.max_frames or self._bytes + size_bytes > self.max_bytes
        if full and self._frames:
            self._queue.clear()
            self._frames = self._bytes = self._replies = 0
            self.finish(CLOSE_CODES["too_slow"], "The browser fell behind; it can resume.", self.overflow_grace_s)
            return
        self._put(Outgoing(text, frames, size_bytes))

    def reply(self, text: str) -> None:
        """Put an answer into the outbox, behind everything that is in it."""
        if self.ending is None:
            self._put(Outgoing(text, 0, 0))

    def drop_frames(self) -> None:
        """Forget batches that have not been sent: the browser is about to look at another project."""
        self._queue = deque(item for item in self._queue if not item.frames)
        self._frames = self._bytes = 0

    async def room(self) -> None:
        """Wait until the browser has read most of the answers it asked for."""
        await self._room.wait()

    def finish(self, code: int, reason: str, grace_s: float) -> None:
        """Send what is in the outbox, then close; a browser that does not read is dropped after `grace_s`."""
        if self.ending is not None:
            return
        self.ending = (code, clipped(reason))
        self._deadline = asyncio.get_running_loop().call_later(grace_s, self._abandon)
        self._wake.set()
        self._room.set()

    def leave(self) -> None:
        """The browser has gone: there is nobody to send to."""
        self.ending = self.ending or (0, "")
        self._queue.clear()
        self._abandon()
        self._room.set()

    async def deliver(self, socket: WebSocket) -> None:
        """Send until the end is decided, then close the socket. Returns once there is nothing left to do."""
        self._delivery = asyncio.current_task()
        try:
            while not self._abandoned:
                while self._queue:
                    await socket.send_text(self._take().text)
                if self.ending is not None:
                    await socket.close(*self.ending)
                    break
                self._wake.clear()
                await self._wake.wait()
        except WebSocketDisconnect:
            self.ending = self.ending or (0, "")
        except asyncio.CancelledError:
            if not self._abandoned or self._delivery is None:
                raise
            self._delivery.uncancel()
        finally:
            self._delivery = None
            if self._deadline is not None:
                self._deadline.cancel()

    def _abandon(self) -> None:
        self._abandoned = True
        if self._delivery is not None:
            self._delivery.cancel()

    def _put(self, item: Outgoing) -> None:
        self._queue.append(item)
        self._frames += item.frames
        self._bytes += item.size_bytes
        if not item.frames:
            self._replies += 1
            if self._replies > MAX_WAITING_REPLIES:
                self._room.clear()
        self._wake.set()

    def _take(self) -> Outgoing:
        item = self._queue.popleft()
        self._frames -= item.frames
        self._bytes -= item.size_bytes
        if not item.frames:
            self._replies -= 1
            if self._replies <= MAX_WAITING_REPLIES // 2:
                self._room.set()
        return item


def clipped(reason: str) -> str:
    """As much of a close reason as a close frame can hold."""
    return reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore")
