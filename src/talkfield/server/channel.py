"""The WebSocket a browser keeps open: hello, welcome, frames; commands and their answers (docs/spec/channel.md).

One `Channel` a connection, two coroutines: one reads what the browser says, one sends what is in its outbox. Nothing
here waits for a run, and nothing a browser says or fails to say can end the process (X5).
"""

from __future__ import annotations

import asyncio
import json
import logging

import msgspec
from starlette.websockets import WebSocket

from talkfield import wire
from talkfield.errors import TalkfieldError
from talkfield.server.command_line import Answer, CommandLine
from talkfield.server.config import ServerConfig
from talkfield.server.feed import FrameFeed, encoded, merged
from talkfield.server.hub import Hub
from talkfield.server.subscriber import Subscriber
from talkfield.server.visibility import visible_records
from talkfield.wire.client import Do, Hello, Ping
from talkfield.wire.server import CLOSE_CODES, Pong, Rejected, Welcome
from talkfield.workspace.base import SessionLike, StudioLike

MAX_CLIENT_NAME = 100
CLOSE_GRACE_S = 5.0
INTERNAL_ERROR = 1011

PONG = wire.encode(Pong()).decode()

logger = logging.getLogger(__name__)


class Channel:
    """One connection of one browser."""

    def __init__(self, socket: WebSocket, studio: StudioLike, config: ServerConfig, hub: Hub) -> None:
        self.socket = socket
        self.studio = studio
        self.config = config
        self.hub = hub
        self.subscriber = Subscriber(
            max_frames=config.max_outbox_frames,
            max_bytes=config.max_outbox_bytes,
            overflow_grace_s=config.overflow_grace_s,
        )
        self.session: SessionLike | None = None
        self.feed: FrameFeed | None = None
        self.line: CommandLine | None = None

    async def run(self) -> None:
        """Serve the connection until it ends."""
        await self.socket.accept()
        connection = asyncio.current_task()
        assert connection is not None
        self.hub.open(self.subscriber, connection)
        if self.hub.closing:
            self.subscriber.finish(CLOSE_CODES["going_away"], "Talkfield was stopped.", CLOSE_GRACE_S)
        reader = asyncio.create_task(self.read(), name="talkfield-channel-reader")
        try:
            await self.subscriber.deliver(self.socket)
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            self.detach()
            self.hub.shut(self.subscriber)

    async def read(self) -> None:
        """Take the browser's messages one by one, until it leaves or the end is decided."""
        try:
            while self.subscriber.ending is None:
                message = await self.socket.receive()
                if message["type"] == "websocket.disconnect":
                    self.subscriber.leave()
                    return
                await self.take(message.get("text"))
                await self.subscriber.room()
        except Exception:
            logger.exception("a connection failed")
            self.subscriber.finish(INTERNAL_ERROR, "Something went wrong inside Talkfield.", CLOSE_GRACE_S)

    async def take(self, text: str | None) -> None:
        """One message of the browser."""
        if text is None:
            self.refuse("Messages are JSON text; this one was binary.")
            return
        if is_longer(text, self.config.max_message_bytes):
            self.refuse(f"A message may have {self.config.max_message_bytes:,} bytes; this one has more.", "too_large")
            return
        try:
            message = wire.decode_client(text)
        except (msgspec.DecodeError, RecursionError) as error:
            self.refuse_malformed(text, str(error))
            return
        if isinstance(message, Ping):
            self.subscriber.reply(PONG)
        elif isinstance(message, Hello):
            await self.hello(message)
        else:
            await self.do(message)

    async def hello(self, hello: Hello) -> None:
        """Answer with what the browser lacks: frames where the log reaches back, else everything (CH1, CH2, CH3)."""
        if hello.protocol != wire.PROTOCOL_VERSION:
            self.reject(
                "protocol",
                f"This page speaks version {hello.protocol} of the protocol, the server {wire.PROTOCOL_VERSION}.",
                "Reload the page.",
            )
            self.subscriber.finish(CLOSE_CODES["bad_protocol"], "Reload the page.", CLOSE_GRACE_S)
            return
        if hello.client is not None and not 0 < len(hello.client) <= MAX_CLIENT_NAME:
            self.refuse(f"`client` may have 1 to {MAX_CLIENT_NAME} characters.")
            return
        try:
            session = await self.studio.session(hello.project)
        except TalkfieldError as error:
            self.reject(error.code, error.message, error.hint)
            self.subscriber.finish(CLOSE_CODES["unknown_project"], error.message, CLOSE_GRACE_S)
            return
        self.detach()
        self.line = self.hub.line(hello.client)
        self.session = session
        self.feed = self.hub.attach(session, self.subscriber)
        self.welcome(session, hello)

    def welcome(self, session: SessionLike, hello: Hello) -> None:
        """In one turn of the loop with `attach`: no frame can fall between."""
        missing = None
        if hello.epoch is not None and hello.seq is not None:
            since = session.since(hello.epoch, hello.seq)
            missing = None if since is None else merged(since)
        if missing is not None and len(missing) > self.config.max_outbox_frames:
            missing = None  # more than an outbox may hold: the next frame would end the connection again
        welcome = Welcome(
            protocol=wire.PROTOCOL_VERSION,
            version=self.config.version,
            project=session.project,
            epoch=session.epoch,
            seq=session.seq,
            resumed=missing is not None,
            records=visible_records(session.snapshot()) if missing is None else None,
            slash_commands=self.config.slash_commands,
            vendors=self.config.vendors,
            project_tools=self.config.project_tools,
        )
        self.subscriber.reply(wire.encode(welcome).decode())
        if missing:
            text, size_bytes = encoded(missing)
            self.subscriber.offer_frames(text, len(missing), size_bytes)

    async def do(self, do: Do) -> None:
        if self.session is None or self.line is None:
            self.refuse("The first message of a connection is `hello`.")
            return
        self.line.ask(self.session, do, self.answer)
        await self.line.room()

    def answer(self, answer: Answer) -> None:
        """Send an answer, behind the frames that it speaks of (CH8)."""
        if self.feed is not None:
            self.feed.flush()
        self.subscriber.reply(wire.encode(answer).decode())

    def detach(self) -> None:
        """Stop following the project the connection looks at."""
        if self.feed is not None:
            self.hub.detach(self.feed, self.subscriber)
            self.subscriber.drop_frames()
            self.feed = None

    def refuse_malformed(self, text: str, problem: str) -> None:
        """A command that can be told apart is refused alone (CH8); anything else ends the connection."""
        command_id = id_of_command(text)
        if command_id is None:
            self.refuse(f"This message cannot be read: {problem}")
        else:
            self.reject("bad_message", f"This command cannot be read: {problem}", command_id=command_id)

    def refuse(self, message: str, code: str = "bad_message") -> None:
        self.reject(code, message)
        self.subscriber.finish(CLOSE_CODES["bad_message"], message, CLOSE_GRACE_S)

    def reject(self, code: str, message: str, hint: str = "", command_id: str | None = None) -> None:
        rejected = Rejected(code=code, message=message, hint=hint, id=command_id)
        self.subscriber.reply(wire.encode(rejected).decode())


def is_longer(text: str, max_bytes: int) -> bool:
    return len(text) > max_bytes or (not text.isascii() and len(text.encode()) > max_bytes)


def id_of_command(text: str) -> str | None:
    """The id of a `Do` that is wrong only inside. Lenient where the wire is strict: lone surrogates, NaN."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("type") != "do":
        return None
    command_id = message.get("id")
    if not isinstance(command_id, str) or len(command_id) > MAX_CLIENT_NAME or not command_id.isprintable():
        return None
    return command_id
