"""A program in a real pseudo-terminal: what a person sees there, and the keys that they press."""

from __future__ import annotations

import os
import pty
import re
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

from cli.terminal import environment

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x01|\x02")
LIMIT_S = 60.0
PATIENCE_S = 5.0
CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"

OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Makes its standard input the controlling terminal, so that Ctrl-C is a signal there; then it is the program."""


class PseudoTerminal:
    """Eighty columns, unless told otherwise. `seen` is everything so far, without colours and cursor movements."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.raw = ""
        self._master = master
        self._bytes = b""
        self._read_to = 0

    @property
    def seen(self) -> str:
        return ANSI.sub("", self.raw).replace("\r\n", "\n")

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def say(self, line: str) -> None:
        self.press(line + "\r")

    def until(self, words: str) -> str:
        """Wait until these words come; what came before them, and after what was waited for last."""
        deadline = time.monotonic() + LIMIT_S
        while (found := self.seen.find(words, self._read_to)) < 0:
            if not self._more(deadline):
                raise AssertionError(f"{words!r} never came; this did:\n{self.seen[self._read_to :]}")
        before = self.seen[self._read_to : found]
        self._read_to = found + len(words)
        return before

    def interrupt(self, words: str | None) -> None:
        """Press Ctrl-C, and wait for these words; None: for the end of the program.

        A second time where nothing comes of the first: readline misses a signal that comes just before it waits.
        """
        self.press(CTRL_C)
        deadline = time.monotonic() + PATIENCE_S
        while words is None or self.seen.find(words, self._read_to) < 0:
            if not self._more(deadline):
                if time.monotonic() >= deadline:
                    self.press(CTRL_C)
                break
        if words is not None:
            self.until(words)

    def ends(self) -> int:
        """Wait for the end of the program; its status."""
        deadline = time.monotonic() + LIMIT_S
        while self._more(deadline):
            pass
        return self.process.wait(LIMIT_S)

    def _more(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # how Linux says that nobody holds the other end any more
            return False
        self._bytes += data
        self.raw = self._bytes.decode(errors="ignore")
        return bool(data)


@contextmanager
def in_terminal(
    home: Path, *arguments: str, columns: int = 80, folder: Path | None = None, **more: str
) -> Iterator[PseudoTerminal]:
    """`talkfield` with these arguments, in a terminal of its own; gone when the block ends."""
    master, slave = pty.openpty()
    ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", OWN_TERMINAL, sys.executable, "-m", "talkfield", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        cwd=folder,
        env={**environment(home), "TERM": "xterm", "INPUTRC": "/dev/null", "COLUMNS": "", "LINES": "", **more},
    )
    os.close(slave)
    terminal = PseudoTerminal(master, process)
    try:
        yield terminal
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(master)
