"""A page of a real Chromium on a real server, and what its main thread did: for bench_web.py.

Figures of the main thread are CPU time (`threadTicks`), so that other work on the machine is not in them; frames and
long tasks are time on the clock, which it is.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page
from websockets.sync.client import connect

WEB = Path(__file__).resolve().parents[1] / "web"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--enable-precise-memory-info",
)

WATCH = """() => {
  const seen = { frames: [], long: [], keys: [] };
  window.benchSeen = seen;
  let last = performance.now();
  const frame = (now) => {
    seen.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.long.push(entry.duration);
  }).observe({ type: "longtask" });
  addEventListener("keydown", (event) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      seen.keys.push(performance.now() - event.timeStamp);
    };
    requestAnimationFrame(() => channel.port2.postMessage(0));
  }, { capture: true });
}"""
TAKE = """() => {
  const { frames, long, keys } = window.benchSeen;
  const taken = { frames: [...frames], long: [...long], keys: [...keys] };
  frames.length = long.length = keys.length = 0;
  return taken;
}"""


def chromium() -> str:
    found = os.environ.get("TALKFIELD_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if not found:
        raise SystemExit("no Chromium: install one, or set TALKFIELD_CHROMIUM")
    return found


class Server:
    """A Talkfield process on a data folder. `script`: what its provider plays."""

    def __init__(self, home: Path, script: Path) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, "-m", "talkfield", "open", "--no-browser", "--port", "0"],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env=os.environ
            | {"TALKFIELD_HOME": str(home), "TALKFIELD_SCRIPTED": str(script), "TALKFIELD_KEYRING": "0"}
            | {"TALKFIELD_DISCOVER": "0", "TALKFIELD_LOCAL_MODEL": "0"},
        )
        assert self.process.stdout is not None
        found = re.search(r"http://\S+/\?token=\S+", self.process.stdout.readline())
        assert found, "Talkfield did not start"
        self.link = found[0]

    def say(self, project: str, nodes: Iterable[str], text: str) -> None:
        """Say the same in each of these chats, and come back when all of them answer."""
        token = (self.home / "api-token").read_text().strip()
        address = self.link.partition("/?")[0].replace("http", "ws", 1)
        headers = {"Authorization": f"Bearer {token}"}
        with connect(f"{address}/api/channel", additional_headers=headers, max_size=None, open_timeout=60) as socket:
            socket.send(json.dumps({"type": "hello", "protocol": 1, "project": project}))
            waiting = set()
            for node in nodes:
                command = {"do": "sendMessage", "node": node, "text": text, "whenFull": "send", "whenBusy": "send"}
                socket.send(json.dumps({"type": "do", "id": node, "command": command}))
                waiting.add(node)
            while waiting:
                answer = json.loads(socket.recv(60))
                assert answer["type"] != "rejected", answer
                if answer["type"] == "ack":
                    waiting.discard(answer["id"])

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)


class StaticSite:
    """The canvas with static nodes (`web/bench`), built and served."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        build = ["npx", "vite", "build", "bench", "--outDir", self._folder.name, "--base", "./", "--emptyOutDir"]
        subprocess.run(build, cwd=WEB, check=True, capture_output=True)
        handler = partial(Quiet, directory=self._folder.name)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        pass


@dataclass(frozen=True)
class Work:
    """What the main thread did for some time."""

    seconds: float
    cpu_ms: float
    layout_ms: float
    frames_ms: list[float]
    """From one to the next."""
    long_ms: list[float]
    keys_ms: list[float]
    """From a key to the frame after it."""

    @property
    def cpu_ms_a_frame(self) -> float:
        return self.cpu_ms / max(1, len(self.frames_ms))

    @property
    def cpu_ms_a_second(self) -> float:
        return self.cpu_ms / self.seconds

    def frame_ms(self, share: float) -> float:
        return quantile(self.frames_ms, share)

    @property
    def longest_ms(self) -> float:
        return max(self.long_ms, default=0.0)


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Watched:
    """A page that is looked at from outside."""

    def __init__(self, browser: Browser, width: int, height: int) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height})
        self.context.set_default_timeout(120_000)
        self.page: Page = self.context.new_page()
        self.session: CDPSession = self.context.new_cdp_session(self.page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def open(self, link: str, project: str, view: tuple[float, float, float], chats: int) -> float:
        """Open the canvas there; seconds until so many chats are drawn."""
        x, y, zoom = view
        kept = json.dumps(json.dumps({"x": x, "y": y, "zoom": zoom}))
        self.page.add_init_script(f"localStorage.setItem('talkfield.view.{project}', {kept})")
        begun = time.perf_counter()
        self.page.goto(link)
        drawn = "count => document.querySelectorAll('[data-testid=chat-node]').length >= count"
        self.page.wait_for_function(drawn, arg=chats)
        took_s = time.perf_counter() - begun
        self.settle()
        self.page.evaluate(WATCH)
        return took_s

    def settle(self, seconds: float = 1.5) -> None:
        self.page.wait_for_timeout(seconds * 1000)

    def metrics(self) -> dict[str, float]:
        return {each["name"]: each["value"] for each in self.session.send("Performance.getMetrics")["metrics"]}

    def begin(self) -> None:
        self.page.evaluate(TAKE)
        self._before, self._begun = self.metrics(), time.perf_counter()

    def end(self) -> Work:
        after, seconds = self.metrics(), time.perf_counter() - self._begun
        seen = self.page.evaluate(TAKE)

        def ms(*names: str) -> float:
            return sum(after[name] - self._before[name] for name in names) * 1000

        layout = ms("LayoutDuration", "RecalcStyleDuration")
        return Work(seconds, ms("TaskDuration"), layout, seen["frames"], seen["long"], seen["keys"])

    def look(self, seconds: float) -> Work:
        """Do nothing and look on."""
        self.begin()
        self.page.wait_for_timeout(seconds * 1000)
        return self.end()

    def pan(self, seconds: float) -> Work:
        """Drag the canvas to and fro by its free part, eight pixels a frame."""
        free = """() => {
          for (let y = innerHeight * 0.6; y > 80; y -= 3)
            for (let x = innerWidth * 0.7; x > 200; x -= 3)
              if (document.elementFromPoint(x, y)?.classList.contains("react-flow__pane")) return [x, y];
        }"""
        x, y = self.page.evaluate(free)
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        self.begin()
        step, end_s = 0, time.perf_counter() + seconds
        while time.perf_counter() < end_s:
            place = abs(step % 100 - 50) * 8  # to and fro over 400 pixels
            mouse.move(x - 400 + place, y)
            self.page.evaluate("() => new Promise(requestAnimationFrame)")
            step += 1
        work = self.end()
        mouse.up()
        return work

    def calls_of(self, script: str, seconds: float) -> int:
        """How many functions of a script (`Markdown`) were called while nothing was done."""
        self.session.send("Profiler.enable")
        self.session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
        self.page.wait_for_timeout(300)
        self.session.send("Profiler.takePreciseCoverage")
        self.page.wait_for_timeout(seconds * 1000)
        taken = self.session.send("Profiler.takePreciseCoverage")["result"]
        self.session.send("Profiler.stopPreciseCoverage")
        self.session.send("Profiler.disable")
        return sum(
            part["count"]
            for each in taken
            if re.search(rf"/{script}-[^/]*\.js$", each["url"])
            for function in each["functions"]
            for part in function["ranges"]
        )

    def heap_mb(self) -> float:
        """What is left after a collection."""
        self.session.send("HeapProfiler.collectGarbage")
        return self.metrics()["JSHeapUsedSize"] / 1e6

    def close(self) -> None:
        self.context.close()
