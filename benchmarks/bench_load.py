"""An hour of hard use in minutes: 200 chats stream while 20 browsers look on, with a real process and a real database.

`python benchmarks/bench_load.py [--turns 3] [--chats 200] [--browsers 20]`. Each turn every chat is asked and answers
with 300 words at 30 a second; an hour of such use in 200 chats at once is about 30 turns (`--turns 30`, some six
minutes); each begins at a time of its own. The browsers are another process and keep what they are told. It fails when
a browser misses a frame or ends with another text than the server has, when the server's memory goes on growing beyond
what it keeps, or when its loop answers late. Memory is that of the process; how late is measured by pings from outside.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import multiprocessing
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from aiohttp import ClientSession, ClientTimeout, ClientWebSocketResponse, TCPConnector

from figures import tell

LINK = re.compile(r"(http://\S+)/\?token=")
WORDS = 300
A_SECOND = 30
TURN_S = WORDS / A_SECOND
ASK = f"stream {WORDS} words at {A_SECOND}/s"
HELLO = '{"type":"hello","protocol":1}'
MOST_LATE_P99_MS = 100.0
"""Seen from outside, on a machine whose two cores are taken by the server and its browsers."""
MOST_GROWTH_MB_A_TURN = 4.0
"""What is kept of one turn: 400 messages as records, in the log that browsers resume from, and on undo's list."""
PING_EVERY_S = 0.1


class Browser:
    """What one tab knows: records by id, grown by frames. `frames` counts what it applied."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.records: dict[str, dict[str, Any]] = {}
        self.seq = 0
        self.frames = 0
        self.lost: list[str] = []

    async def hello(self) -> None:
        await self.socket.send_str(HELLO)
        welcome = msgspec.json.decode((await self.socket.receive()).data)
        self.records = {record["id"]: record for record in welcome["records"]}
        self.seq = welcome["seq"]

    async def listen(self) -> None:
        """Until it is closed."""
        async for message in self.socket:
            answer = msgspec.json.decode(message.data)
            if answer["type"] == "frames":
                for frame in answer["frames"]:
                    self.apply(frame)

    def apply(self, frame: dict[str, Any]) -> None:
        first = frame.get("first", frame["seq"])
        if first != self.seq + 1:
            self.lost.append(f"{first} came after {self.seq}")
        self.seq = frame["seq"]
        self.frames += 1
        for change in frame["changes"]:
            match change["op"]:
                case "put":
                    self.records[change["value"]["id"]] = change["value"]
                case "append":
                    record = self.records[change["id"]]
                    record[change["field"]] = record.get(change["field"], "") + change["text"]
                case "remove":
                    self.records.pop(change["id"], None)

    def texts(self) -> dict[str, str]:
        return {id: record["content"] for id, record in self.records.items() if record["record"] == "message"}


def browsers(url: str, token: str, count: int, pipe: Connection) -> None:
    """Look on until told to stop; then what was lost, and which texts the first one has."""
    uvloop.run(look_on(url, token, count, pipe))


async def look_on(url: str, token: str, count: int, pipe: Connection) -> None:
    async with ClientSession(url, headers={"authorization": f"Bearer {token}"}) as http:
        tabs = [Browser(await http.ws_connect("/api/channel", max_msg_size=0)) for _ in range(count)]
        for tab in tabs:
            await tab.hello()
        listening = [asyncio.ensure_future(tab.listen()) for tab in tabs]
        pipe.send("connected")
        wanted = await asyncio.to_thread(pipe.recv)  # the seq to which all of them have to come
        for _ in range(600):
            if all(tab.seq >= wanted for tab in tabs):
                break
            await asyncio.sleep(0.05)
        lost = [line for tab in tabs for line in tab.lost] + [
            f"a browser ended at {tab.seq}" for tab in tabs if tab.seq < wanted
        ]
        texts = tabs[0].texts()
        differ = sum(tab.texts() != texts for tab in tabs)
        pipe.send((lost, differ, texts, sum(tab.frames for tab in tabs)))
        for tab in tabs:
            await tab.socket.close()
        await asyncio.gather(*listening)


def cpu_s(pid: int) -> float:
    """CPU time of a process so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Resident memory, in MB."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1e3


async def ping(http: ClientSession, late_ms: list[float]) -> None:
    """How long the loop takes to answer, again and again, on a socket of its own."""
    async with http.ws_connect("/api/channel", max_msg_size=0) as socket:
        for number in itertools.count():
            begun = time.perf_counter()
            await socket.send_str('{"type":"ping"}' if number else HELLO)
            while '"pong"' not in (await socket.receive()).data[:40] and number:
                pass
            if number:
                late_ms.append((time.perf_counter() - begun) * 1e3)
            await asyncio.sleep(PING_EVERY_S)


async def used(url: str, token: str, pid: int, given: argparse.Namespace) -> bool:
    """The whole use; whether all of it held."""
    headers, connector = {"authorization": f"Bearer {token}"}, TCPConnector(limit=0)
    async with ClientSession(url, headers=headers, connector=connector, timeout=ClientTimeout()) as http:
        async with http.get("/api/projects") as answer:
            project = (await answer.json())["projects"][0]["id"]
        nodes = []
        for number in range(given.chats):
            async with http.post(f"/api/projects/{project}/nodes", json={"title": f"Chat {number}"}) as answer:
                nodes.append((await answer.json())["id"])
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=browsers, args=(url, token, given.browsers, theirs))
        process.start()
        await asyncio.to_thread(ours.recv)
        late_ms: list[float] = []
        pinging = asyncio.ensure_future(ping(http, late_ms))
        memory: list[float] = []
        begun, begun_cpu_s = time.perf_counter(), cpu_s(pid)

        async def talk(node: str, after_s: float) -> int:
            """One chat's use, begun at its own time; how many turns failed."""
            await asyncio.sleep(after_s)
            failed = 0
            for _ in range(given.turns):
                async with http.post(f"/api/nodes/{node}/send", json={"text": ASK}) as answer:
                    failed += not (await answer.json())["ok"]
            return failed

        async def weigh() -> None:
            while True:
                await asyncio.sleep(TURN_S)
                memory.append(memory_mb(pid))

        weighing = asyncio.ensure_future(weigh())
        starts = [TURN_S * number / given.chats for number in range(given.chats)]
        failed = sum(await asyncio.gather(*map(talk, nodes, starts)))
        weighing.cancel()
        took_s = time.perf_counter() - begun
        share = (cpu_s(pid) - begun_cpu_s) / took_s
        pinging.cancel()
        async with http.get(f"/api/projects/{project}") as answer:
            ours.send((await answer.json())["seq"])
        lost, differ, texts, frames = await asyncio.to_thread(ours.recv)
        await asyncio.to_thread(process.join)
        kept = {}
        for node in nodes:
            async with http.get(f"/api/nodes/{node}") as answer:
                kept |= {message["id"]: message.get("content", "") for message in (await answer.json())["messages"]}
    words = given.turns * given.chats * WORDS
    p50, p99 = (statistics.quantiles(late_ms, n=100)[place] for place in (49, 98))
    growth = (memory[-1] - memory[0]) / max(1, len(memory) - 1)
    print(
        f"{given.chats} chats, {given.browsers} browsers, {given.turns} turns: {words:,} words in {took_s:.0f} s, ",
        end="",
    )
    print(f"{frames:,} frames to the browsers")
    print(f"the server took {share:.0%} of a core")
    print(f"turns that failed: {failed}; frames lost: {len(lost)}; browsers that differ from the first: {differ}")
    print(f"messages the server has: {len(kept):,}; the same in the browser: {kept == texts}")
    print(f"the loop answers within {p50:.1f} ms (p50), {p99:.1f} ms (p99, at most {MOST_LATE_P99_MS:g})")
    print(f"memory after each turn, MB: {' '.join(f'{each:.0f}' for each in memory)}")
    for line in lost[:5]:
        print(f"  {line}")
    return all(
        [
            tell("load: turns that failed", failed, "turns", at_most=0),
            tell("load: frames lost", len(lost), "frames", at_most=0),
            tell("load: browsers with another text", differ + (kept != texts), "tabs", at_most=0),
            tell("load: loop answers, p99", p99, "ms", at_most=MOST_LATE_P99_MS),
            tell("load: memory grows a turn", growth, "MB", at_most=MOST_GROWTH_MB_A_TURN),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--browsers", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"TALKFIELD_HOME": home, "TALKFIELD_SCRIPTED": "1", "TALKFIELD_KEYRING": "0"}
        server = subprocess.Popen(
            [sys.executable, "-m", "talkfield", "open", "--no-browser", "--port", "0"],
            stdout=subprocess.PIPE,
            env=environment | {"TALKFIELD_DISCOVER": "0", "TALKFIELD_LOCAL_MODEL": "0"},
            text=True,
        )
        try:
            assert server.stdout is not None
            found = LINK.search(server.stdout.readline())
            assert found, "Talkfield did not start"
            token = (Path(home) / "api-token").read_text().strip()
            held = uvloop.run(used(found[1], token, server.pid, given))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)
    if not held:
        raise SystemExit("something does not hold")


if __name__ == "__main__":
    main()
