"""The project file on disk: `talkfield.json` in the project's folder, as bytes (W11, ST6, ST7).

What the bytes mean is `core/project.py`'s business. Here it is decided whether to touch the file: never when it would
get the bytes it has, never when it holds what this machine did not write. Git and other programs write to the same
file at any time without asking, so it is looked at again right before it is replaced.

One thread at a time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from talkfield.errors import ProjectUnreadable, SaveFailed
from talkfield.storage.atomic import advice, reason, write_atomically
from talkfield.storage.base import Written
from talkfield.storage.damage import set_aside

FILE_NAME = "talkfield.json"
MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_DIGESTS = 8

Stamp = tuple[int, int, int]


def digest_of(data: bytes) -> str:
    """What tells one content of the file from another: SHA-256 in hex."""
    return sha256(data).hexdigest()


class DiskProjectFile:
    """A `storage.base.SharedFile` named `talkfield.json` in `folder`. `digests` are what `StoredProject` remembers."""

    def __init__(self, folder: Path, *, digests: Sequence[str] = (), max_bytes: int = MAX_FILE_BYTES) -> None:
        self.path = folder / FILE_NAME
        self.digests = tuple(digests)
        self.max_bytes = max_bytes
        self.stamp: Stamp | None = None
        """Of the file when it last was seen to hold our bytes: as long as it stays, there is nothing to read."""

    def differs(self, data: bytes) -> bool:
        return self.digests != (digest_of(data),) or self.stamp is None or self.stamp != self.stamp_now()

    def knows(self, data: bytes) -> bool:
        return digest_of(data) in self.digests

    def intend(self, data: bytes) -> tuple[str, ...]:
        # The last one is what a write succeeded with: while writes fail, it is the file's and must stay known.
        new, last = digest_of(data), self.digests[-1:]
        failed = [digest for digest in self.digests[:-1] if digest != new]
        self.digests = (new, *failed[: MAX_DIGESTS - 2], *last)
        return self.digests

    def accept(self, data: bytes) -> tuple[str, ...]:
        self.digests = (digest_of(data),)
        return self.digests

    def read(self) -> bytes | None:
        """The file's bytes; None: there is none. Raises `ProjectUnreadable`."""
        try:
            size = self.path.stat().st_size
            if size > self.max_bytes:
                raise ProjectUnreadable(
                    f"{self.path} has {size:,} bytes; Talkfield reads up to {self.max_bytes:,}.",
                    hint="Move the file away to start anew.",
                )
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ProjectUnreadable(f"{self.path} could not be read: {reason(error)}.", hint=advice(error)) from error

    def outside_change(self) -> bytes | None:
        stamp = self.stamp_now()
        if stamp is None or stamp == self.stamp:
            return None
        data = self.read()
        if data is None:
            return None
        if digest_of(data) in self.digests:
            self.stamp = stamp
            return None
        return data

    def write(self, data: bytes) -> Written:
        if not self.path.parent.is_dir():
            raise SaveFailed(
                f"The project's folder {self.path.parent} is gone.",
                hint="Bring it back, or give the project another folder.",
            )
        there = self.read()
        if there is not None and there != data and digest_of(there) not in self.digests:
            return "changed-outside"
        if there != data:
            write_atomically(self.path, data, mode=None)
        self.digests = (digest_of(data),)
        self.stamp = self.stamp_now()
        return "unchanged" if there == data else "written"

    def set_aside(self, at: datetime) -> Path:
        return set_aside(self.path, at)

    def stamp_now(self) -> Stamp | None:
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino
