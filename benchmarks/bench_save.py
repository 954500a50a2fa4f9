"""Whether the loop goes on while growing messages are saved: 1,000 events a second, to a disk (ST2, ST4).

`python benchmarks/bench_save.py [--seconds 2] [--rounds 8]`; needs no network and about a minute.

Twenty chats grow at once, by 1,000 events a second together, through the real session and its saver. A task that is
to run every 2 ms says how late it did, and how long the loop's thread was at work in between: nothing else can hold up
the loop for long. The yardsticks are the same loop with nothing to do, and the same events into a store in memory.
Everything that was said is on the disk in the end. Of all rounds the best counts: what else the machine does falls on
some of them and can only make them worse. Fails when the loop is held up for a millisecond at the 99th percentile.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import uvloop

from bench_turn import Replay, services
from figures import tell
from talkfield.core.changes import Append, Put
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.nodes import ChatData
from talkfield.core.records import MessageRecord, NodeRecord
from talkfield.storage.base import ProjectStore
from talkfield.storage.database import DatabaseStore
from talkfield.storage.memory import MemoryStore
from talkfield.workspace.session import Session
from talkfield.workspace.studio import open_studio

CHATS = 20
EVENTS_A_SECOND = 1_000
TICK_S = 0.002
MOST_HELD_P99_MS = 1.0
WORD = " word"


@dataclass
class Ticks:
    """Milliseconds by tick: how late it was, and how long the loop's thread was at work since the last one."""

    late: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)


async def ticks(seconds: float) -> Ticks:
    told, end = Ticks(), time.perf_counter() + seconds
    while (now := time.perf_counter()) < end:
        worked = time.thread_time()
        await asyncio.sleep(TICK_S)
        told.held.append((time.thread_time() - worked) * 1e3)
        told.late.append(max(0.0, (time.perf_counter() - now - TICK_S) * 1e3))
    return told


async def grow(session: Session, messages: list[MessageId], seconds: float) -> int:
    """Append to one message after the other, by the clock; how many events there were."""
    begun, done = time.perf_counter(), 0
    while (passed := time.perf_counter() - begun) < seconds:
        for number in range(done, int(passed * EVENTS_A_SECOND)):
            change = Append(messages[number % CHATS], "content", WORD)
            session.workspace.commit([change], "delta", "skip")
            done = number + 1
        await asyncio.sleep(0.001)
    return done


async def played(store: ProjectStore, seconds: float) -> tuple[Ticks, int, int]:
    """Ticks, events, and characters in the store afterwards."""
    studio = await open_studio(replace(services(Replay()), store=store), lambda: "epoch")
    session = await studio.session()
    messages = []
    for number in range(CHATS):
        node = NodeRecord(id=NodeId(f"n{number}"), x=0, y=0, width=460, height=520, data=ChatData())
        message = MessageRecord(
            id=MessageId(f"m{number}"), node_id=node.id, index=0, role="assistant", content="", ts=0
        )
        session.workspace.commit([Put(node), Put(message)], "edit", "skip")
        messages.append(message.id)
    await session.durable()
    told, events = await asyncio.gather(ticks(seconds), grow(session, messages, seconds))
    await session.durable()
    stored = store.load(session.project)
    characters = sum(len(record.content) for record in stored if isinstance(record, MessageRecord))
    await studio.close()
    return told, events, characters


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    arguments = parser.parse_args()
    rounds: dict[str, list[Ticks]] = {"nothing": [], "a store in memory": [], "the store on disk": []}
    events = 0
    for turn in range(arguments.rounds):
        rounds["nothing"].append(await ticks(arguments.seconds))
        rounds["a store in memory"].append((await played(MemoryStore(), arguments.seconds))[0])
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / f"{turn}.db"
            told, events, characters = await played(DatabaseStore(path), arguments.seconds)
            rounds["the store on disk"].append(told)
            assert characters == events * len(WORD), "something was not saved"
    print(f"{CHATS} chats, {events / arguments.seconds:,.0f} events a second; best of {arguments.rounds} rounds, in ms")
    print(f"{'':<22}{'late p50':>10}{'p90':>7}{'p99':>7}{'at work p99':>13}")
    late, held = {}, {}
    for name, told in rounds.items():
        cuts = [statistics.quantiles(each.late, n=100) for each in told]
        p50, p90, late[name] = (min(cut[place] for cut in cuts) for place in (49, 89, 98))
        held[name] = min(statistics.quantiles(each.held, n=100)[98] for each in told)
        print(f"  {name:<20}{p50:10.2f}{p90:7.2f}{late[name]:7.2f}{held[name]:13.2f}")
    added = late["the store on disk"] - late["a store in memory"]
    print(f"the loop's thread was at work for {held['the store on disk']:.2f} ms at p99 (at most {MOST_HELD_P99_MS:g})")
    print(f"later by the disk at p99: {added:.2f} ms")
    tell("loop late by the disk at p99, 1,000 events a second", added, "ms")
    on_disk = held["the store on disk"]
    if not tell("loop at work for saving at p99, 1,000 events a second", on_disk, "ms", at_most=MOST_HELD_P99_MS):
        raise SystemExit("saving holds up the loop")


if __name__ == "__main__":
    uvloop.run(main())
