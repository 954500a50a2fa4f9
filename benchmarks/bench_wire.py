"""What it costs to turn a provider's stream into events: Talkfield's driver beside a bare client and the usual SDKs.

`python benchmarks/bench_wire.py [--parts big seg paced import] [--wires openai anthropic] [--rounds 5]`. A mock
provider in a process of its own streams over loopback (`wire_provider.py`). Every figure is the CPU time, user and
system, of a fresh client process (`wire_client.py`), after one short stream to warm up; the median over rounds that
take every client in turn. All clients must give the same text. Ratios are taken within a round: times depend on the
machine, ratios hardly. `benchmarks/README.md` says what the figures are, and what they are to be.

| part | |
|---|---|
| `big` | the stream in writes of 64 KiB: what an event costs beyond the network |
| `seg` | one event a write, 1,000 a second: each wakes the client |
| `paced` | many streams of 50 events a second at once: CPU, and how late an event is told |
| `import` | CPU and memory of what has to be imported before a first call |

Bare and Talkfield run under uvloop, as the product does; the others under asyncio's own loop, as they come, and in
`seg` the SDK of the wire under uvloop too. The SDKs are installed into an environment of their own the first time;
where that cannot be done, only bare and Talkfield run. The program fails when a ratio is off that bounds Talkfield.
Beside the openai SDK `seg` has 30 % of slack: every wake-up of an idle process is measured with it, and on a busy
machine that alone brings even bare close to the bound.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from environments import FOLDER, Missing, python_environment
from figures import tell
from wire_client import CLIENTS, IMPORTS, Answer
from wire_provider import PACED_A_SECOND, WORDS, serve

PACKAGES = ["aiohttp", "msgspec", "uvloop", "httpx", "httpx-sse", "openai", "anthropic", "litellm", "llm"]
PACKAGES += ["pydantic-ai-slim[openai,anthropic]"]
OURS = ("bare", "talkfield", "chain")
OTHERS = {
    "openai": ("httpx-sse", "openai", "pydantic-ai", "litellm", "llm"),
    "anthropic": ("httpx-sse", "anthropic", "pydantic-ai", "litellm"),
}
UVLOOP = "@uvloop"
"""Ends the name of a client that runs under uvloop, though it does not come with it."""

SLACK = 1.3
IMPORT_CPU_MS = 170.0
IMPORT_MB = 45.0
ADDED_MS = 2.0
HOLDS_SHARE = 0.99
HOLDS_P99_MS = 50.0
"""A client holds a number of streams when it has told so much of what was sent, and so soon."""

QUIET_P99_MS = 5.0

RAMP_S = 4.0
WINDOW_S = 8.0
SPARE_S = 8.0
"""So much longer do paced streams last than all is to take: one that ended would count as not told."""


@dataclass(frozen=True)
class Bar:
    """`cost` may be at most `limit` times what `base` costs."""

    cost: str
    base: str
    limit: float


BARS = {
    ("openai", "big"): [
        *(Bar("talkfield", "bare", 1.5), Bar("talkfield", "openai", 1 / 25), Bar("talkfield", "pydantic-ai", 1 / 45)),
        *(Bar("talkfield", "litellm", 1 / 80), Bar("chain", "openai", 1 / 20)),
    ],
    ("anthropic", "big"): [
        *(Bar("talkfield", "bare", 1.5), Bar("talkfield", "anthropic", 1 / 7)),
        *(Bar("talkfield", "pydantic-ai", 1 / 30), Bar("talkfield", "litellm", 1 / 80)),
    ],
    ("openai", "seg"): [Bar("talkfield", "bare", 1.5), Bar("talkfield", "openai", SLACK / 4)],
    ("anthropic", "seg"): [Bar("talkfield", "bare", 1.5)],
}

# In the process of a client -------------------------------------------------------------------------------------------


async def spend(client: str, wire: str, base: str, warm: str, events: int) -> None:
    """Print the CPU microseconds per event of one stream."""
    make = CLIENTS[client.removesuffix(UVLOOP)]
    async for _ in (await make(wire, warm))():
        pass
    answer = await make(wire, base)
    before = time.process_time()
    text = "".join([words async for words in answer()])
    spent = time.process_time() - before
    wanted = "".join(WORDS) * (events // 2)
    if text != wanted:
        raise SystemExit(f"{client} gave {len(text)} characters instead of {len(wanted)}")
    print(spent / events * 1e6)


@dataclass
class Window:
    """What is seen of paced streams while they all run."""

    open: bool = False
    late_ms: list[float] = field(default_factory=list)
    lag_ms: float = 0.0

    async def follow(self, answer: Answer) -> None:
        async for words in answer():
            if self.open:
                now = time.monotonic()
                self.late_ms += [(now - float(stamp)) * 1e3 for stamp in words.split()]

    async def probe(self) -> None:
        """How long the event loop keeps others waiting."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            if self.open:
                self.lag_ms = max(self.lag_ms, (time.monotonic() - before - 0.01) * 1e3)


async def pace(client: str, wire: str, base: str, streams: int) -> None:
    """Print what so many streams cost at once, and how late their events are, as JSON."""
    answer = await CLIENTS[client](wire, base)
    window = Window()
    probe = asyncio.create_task(window.probe())
    following = []
    began = time.monotonic()
    for number in range(streams):
        following.append(asyncio.create_task(window.follow(answer)))
        # By the time that is due, since a busy loop sleeps longer: the streams would end before they all run.
        await asyncio.sleep(max(0.0, began + RAMP_S / 2 * number / streams - time.monotonic()))
    await asyncio.sleep(RAMP_S / 2)
    window.open, before = True, time.process_time()
    began = time.monotonic()
    await asyncio.sleep(WINDOW_S)
    window.open, spent, took = False, time.process_time() - before, time.monotonic() - began
    probe.cancel()
    for task in following:
        task.cancel()
    late = sorted(window.late_ms)
    if not late:
        raise SystemExit("nothing came")
    figures = {
        "cpu": spent / took,
        "share": len(window.late_ms) / (streams * PACED_A_SECOND * took),
        "p50": late[len(late) // 2],
        "p99": late[int(len(late) * 0.99)],
        "lag": window.lag_ms,
        "mb": resident_mb(),
    }
    print(json.dumps(figures))
    os._exit(0)  # some SDKs take long to end a thousand streams


def resident_mb() -> float:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def import_all(client: str) -> None:
    """Print the CPU milliseconds of the imports beyond asyncio's own, and the megabytes of the process afterwards."""
    before = time.process_time()
    exec(IMPORTS[client], {})
    print(json.dumps([(time.process_time() - before) * 1e3, resident_mb()]))


def stay_on(core: int) -> None:
    """The provider has one core and the client another, where there are two."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {core})


# The whole ------------------------------------------------------------------------------------------------------------


class Bench:
    def __init__(self, given: argparse.Namespace, others: Path) -> None:
        """`others` is the Python of the SDKs; nothing is there where they could not be installed."""
        self.given = given
        self.address = ""
        self.others = others
        self.off: list[str] = []

    def clients(self, wire: str, *more: str) -> list[str]:
        return [*OURS, *((*OTHERS[wire], *more) if self.others.exists() else ())]

    def run(self, client: str, what: str, *arguments: str) -> str:
        python = sys.executable if client in OURS else self.others
        command = [str(python), __file__, f"--{what}", "--client", client, *arguments]
        # Compiled once, as an installed package is, also where the environment forbids to keep what was compiled.
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(FOLDER / "compiled")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **compiled})
        if done.returncode:
            raise SystemExit(f"{client}, {what}: {done.stderr.strip().splitlines()[-1:]}")
        return done.stdout.split("\n")[-2]

    def rounds(self, clients: list[str], figure: Callable[[str], float]) -> list[dict[str, float]]:
        return [{client: figure(client) for client in clients} for _ in range(self.given.rounds)]

    def hold(self, what: str, rounds: list[dict[str, float]], bars: list[Bar]) -> None:
        """Say how Talkfield stands, and remember where it is off."""
        for bar in bars:
            if bar.base not in rounds[0]:
                continue
            if bar.limit < 1:
                times, spread = ratio_of(rounds, bar.base, bar.cost)
                said = f"{times:.1f} times less than {bar.base} (at least {1 / bar.limit:.3g})"
                figure = f"{what}: {bar.base} against {bar.cost}"
                holds = tell(figure, times, at_least=1 / bar.limit, spread=spread)
            else:
                ratio, spread = ratio_of(rounds, bar.cost, bar.base)
                said = f"{ratio:.2f} x {bar.base} (at most {bar.limit:.3g})"
                holds = tell(f"{what}: {bar.cost} against {bar.base}", ratio, at_most=bar.limit, spread=spread)
            print(f"  {bar.cost}: {said}, spread {between(spread)}")
            if not holds:
                self.off.append(f"{bar.cost} is {said}")

    def events(self, wire: str, mode: str) -> None:
        events = self.given.events if mode == "big" else min(self.given.events, 2000)
        where = ("--wires", wire, "--events", str(events), "--warm", f"{self.address}/big/50/v1")
        base = f"{self.address}/{mode}/{events}/v1"
        clients = self.clients(wire, f"{wire}{UVLOOP}") if mode == "seg" else self.clients(wire)
        rounds = self.rounds(clients, lambda client: float(self.run(client, "spend", *where, "--base", base)))
        print(f"\n{wire}, {mode}: {events} events, CPU µs an event, {len(rounds)} rounds")
        for client in clients:
            times = [found[client] for found in rounds]
            ratio, spread = ratio_of(rounds, client, "bare")
            print(f"  {client:14} {statistics.median(times):8.2f}   {ratio:6.1f} x bare ({between(spread)})")
        self.hold(f"{wire}, {mode}", rounds, BARS[wire, mode])

    def paced(self, wire: str, streams: int, clients: list[str]) -> list[dict[str, dict[str, float]]]:
        """Each round's figures by client."""
        count = int((RAMP_S + WINDOW_S + SPARE_S) * PACED_A_SECOND)
        where = ("--wires", wire, "--base", f"{self.address}/pace/{count}/v1", "--streams", str(streams))
        rounds = [
            {client: json.loads(self.run(client, "pace", *where)) for client in clients}
            for _ in range(min(self.given.rounds, 3))
        ]
        print(f"\n{wire}, {streams} streams of {PACED_A_SECOND} events a second, {len(rounds)} rounds")
        for client in clients:
            middle = {name: statistics.median(found[client][name] for found in rounds) for name in rounds[0][client]}
            line = "{cpu:5.0%} of a core, p50 {p50:.2f} ms, p99 {p99:.2f} ms, loop late {lag:.1f} ms, {share:.1%} told"
            print(f"  {client:14} {(line + ', {mb:.0f} MB').format(**middle)}")
        return rounds

    def many(self, wire: str) -> None:
        others = [name for name in OTHERS[wire] if name in ("httpx-sse", wire)] if self.others.exists() else []
        rounds = self.paced(wire, 200, ["bare", "talkfield", *others])
        self.hold(
            f"{wire}, 200 paced streams, CPU",
            [{client: found[client]["cpu"] for client in found} for found in rounds],
            [Bar("talkfield", "bare", 1.4)],
        )
        if is_too_busy(rounds):
            print("  the machine is too busy to tell how late events are, and how many streams hold")
            return
        added = statistics.median(found["talkfield"]["p99"] - found["bare"]["p99"] for found in rounds)
        print(f"  talkfield: p99 {added:+.2f} ms over bare (at most {ADDED_MS:g})")
        if not tell(f"{wire}, 200 paced streams: p99 over bare", added, "ms", at_most=ADDED_MS):
            self.off.append(f"events are {added:.1f} ms later than bare at p99")
        for streams in (1000, 900, 800, 700, 600, 500, 400):
            found = self.paced(wire, streams, ["bare", "talkfield"])
            held = [
                one["talkfield"]["share"] >= HOLDS_SHARE and one["talkfield"]["p99"] <= HOLDS_P99_MS for one in found
            ]
            if sum(held) * 2 > len(held):
                print(f"  talkfield: {streams} streams hold on one core")
                tell(f"{wire}: paced streams that hold on one core", streams, "", at_least=400)
                return
        self.off.append("not even 400 streams hold on one core")

    def imports(self) -> None:
        clients = [name for name in IMPORTS if name in OURS or self.others.exists()]
        _, *rounds = [{client: json.loads(self.run(client, "import")) for client in clients} for _ in range(6)]
        print(f"\nimport, and a client made: CPU ms beyond asyncio, memory of the process, {len(rounds)} rounds")
        for client in clients:
            cpu_ms, megabytes = (statistics.median(found[client][place] for found in rounds) for place in (0, 1))
            print(f"  {client:14} {cpu_ms:7.0f} ms {megabytes:6.0f} MB")
            bounds = (IMPORT_CPU_MS, IMPORT_MB) if client == "talkfield" else (None, None)
            quick = tell(f"import of {client}", cpu_ms, "ms", at_most=bounds[0])
            small = tell(f"memory after the import of {client}", megabytes, "MB", at_most=bounds[1])
            if not (quick and small):
                self.off.append(f"import takes {cpu_ms:.0f} ms and {megabytes:.0f} MB")

    def all(self) -> None:
        parts = self.given.parts
        with provider() as self.address:
            for wire in self.given.wires:
                for mode in ("big", "seg"):
                    if mode in parts:
                        self.events(wire, mode)
                if "paced" in parts:
                    self.many(wire)
        if "import" in parts:
            self.imports()


def is_too_busy(rounds: list[dict[str, dict[str, float]]]) -> bool:
    """Whether others keep even the bare client from its core."""
    return statistics.median(found["bare"]["p99"] for found in rounds) > QUIET_P99_MS


@contextmanager
def provider() -> Iterator[str]:
    """The address of a mock provider, in a process of its own."""
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def ratio_of(rounds: list[dict[str, float]], cost: str, base: str) -> tuple[float, tuple[float, float]]:
    """The median of each round's ratio, the least and the greatest."""
    ratios = [found[cost] / found[base] for found in rounds]
    return statistics.median(ratios), (min(ratios), max(ratios))


def between(spread: tuple[float, float]) -> str:
    return f"{spread[0]:.3g} to {spread[1]:.3g}"


def run(client: str, work: Callable[[], object]) -> None:
    """Run a coroutine on the loop that the client goes with."""
    factory = None
    if client in OURS or client.endswith(UVLOOP):
        try:
            import uvloop
        except ImportError:  # not on Windows
            pass
        else:
            factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(work())  # type: ignore[arg-type]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--events", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--wires", nargs="+", default=["openai", "anthropic"])
    parser.add_argument("--parts", nargs="+", default=["big", "seg", "paced", "import"])
    for what in ("serve", "spend", "pace", "import"):
        parser.add_argument(f"--{what}", action="store_true", help=argparse.SUPPRESS)
    for what in ("client", "base", "warm"):
        parser.add_argument(f"--{what}", help=argparse.SUPPRESS)
    parser.add_argument("--streams", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    if given.serve:
        stay_on(0)
        run("bare", serve)
        return
    if given.client:
        stay_on(1)
    if getattr(given, "import"):
        import_all(given.client)
    elif given.pace:
        run(given.client, lambda: pace(given.client, given.wires[0], given.base, given.streams))
    elif given.spend:
        run(given.client, lambda: spend(given.client, given.wires[0], given.base, given.warm, given.events))
    else:
        try:
            others = python_environment("sdks", PACKAGES) / "python"
        except Missing as why:
            print(f"only bare and Talkfield: the SDKs {why}")
            others = FOLDER / "none"
        bench = Bench(given, others)
        bench.all()
        if bench.off:
            raise SystemExit("off: " + "; ".join(bench.off))


if __name__ == "__main__":
    main()
