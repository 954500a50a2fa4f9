"""What a browser waits for that comes back or comes anew: the frames it missed, or everything (CH3, W6).

`python benchmarks/bench_resume.py [--rounds 7]`; needs no network and about half a minute.

A project of 1,000 chats with 10 messages each is streamed into by 50 chats for 10,000 frames. Then, through the real
server on loopback, one browser opens the project and another comes back that missed all of those frames; both are
timed until everything is there. The yardstick for opening is encoding the same records and nothing else; coming back
is compared with opening, which is what it saves. The program fails when one of the two is off.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import msgspec
import uvloop
from aiohttp import ClientSession
from msgspec.structs import replace as replace_struct

from bench_turn import Replay, services
from figures import tell
from full_project import fill
from talkfield import wire
from talkfield.core.changes import Append
from talkfield.core.ids import MessageId, ProjectId
from talkfield.server.app import create_app
from talkfield.server.config import ServerConfig
from talkfield.server.serve import Server, address_of, bind
from talkfield.storage.memory import MemoryStore
from talkfield.wire.client import Hello
from talkfield.wire.server import Frames
from talkfield.workspace.session import Session
from talkfield.workspace.studio import open_studio

PROJECT = "project"
NODES, MESSAGES, STREAMS, FRAMES = 1_000, 10_000, 50, 10_000
TOKEN = "token"
MOST_TIMES_ENCODING = 6.0
MOST_OF_OPENING = 0.5


def stream(session: Session) -> None:
    for number in range(FRAMES):
        message = MessageId(f"{PROJECT}-m{MESSAGES - 1 - number % STREAMS:07}")
        session.workspace.commit([Append(message, "content", f" word{number % 100}")], "delta", "skip")


async def timed(http: ClientSession, url: str, hello: Hello, whole: Callable[[bytes], bool]) -> tuple[float, int]:
    """Seconds from connecting until `whole` says that everything is here, and the bytes that came."""
    begun, size = time.perf_counter(), 0
    async with http.ws_connect(url, max_msg_size=0) as socket:
        await socket.send_str(wire.encode(hello).decode())
        while True:
            data: bytes = (await socket.receive()).data.encode()
            size += len(data)
            if whole(data):
                return time.perf_counter() - begun, size


def is_last_frame(seq: int) -> Callable[[bytes], bool]:
    def check(data: bytes) -> bool:
        message = wire.decode_server(data)
        return isinstance(message, Frames) and message.frames[-1].seq == seq

    return check


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    store = MemoryStore()
    fill(store, PROJECT, node_count=NODES, message_count=MESSAGES)
    studio = await open_studio(replace(services(Replay()), store=store), lambda: "epoch")
    session = await studio.session(ProjectId(PROJECT))
    missed_from = session.seq
    stream(session)
    listener = bind("127.0.0.1", 0)
    app = create_app(studio, ServerConfig(port=listener.getsockname()[1], bearer_token=TOKEN))
    ready = asyncio.Event()
    server = Server(app, ready=ready.set, signals=False)
    serving = asyncio.create_task(server.serve([listener]))
    await ready.wait()
    figures: dict[str, list[float]] = {"encode": [], "open": [], "resume": []}
    sizes = {}
    url = f"http://{address_of(listener)}/api/channel"
    async with ClientSession(headers={"authorization": f"Bearer {TOKEN}"}) as http:
        for turn in range(arguments.rounds + 1):
            begun = time.perf_counter()
            encoded = msgspec.json.encode(session.snapshot())
            seconds = {"encode": time.perf_counter() - begun}
            hello = Hello(protocol=wire.PROTOCOL_VERSION, project=ProjectId(PROJECT))
            seconds["open"], sizes["open"] = await timed(http, url, hello, lambda _data: True)
            hello = replace_struct(hello, epoch=session.epoch, seq=missed_from)
            seconds["resume"], sizes["resume"] = await timed(http, url, hello, is_last_frame(session.seq))
            if turn:  # the first round warms up
                for name, value in seconds.items():
                    figures[name].append(value * 1e3)
    server.stop()
    await serving
    median = {name: statistics.median(values) for name, values in figures.items()}
    print(f"{NODES:,} chats, {MESSAGES:,} messages; {FRAMES:,} frames missed: median ms of {arguments.rounds} rounds")
    print(f"  encoding the records alone{median['encode']:10.1f}{len(encoded) / 1e6:8.1f} MB")
    print(f"  opening the project       {median['open']:10.1f}{sizes['open'] / 1e6:8.1f} MB")
    print(f"  coming back               {median['resume']:10.1f}{sizes['resume'] / 1e6:8.1f} MB")
    opening, back = median["open"] / median["encode"], median["resume"] / median["open"]
    print(f"opening against encoding: {opening:.1f} times (at most {MOST_TIMES_ENCODING})")
    print(f"coming back against opening: {back:.2f} (at most {MOST_OF_OPENING})")
    opens = tell("opening 10,000 messages, against encoding them", opening, at_most=MOST_TIMES_ENCODING)
    resumes = tell("coming back after 10,000 frames, against opening", back, at_most=MOST_OF_OPENING)
    if not opens or not resumes:
        raise SystemExit("a ratio is off")


if __name__ == "__main__":
    uvloop.run(main())
