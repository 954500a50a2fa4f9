"""One process per data folder (ST5).

The lock is the operating system's own, on an open file: it ends with the process, however that ends, so nothing is left
behind to clear away. The file also says who holds it, for the next one who asks. The file is never deleted: whoever
waited for the old one and whoever made a new one would both hold a lock.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from talkfield.errors import ProjectLocked, StartFailed
from talkfield.storage.atomic import PRIVATE, advice, reason

if sys.platform == "win32":
    import msvcrt

    FAR_BYTE = 1 << 30
    """Windows forbids others to read what is locked: so a byte far behind the words is."""

    def try_lock(descriptor: int) -> None:
        os.lseek(descriptor, FAR_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


TAKEN = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)


@dataclass(frozen=True)
class Holder:
    """Who holds a data folder: the process, and where it listens once that is known."""

    pid: int
    url: str | None = None


class DataFolderLock:
    """The right to be the one process on a data folder, from `acquire` to `release` or the end of the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock without waiting. Raises `ProjectLocked`, or `StartFailed` where the disk knows no locks."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, PRIVATE)
        except OSError as error:
            raise StartFailed(f"{self.path} could not be opened: {reason(error)}.", hint=advice(error)) from error
        try:
            try_lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            if error.errno in TAKEN:
                raise ProjectLocked(
                    f"Talkfield is already running on this data ({named(holder_of(self.path))}).",
                    hint="Use that one, stop it, or set TALKFIELD_HOME to another folder.",
                ) from error
            raise StartFailed(
                f"{self.path} could not be locked: {reason(error)}.",
                hint="Set TALKFIELD_HOME to a folder on a local disk.",
            ) from error
        self.descriptor = descriptor
        self.write(Holder(os.getpid()))

    def announce(self, url: str) -> None:
        """Say where this process listens, for the one who asks next."""
        self.write(Holder(os.getpid(), url))

    def release(self) -> None:
        """Give the folder back; twice is once."""
        if self.descriptor is None:
            return
        with contextlib.suppress(OSError):
            os.ftruncate(self.descriptor, 0)
        os.close(self.descriptor)
        self.descriptor = None

    def write(self, holder: Holder) -> None:
        """Who we are is a courtesy: a full disk does not take the lock away."""
        if self.descriptor is None:
            return
        text = f"{holder.pid}\n{holder.url or ''}\n".encode()
        with contextlib.suppress(OSError):
            os.lseek(self.descriptor, 0, os.SEEK_SET)
            os.write(self.descriptor, text)
            os.ftruncate(self.descriptor, len(text))

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def holder_of(path: Path) -> Holder | None:
    """Who the lock file names. It may be out of date unless the lock was just refused."""
    try:
        pid, _, rest = path.read_text("utf-8", "replace").partition("\n")
        return Holder(int(pid), rest.strip() or None)
    except (OSError, ValueError):
        return None


def named(holder: Holder | None) -> str:
    if holder is None:
        return "its process has not said which it is"
    return f"process {holder.pid}, {holder.url}" if holder.url else f"process {holder.pid}"
