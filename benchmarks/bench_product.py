"""Whole products on the same work: Talkfield beside canvas-chat and Chainlit, and beside the least that could do it.

`python benchmarks/bench_product.py [--rounds 2] [--peers talkfield chainlit] [--parts start memory pixel open]`; about
eight minutes, and the network of the package registries the first time. Each peer is installed into an environment of
its own and started as it comes; all ask the same endpoint (`product_provider.py`), in rounds that take them in turn.

| part | |
|---|---|
| `start` | from the start of the process until its first page is answered |
| `memory` | of the server: before a chat, for each of 50 chats while they stream, and for each of them afterwards |
| `pixel` | from a word's bytes leaving the provider until Chromium has painted it: 150 words, one every 40 ms |
| `open` | a conversation of 1,000 messages, from going to its address until its last message is painted |

Painted is the first task after the animation frame that follows the change of the document. What cannot be installed or
does not run is reported as not measured, with the reason. The program fails when Talkfield is worse than a peer where
it is not to be (`BOUNDS`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from environments import Missing
from figures import tell
from full_project import TEXTS
from product_peers import PEERS, CanvasChat, Peer, quiet_environment
from product_provider import question

HERE = Path(__file__).resolve().parent
WATCHER = (HERE / "product_watcher.js").read_text("utf-8")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
START_TIMEOUT_S = 90.0
PAUSE = threading.Event()
CHATS = 50
PIXEL_WORDS, PIXEL_EVERY_MS = 150, 40
STREAM_WORDS, STREAM_EVERY_MS = 100, 100
MESSAGES = 1_000
END = "endmark"
"""In the last message of the long conversation."""

MEASURES = {
    "start": ("start until the first page is answered", "s"),
    "idle": ("memory of the server, idle", "MB"),
    "streaming": (f"memory for each of {CHATS} streaming chats", "MB"),
    "kept": ("memory for each of them afterwards", "MB"),
    "took": (f"{CHATS} replies at once that need {STREAM_WORDS * STREAM_EVERY_MS / 1e3:.0f} s", "s"),
    "p50": ("provider byte to browser pixel, p50", "ms"),
    "p99": ("provider byte to browser pixel, p99", "ms"),
    "open": (f"a conversation of {MESSAGES:,} messages until it is readable", "ms"),
}
BOUNDS = {"start": 1.0, "idle": 1.0, "took": 1.2, "p50": 1.0, "p99": 1.0, "open": 1.0}
"""What Talkfield may be against each peer."""

Figures = dict[str, dict[str, list[float]]]


class Process:
    """A product that runs, from its start until its first page has been answered."""

    def __init__(self, peer: Peer) -> None:
        peer.port = free_port()
        self.log = peer.folder.with_suffix(".log")
        command, environment = peer.command(), quiet_environment() | peer.environment()
        begun = time.perf_counter()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=peer.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        while not is_answered(peer):
            if self.process.poll() is not None or time.perf_counter() - begun > START_TIMEOUT_S:
                self.stop()
                raise Missing(f"does not start: {self.log.read_text(errors='replace')[-300:]}")
            PAUSE.wait(0.01)
        self.ready_s = time.perf_counter() - begun

    def memory_mb(self) -> float:
        """Resident, of the process and all it has started."""
        return sum(resident_mb(pid) for pid in family(self.process.pid))

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def running(peer: Peer) -> Iterator[Process]:
    process = Process(peer)
    try:
        yield process
    finally:
        process.stop()


def is_answered(peer: Peer) -> bool:
    try:
        request = urllib.request.Request(peer.address, headers=peer.headers())
        with urllib.request.urlopen(request, timeout=START_TIMEOUT_S) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]


def resident_mb(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1e3 if found else 0.0


# The parts ------------------------------------------------------------------------------------------------------------


def start(peer: Peer) -> dict[str, float]:
    with running(peer) as process:
        return {"start": process.ready_s}


def memory(peer: Peer) -> dict[str, float]:
    with running(peer) as process:
        PAUSE.wait(2)
        return {"idle": process.memory_mb()} | asyncio.run(weigh(peer, process))


async def weigh(peer: Peer, process: Process) -> dict[str, float]:
    """One chat first, for all that is loaded with it."""
    async with AsyncExitStack() as stack:
        ask = await peer.chatting(stack)
        await ask(question(10, 10))
        await asyncio.sleep(1)
        before, most = process.memory_mb(), 0.0
        begun = time.perf_counter()
        asking = asyncio.gather(*(ask(question(STREAM_WORDS, STREAM_EVERY_MS)) for _ in range(CHATS)))
        while not asking.done():
            await asyncio.sleep(0.25)
            most = max(most, process.memory_mb())
        await asking
        took = time.perf_counter() - begun
        await asyncio.sleep(2)
        after = process.memory_mb()
    return {"streaming": (most - before) / CHATS, "kept": (after - before) / CHATS, "took": took}


def pixel(peer: Peer, endpoint: str, browser: Browser) -> dict[str, float]:
    """A short reply first: what is loaded with it is no part of a word's way."""
    with running(peer), context_of(browser) as context:
        for words in (5, PIXEL_WORDS):
            page = ready(peer, context)
            peer.say(page, question(words, PIXEL_EVERY_MS))
            page.wait_for_function("count => watched.painted.length >= count", arg=words, timeout=60_000)
            painted = page.evaluate("watched.painted")
            page.close()
            peer.forget()
    with urllib.request.urlopen(f"{endpoint}/written") as answer:
        written = json.load(answer)
    late = sorted(there - sent for there, sent in zip(painted, written, strict=True))
    return {"p50": statistics.median(late), "p99": late[int(len(late) * 0.99)]}


def open_long(peer: Peer, browser: Browser, times: int) -> list[float]:
    """Milliseconds of each opening but the first, which fills the caches of server and browser."""
    texts = [TEXTS[number % len(TEXTS)] for number in range(MESSAGES - 1)] + [f"This is the {END}."]
    if not isinstance(peer, CanvasChat):
        peer.keep(texts)
    with running(peer), context_of(browser) as context:
        page = ready(peer, context)
        if isinstance(peer, CanvasChat):
            peer.fill(page, texts)
        page.close()
        took = []
        for _ in range(times + 1):
            page = opened(peer, context, peer.earlier_address())
            page.wait_for_function("() => watched.end !== null", timeout=120_000)
            took.append(page.evaluate("watched.end"))
            page.close()
    return took[1:]


@contextmanager
def context_of(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    try:
        yield context
    finally:
        context.close()


def ready(peer: Peer, context: BrowserContext) -> Page:
    """A page in which a person can type, and in which nothing is loaded any more."""
    page = opened(peer, context, peer.page_address())
    page.wait_for_selector(peer.composer, timeout=90_000)
    page.wait_for_timeout(3000)
    return page


def opened(peer: Peer, context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    peer.prepare(page)
    page.add_init_script(WATCHER.replace("END", END))
    page.goto(address, wait_until="commit")
    return page


# The whole ------------------------------------------------------------------------------------------------------------


def measured(given: argparse.Namespace, endpoint: str, scratch: Path) -> tuple[Figures, dict[str, str], dict[str, str]]:
    """The figures by measure and product, the versions, and why what is not measured is not."""
    figures: Figures = defaultdict(lambda: defaultdict(list))
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    kinds = [kind for kind in PEERS if not given.peers or kind.name in given.peers]
    path = os.environ.get("TALKFIELD_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        for number in range(given.rounds + 1):  # the first compiles and fills caches
            for part in given.parts:
                for kind in kinds:
                    if kind.name in missing or (number == 0 and part != "start") or (number > 1 and part == "open"):
                        continue
                    folder = scratch / f"{kind.name}-{part}-{number}"
                    folder.mkdir()
                    peer = kind(folder, endpoint)
                    try:
                        versions[kind.name] = peer.install()
                        found = run_part(part, peer, endpoint, browser, given.rounds)
                    except (Missing, RuntimeError, Error) as error:
                        if kind.name == "talkfield":
                            raise
                        missing[kind.name] = f"{part}: {error}".strip()
                        continue
                    for name, values in found.items() if number else ():
                        figures[name][kind.name] += values
        browser.close()
    return figures, versions, missing


def run_part(part: str, peer: Peer, endpoint: str, browser: Browser, times: int) -> dict[str, list[float]]:
    """What one peer took, by measure."""
    if part == "open":  # in one go: some take minutes to be given such a conversation
        return {"open": open_long(peer, browser, times)}
    if part == "pixel":
        found = pixel(peer, endpoint, browser)
    else:
        found = start(peer) if part == "start" else memory_apart(peer)
    return {name: [value] for name, value in found.items()}


def memory_apart(peer: Peer) -> dict[str, float]:
    """Playwright's loop runs in this thread: asyncio has one of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(memory, peer).result()


@contextmanager
def provider() -> Iterator[str]:
    """The address of the endpoint, in a process of its own."""
    command = [sys.executable, str(HERE / "product_provider.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def report(figures: Figures, versions: dict[str, str], missing: dict[str, str]) -> list[str]:
    """Prints the table; what is off."""
    names = [name for name in versions if any(name in found for found in figures.values())]
    print(f"{'':<58}" + "".join(f"{f'{name} {versions[name]}':>22}" for name in names))
    off = []
    for measure, (what, unit) in MEASURES.items():
        found = figures.get(measure)
        if not found:
            continue
        cells = []
        for name in names:
            values = found.get(name, [])
            cell = "-"
            if values:
                middle = statistics.median(values)
                cell = f"{middle:.3g} ({min(values):.3g}-{max(values):.3g})"
                tell(f"{what}: {name}", middle, unit, spread=(min(values), max(values)))
            cells.append(f"{cell:>22}")
        print(f"{f'{what}, {unit}':<58}" + "".join(cells))
        for name in names:
            if name in ("talkfield", "bare") or "talkfield" not in found or name not in found:
                continue
            ratios = [
                ours / theirs for ours, theirs in zip(found["talkfield"], found[name], strict=False) if theirs > 0
            ]
            if not ratios or measure not in BOUNDS:
                continue
            ratio, spread = statistics.median(ratios), (min(ratios), max(ratios))
            holds = tell(f"{what}: talkfield against {name}", ratio, at_most=BOUNDS[measure], spread=spread)
            print(f"    talkfield is {ratio:.2f} times {name} ({spread[0]:.2f} to {spread[1]:.2f})")
            if not holds:
                off.append(f"{what}: {ratio:.2f} times {name}")
    for name, why in missing.items():
        print(f"not measured: {name}, {why}")
    return off


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--peers", nargs="+", choices=[kind.name for kind in PEERS])
    parser.add_argument("--parts", nargs="+", default=["start", "memory", "pixel", "open"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, provider() as endpoint:
        off = report(*measured(given, endpoint, Path(scratch)))
    if off:
        raise SystemExit("off: " + "; ".join(off))


if __name__ == "__main__":
    main()
