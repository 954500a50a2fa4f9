"""A real Talkfield process with a home of its own."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from e2e.installation import Installation

LINK = re.compile(r"https?://[\w.\[\]:-]+/\?token=[\w-]+")
START_TIMEOUT_S = 60.0


class ServerProcess:
    """Started in the constructor; ready when it has printed its link. `output` is everything it has said."""

    def __init__(self, installation: Installation, home: Path, *arguments: str, **environment: str) -> None:
        self.installation, self.home, self.arguments, self.environment = installation, home, arguments, environment
        self.output: list[str] = []
        self.link = ""
        self._links: queue.Queue[str] = queue.Queue()
        inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        self.process = subprocess.Popen(
            [installation.python, "-m", "talkfield", "open", "--no-browser", *(arguments or ("--port", "0"))],
            cwd=home.parent,
            env=inherited
            | {
                "PATH": installation.path,
                "TALKFIELD_HOME": str(home),
                "PYTHONUNBUFFERED": "1",
                "TALKFIELD_DISCOVER": "0",
            }
            | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line)
            found = LINK.search(line)
            if found:
                self._links.put(found[0])
        self._links.put("")

    def ready(self) -> ServerProcess:
        """Waits for the link. Fails with what the process said if it ends first."""
        try:
            self.link = self._links.get(timeout=START_TIMEOUT_S)
        except queue.Empty:
            self.kill()
        assert self.link, f"Talkfield did not start:\n{''.join(self.output)}"
        return self

    @property
    def address(self) -> str:
        """Such as `http://127.0.0.1:8123`."""
        return self.link.partition("/?")[0]

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def said(self) -> str:
        return "".join(self.output)

    def wait(self, timeout_s: float = 10.0) -> int:
        """The exit status, when it has ended by itself."""
        status = self.process.wait(timeout_s)
        self._reader.join(timeout_s)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return status

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end, and waits; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
        return self.wait()

    def kill(self) -> None:
        """Ends it without a chance to do anything."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait()

    def again(self) -> ServerProcess:
        """A new process with the same home, port and environment, ready."""
        arguments = ("--port", str(self.port), *self.arguments[2:])
        return ServerProcess(self.installation, self.home, *arguments, **self.environment).ready()


def eventually(holds: Callable[[], object], *, timeout_s: float = 10.0, what: str = "") -> None:
    """Waits until a condition outside this process is true; for what a browser's own waiting cannot see."""
    end_s = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end_s, f"not within {timeout_s} s: {what or holds}"
        threading.Event().wait(0.05)
