"""A file is replaced whole or not at all, also when the machine dies in between.

Every file that is not the database is written by this one function: a temporary file in the same folder, its bytes on
the disk, then a rename over the old file, then the rename itself on the disk. Whatever fails, the old file is as it
was; only when the very last step fails may the new one be in its place, and the caller is told that it may not last.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from talkfield.errors import SaveFailed

PRIVATE = 0o600
"""Mode of a file that only its owner may read."""

WHAT_TO_DO = {
    errno.ENOSPC: "The disk is full: free some space.",
    errno.EDQUOT: "The disk quota is used up: free some space.",
    errno.EFBIG: "The file has reached the size this machine allows.",
    errno.EROFS: "The disk is read-only: make it writable.",
    errno.EACCES: "Talkfield may not write there: change the permissions of the file or its folder.",
    errno.EPERM: "Talkfield may not write there: change the permissions of the file or its folder.",
    errno.ENOENT: "The folder is gone: bring it back.",
    errno.ENOTDIR: "The folder is gone: bring it back.",
    errno.EIO: "The disk reports an error: check it, and copy your data elsewhere.",
}


def advice(error: OSError) -> str:
    """What a person can do about it."""
    return WHAT_TO_DO.get(error.errno or 0, "Check the disk and the permissions of the folder.")


def reason(error: OSError) -> str:
    """What the system said, without the path: callers name it once themselves."""
    return (error.strerror or str(error)).lower()


def write_atomically(path: Path, data: bytes, *, mode: int | None = PRIVATE) -> None:
    """Replace the file at `path` by one with the bytes `data`. Raises `SaveFailed`.

    The folder must exist. `mode` holds from the first byte; None keeps the mode of the file that is there, or gives a
    new one what the umask allows. A link is followed: what it points to is replaced, not the link.
    """
    try:
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
        try:
            write_synced(temporary, data, PRIVATE if mode is None else mode)
            if mode is None:
                temporary.chmod(usual_mode(target))
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(target.parent)
    except OSError as error:
        raise SaveFailed(f"{path} could not be written: {reason(error)}.", hint=advice(error)) from error


def write_synced(path: Path, data: bytes, mode: int) -> None:
    """A new file with these bytes, on the disk. Raises `OSError`, also when the file exists."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_file(path: Path) -> None:
    """Make what was written to the file at `path`, by whomever, last. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make a rename or a new file in `folder` last. Windows and some network disks know no such thing."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def usual_mode(path: Path) -> int:
    """The mode of the file at `path`, or the one that programs give to a new file."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask
