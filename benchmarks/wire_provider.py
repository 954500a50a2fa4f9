"""A mock provider for `bench_wire.py`: streams both wires over loopback, each event an HTTP chunk of its own.

The path says what is asked for: `/<mode>/<count>/v1/…`, and its end which wire. `big` writes 64 KiB at once, `seg` one
event a write, 1,000 a second, `pace` one event a write, 50 a second, and its text is the time at which it was written,
so that a client can tell how late it has it. All paced streams share one ticker, spread evenly over its ticks.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from typing import Any, cast

WORDS = (" token", " other")  # not the same twice: one of the clients takes that for a model gone wrong
WRITE_BYTES = 64 * 1024
PACED_A_SECOND = 50
TICKS = 20
"""How many times an interval of `pace` is divided: a stream is written to in one of them."""

STAMP = " 000000000.000000"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def openai_events(texts: list[str]) -> list[bytes]:
    def event(delta: dict[str, Any], finish: str | None = None, usage: Any = None) -> bytes:
        chunk = {
            "id": "chatcmpl-CZx2qT9wV0d3S5bqk1yZ7mJ4Lr8aE",
            "object": "chat.completion.chunk",
            "created": 1764000000,
            "model": "gpt-4o-2024-08-06",
            "service_tier": "default",
            "system_fingerprint": "fp_cbf1785567",
            "choices": [] if usage else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
            "usage": usage,
            "obfuscation": "sQf7xk2W",
        }
        return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"

    count = len(texts)
    usage = {"prompt_tokens": 9, "completion_tokens": count, "total_tokens": count + 9}
    body = [event({"role": "assistant", "content": ""})] + [event({"content": text}) for text in texts]
    return [*body, event({}, "stop"), event({}, usage=usage), b"data: [DONE]\n\n"]


def anthropic_events(texts: list[str]) -> list[bytes]:
    def event(kind: str, **fields: Any) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields}, separators=(',', ':'))}\n\n".encode()

    message = {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    return [
        event("message_start", message=message),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *(event("content_block_delta", index=0, delta={"type": "text_delta", "text": text}) for text in texts),
        event("content_block_stop", index=0),
        event("message_delta", delta=end, usage={"output_tokens": len(texts)}),
        event("message_stop"),
    ]


EVENTS = {"openai": openai_events, "anthropic": anthropic_events}


def chunked(event: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(event), event)


class PacedStream:
    """What is left to be written to one connection."""

    def __init__(self, transport: asyncio.Transport, wire: str, count: int) -> None:
        first, event, *last = self._divided(EVENTS[wire]([STAMP]))
        self.transport = transport
        self.left = count
        self._before, self._after = event.split(STAMP.encode())
        self._last = b"".join(last) + b"0\r\n\r\n"
        transport.write(first)

    def _divided(self, events: list[bytes]) -> list[bytes]:
        parts = [chunked(event) for event in events]
        at = next(place for place, part in enumerate(parts) if STAMP.encode() in part)
        return [b"".join(parts[:at]), *parts[at:]]

    def write_one(self, stamp: bytes) -> bool:
        """Whether there is more."""
        if self.transport.is_closing():
            return False
        self.transport.write(b"".join((self._before, stamp, self._after)))
        self.left -= 1
        if not self.left:
            self.transport.write(self._last)
        return self.left > 0


class Ticker:
    """Writes to every paced stream, 50 times a second."""

    def __init__(self) -> None:
        self.slots: list[deque[PacedStream]] = [deque() for _ in range(TICKS)]
        self._next = 0

    def add(self, stream: PacedStream) -> None:
        self._next = (self._next + 1) % TICKS
        self.slots[self._next].append(stream)

    async def run(self) -> None:
        due = time.monotonic()
        while True:
            for slot in self.slots:
                for _ in range(len(slot)):
                    stream = slot.popleft()
                    if stream.write_one(b" %016.6f" % time.monotonic()):
                        slot.append(stream)
                due += 1 / PACED_A_SECOND / TICKS
                await asyncio.sleep(max(0.0, due - time.monotonic()))


class MockProvider(asyncio.Protocol):
    def __init__(self, ticker: Ticker) -> None:
        self.ticker = ticker
        self.received = b""
        self.sending: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def connection_lost(self, _error: Exception | None) -> None:
        if self.sending is not None:
            self.sending.cancel()

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        length = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length")), 0)
        if not end or len(body) < length:
            return
        self.received = b""
        _, mode, count, *rest = head.split(b" ")[1].decode().split("/")
        wire = "anthropic" if rest[-1].startswith("messages") else "openai"
        if mode == "pace":
            self.transport.write(HEAD)
            self.ticker.add(PacedStream(self.transport, wire, int(count)))
        else:
            texts = [WORDS[number % 2] for number in range(int(count))]
            self.sending = asyncio.ensure_future(self.answer([chunked(event) for event in EVENTS[wire](texts)], mode))

    async def answer(self, parts: list[bytes], mode: str) -> None:
        self.transport.write(HEAD)
        if mode == "big":
            body = b"".join(parts)
            for at in range(0, len(body), WRITE_BYTES):
                self.transport.write(body[at : at + WRITE_BYTES])
                await asyncio.sleep(0)
        else:
            due = time.perf_counter()
            for part in parts:
                self.transport.write(part)
                due += 0.001
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
        self.transport.write(b"0\r\n\r\n")


async def serve() -> None:
    """Listen on a free port and print it; returns when ended."""
    ticker = Ticker()
    server = await asyncio.get_running_loop().create_server(lambda: MockProvider(ticker), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.gather(server.serve_forever(), ticker.run())
