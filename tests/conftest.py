"""Fails a test for its sins, not only for its bugs.

A sin is: a warning (see `filterwarnings` in pyproject.toml), a blocking call on the event loop, an asyncio task or
connection left behind, an error that only reached asyncio's log, and a step outside this machine. Nothing about the
domain lives here; builders are in `builders.py`.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import ipaddress
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from blockbuster import BlockBuster
from hypothesis import HealthCheck, Phase

from talkfield.providers.scripted import ScriptedDriver

NOT_CHECKED = (
    HealthCheck.differing_executors,  # a contract's properties run for each member of a registry
    HealthCheck.too_slow,  # says more about the machine than about the test
)
SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": NOT_CHECKED}
hypothesis.settings.register_profile("dev", max_examples=50, **SETTINGS)
hypothesis.settings.register_profile("ci", max_examples=100, derandomize=True, print_blob=True, **SETTINGS)
hypothesis.settings.register_profile(  # whether a bug is seen: scripts/mutants.py, which names the seed as well
    "planted", max_examples=300, database=None, phases=[Phase.explicit, Phase.generate], **SETTINGS
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")

MAY_BLOCK: tuple[tuple[str, str, str], ...] = (
    # (file that ends with, function, why it may)
    ("aiohttp/web_fileresponse.py", "_open_file_path_or_gzip", "test servers serve files; the product does not use it"),
)


# A shell that runs this in the background makes it, and all that it starts, deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The machine is closed off


class OutsideNetwork(AssertionError):
    """A test reached for an address that is not this machine's."""


class Border:
    """Refuses connections and name look-ups that leave this machine, and remembers that they were tried.

    It hangs on Python's audit events, so that code which caught the refusal still fails its test, and code that holds
    its own reference to `socket.connect` is caught too.
    """

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self.watching = False

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.watching or event not in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            return
        address = arguments[0] if event == "socket.getaddrinfo" else arguments[1]
        host = address[0] if isinstance(address, tuple) else address if event == "socket.getaddrinfo" else None
        if host is not None and not is_this_machine(host):
            attempt = f"{event} to {host!r}"
            self.attempts.append(attempt)
            raise OutsideNetwork(attempt)


def is_this_machine(host: str | bytes) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


BORDER = Border()
sys.addaudithook(BORDER.hook)


@pytest.fixture(autouse=True)
def no_outside_network() -> Iterator[None]:
    BORDER.attempts.clear()
    BORDER.watching = True
    yield
    BORDER.watching = False
    if BORDER.attempts:
        pytest.fail(f"tried to leave this machine: {', '.join(BORDER.attempts)}", pytrace=False)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No key, address or folder of whoever runs the tests is seen by them; Talkfield's home is a fresh folder."""
    for name in os.environ:
        ours = name.startswith("TALKFIELD_") and name not in ("TALKFIELD_CORPUS", "TALKFIELD_CHROMIUM")
        theirs = name.endswith(("_API_KEY", "_BASE_URL", "_API_BASE", "_AUTH_TOKEN"))
        if ours or theirs or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    home = tmp_path / "talkfield-home"
    monkeypatch.setenv("TALKFIELD_HOME", str(home))
    monkeypatch.setenv("TALKFIELD_KEYRING", "0")
    return home


# The event loop stays free, and is left clean


@pytest.fixture(autouse=True, scope="session")
def nothing_blocks_the_loop() -> Iterator[None]:
    """A call that blocks while Talkfield's own code runs on an event loop raises `BlockingError`."""
    buster = BlockBuster(scanned_modules=["talkfield"])
    for function in buster.functions.values():
        for file, name, _reason in MAY_BLOCK:
            function.can_block_in(file, name)
    buster.activate()
    yield
    buster.deactivate()


class AsyncioErrors(logging.Handler):
    """Collects what asyncio only logs: a task's exception that nobody awaited, a failing callback."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += f" ({record.exc_info[1]!r})"
        self.messages.append(text)


ASYNCIO_ERRORS = AsyncioErrors()
logging.getLogger("asyncio").addHandler(ASYNCIO_ERRORS)


@pytest.fixture
async def no_tasks_left() -> AsyncIterator[None]:
    """Given to every async test, around all its other fixtures: whatever it started has ended with it."""
    ASYNCIO_ERRORS.messages.clear()
    yield
    mine = asyncio.current_task()
    for _ in range(3):  # a task that was cancelled or closed needs a turn or two of the loop to be gone
        await asyncio.sleep(0)
    left = [repr(task) for task in asyncio.all_tasks() if task is not mine and not task.done()]
    gc.collect()  # what is still open and no longer held warns when it is collected, and a warning is an error
    gc.freeze()  # what lives on now lives on for good: looking at it after each test would take most of the time
    problems = [f"task left running: {task}" for task in left] + ASYNCIO_ERRORS.messages
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


@pytest.fixture(autouse=True)
def scripts_are_played(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A script that nobody asked for, or an ask without a script, means that the test is not about what it says.

    A test of exactly that is marked `unplayed`.
    """
    drivers: list[ScriptedDriver] = []
    begin = ScriptedDriver.__init__

    def begin_and_remember(self: ScriptedDriver, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        drivers.append(self)

    monkeypatch.setattr(ScriptedDriver, "__init__", begin_and_remember)
    yield
    if request.node.get_closest_marker("unplayed") is None:
        for driver in drivers:
            driver.assert_played()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # all that the imports made: without it, the collection after each async test takes 20 times as long


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(unwrapped(item)):
            item.fixturenames.insert(0, "no_tasks_left")
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)  # the slow ones last


def unwrapped(item: pytest.Function) -> Any:
    """The test function itself, out of its hypothesis wrapper."""
    handle = getattr(item.obj, "hypothesis", None)
    return getattr(handle, "inner_test", item.obj)
