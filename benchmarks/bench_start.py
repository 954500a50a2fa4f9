"""How long Talkfield takes to start with much in its data folder, and what it loads by then.

`python benchmarks/bench_start.py [--rounds 5] [--messages 100000]`; needs no network and about two minutes.

The folder holds a hundred projects; the one opened last has 1,000 chats with 100,000 messages. Real processes are
started on it and on an empty folder in turn: until the ready line, until the first browser has a small project, and
until one has the large project, with the memory of the process after each. What is not shown is not loaded: before a
browser asks, the process is as large as with an empty folder. Fails when the ready line takes three seconds, or when
the full folder costs a start more than its share.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from websockets.sync.client import connect

from figures import tell
from full_project import fill
from talkfield.storage.database import DatabaseStore
from talkfield.storage.folder import DataFolder

MOST_READY_S = 3.0
MOST_TIMES_EMPTY = 1.3
MOST_MEMORY_TIMES_EMPTY = 1.2
PROJECTS = 100
NODES = 1_000
LARGE = "large"


class Started:
    """A process on a data folder, from its start to its ready line."""

    def __init__(self, home: Path) -> None:
        self.home = home
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "talkfield", "open", "--no-browser", "--port", "0"],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env={
                **os.environ,
                "TALKFIELD_HOME": str(home),
                "TALKFIELD_SCRIPTED": "1",
                "TALKFIELD_DISCOVER": "0",
                "TALKFIELD_KEYRING": "0",
            },
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.ready_s = time.perf_counter() - begun
        found = re.search(r"http://([^/]+)", line)
        assert found, line
        self.address = found[1]

    def memory_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) / 1024

    def welcome(self, project: str | None) -> tuple[float, float]:
        """Connect as a browser does; seconds until everything of the project is here, and its size in MB."""
        token = (self.home / "api-token").read_text().strip()
        begun = time.perf_counter()
        with connect(
            f"ws://{self.address}/api/channel",
            additional_headers={"Authorization": f"Bearer {token}"},
            max_size=None,
            open_timeout=60,
            compression=None,
        ) as socket:
            hello = {"type": "hello", "protocol": 1, **({"project": project} if project else {})}
            socket.send(json.dumps(hello))
            welcome = socket.recv(60)
        return time.perf_counter() - begun, len(welcome) / 1e6

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)


def filled(home: Path, message_count: int) -> None:
    data = DataFolder(home)
    data.create()
    store = DatabaseStore(data.database)
    for number in range(PROJECTS - 1):
        fill(store, f"small{number:03}", node_count=5, message_count=20, opened_at=number)
    fill(store, LARGE, node_count=NODES, message_count=message_count, opened_at=PROJECTS)
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--messages", type=int, default=100_000)
    arguments = parser.parse_args()
    figures: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        empty, full = Path(scratch) / "empty", Path(scratch) / "full"
        begun = time.perf_counter()
        filled(full, arguments.messages)
        size_mb = sum(path.stat().st_size for path in full.glob("*.db*")) / 1e6
        print(
            f"{PROJECTS} projects, one of {NODES:,} chats and {arguments.messages:,} messages: {size_mb:.0f} MB", end=""
        )
        print(f", made in {time.perf_counter() - begun:.0f} s")
        for _ in range(arguments.rounds):
            for name, home in (("empty", empty), ("full", full)):
                started = Started(home)
                figures[f"{name} ready"].append(started.ready_s)
                figures[f"{name} memory"].append(started.memory_mb())
                if name == "full":
                    figures["small"].append(started.welcome("small000")[0])
                    figures["small memory"].append(started.memory_mb())
                    seconds, megabytes = started.welcome(LARGE)
                    figures["large"].append(seconds)
                    figures["large memory"].append(started.memory_mb())
                    figures["again"].append(started.welcome(LARGE)[0])
                started.stop()
    median = {name: statistics.median(values) for name, values in figures.items()}
    print(f"{'':<40}{'s':>7}{'MB':>7}")
    for label, seconds, memory in (
        ("empty folder, until the ready line", "empty ready", "empty memory"),
        ("full folder, until the ready line", "full ready", "full memory"),
        ("a browser opens a small project", "small", "small memory"),
        (f"a browser opens the large one ({megabytes:.0f} MB)", "large", "large memory"),
        ("another browser opens it, too", "again", "large memory"),
    ):
        print(f"  {label:<38}{median[seconds]:7.2f}{median[memory]:7.0f}")
    slower = median["full ready"] / median["empty ready"]
    larger = median["small memory"] / median["empty memory"]
    print(f"full against empty, until ready: {slower:.2f} times (at most {MOST_TIMES_EMPTY})")
    print(f"memory with a small project shown, against empty: {larger:.2f} times (at most {MOST_MEMORY_TIMES_EMPTY})")
    slowest = max(figures["full ready"])
    bounds = (
        tell("start with 100 projects and 100,000 messages, the slowest", slowest, "s", at_most=MOST_READY_S),
        tell("start with them, against an empty folder", slower, at_most=MOST_TIMES_EMPTY),
        tell("memory with a small project shown, against empty", larger, at_most=MOST_MEMORY_TIMES_EMPTY),
    )
    if not all(bounds):
        raise SystemExit("a start takes too long, or loads too much")


if __name__ == "__main__":
    main()
