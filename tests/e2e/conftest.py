"""What end-to-end tests stand on: an installed Talkfield, a process of it, Chromium, and a page that tolerates no sin.

A page sins when it logs an error, throws, or asks anyone but its own server for something (U14). A test that breaks the
connection on purpose says so with `sins.allow(...)`.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from e2e.canvas_page import CanvasPage, ChatNode
from e2e.installation import Installation, install
from e2e.puppet import Puppet
from e2e.server_process import ServerProcess

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
WATCHED_PAGE = Path(__file__).with_name("watched_page.js").read_text(encoding="utf-8")
RESULTS = Path(__file__).resolve().parents[2] / "test-results"
LAG_MS = int(os.environ.get("TALKFIELD_E2E_LAG_MS", "0"))
"""How long, at most, each message waits on its way from page to server and back."""
SLOWDOWN = float(os.environ.get("TALKFIELD_E2E_SLOWDOWN", "1"))
"""How many times slower the browser's processor is."""
TIMEOUT_S = 10.0 + LAG_MS / 50 + 10 * (SLOWDOWN - 1)
expect.set_options(timeout=TIMEOUT_S * 1000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(420))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if getattr(report, "when", "") == "call" and getattr(report, "failed", False):
        keep_screenshots(item)
    return report


def keep_screenshots(item: pytest.Item) -> None:
    """What the person would have seen when the test failed, in test-results/."""
    pages = getattr(item, "funcargs", {}).get("open_page")
    for number, page in enumerate(getattr(pages, "pages", [])):
        RESULTS.mkdir(exist_ok=True)
        page.page.screenshot(path=RESULTS / f"{re.sub(r'[^A-Za-z0-9_]+', '-', item.name)}-{number}.png")


@pytest.fixture(scope="session")
def installation() -> Installation:
    return install()


@pytest.fixture
def start(installation: Installation, own_home: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Starts processes; all of them are gone after the test. `home` is one folder for the whole test unless given."""
    started: list[ServerProcess] = []

    def start_one(*arguments: str, home: Path = own_home, **environment: str) -> ServerProcess:
        process = ServerProcess(installation, home, *arguments, **environment)
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.kill()


@pytest.fixture
def server(start: Callable[..., ServerProcess]) -> ServerProcess:
    """A process that answers with the scripted provider."""
    return start(TALKFIELD_SCRIPTED="1").ready()


# Chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("TALKFIELD_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    assert path, "no Chromium: `make test` installs one; or set TALKFIELD_CHROMIUM"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield chromium
        chromium.close()


def watched(context: BrowserContext) -> BrowserContext:
    """Its pages note what they asked and what was answered, and are as slow as they are wanted."""
    context.add_init_script(WATCHED_PAGE.replace("LAG_MS", str(LAG_MS)))
    context.set_default_timeout(TIMEOUT_S * 1000)
    if SLOWDOWN > 1:
        context.on("page", slow_down)
    return context


def slow_down(page: Page) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One browser profile: its pages share the cookie."""
    context = watched(browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB"))
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


class Sins:
    """What pages did that no page should."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.allowed: list[re.Pattern[str]] = []

    def allow(self, pattern: str) -> None:
        """Messages in which this is found are part of the test."""
        self.allowed.append(re.compile(pattern))

    def watch(self, page: Page) -> None:
        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error":
                self.seen.append(f"console: {message.text} ({message.location.get('url', '')})")

        def on_request(request: Request) -> None:
            address = urlsplit(request.url)
            if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in ("127.0.0.1", "localhost"):
                self.seen.append(f"request to {request.url}")

        page.on("console", on_console)
        page.on("pageerror", lambda error: self.seen.append(f"exception: {error}"))
        page.on("request", on_request)

    @property
    def left(self) -> list[str]:
        return [sin for sin in self.seen if not any(pattern.search(sin) for pattern in self.allowed)]


@pytest.fixture
def sins() -> Iterator[Sins]:
    sins = Sins()
    yield sins
    assert sins.left == []


class Pages:
    """Opens pages of one browser profile."""

    def __init__(self, context: BrowserContext, sins: Sins) -> None:
        self._context, self._sins = context, sins
        self.pages: list[CanvasPage] = []

    def __call__(self, server: ServerProcess) -> CanvasPage:
        """A new tab on this server's canvas. The first one redeems the link, later ones have the cookie."""
        page = self._context.new_page()
        self._sins.watch(page)
        opened = CanvasPage(page)
        page.goto(server.address if self.pages else server.link)
        self.pages.append(opened)
        opened.loaded()
        return opened


@pytest.fixture
def open_page(context: BrowserContext, sins: Sins) -> Pages:
    return Pages(context, sins)


@pytest.fixture
def canvas(open_page: Pages, server: ServerProcess) -> CanvasPage:
    """A page on the canvas of `server`."""
    return open_page(server)


# Hostile text

Stage = Callable[[], tuple[Puppet, ChatNode, Page]]


@pytest.fixture
def stage(context: BrowserContext, server: ServerProcess, sins: Sins) -> Stage:
    """A chat with one reply whose page is ours from then on."""

    def open_stage() -> tuple[Puppet, ChatNode, Page]:
        page = context.new_page()
        sins.watch(page)
        puppet = Puppet(page)
        canvas = CanvasPage(page)
        page.goto(server.link)
        canvas.loaded()
        chat = canvas.ask_first("hello")
        chat.says("echo: hello")
        chat.idle()
        puppet.take_over()
        return puppet, chat, page

    return open_stage


class Canary:
    """A server that nobody should ask: its address, and what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_POST = do_HEAD = do_GET  # noqa: N815

            def log_message(self, *_arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.address = f"127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()
