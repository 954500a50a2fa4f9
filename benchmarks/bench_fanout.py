"""What it costs to tell many browsers what many chats say at once, and how much later they hear of it (CH6).

`python benchmarks/bench_fanout.py [--rounds 5]`; needs no network and about two minutes.

Fifty chats stream at once through the real session, feed and server, and 5 or 50 browsers (connections of a process
of its own) take everything in. The yardstick is what a simple server would do: a message per event. Both have to bring
every browser to the same end. Figures are the server's CPU time, less what the same commits take when nobody listens.
Then how late an event arrives, from the commit to the browser, in that burst and for a single chat that says something
50 times a second, against a message per event: the difference is what gathering adds. The program fails when gathering
does not save three quarters of the CPU, or adds more time than it may.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

import uvloop
from aiohttp import ClientSession, ClientWebSocketResponse

from bench_turn import Replay, services
from figures import tell
from talkfield.core.changes import Append, Put
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.nodes import ChatData
from talkfield.core.records import MessageRecord, NodeRecord
from talkfield.server.app import create_app
from talkfield.server.config import ServerConfig
from talkfield.server.serve import Server, address_of, bind
from talkfield.workspace.session import Session
from talkfield.workspace.studio import open_studio

CHATS = 50
BURST_A_SECOND = 2_000
LONE_A_SECOND = 50
EVENTS = 2_000
LONE_EVENTS = 100
GATHERED_S, AT_ONCE_S = 0.016, 0.0
END = "!"
"""What the last event says: nothing else on the wire has this sign."""
TOKEN = "token"
LEAST_GAIN = 4.0
MOST_ADDED_MS = {"burst p50": 9.0, "burst p99": 17.0, "lone p50": 2.0}


@dataclass
class Figures:
    """CPU seconds of the server, and how late the events were that one browser looked at, in milliseconds."""

    cpu_s: float
    late_ms: list[float]


def browsers(address: str, count: int, pipe: Connection) -> None:
    """Connect, say so, take everything in until the last event; how late each was at the first browser."""
    pipe.send(uvloop.run(take_in(address, count, pipe)))


async def take_in(address: str, count: int, pipe: Connection) -> list[float]:
    async with ClientSession(headers={"authorization": f"Bearer {TOKEN}"}) as http:
        sockets = [await http.ws_connect(f"http://{address}/api/channel", max_msg_size=0) for _ in range(count)]
        for socket in sockets:
            await socket.send_str('{"type":"hello","protocol":1}')
            await socket.receive()
        pipe.send("connected")
        late, *_ = await asyncio.gather(look(sockets[0]), *map(drain, sockets[1:]))
        for socket in sockets:
            await socket.close()
    return late


async def look(socket: ClientWebSocketResponse) -> list[float]:
    late: list[float] = []
    while True:
        data: str = (await socket.receive()).data
        now_ns = time.monotonic_ns()
        for frame in json.loads(data)["frames"]:
            for change in frame["changes"]:
                late += [(now_ns - int(sent)) / 1e6 for sent in change.get("text", "").split() if sent != END]
        if END in data:
            return late


async def drain(socket: ClientWebSocketResponse) -> None:
    while END not in (await socket.receive()).data:
        pass


async def played(count: int, interval_s: float, chats: int, events: int, a_second: int) -> Figures:
    studio = await open_studio(services(Replay()), lambda: "epoch")
    session = await studio.session()
    messages = started(session, chats)
    listener = bind("127.0.0.1", 0)
    config = ServerConfig(
        port=listener.getsockname()[1],
        bearer_token=TOKEN,
        batch_interval_s=interval_s,
        max_outbox_frames=10**9,
        max_outbox_bytes=10**9,
    )
    ready = asyncio.Event()
    server = Server(create_app(studio, config), ready=ready.set, signals=False)
    serving = asyncio.create_task(server.serve([listener]))
    await ready.wait()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=browsers, args=(address_of(listener), count, theirs))
    process.start()
    await asyncio.to_thread(ours.recv)
    begun = time.process_time()
    await say(session, messages, events, a_second)
    late = await asyncio.to_thread(ours.recv)
    cpu_s = time.process_time() - begun
    await asyncio.to_thread(process.join)
    server.stop()
    await serving
    assert len(late) == events, f"{len(late)} of {events} events arrived"
    return Figures(cpu_s, late)


async def committed() -> float:
    """CPU seconds of the same commits when nobody listens: what has to be done whoever is told."""
    studio = await open_studio(services(Replay()), lambda: "epoch")
    session = await studio.session()
    messages = started(session, CHATS)
    begun = time.process_time()
    await say(session, messages, EVENTS, BURST_A_SECOND)
    cpu_s = time.process_time() - begun
    await studio.close()
    return cpu_s


def started(session: Session, chats: int) -> list[MessageId]:
    messages = []
    for number in range(chats):
        node = NodeRecord(id=NodeId(f"n{number}"), x=0, y=0, width=460, height=520, data=ChatData())
        message = MessageRecord(
            id=MessageId(f"m{number}"), node_id=node.id, index=0, role="assistant", content="", ts=0
        )
        session.workspace.commit([Put(node), Put(message)], "edit", "skip")
        messages.append(message.id)
    return messages


async def say(session: Session, messages: list[MessageId], events: int, a_second: int) -> None:
    """Commit events by the clock, each in a turn of the loop of its own, as they come from as many providers."""
    begun = time.perf_counter()
    for number in range(events):
        ahead = begun + number / a_second - time.perf_counter()
        await asyncio.sleep(max(0.0, ahead))
        change = Append(messages[number % len(messages)], "content", f" {time.monotonic_ns()}")
        session.workspace.commit([change], "delta", "skip")
    await asyncio.sleep(0.05)
    session.workspace.commit([Append(messages[0], "content", f" {END}")], "delta", "skip")


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    off = False
    alone = statistics.median([await committed() for _ in range(rounds)])
    print(f"{CHATS} chats, {EVENTS:,} events at {BURST_A_SECOND:,} a second; CPU ms of the server, median of {rounds}")
    print(f"the commits alone, without any browser: {alone * 1e3:.0f}; besides:")
    print(f"{'browsers':>10}{'gathered':>10}{'one each':>10}{'times':>7}")
    added: dict[str, float] = {}
    for count in (5, 50):
        pairs = [
            [await played(count, interval_s, CHATS, EVENTS, BURST_A_SECOND) for interval_s in (GATHERED_S, AT_ONCE_S)]
            for _ in range(rounds)
        ]
        gathered, single = (statistics.median(pair[way].cpu_s for pair in pairs) - alone for way in (0, 1))
        off |= not tell(
            f"a message per event to {count} browsers, against gathered", single / gathered, at_least=LEAST_GAIN
        )
        print(f"{count:>10}{gathered * 1e3:10.0f}{single * 1e3:10.0f}{single / gathered:7.1f}")
        if count == 5:
            for share in (50, 99):
                ways = [min(percentile(pair[way].late_ms, share / 100) for pair in pairs) for way in (0, 1)]
                added[f"burst p{share}"] = ways[0] - ways[1]
    lone = [
        [await played(1, interval_s, 1, LONE_EVENTS, LONE_A_SECOND) for interval_s in (GATHERED_S, AT_ONCE_S)]
        for _ in range(rounds)
    ]
    ways = [min(percentile(pair[way].late_ms, 0.5) for pair in lone) for way in (0, 1)]
    added["lone p50"] = ways[0] - ways[1]
    print("added by gathering, ms (of the best rounds):", end=" ")
    print(", ".join(f"{name} {value:.1f} (at most {MOST_ADDED_MS[name]:g})" for name, value in added.items()))
    for name, value in added.items():
        off |= not tell(f"added by gathering, {name}", value, "ms", at_most=MOST_ADDED_MS[name])
    print(f"a message per event is to cost at least {LEAST_GAIN:g} times as much")
    if off:
        raise SystemExit("a ratio is off")


if __name__ == "__main__":
    uvloop.run(main())
