"""One life of the embedded model's process: launched, greeted, ended. `local_server.py` is its other side.

Owns the pipes and the process; decides nothing about when to start or start again (`local.py` does). The child gets an
environment without anyone's keys, and its own key by stdin, where no other program can read it.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import sys
from collections import deque
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from talkfield.errors import ProviderUnreachable
from talkfield.runtime.ports import Clock

T = TypeVar("T")

server_command = (sys.executable, "-P", str(Path(__file__).with_name("local_server.py")))
"""`-P`: nothing beside the script or in the current folder can pose as a module it imports."""

start_limit_s = 120.0
end_limit_s = 2.0

passed_on = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "WINDIR"),
    *("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)

if sys.platform == "win32":
    _creation_flags = (
        subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    )
else:
    _creation_flags = 0


class Greeting(msgspec.Struct, frozen=True):
    """The child's one line on stdout: where it listens, or why it cannot."""

    address: str = ""
    error: str = ""


@dataclass(frozen=True)
class LocalAddress:
    """Where the child listens, for as long as it lives, and the key it wants."""

    base_url: str
    key: str = field(repr=False)


class LocalProcess:
    """A child that serves. Made by `launch`."""

    def __init__(self, process: asyncio.subprocess.Process, clock: Clock) -> None:
        self.address = LocalAddress("", secrets.token_urlsafe(24))
        self._process = process
        self._clock = clock
        self._last_words: deque[str] = deque(maxlen=20)
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def launch(
        cls, order: Mapping[str, Any], *, command: Sequence[str], environment: Mapping[str, str], clock: Clock
    ) -> LocalProcess:
        """Start the child and wait until it listens. `order` is what it has to serve, see `local_server.Order`.

        Raises `ProviderUnreachable` with the child's own reason when it does not come up; then it has ended.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={name: environment[name] for name in passed_on if name in environment},
                # A Ctrl-C at the terminal is for Talkfield, which then ends the child in order.
                start_new_session=sys.platform != "win32",
                creationflags=_creation_flags,
            )
        except OSError as error:
            raise ProviderUnreachable(
                f"the built-in model cannot be started: {error}", provider="local", hint=""
            ) from error
        child = cls(process, clock)
        greeted = False
        try:
            greeting = await child._within(start_limit_s, child._greet(order))
            greeted = bool(greeting.address)
        except TimeoutError:
            greeting = Greeting(error=f"it was not ready after {start_limit_s:.0f} s")
        finally:
            if not greeted:
                await child.end()
        if not greeted:
            reason = greeting.error or child.last_words or f"exit code {process.returncode}"
            raise ProviderUnreachable(
                f"the built-in model could not be started: {reason}", provider="local", retryable=True, hint=""
            )
        child.address = LocalAddress(greeting.address, child.address.key)
        return child

    @property
    def number(self) -> int:
        return self._process.pid

    @property
    def runs(self) -> bool:
        return self._process.returncode is None

    @property
    def last_words(self) -> str:
        """The end of what it printed to stderr."""
        return "".join(self._last_words).strip()[-300:]

    async def wait(self) -> str:
        """Wait for its end; how it ended, in words."""
        code = await self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    async def ends(self, within_s: float) -> bool:
        """Whether it has ended, or does in this time."""
        with suppress(TimeoutError):
            await self._within(within_s, self._process.wait())
        return not self.runs

    async def end(self) -> None:
        """Ask it to end, and make it when it does not. Returns when it is gone."""
        if self._process.stdin:
            self._process.stdin.close()
        if not await self.ends(end_limit_s):
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        await self._listening

    async def _greet(self, order: Mapping[str, Any]) -> Greeting:
        assert self._process.stdin
        assert self._process.stdout
        line = json.dumps({**order, "key": self.address.key, "parent": os.getpid()})
        with suppress(ConnectionError):
            self._process.stdin.write(line.encode() + b"\n")
            await self._process.stdin.drain()
        try:
            return msgspec.json.decode(await self._process.stdout.readline(), type=Greeting)
        except (msgspec.DecodeError, ValueError):
            return Greeting()

    async def _listen(self) -> None:
        """Read what the child prints to the end, so that it never waits for us; keep the last of it."""
        assert self._process.stderr
        while piece := await self._process.stderr.read(4096):
            self._last_words.append(piece.decode("utf-8", "replace"))

    async def _within(self, limit_s: float, waited: Awaitable[T]) -> T:
        """The result, or `TimeoutError` after so long by the injected clock."""
        work = asyncio.ensure_future(waited)
        alarm = asyncio.ensure_future(self._clock.sleep_s(limit_s))
        try:
            await asyncio.wait({work, alarm}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise TimeoutError
            return work.result()
        finally:
            work.cancel()
            alarm.cancel()
            await asyncio.wait({work, alarm})
