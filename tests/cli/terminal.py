"""Runs the command line as a person or a script would: a process of its own, with a home of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LINK = re.compile(r"http://\S+/\?token=\S+")
START_LIMIT_S = 30.0


@dataclass(frozen=True)
class Ended:
    """A process that has ended: its status, and what it said."""

    status: int
    out: str
    err: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """Scripted replies, nothing looked for on this machine, no keyring."""
    return {
        **os.environ,
        "TALKFIELD_HOME": str(home),
        "TALKFIELD_SCRIPTED": "1",
        "TALKFIELD_DISCOVER": "0",
        "TALKFIELD_LOCAL_MODEL": "0",
        "TALKFIELD_KEYRING": "0",
        "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
        **more,
    }


def run(home: Path, *arguments: str, stdin: str | bytes = b"", limit_s: float = 30, **more: str) -> Ended:
    """Run a command to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "talkfield", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env=environment(home, **more),
        timeout=limit_s,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


class Open:
    """`talkfield open`, running. `link` is what it printed."""

    def __init__(self, home: Path, *arguments: str, more: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "talkfield", "open", "--no-browser", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home, **more),
            text=True,
        )
        assert self.process.stdout is not None
        stuck = threading.Timer(START_LIMIT_S, self.process.kill)
        stuck.start()
        self.first_line = self.process.stdout.readline()
        stuck.cancel()
        found = LINK.search(self.first_line)
        self.link = found[0] if found else ""

    @property
    def url(self) -> str:
        return self.link.partition("/?")[0]

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> Ended:
        """Ask it to end, and wait."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
        return self.ended()

    def ended(self, limit_s: float = 10) -> Ended:
        """Wait for the end, which has been asked for."""
        try:
            out, err = self.process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return Ended(self.process.returncode, self.first_line + out, err)


@contextmanager
def opened(home: Path, *arguments: str, **more: str) -> Iterator[Open]:
    """A Talkfield that runs, and does not when the block ends."""
    canvas = Open(home, *(arguments or ("--port", "0")), more=more)
    try:
        assert canvas.link, canvas.stop()
        yield canvas
    finally:
        if canvas.process.poll() is None:
            canvas.process.kill()
        canvas.process.communicate()
