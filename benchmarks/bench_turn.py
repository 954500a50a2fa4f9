"""What Talkfield itself adds to an event of a streamed reply, from a provider's bytes to the bytes for browsers.

`python benchmarks/bench_turn.py [--events 6000] [--rounds 7]`; needs no network and about a minute.

A reply streams through the real chain: decoder, runner, turn machine, reducer, commit with undo, totals and frame log,
and the feed that encodes frames for browsers every 16 ms. Only the socket and the disk are left out. It is played in
reads of one event (each a turn of the loop), of 16, and of 200 (a 64 KiB read of an OpenAI stream), in an empty project
and in a full one: a hundred chats of a hundred messages each. The yardstick is the same reads decoded and dropped, one
a turn of the loop: what has to be done whoever does it. Figures are CPU time, the median over rounds that take every
way in turn. The program fails when the rest of the chain costs more than its share, or more in the full project: times
depend on the machine, ratios hardly.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterator

from figures import tell
from talkfield.core.changes import Put
from talkfield.core.cost import stamp
from talkfield.core.ids import MessageId, NodeId, ProviderId
from talkfield.core.messages import ModelInfo
from talkfield.core.nodes import ChatData
from talkfield.core.records import MessageRecord, NodeRecord, ProviderRecord
from talkfield.providers.openai_decoder import OpenAiDecoder
from talkfield.runtime.config import Configuration, ProviderChange
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import Chunk, ProviderConfig, ProviderRequest
from talkfield.server.feed import FrameFeed
from talkfield.server.subscriber import Subscriber
from talkfield.storage.blobs import MemoryBlobs
from talkfield.storage.memory import MemoryStore
from talkfield.system import RandomIds, SystemClock
from talkfield.wire import client as ask
from talkfield.workspace.service import Services
from talkfield.workspace.session import Session
from talkfield.workspace.studio import open_studio

READS = (1, 16, 200)
MOST_TIMES_DECODING = {1: 5.5, 16: 2.5, 200: 1.8}
"""What the whole chain may cost in multiples of decoding alone, by the events of a read."""
MOST_TIMES_EMPTY = 1.5
"""What an event may cost in the full project, in multiples of the empty one."""
PROVIDER = ProviderConfig(id=ProviderId("replay"), name="Replay", api="openai", base_url="", model="gpt-4o")


def stream(events: int) -> list[bytes]:
    """The events of an OpenAI stream, about 300 bytes each as real ones are, usage and end included."""

    def event(delta: dict[str, str], finish: str | None = None, **more: object) -> bytes:
        chunk = {
            "id": "chatcmpl-CbCZVBHzhFfQ2sSGTlWyyTVyRCTdI",
            "object": "chat.completion.chunk",
            "created": 1763136000,
            "model": "gpt-4o-2024-11-20",
            "service_tier": "default",
            "system_fingerprint": "fp_b1442291a8",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
            "usage": None,
            "obfuscation": "aVb3xP0",
            **more,
        }
        return f"data: {json.dumps(chunk)}\n\n".encode()

    usage = {"prompt_tokens": 20, "completion_tokens": events, "total_tokens": events + 20}
    words = [event({"content": f" word{number % 100}"}) for number in range(events)]
    return [*words, event({}, "stop"), event({}, choices=[], usage=usage), b"data: [DONE]\n\n"]


def reads_of(events: list[bytes], size: int) -> list[bytes]:
    return [b"".join(events[start : start + size]) for start in range(0, len(events), size)]


def chunks_of(reads: list[bytes]) -> Iterator[list[Chunk]]:
    decoder = OpenAiDecoder(provider="replay", model="gpt-4o")
    for read in reads:
        if chunks := decoder.feed(read):
            yield chunks
    if chunks := decoder.finish():
        yield chunks


class Replay:
    """A driver, and the directory that holds it: decodes `reads` anew for each call, one read a turn of the loop."""

    def __init__(self) -> None:
        self.reads: list[bytes] = []

    async def stream(self, request: ProviderRequest) -> AsyncIterator[list[Chunk]]:
        for chunks in chunks_of(self.reads):
            await asyncio.sleep(0)
            yield chunks

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        return []

    def records(self) -> tuple[ProviderRecord, ...]:
        return ()

    def resolve(self, provider: ProviderId | None) -> ProviderConfig | None:
        return PROVIDER

    def driver_for(self, provider: ProviderConfig) -> Replay:
        return self

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        return lambda: None

    async def save(self, change: ProviderChange) -> ProviderId:
        return PROVIDER.id

    async def remove(self, provider: ProviderId) -> None: ...

    async def refresh(self, provider: ProviderId) -> None: ...

    def begin_refresh(self, provider: ProviderId) -> None: ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...


class Unsaved:
    """Settings that nobody keeps."""

    def load(self) -> Configuration:
        return Configuration()

    def save(self, configuration: Configuration) -> None: ...


def services(replay: Replay) -> Services:
    return Services(
        blobs=MemoryBlobs(),
        store=MemoryStore(),
        directory=replay,
        configuration=ConfigurationBook(Unsaved(), Configuration()),
        ids=RandomIds(),
        clock=SystemClock(),
        price=lambda model, provider, usage, usd: stamp(usage, model=model, reported_usd=usd),
        context_limit=lambda _model, _provider: None,
        check_arguments=lambda _schema, _arguments: None,
        tools_for=lambda _request: (),
        log=lambda _line: None,
    )


def fill(session: Session) -> None:
    """A hundred chats of a hundred messages."""
    for number in range(100):
        node = NodeId(f"chat{number}")
        records = [NodeRecord(id=node, x=0, y=0, width=460, height=520, data=ChatData(), title="chat")]
        session.workspace.commit([Put(record) for record in records], "fill", "skip")
        messages = [
            MessageRecord(
                id=MessageId(f"{node}.{index}"),
                node_id=node,
                index=index,
                role="assistant" if index % 2 else "user",
                content="word " * 100,
                ts=index,
            )
            for index in range(100)
        ]
        session.workspace.commit([Put(message) for message in messages], "fill", "skip")


async def decode(replay: Replay, request: ProviderRequest) -> float:
    """CPU seconds of the stream, decoded and dropped."""
    started = time.process_time()
    async for chunks in replay.stream(request):
        assert chunks
    return time.process_time() - started


async def play(session: Session, node: NodeId, feed: FrameFeed) -> float:
    """CPU seconds of one turn, the last frame included."""
    done = asyncio.Event()
    ends = session.subscribe(lambda frame: done.set() if frame.cause == "done" else None)
    started = time.process_time()
    await session.handle(ask.SendMessage(node=node, text="go on"))
    await done.wait()
    feed.flush()
    spent = time.process_time() - started
    ends()
    await session.handle(ask.Undo())
    return spent


async def measure(events: int, rounds: int) -> dict[tuple[str, int], float]:
    """CPU microseconds an event, by what is done and the events of a read."""
    content = stream(events)
    figures: dict[tuple[str, int], list[float]] = {}
    replay = Replay()
    empty = await open_studio(services(replay), lambda: "empty")
    full = await open_studio(services(replay), lambda: "full")
    sessions = {"empty": await empty.session(), "full": await full.session()}
    fill(sessions["full"])
    outcome = await sessions["empty"].handle(ask.AddNode(kind="chat", x=0, y=0))
    nodes = {"empty": NodeId(outcome.made[0]), "full": NodeId("chat50")}
    request = ProviderRequest(provider=PROVIDER, model="gpt-4o", messages=())
    subscriber = Subscriber(max_frames=10**9, max_bytes=10**9, overflow_grace_s=1)
    feeds = {name: FrameFeed(session, interval_s=0.016) for name, session in sessions.items()}
    for feed in feeds.values():
        feed.attach(subscriber)
    for turn in range(rounds + 1):
        for size in READS:
            replay.reads = reads_of(content, size)
            spent = {"decode": await decode(replay, request)}
            for name, session in sessions.items():
                spent[name] = await play(session, nodes[name], feeds[name])
                subscriber.drop_frames()
            for name, seconds in spent.items():
                if turn:  # the first round warms up
                    figures.setdefault((name, size), []).append(seconds / events * 1e6)
    for feed in feeds.values():
        feed.detach(subscriber)
    await empty.close()
    await full.close()
    return {way: statistics.median(values) for way, values in figures.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description="What a streamed event costs.")
    arguments.add_argument("--events", type=int, default=6_000)
    arguments.add_argument("--rounds", type=int, default=7)
    given = arguments.parse_args()
    figures = asyncio.run(measure(given.events, given.rounds))
    print(f"One reply of {given.events:,} events: CPU µs an event, median of {given.rounds} rounds")
    print(f"{'events a read':>14} {'decoding':>9} {'whole chain':>12} {'times':>6} {'full project':>13} {'times':>6}")
    off = False
    for size in READS:
        decode, empty, full = (figures[name, size] for name in ("decode", "empty", "full"))
        chain, at = empty / decode, f"{size} events a read"
        off |= not tell(f"whole chain against decoding, {at}", chain, at_most=MOST_TIMES_DECODING[size])
        off |= not tell(f"full project against empty, {at}", full / empty, at_most=MOST_TIMES_EMPTY)
        print(f"{size:>14} {decode:9.2f} {empty:12.2f} {empty / decode:6.1f} {full:13.2f} {full / empty:6.2f}")
    limits = ", ".join(f"{times:g} at {size}" for size, times in MOST_TIMES_DECODING.items())
    print(f"at most {limits} times decoding, and {MOST_TIMES_EMPTY:g} times the empty project")
    if off:
        raise SystemExit("a ratio is off")


if __name__ == "__main__":
    main()
