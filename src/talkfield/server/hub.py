"""Everything that is connected right now: feeds, browsers' command lines, open connections; and how all of it ends.

One hub an application. It is the only place where connections find what they share.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable

from talkfield.server.command_line import CommandLine
from talkfield.server.config import ServerConfig
from talkfield.server.feed import FrameFeed
from talkfield.server.subscriber import Subscriber
from talkfield.wire.server import CLOSE_CODES
from talkfield.workspace.base import SessionLike

MAX_REMEMBERED_BROWSERS = 64


class Hub:
    """What the connections of one application share."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.closing = False
        self.on_close: set[Callable[[], None]] = set()
        """Called when the server stops: whoever waits for a turn on a client's behalf stops waiting."""
        self._feeds: dict[int, FrameFeed] = {}
        self._lines: dict[str, CommandLine] = {}
        self._nameless: weakref.WeakSet[CommandLine] = weakref.WeakSet()
        self._connections: dict[Subscriber, asyncio.Task[None]] = {}

    def attach(self, session: SessionLike, subscriber: Subscriber) -> FrameFeed:
        """Subscribe to a session's frames, through the one feed it has."""
        feed = self._feeds.get(id(session))
        if feed is None:
            feed = self._feeds[id(session)] = FrameFeed(session, interval_s=self.config.batch_interval_s)
        feed.attach(subscriber)
        return feed

    def detach(self, feed: FrameFeed, subscriber: Subscriber) -> None:
        feed.detach(subscriber)
        if feed.idle:
            self._feeds.pop(id(feed.session), None)

    def line(self, client: str | None) -> CommandLine:
        """The command line of a browser: the one it had, if it says who it is and was here not long ago."""
        if client is None:
            line = CommandLine()
            self._nameless.add(line)
            return line
        line = self._lines.pop(client) if client in self._lines else CommandLine()
        self._lines[client] = line  # last in order: the browsers that were here longest ago are forgotten first
        for oldest in list(self._lines):
            if len(self._lines) <= MAX_REMEMBERED_BROWSERS:
                break
            if not self._lines[oldest].busy:
                del self._lines[oldest]
        return line

    def open(self, subscriber: Subscriber, connection: asyncio.Task[None]) -> None:
        self._connections[subscriber] = connection

    def shut(self, subscriber: Subscriber) -> None:
        self._connections.pop(subscriber, None)

    @property
    def connections(self) -> int:
        """How many browsers are connected."""
        return len(self._connections)

    async def close(self) -> None:
        """Tell every browser that the server stops, and stop waiting for anything. Twice is once.

        A browser that does not read is left to whoever runs the server.
        """
        if self.closing:
            return
        self.closing = True
        for listener in tuple(self.on_close):
            listener()
        grace_s = self.config.closing_grace_s
        for subscriber in self._connections:
            subscriber.finish(CLOSE_CODES["going_away"], "Talkfield was stopped.", grace_s)
        connections = set(self._connections.values())
        if connections:
            await asyncio.wait(connections, timeout=2 * grace_s)
        lines = [*self._lines.values(), *self._nameless]
        await asyncio.gather(*(line.close(grace_s) for line in lines))
