"""Lets a service flood a real Talkfield, and looks at what that costs everybody else (D7).

`python scripts/flood.py [--events 1000000]`. A process answers in one chat with the scripted provider, 50 words a
second, while another chat is answered by a service that sends far too much: one endless line, a compressed answer that
grows a thousandfold, very many tiny events. Measured are how far the process's memory grows beyond what it was, and
by how much the other chat's words come later than they should. Ends with status 1 where either is over its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

LINK = re.compile(rb"(http://\S+)/\?token=")
MOST_GROWTH_MB = 100.0
MOST_LATE_MS = 100.0
WORDS_A_SECOND = 50
MIB = 1024 * 1024
EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'
WARM_UP = "nothing much"
"""Floods a process that has asked a service before: what is loaded for the first of all requests is no flood's cost."""
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@dataclass(frozen=True)
class Flood:
    """What one of them came to. `late_ms` is the longest pause between the other chat's words beyond the usual one."""

    name: str
    end: str
    seconds: float
    growth_mb: float
    late_ms: float

    @property
    def line(self) -> str:
        cost = f"memory +{self.growth_mb:.0f} MB, other words {self.late_ms:.0f} ms late at most"
        return f"{self.name}: {self.end} after {self.seconds:.1f} s; {cost}"


def gzipped(first: bytes, repeated: bytes, times: int) -> Iterator[bytes]:
    """`first` and then `repeated`, so many times; made at once however much it is."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    yield packer.compress(first) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(repeated) + packer.flush(zlib.Z_FULL_FLUSH)
    yield from (block for _ in range(times))


def bodies(events: int) -> dict[str, tuple[dict[str, str], Iterator[bytes]]]:
    """Headers and parts of each flood."""
    packed = {"content-encoding": "gzip"}
    many = EVENT * (MIB // len(EVENT))
    return {
        "a line of 20 MiB": ({}, iter([b"data: ", *[b"x" * MIB] * 20, b"\n\n"])),
        "1 GiB compressed, one line": (packed, gzipped(b"data: ", b"x" * MIB, 1024)),
        "1 GiB compressed, events": (packed, gzipped(b"", many, 1024)),
        WARM_UP: ({}, iter([END])),
        f"{events:,} tiny events": ({}, iter([*[EVENT * 1000] * (events // 1000), END])),
    }


@asynccontextmanager
async def service(events: int) -> AsyncIterator[str]:
    """Answers with the flood that the last message names; its address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            size = re.search(r"content-length: (\d+)", head)
            body = await reader.readexactly(int(size[1]) if size else 0)
            found = bodies(events)
            headers, parts = (
                found[msgspec.json.decode(body)["messages"][-1]["content"]] if body else ({}, iter([b"{}"]))
            )
            lines = ["HTTP/1.1 200 OK", "content-type: text/event-stream", "transfer-encoding: chunked"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            writer.write("\r\n".join([*lines, "", ""]).encode())
            for part in parts:
                writer.write(b"%x\r\n%b\r\n" % (len(part), part))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@asynccontextmanager
async def talkfield(home: Path, url: str) -> AsyncIterator[tuple[int, str, str]]:
    """A process whose provider `flood` is at `url`: its id, its address and its token."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "talkfield", "open", "--no-browser", "--port", "0"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "TALKFIELD_HOME": str(home),
            "TALKFIELD_SCRIPTED": "1",
            "TALKFIELD_DISCOVER": "0",
            "TALKFIELD_LOCAL_MODEL": "0",
            "TALKFIELD_KEYRING": "0",
            "TALKFIELD_PROVIDER_URL_FLOOD": url,
            "TALKFIELD_PROVIDER_KEY_FLOOD": "key-of-the-flood",
            "TALKFIELD_PROVIDER_MODEL_FLOOD": "m",
        },
    )
    try:
        assert process.stdout is not None
        found = LINK.match(await process.stdout.readline(), len("Talkfield is running: "))
        assert found is not None
        token = await asyncio.to_thread((home / "api-token").read_text, "ascii")
        yield process.pid, found[1].decode(), token.strip()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


def memory_mb(pid: int, field: str) -> float:
    """`VmRSS` is what a process has, `VmHWM` the most it had since `forget_peak`."""
    status = Path(f"/proc/{pid}/status").read_text()
    return float(status.split(f"{field}:")[1].split()[0]) / 1024


def forget_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")


async def do(socket: aiohttp.ClientWebSocketResponse, name: str, **command: Any) -> str:
    """A command of the channel; the id of what it made."""
    await socket.send_json({"type": "do", "id": name, "command": command})
    while True:
        answer = await socket.receive_json()
        if answer.get("id") == name:
            assert answer["type"] == "ack", answer
            return str(next(iter(answer.get("made", [])), ""))


async def watch(socket: aiohttp.ClientWebSocketResponse, node: str, times: list[float]) -> None:
    """Notes when words of one chat come."""
    own = {""}
    async for message in socket:
        for frame in msgspec.json.decode(message.data).get("frames", ()):
            for change in frame["changes"]:
                if change["op"] == "put" and change["value"].get("nodeId") == node:
                    own.add(change["value"]["id"])
                elif change["op"] == "append" and change["id"] in own:
                    times.append(time.monotonic())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - what is waited for comes from another process
            await asyncio.sleep(0.02)


async def measure(pid: int, http: aiohttp.ClientSession, name: str) -> Flood:
    """One flood in a new chat, beside another new chat that streams."""
    async with http.ws_connect("/api/channel", max_msg_size=0) as page:
        await page.send_str('{"type":"hello","protocol":1}')
        flooded = await do(page, "a", do="addNode", kind="chat", x=0, y=0, provider="flood", model="m")
        calm = await do(page, "b", do="addNode", kind="chat", x=0, y=0)
        times: list[float] = []
        watching = asyncio.ensure_future(watch(page, calm, times))
        await page.send_json(
            {
                "type": "do",
                "id": "c",
                "command": {"do": "sendMessage", "node": calm, "text": f"stream 100000 words at {WORDS_A_SECOND}/s"},
            }
        )
        await until(lambda: len(times) >= 20)
        before = await asyncio.to_thread(memory_mb, pid, "VmRSS")
        await asyncio.to_thread(forget_peak, pid)
        usual = statistics.median(b - a for a, b in pairwise(times))
        first, began = len(times) - 1, time.monotonic()
        async with http.post(f"/api/nodes/{flooded}/send", json={"text": name}) as answer:
            told = await answer.json()
        seconds = time.monotonic() - began
        had = len(times)
        await until(lambda: len(times) >= had + 5)
        growth = await asyncio.to_thread(memory_mb, pid, "VmHWM") - before
        late = max(b - a for a, b in pairwise(times[first:])) - usual
        async with http.post(f"/api/nodes/{calm}/stop", json={}):
            pass
        watching.cancel()
        end = "whole" if told["ok"] else str(told["error"]["code"])
        return Flood(name, end, seconds, growth, late * 1000)


async def flood(home: Path, events: int) -> list[Flood]:
    """All of them, one after the other, in one process."""
    async with (
        service(events) as url,
        talkfield(home, url) as (pid, address, token),
        aiohttp.ClientSession(
            address, headers={"authorization": f"Bearer {token}"}, timeout=aiohttp.ClientTimeout(total=300)
        ) as http,
    ):
        names = [WARM_UP, *(name for name in bodies(events) if name != WARM_UP)]
        return [await measure(pid, http, name) for name in names][1:]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="talkfield-flood-") as home:
        floods = asyncio.run(flood(Path(home), arguments.events))
    for each in floods:
        print(each.line)
    over = [each for each in floods if each.growth_mb > MOST_GROWTH_MB or each.late_ms > MOST_LATE_MS]
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
