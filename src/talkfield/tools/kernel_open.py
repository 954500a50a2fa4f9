"""Opens what lies beneath a folder, the kernel itself holding the border: `openat2` with `RESOLVE_BENEATH`, Linux 5.6.

The kernel decides on every part of the path while it walks it, links included, so nothing can be exchanged between the
check and the opening. Where there is no such kernel, `stepwise_open` does the same with more calls.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import sys
from collections.abc import Callable

SYSCALL = 437
"""The same number on every architecture but Alpha, which is told apart by the trial in `kernel_open`."""

NO_MAGIC_LINKS = 0x02
BENEATH = 0x08
TRIES = 64
"""The kernel says EAGAIN when something was renamed, anywhere, while it walked over `..`."""


class OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


BeneathOpen = Callable[[int, str, int], int]
"""(root's descriptor, relative path, flags of `os.open`) → descriptor. Raises `OSError`; EXDEV: it leads out."""


@functools.cache
def kernel_open() -> BeneathOpen | None:
    """The kernel's own way to open beneath a folder; None where there is none, or it is forbidden."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None, use_errno=True)

    def open_beneath(root: int, path: str, flags: int) -> int:
        how = OpenHow(flags | os.O_CLOEXEC, 0, BENEATH | NO_MAGIC_LINKS)
        encoded = os.fsencode(path)
        for _ in range(TRIES):
            descriptor: int = library.syscall(SYSCALL, root, encoded, ctypes.byref(how), ctypes.sizeof(how))
            if descriptor >= 0:
                return descriptor
            error = ctypes.get_errno()
            if error not in (errno.EAGAIN, errno.EINTR):
                raise OSError(error, os.strerror(error), path)
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN), path)

    try:
        here = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.close(open_beneath(here, ".", os.O_RDONLY | os.O_DIRECTORY))
            return open_beneath if _keeps_the_border(open_beneath, here) else None
        finally:
            os.close(here)
    except OSError:
        return None


def _keeps_the_border(open_beneath: BeneathOpen, root: int) -> bool:
    try:
        os.close(open_beneath(root, "..", os.O_RDONLY | os.O_DIRECTORY))
    except OSError as error:
        return error.errno == errno.EXDEV
    return False
