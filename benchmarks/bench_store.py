"""What a commit costs, and that it costs the same in a small project and in a large one (ST3, W10).

`python benchmarks/bench_store.py [--largest 100000] [--rounds 5]`; needs no network and about a minute.

Prints for each size of project the median cost of one durable commit of a turn (a question, a reply, a tool call; about
1 KB of text each), and its ratio to the smallest project. Rounds go over all sizes in turn, so that whatever else the
machine does falls on all of them; ratios say more than times. Then the same rows through the bare `sqlite3` module with
the same settings, and what opening, loading and searching take.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count
from pathlib import Path

from figures import tell
from talkfield.core.ids import CallId, MessageId, NodeId, ProjectId
from talkfield.core.messages import Usage
from talkfield.core.records import DocumentRecord, MessageRecord, ToolCallRecord
from talkfield.storage.base import StoredProject, WriteBatch
from talkfield.storage.database import DatabaseStore

PROJECT = ProjectId("p")
SIZES = (10, 100, 1_000, 10_000, 100_000)
COMMITS_PER_ROUND = 40
MOST_TIMES_SMALLEST = 1.5
"""What a commit may cost in a project of any size, in multiples of the smallest."""
CHANCE = random.Random(1)
SYLLABLES = [consonant + vowel for consonant in "bcdfghklmnprstvz" for vowel in "aeiou"]
WORDS = ["".join(CHANCE.choices(SYLLABLES, k=CHANCE.randrange(1, 5))) for _ in range(50_000)]
WEIGHTS = list(accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))
"""Words are as uneven as those of a language: the second is half as common as the first, and so on."""


@dataclass
class Cost:
    """Wall and CPU time of single commits, in microseconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def measure(self, work: Callable[[], object]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.cpu.append((time.process_time() - cpu) * 1e6)
        self.wall.append((time.perf_counter() - wall) * 1e6)


def text() -> str:
    return " ".join(CHANCE.choices(WORDS, cum_weights=WEIGHTS, k=150))


def turns(start: int = 0) -> Iterator[tuple[DocumentRecord, ...]]:
    for number in count(start):
        node = NodeId(f"node-{number % 50}")
        question = MessageRecord(
            id=MessageId(f"q{number:08}"), node_id=node, role="user", content=text(), ts=number, index=2 * number
        )
        reply = MessageRecord(
            id=MessageId(f"r{number:08}"),
            node_id=node,
            role="assistant",
            content=text(),
            ts=number * 60_000,
            index=2 * number + 1,
            usage=Usage(input_tokens=100, output_tokens=50),
        )
        call = ToolCallRecord(
            id=CallId(f"c{number:08}"),
            node_id=node,
            message_id=reply.id,
            index=0,
            name="read_file",
            args_json='{"path": "README.md"}',
            status="done",
            result=text(),
        )
        yield question, reply, call


def filled(folder: Path, messages: int) -> tuple[DatabaseStore, Iterator[tuple[DocumentRecord, ...]]]:
    """A store whose one project has so many messages, and the turns that come next."""
    store = DatabaseStore(folder / f"{messages}.db")
    store.add_project(StoredProject(id=PROJECT, title="", folder=None, created_at=0, opened_at=0))
    ahead = turns()
    left = messages // 2
    while left:
        batch = min(left, 500)
        puts = tuple(record for _ in range(batch) for record in next(ahead))
        store.write([WriteBatch(project=PROJECT, puts=puts)])
        left -= batch
    return store, ahead


def bench_commits(folder: Path, sizes: Sequence[int], rounds: int) -> dict[int, DatabaseStore]:
    stores = {size: filled(folder, size) for size in sizes}
    costs = {size: Cost() for size in sizes}
    for _ in range(rounds):
        for size, (store, ahead) in stores.items():
            for _ in range(COMMITS_PER_ROUND):
                batch = WriteBatch(project=PROJECT, puts=next(ahead))
                costs[size].measure(lambda store=store, batch=batch: store.write([batch]))  # type: ignore[misc]
    print("\none durable commit of a turn     wall µs   CPU µs   CPU ratio to the smallest project")
    smallest = statistics.median(costs[sizes[0]].cpu)
    for size in sizes:
        wall, cpu = statistics.median(costs[size].wall), statistics.median(costs[size].cpu)
        print(f"  {size:>9,} messages           {wall:8.0f} {cpu:8.0f}   {cpu / smallest:.2f}")
        what = f"durable commit at {size:,} messages, against the smallest project"
        if not tell(what, cpu / smallest, at_most=MOST_TIMES_SMALLEST):
            raise SystemExit(f"a commit costs more in a larger project: {cpu / smallest:.2f} times")
    return {size: store for size, (store, _) in stores.items()}


def bench_growing(store: DatabaseStore, rounds: int) -> None:
    """A message that grows is written as its new state every 250 ms (ST2): what does its length cost?"""
    print("\none durable write of a message   wall µs   CPU µs")
    for length in (1_000, 10_000, 100_000):
        content = (text() + " ") * (length // 900 + 1)
        cost = Cost()
        for number in range(rounds * 10):
            record = MessageRecord(
                id=MessageId("growing"),
                node_id=NodeId("n"),
                role="assistant",
                content=content[: length - 10] + str(number),
                ts=0,
                index=0,
            )
            batch = WriteBatch(project=PROJECT, puts=(record,))
            cost.measure(lambda batch=batch: store.write([batch]))  # type: ignore[misc]
        print(
            f"  of {length:>9,} characters      {statistics.median(cost.wall):8.0f} {statistics.median(cost.cpu):8.0f}"
        )


def bench_floor(folder: Path, rounds: int) -> None:
    """The least a durable commit of three rows can cost in Python, with the same settings and no index of words."""
    store, ahead = filled(folder, 10 + 2)
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode=WAL")
    bare.execute("PRAGMA synchronous=FULL")
    bare.execute("CREATE TABLE records (id TEXT PRIMARY KEY, body TEXT)")
    ours, floor = Cost(), Cost()
    rows = count()

    def insert() -> None:
        bare.execute("BEGIN IMMEDIATE")
        bare.executemany("INSERT INTO records VALUES (?, ?)", [(str(next(rows)), body) for body in bodies])
        bare.execute("COMMIT")

    for _ in range(rounds * COMMITS_PER_ROUND):
        bodies = [text(), text(), text()]
        floor.measure(insert)
        batch = WriteBatch(project=PROJECT, puts=next(ahead))
        ours.measure(lambda batch=batch: store.write([batch]))  # type: ignore[misc]
    store.close()
    bare.close()
    print("\ndurable commit of three rows     wall µs   CPU µs")
    for name, cost in (("bare sqlite3, no search", floor), ("the store", ours)):
        print(f"  {name:<28} {statistics.median(cost.wall):8.0f} {statistics.median(cost.cpu):8.0f}")
    tell("durable commit, against bare sqlite3", ratio(ours.wall, floor.wall))
    tell("durable commit, against bare sqlite3: CPU", ratio(ours.cpu, floor.cpu))
    print(f"  ratio                        {ratio(ours.wall, floor.wall):8.1f} {ratio(ours.cpu, floor.cpu):8.1f}")


def ratio(these: list[float], those: list[float]) -> float:
    return statistics.median(these) / statistics.median(those)


def bench_reading(store: DatabaseStore, size: int) -> None:
    path = store.path
    store.close()
    print(f"\na project of {size:,} messages, {path.stat().st_size / 1e6:.0f} MB       ms")
    again = DatabaseStore(path)
    for name, work in (
        ("open", lambda: DatabaseStore(path).close()),
        ("load", lambda: again.load(PROJECT)),
        ("search two rare words", lambda: again.search(f"{WORDS[20_000]} {WORDS[20_001]}")),
        ("search the most common word", lambda: again.search(WORDS[0])),
        ("search a common beginning", lambda: again.search(WORDS[0][:2])),
        ("search one letter", lambda: again.search(WORDS[0][:1])),
        ("search in a script without spaces", lambda: again.search("漢字")),
        ("usage by day", again.usage),
    ):
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            work()
            times.append((time.perf_counter() - begin) * 1e3)
        print(f"  {name:<36} {statistics.median(times):10.1f}")
        tell(f"{size:,} messages: {name}", statistics.median(times), "ms")
    again.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    sizes = [size for size in SIZES if size <= arguments.largest]
    print(f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        stores = bench_commits(folder, sizes, arguments.rounds)
        bench_growing(stores[sizes[0]], arguments.rounds)
        bench_floor(folder, arguments.rounds)
        bench_reading(stores[sizes[-1]], sizes[-1])
        for store in stores.values():
            store.close()


if __name__ == "__main__":
    main()
