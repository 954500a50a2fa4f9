"""A server of a few lines that does what no HTTP library would: resets, stalls, half chunks, wrong lengths."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Received:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    def json(self) -> Any:
        return json.loads(self.body)


class Peer:
    """One request on one connection, to be answered by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.keep_open = False
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def head(self, status: int = 200, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} X", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
        await self.send("\r\n".join([*lines, "", ""]).encode())

    async def answer(self, status: int, body: bytes, **headers: str) -> None:
        """A whole answer; the connection stays open for the next request."""
        await self.head(status, content_length=str(len(body)), **headers)
        await self.send(body)
        self.keep_open = True

    async def events(self) -> None:
        await self.head(200, content_type="text/event-stream", transfer_encoding="chunked")

    async def chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def last_chunk(self) -> None:
        await self.send(b"0\r\n\r\n")
        self.keep_open = True

    async def reset(self) -> None:
        """Break the connection, so that the other end gets an error and not an end."""
        await asyncio.sleep(0.02)  # let what was sent before arrive: a reset may overtake it
        sock: socket.socket = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def gone(self) -> None:
        """Wait until the other end has closed."""
        while await self._reader.read(65536):
            pass


Answer = Callable[[Peer], Awaitable[None]]


@dataclass
class RawServer:
    """Answers the first request with the first of `answers`, and so on; the last one answers all that follow."""

    answers: list[Answer]
    received: list[Received] = field(default_factory=list)
    url: str = ""
    connections: int = 0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        connection = self.connections
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (received := await read_request(reader, connection)) is not None:
                self.received.append(received)
                peer = Peer(reader, writer)
                await self.answers[min(len(self.received), len(self.answers)) - 1](peer)
                if not peer.keep_open:
                    return
        except (ConnectionError, asyncio.CancelledError):
            return
        finally:
            self._tasks.discard(task)
            writer.close()

    async def end(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


async def read_request(reader: asyncio.StreamReader, connection: int) -> Received | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(method, path, headers, body, connection)


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[RawServer]:
    raw = RawServer(list(answers))
    server = await asyncio.start_server(raw.serve, "127.0.0.1", 0)
    raw.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield raw
    finally:
        server.close()
        await raw.end()
        await server.wait_closed()


async def until(condition: Callable[[], object], *, limit_s: float = 5.0) -> None:
    """Let real sockets work until something is so."""
    end = asyncio.get_running_loop().time() + limit_s
    while not condition():
        assert asyncio.get_running_loop().time() < end, "waited in vain"
        await asyncio.sleep(0.002)
