"""What the canvas costs the browser: a real server, the scripted provider, a real Chromium.

`python benchmarks/bench_web.py [--seconds 8] [--minutes 0] [--messages 100000] [part …]`; needs Chromium and
`web/node_modules`. Parts:

- `first`: the first paint and the JavaScript it takes
- `stream`: 50 chats stream 30 tokens a second each with 12 in view
- `pan`: a canvas of 1,000 chats and 100,000 messages is opened, and dragged while 10 stream
- `type`: a message is written while its chat streams into 500 messages
- `heap`: 50 chats stream for `--minutes`

Each is set beside the same canvas at rest, and panning beside an equal React Flow canvas whose nodes do nothing and
have no style. A token is a word, of markdown with code, lists and tables.

What bounds is CPU time of the main thread: a machine that is busy, or draws without a graphics card as headless
Chromium does, draws fewer frames, and each of them then holds more tokens.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from browser_page import FLAGS, WATCH, Server, StaticSite, Watched, Work, chromium, quantile
from figures import tell
from full_project import fill
from talkfield.storage.database import DatabaseStore
from talkfield.storage.folder import DataFolder

PROJECT = "canvas"
A_SECOND = 30
HALF = (10.0, 60.0, 0.5)
"""A view of the first 4 by 3 chats, each close up."""
SECTION = """## Part {number}

The queue holds **every event** in the order it came, and `drain()` hands them on; what comes *meanwhile* waits.

- one writer, many readers
- a frame is `{{seq, changes}}`, and there are {number} of them

```python
def drain(queue):
    while queue:
        yield queue.popleft()
```

| part | cost |
|---|---|
| read | 1 ms |

"""
MOST_LONG_MS = 100.0
MOST_FIRST_PAINT_MS = 1000.0
MOST_SCRIPT_KB = 400.0

Part = Callable[["Bench"], bool]


class Bench:
    """What the parts share."""

    def __init__(self, browser: Browser, scratch: Path, seconds: float, minutes: float, messages: int) -> None:
        self.browser, self.scratch, self.seconds, self.minutes = browser, scratch, seconds, minutes
        self.messages = messages
        self.script = scratch / "script.json"
        # As long as it is asked for: the parts end before.
        long = "".join(SECTION.format(number=number) for number in range(int(40 + minutes * 60)))
        self.script.write_text(json.dumps({"rules": [{"steps": [{"words": long}]}]}))

    def server(self, name: str, chats: int, messages: int, columns: int) -> Server:
        home = DataFolder(self.scratch / name)
        home.create()
        store = DatabaseStore(home.database)
        fill(
            store,
            PROJECT,
            node_count=chats,
            message_count=messages,
            opened_at=1,
            columns=columns,
            model="scripted-1",
        )
        store.close()
        return Server(self.scratch / name, self.script)


def node(number: int) -> str:
    return f"{PROJECT}-n{number:05}"


def line(what: str, work: Work) -> None:
    print(
        f"  {what:<44}{work.cpu_ms_a_second:8.0f}{work.cpu_ms_a_frame:8.2f}{work.frame_ms(0.5):8.1f}"
        f"{work.frame_ms(0.95):8.1f}{len(work.long_ms):6}{work.longest_ms:8.0f}"
    )


def head(what: str) -> None:
    print(f"\n{what}\n  {'':<44}{'ms/s':>8}{'/frame':>8}{'frame':>8}{'p95':>8}{'long':>6}{'longest':>8}", flush=True)


def stream(bench: Bench) -> bool:
    """50 chats stream, 12 of them in view; then none in view; then all from afar."""
    server = bench.server("stream", 50, 50 * 20, 4)
    page = Watched(bench.browser, 1040, 850)
    page.open(server.link, PROJECT, HALF, 12)
    in_view = page.page.get_by_test_id("chat-node").count()
    head(f"50 chats stream {A_SECOND} tokens a second each, {in_view} in view")
    rest = page.look(bench.seconds)
    line("at rest", rest)
    server.say(PROJECT, map(node, range(in_view, 50)), "go on")
    page.settle()
    unseen = page.look(bench.seconds)
    line(f"{50 - in_view} stream, none of them in view", unseen)
    unseen_calls = page.calls_of("Markdown", 3)
    server.say(PROJECT, map(node, range(in_view)), "go on")
    page.settle()
    work = page.look(bench.seconds)
    line("50 stream", work)
    seen_calls = page.calls_of("Markdown", 3)
    page.page.get_by_test_id("fit").click()
    page.settle(3)
    cards = page.page.get_by_test_id("chat-card").count()
    afar = page.look(bench.seconds)
    line(f"50 stream, seen from afar as {cards} cards", afar)
    afar_calls = page.calls_of("Markdown", 3)
    page.close()
    server.stop()
    tokens = in_view * A_SECOND
    token_us = (work.cpu_ms_a_second - rest.cpu_ms_a_second) / tokens * 1000
    unseen_us = (unseen.cpu_ms_a_second - rest.cpu_ms_a_second) / ((50 - in_view) * A_SECOND) * 1000
    print(f"  a token in view: {token_us:.0f} µs, a token off screen: {unseen_us:.0f} µs of the main thread")
    print(
        f"  calls into the renderer of markdown in 3 s: in view {seen_calls:,}, "
        f"off screen {unseen_calls}, afar {afar_calls}"
    )
    return all(
        [
            tell("web: chats in view", in_view, "chats", at_least=12, at_most=12),
            tell("web: main thread, a token in view", token_us, "µs", at_most=1500),
            tell("web: main thread, a token off screen", unseen_us, "µs", at_most=100),
            tell("web: main thread, 50 chats stream, of a second", work.cpu_ms_a_second, "ms", at_most=500),
            tell("web: longest task while 50 chats stream", work.longest_ms, "ms"),
            tell("web: markdown work in view", seen_calls, "calls", at_least=1),
            tell("web: markdown work off screen", unseen_calls, "calls", at_most=0),
            tell("web: markdown work seen from afar", afar_calls, "calls", at_most=0),
        ]
    )


def pan(bench: Bench) -> bool:
    """A thousand chats are opened, then dragged about."""
    server = bench.server("pan", 1000, bench.messages, 40)
    page = Watched(bench.browser, 1280, 850)
    view = (-4000.0, -3000.0, 0.5)
    opened_s = page.open(server.link, PROJECT, view, 12)
    head(f"1,000 chats with {bench.messages:,} messages: the canvas is dragged, 8 pixels a frame")
    shown = page.page.get_by_test_id("chat-node").count()
    idle = page.look(bench.seconds / 2)
    line(f"at rest, {shown} in view", idle)
    rest = page.pan(bench.seconds)
    line("dragged, nothing streams", rest)
    html = page.page.locator(".react-flow__node").first.evaluate("node => node.innerHTML")
    ids = page.page.get_by_test_id("chat-node").evaluate_all("nodes => nodes.map(node => node.dataset.nodeId)")
    server.say(PROJECT, ids[:10], "go on")
    page.settle()
    streaming = page.pan(bench.seconds)
    line("dragged, 10 in view stream", streaming)
    page.close()
    server.stop()
    site = StaticSite()
    still = Watched(bench.browser, 1280, 850)
    still.page.goto(site.address)
    places = [
        {"id": node(n), "x": 500 * (n % 40), "y": 560 * (n // 40), "width": 460, "height": 520} for n in range(1000)
    ]
    given = {"nodes": places, "view": dict(zip(("x", "y", "zoom"), view, strict=True)), "html": html}
    still.page.evaluate("canvas => showStatic(canvas)", given)
    still.page.wait_for_function("() => document.querySelectorAll('.react-flow__node').length >= 12")
    still.settle()
    still.page.evaluate(WATCH)
    fixed = still.pan(bench.seconds)
    line("React Flow, the same elements, static, unstyled", fixed)
    still.close()
    site.close()
    print(f"  opened in {opened_s:.1f} s")
    times_rest = streaming.cpu_ms_a_second / rest.cpu_ms_a_second
    times_static = rest.cpu_ms_a_frame / fixed.cpu_ms_a_frame
    return all(
        [
            tell("web: 1,000 chats, 100,000 messages, opened", opened_s, "s", at_most=10),
            tell("web: a frame of panning", rest.cpu_ms_a_frame, "ms"),
            tell("web: panning while 10 stream, against at rest, of a second", times_rest, at_most=4),
            tell("web: panning, against static nodes", times_static, at_most=4),
            tell("web: longest task while panning", streaming.longest_ms, "ms"),
        ]
    )


def typing(bench: Bench) -> bool:
    """A message is written while its chat streams into 500 messages."""
    server = bench.server("type", 1, 500, 1)
    page = Watched(bench.browser, 1280, 850)
    page.open(server.link, PROJECT, (200.0, 80.0, 1.0), 1)
    head("a message is written, ten keys a second, in a chat with 500 messages")
    words = "the quick brown fox jumps over it " * 2

    def write() -> Work:
        page.page.get_by_test_id("composer").click()
        page.begin()
        page.page.keyboard.type(words, delay=100)
        return page.end()

    rest = write()
    line("at rest", rest)
    server.say(PROJECT, [node(0)], "go on")
    page.settle()
    work = write()
    line("while it streams", work)
    page.close()
    server.stop()
    middle, late, before = quantile(work.keys_ms, 0.5), quantile(work.keys_ms, 0.95), quantile(rest.keys_ms, 0.5)
    print(f"  a key until its frame: {middle:.0f} ms, p95 {late:.0f} ms; at rest {before:.0f} ms")
    return all(
        [
            tell("web: a key while its chat streams, p95", late, "ms", at_most=MOST_LONG_MS),
            tell("web: longest task while typing", work.longest_ms, "ms"),
        ]
    )


def first(bench: Bench) -> bool:
    """The first paint, and what had to come for it."""
    server = bench.server("first", 3, 30, 3)
    head("first paint")
    link, paints = server.link, []
    page = Watched(bench.browser, 1280, 850)
    for _ in range(5):
        page.page.goto(link)
        link = link.partition("?")[0]
        page.page.get_by_test_id("canvas").wait_for()
        page.settle()
        paints.append(
            page.page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"),
        )
    names = page.page.evaluate(
        "() => performance.getEntriesByType('resource').map((each) => each.name).filter((name) => name.endsWith('.js'))"
    )
    sizes = {}
    for name in set(names):
        body = page.context.request.get(name).body()
        sizes[name.rpartition("/")[2].partition("-")[0]] = len(gzip.compress(body, 9)) / 1000
    page.close()
    server.stop()
    total_kb = sum(sizes.values())
    paint_ms = sorted(paints)[2]
    print(f"  first contentful paint {paint_ms:.0f} ms (first of all {paints[0]:.0f} ms)")
    print(f"  JavaScript for a canvas with chats: {total_kb:.0f} kB compressed:", end=" ")
    print(", ".join(f"{name} {size:.0f}" for name, size in sorted(sizes.items(), key=lambda each: -each[1])))
    return all(
        [
            tell("web: first paint", paint_ms, "ms", at_most=MOST_FIRST_PAINT_MS),
            tell("web: JavaScript for a canvas with chats", total_kb, "kB", at_most=MOST_SCRIPT_KB),
        ]
    )


def heap(bench: Bench) -> bool:
    """50 chats stream for minutes: the heap holds the text, and no more and more beside it."""
    if not bench.minutes:
        return True
    server = bench.server("heap", 50, 50 * 20, 4)
    page = Watched(bench.browser, 1040, 850)
    page.open(server.link, PROJECT, HALF, 12)
    server.say(PROJECT, map(node, range(50)), "go on")
    print(f"\nheap over {bench.minutes:g} minutes of 50 chats, MB after a collection:", end=" ", flush=True)
    heaps = []
    for _ in range(int(bench.minutes * 2) + 1):
        page.settle(30)
        heaps.append(page.heap_mb())
        print(f"{heaps[-1]:.1f}", end=" ", flush=True)
    print()
    text_mb = 50 * A_SECOND * 60 * 6 / 1e6  # a minute's words
    growth = (heaps[-1] - heaps[len(heaps) // 3]) / ((len(heaps) - 1 - len(heaps) // 3) / 2)
    print(f"  {growth:.2f} MB a minute, for {text_mb:.2f} MB of new text")
    page.close()
    server.stop()
    return tell("web: heap grows a minute", growth, "MB", at_most=4)


PARTS: dict[str, Part] = {"first": first, "stream": stream, "pan": pan, "type": typing, "heap": heap}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of {', '.join(PARTS)}; none: all")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--messages", type=int, default=100_000, help="in the canvas that is dragged")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        bench = Bench(browser, Path(scratch), given.seconds, given.minutes, given.messages)
        held = [PARTS[name](bench) for name in given.parts or PARTS]
        browser.close()
    if not all(held):
        raise SystemExit("something does not hold")


if __name__ == "__main__":
    main()
