"""Opens what lies beneath a folder one name at a time, for systems without `openat2`.

Each name is opened in the folder that was opened before it, never following a link; a link is read and its target
walked in the same way. Nothing is ever looked up by a whole path, so what is exchanged meanwhile can lead astray, but
not outside. Also tells by what names the thing was reached in the end.
"""

from __future__ import annotations

import errno
import os
from collections import deque

MOST_LINKS = 40
"""As many as Linux follows."""

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
STEP = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | NO_FOLLOW
"""A folder to walk on from; where the system can, one that may be walked through but not listed will do."""


def stepwise_open(root: int, path: str, flags: int) -> tuple[int, str]:
    """Open `path` beneath the folder `root`; its descriptor and the path that it has without links.

    Raises `OSError`; EXDEV where it leads out, ELOOP over too many links.
    """
    walk = Walk(root)
    try:
        return walk.open(path, flags)
    finally:
        walk.close()


class Walk:
    """One way from the root. Holds a descriptor for each folder on it, so that `..` is where we came from."""

    def __init__(self, root: int) -> None:
        self.folders = [os.dup(root)]
        self.names: list[str] = []
        self.links = 0

    def open(self, path: str, flags: int) -> tuple[int, str]:
        if not path:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if path.startswith("/"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
        rest = deque(path.split("/"))
        while rest:
            name = rest.popleft()
            if name in ("", "."):
                continue
            if name == "..":
                self._up(path)
                continue
            if rest:
                self._enter(name, rest)
            elif (opened := self._open_last(name, flags, rest)) is not None:
                return opened, "/".join([*self.names, name])
        return os.open(".", flags | NO_FOLLOW, dir_fd=self.folders[-1]), "/".join(self.names) or "."

    def _open_last(self, name: str, flags: int, rest: deque[str]) -> int | None:
        """The descriptor, or None where it is a link, whose target is what is left to walk then."""
        try:
            return os.open(name, flags | NO_FOLLOW, dir_fd=self.folders[-1])
        except OSError as error:
            self._follow(name, rest, error)
            return None

    def _enter(self, name: str, rest: deque[str]) -> None:
        try:
            self.folders.append(os.open(name, STEP, dir_fd=self.folders[-1]))
            self.names.append(name)
        except OSError as error:
            self._follow(name, rest, error)

    def _follow(self, name: str, rest: deque[str], error: OSError) -> None:
        """Put a link's target before what is left; raises `error` where it is no link."""
        if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise error
        try:
            target = os.readlink(name, dir_fd=self.folders[-1])
        except OSError:
            raise error from None
        self.links += 1
        if self.links > MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        if target.startswith("/"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), name)
        rest.extendleft(reversed(target.split("/")))

    def _up(self, path: str) -> None:
        if len(self.folders) == 1:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
        os.close(self.folders.pop())
        self.names.pop()

    def close(self) -> None:
        for folder in self.folders:
            os.close(folder)
        self.folders.clear()
