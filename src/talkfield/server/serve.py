"""Runs the application on a socket until it is told to stop: uvicorn, with our way of starting and of ending.

The socket is bound before anything is promised, so that a printed address is true. On SIGINT or SIGTERM browsers are
told first (close code 1001), then requests end, then the owner closes; a second SIGINT gives up waiting.

While something cannot be saved, nothing ends: the person is told what, everything goes on, and the end comes by itself
once it is saved, or at the second signal (W9).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn

from talkfield.errors import StartFailed
from talkfield.server.app import TalkfieldApp

PREFERRED_PORT = 8420
"""Tried first when no port is asked for: an address that stays the same keeps bookmarks and tabs alive."""

REQUESTS_GRACE_S = 1.5
SAVING_PATIENCE_S = 2.0
"""After this, the person who ends it is told that the disk is slow."""
logger = logging.getLogger(__name__)
LAST_WORD_BYTES = 4 * 1024 * 1024
"""The wall behind the channel's own limit, which can still answer with words."""


def bind(host: str, port: int | None) -> socket.socket:
    """A listening address. Without a port: the preferred one, or any that is free. Raises `StartFailed`."""
    if port is None:
        with contextlib.suppress(StartFailed):
            return bind(host, PREFERRED_PORT)
        return bind(host, 0)
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise StartFailed(f"Cannot listen on {host}: {error}.", hint="Choose another --host.") from None
    try:
        if os.name == "posix":  # elsewhere this would let two programs share one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StartFailed(
            f"Cannot listen on {host} port {port}: {reason}.", hint="Choose another --port, or leave it out."
        ) from None
    return listener


def address_of(listener: socket.socket) -> str:
    """`name:port` as a browser on this machine would write it."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104  (compared, not bound)
        host = "127.0.0.1"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def serve(
    app: TalkfieldApp,
    listener: socket.socket,
    *,
    ready: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = logger.error,
    signals: bool = True,
) -> None:
    """Serve until told to stop. `ready` is called once requests are answered. Closes the application's owner.

    `tell` is given what the person who ended it should know.
    """
    await Server(app, ready=ready, tell=tell, signals=signals).serve([listener])


def no_false_alarm(record: logging.LogRecord) -> bool:
    """uvicorn takes a handshake that was refused with an answer for one that was forgotten, and reports it."""
    return not record.getMessage().startswith("ASGI callable returned without completing handshake")


class Server(uvicorn.Server):
    """uvicorn, quiet, that returns when it is stopped instead of raising the signal again."""

    def __init__(
        self,
        app: TalkfieldApp,
        *,
        ready: Callable[[], None],
        signals: bool,
        tell: Callable[[str], None] = logger.error,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                ws="websockets-sansio",
                ws_max_size=LAST_WORD_BYTES,
                ws_per_message_deflate=False,
                ws_ping_interval=20.0,
                ws_ping_timeout=60.0,
                lifespan="on",
                log_config=None,  # whoever starts the process decides where lines go
                log_level="warning",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=REQUESTS_GRACE_S,  # type: ignore[arg-type]  # passed on to asyncio.wait_for
            )
        )
        logging.getLogger("uvicorn.error").addFilter(no_false_alarm)
        self.app = app
        self.ready = ready
        self.signals = signals
        self.tell = tell
        self.patience_s = SAVING_PATIENCE_S
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Task[None] | None = None
        self._asked = False
        self._stopping = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        self.ready()

    def stop(self) -> None:
        """Begin to end. May be called from a signal handler."""
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)

    async def main_loop(self) -> None:
        """uvicorn looks ten times a second whether it is to stop; an idle Talkfield sleeps."""
        if not self.should_exit:
            await self._stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._ending is not None:
            self._ending.cancel()
        await self.app.hub.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Like uvicorn's, but the signals are over when they have been obeyed: what is left to save gets saved."""
        if not self.signals or threading.current_thread() is not threading.main_thread():
            yield
            return
        handled = [signal.SIGINT, signal.SIGTERM]
        if sys.platform == "win32":
            handled.append(signal.SIGBREAK)
        before = {number: signal.signal(number, self.handle_exit) for number in handled}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._asked and sig == signal.SIGINT:
            os._exit(130)  # asked twice: the store is safe at any instant (W8)
        if self._asked or self._loop is None:
            self.stop()
        else:
            self._loop.call_soon_threadsafe(self.end)
        self._asked = True

    def end(self) -> None:
        """Stop once everything is saved, which nearly always it is."""
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end_when_saved())

    async def _end_when_saved(self) -> None:
        try:
            unsaved = await self._unsaved()
            if unsaved:
                self.tell(f"{unsaved} Talkfield ends as soon as it is saved; press Ctrl-C to end now and lose it.")
                await self.app.studio.saved()
        finally:
            self.stop()

    async def _unsaved(self) -> str:
        """What is not saved; a disk that is slow to answer is told of."""
        asking = asyncio.ensure_future(self.app.studio.unsaved())
        await asyncio.wait({asking}, timeout=self.patience_s)
        if not asking.done():
            self.tell("The disk takes long to save what was done last; press Ctrl-C to end now and lose it.")
        return await asking
