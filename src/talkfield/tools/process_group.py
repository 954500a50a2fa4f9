"""Runs a program with all that it starts, and ends all of it (R10, T9).

The program leads a process group of its own. Whoever is cancelled while it runs ends the group: asked first, then, two
seconds later, killed. What it says is taken in as it comes, the beginning and the end of it kept. What leaves the group
on purpose (a daemon) is beyond reach.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from talkfield.errors import ToolError

GRACE_S = 2.0
LEFT_BEHIND_S = 0.3
"""How long what a program started may still speak when the program itself is over."""

BLOCK_BYTES = 32 * 1024
MAX_OUTPUT_BYTES = 32 * 1024 * 1024

INHERITED = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "SYSTEMROOT"}
)
"""What of Talkfield's own environment a command sees, and `LC_…`: all else may hold keys."""

QUIET = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
"""No colours, no pager, no questions: nobody sits there."""

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def environment() -> dict[str, str]:
    """The environment of a command: nothing that is not on the list."""
    kept = {name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("LC_")}
    return {**kept, **QUIET}


@dataclass
class Output:
    """What a program said: its beginning and its end, and how much it was in all."""

    max_bytes: int
    head: bytes = b""
    tail: bytes = b""
    size: int = 0

    def add(self, data: bytes) -> None:
        self.size += len(data)
        half = self.max_bytes // 2
        room = half - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        self.tail = (self.tail + data)[-half:]

    def text(self) -> str:
        left_out = self.size - len(self.head) - len(self.tail)
        middle = f"\n[cut: {left_out:,} of {self.size:,} bytes are not shown]\n".encode() if left_out else b""
        return plain((self.head + middle + self.tail).decode("utf-8", "replace"))


@dataclass(frozen=True)
class Ended:
    """How it ended. `status` as the system tells it, negative for a signal; None: we ended it, `why` says why."""

    status: int | None
    why: str
    output: str
    left_behind: bool = False


def plain(text: str) -> str:
    """Text without what moves a terminal's cursor or colours it."""
    return CONTROLS.sub("", ESCAPES.sub("", text.replace("\r\n", "\n")))


class Program(asyncio.SubprocessProtocol):
    """A running program that leads its group. `exited` and `silent` end with the program and with its output.

    Not asyncio's own `Process`: its `wait` also waits for whoever else has inherited the output.
    """

    def __init__(self, take: Callable[[int, bytes], None]) -> None:
        self._take = take
        self._open = 0
        self.exited = asyncio.get_running_loop().create_future()
        self.silent = asyncio.get_running_loop().create_future()
        self.group = 0
        self.transport: asyncio.SubprocessTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        assert self.transport is not None
        self.group = self.transport.get_pid()
        self._open = sum(self.transport.get_pipe_transport(number) is not None for number in (1, 2))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._take(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open -= 1
        if self._open <= 0 and not self.silent.done():
            self.silent.set_result(None)

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)

    @property
    def status(self) -> int | None:
        return None if self.transport is None else self.transport.get_returncode()

    def signal(self, number: int) -> bool:
        """Whether there was a process left in the group to be told.

        Not through the transport: it would look after the child itself, and take its status from the loop.
        """
        try:
            os.killpg(self.group, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    async def end(self, *, ask_first: bool) -> None:
        """End everything in the group. Cancelled while it waits, it kills at once."""
        try:
            if ask_first and self.status is None and self.signal(signal.SIGTERM):
                await asyncio.wait([self.exited], timeout=GRACE_S)
        finally:
            self.signal(signal.SIGKILL)
            try:
                await asyncio.shield(self.exited)
            finally:
                if self.transport is not None:
                    self.transport.close()


async def start_program(
    words: Sequence[str],
    take: Callable[[int, bytes], None],
    *,
    folder: str | None = None,
    separate_errors: bool = False,
    pass_fds: Sequence[int] = (),
) -> Program:
    """Start it; `take` is given what it writes, with the number of the stream. Raises `ToolError`.

    Whoever starts it ends it, however it went: `await program.end(…)`.
    """
    try:
        _transport, program = await asyncio.get_running_loop().subprocess_exec(
            lambda: Program(take),
            *words,
            cwd=folder,
            env=environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE if separate_errors else asyncio.subprocess.STDOUT,
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except FileNotFoundError:
        raise ToolError(f"there is no program {words[0]!r} here") from None
    except (OSError, ValueError) as error:
        raise ToolError(f"{words[0]!r} cannot be started: {error}") from None
    return program


async def run_program(
    words: Sequence[str],
    folder: str,
    *,
    timeout_s: float,
    max_output_bytes: int,
    report: Callable[[str], None],
) -> Ended:
    """Run it to its end, its limit or our cancellation. Raises `ToolError` when it cannot be started."""
    output = Output(max_output_bytes)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    too_much = asyncio.get_running_loop().create_future()

    def take(_stream: int, data: bytes) -> None:
        output.add(data)
        report(plain(decoder.decode(data)))
        if output.size > MAX_OUTPUT_BYTES and not too_much.done():
            too_much.set_result(None)

    program = await start_program(words, take, folder=folder)
    left_behind = False
    try:
        await asyncio.wait([program.exited, too_much], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        over = program.exited.done()
        if over:
            await asyncio.wait([program.silent], timeout=LEFT_BEHIND_S)
            left_behind = program.signal(0)
    finally:
        await program.end(ask_first=not program.exited.done())
    if over:
        return Ended(program.status, "", output.text(), left_behind)
    limit = f"said more than {MAX_OUTPUT_BYTES:,} bytes" if too_much.done() else f"ran longer than {timeout_s:g} s"
    return Ended(None, f"it {limit}", output.text())
