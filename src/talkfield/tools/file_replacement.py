"""Puts new bytes where a file of the project is, whole or not at all.

The bytes go into a new file beside the old one, which then takes its name: who reads meanwhile sees the one or the
other. A link is never written through, and another name of the same file (a hard link) keeps the old bytes. What the
file held is compared right before, so that a change by someone else is not lost without a word.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from talkfield.errors import ToolError
from talkfield.tools.confinement import (
    READ_FILE,
    READ_FOLDER,
    NotThere,
    ProjectRoot,
    parts_of,
    quoted,
    refusal,
)
from talkfield.tools.sensitivity import writing_of
from talkfield.tools.thread import Cancellation

MAX_BYTES = 8 * 1024 * 1024
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
NEW_FOLDER = READ_FOLDER | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True)
class Place:
    """Where a file is or would be. `data` None: there is none yet. `path` is without links."""

    parent: int
    name: str
    path: str
    data: bytes | None
    mode: int


def basis_of(data: bytes | None) -> str:
    """What a file held, in a word: two files with the same word held the same."""
    return "none" if data is None else hashlib.sha256(data).hexdigest()


@contextlib.contextmanager
def place_of(root: ProjectRoot, path: str, *, make_folders: bool = False) -> Iterator[Place]:
    """The place that a path names. Raises `ToolError` where nothing may be written.

    Where a folder is missing: `NotThere`, or with `make_folders` it is made.
    """
    names = parts_of(path)
    if not names:
        raise ToolError("name a file, not the project's folder")
    parent, folder = open_parent(root, path, names[:-1], make_folders)
    try:
        real = f"{folder}/{names[-1]}" if folder != "." else names[-1]
        refuse_hidden_concern(root, path, names, real)
        root.refuse_beyond_rules(path, real)
        data, mode = current(parent, names[-1], path)
        yield Place(parent, names[-1], real, data, mode)
    finally:
        os.close(parent)


def open_parent(root: ProjectRoot, path: str, names: tuple[str, ...], make_folders: bool) -> tuple[int, str]:
    """The folder that a file is in, as a descriptor to close and its path without links."""
    missing: list[str] = []
    while True:
        try:
            with root.folder("/".join(names)) as opened:
                descriptor, real = os.dup(opened.descriptor), opened.path
            break
        except NotThere:
            if not make_folders or not names:
                raise NotThere(f"{quoted(path)}: there is no such folder in the project") from None
            missing.insert(0, names[-1])
            names = names[:-1]
    for name in missing:
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=descriptor)
            inner = os.open(name, NEW_FOLDER, dir_fd=descriptor)
        except OSError as error:
            raise refusal(path, error) from None
        finally:
            os.close(descriptor)
        descriptor, real = inner, f"{real}/{name}" if real != "." else name
    return descriptor, real


def refuse_hidden_concern(root: ProjectRoot, path: str, names: tuple[str, ...], real: str) -> None:
    """A path whose links lead to something more sensitive than it looks: its card would say too little."""
    if root.is_closed(real):
        raise ToolError(f"{quoted(path)}: this is Talkfield's own data; no tool may touch it")
    concern = writing_of(real)
    if concern is None:
        return
    if concern.refused:
        raise ToolError(concern.why)
    if writing_of("/".join(names)) is None:
        raise ToolError(f"{quoted(path)}: it leads to {quoted(real)}; name that file itself")


def current(parent: int, name: str, path: str) -> tuple[bytes | None, int]:
    """What the file holds and its mode. Raises `ToolError` for what is no ordinary file, or too large to replace."""
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None, 0o666
    except OSError as error:
        raise refusal(path, error) from None
    if stat.S_ISLNK(status.st_mode):
        raise ToolError(f"{quoted(path)}: it is a link; name the file that it leads to")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{quoted(path)}: it is {'a folder' if stat.S_ISDIR(status.st_mode) else 'no ordinary file'}")
    if status.st_size > MAX_BYTES:
        raise ToolError(f"{quoted(path)}: it has {status.st_size:,} bytes; this changes files up to {MAX_BYTES:,}")
    try:
        descriptor = os.open(name, READ_FILE | getattr(os, "O_NOFOLLOW", 0), dir_fd=parent)
    except OSError as error:
        raise refusal(path, error) from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ToolError(f"{quoted(path)}: it is no ordinary file")
        return file.read(MAX_BYTES + 1), stat.S_IMODE(status.st_mode)


def replace(place: Place, data: bytes, cancellation: Cancellation) -> None:
    """Put `data` there, if the file still holds what it held. Raises `ToolError`; then nothing has changed."""
    if len(data) > MAX_BYTES:
        raise ToolError(f"{quoted(place.path)}: {len(data):,} bytes are too many; the most is {MAX_BYTES:,}")
    temporary = f".{secrets.token_hex(8)}.talkfield-new"
    try:
        descriptor = os.open(temporary, NEW_FILE, 0o600 if place.data is not None else 0o666, dir_fd=place.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                if place.data is not None:
                    os.fchmod(descriptor, place.mode)
                os.fsync(descriptor)
            cancellation.check()
            if current(place.parent, place.name, place.path)[0] != place.data:
                raise ToolError(f"{quoted(place.path)}: someone else changed it just now; read it again")
            _take_name(temporary, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=place.parent)
            raise
        with contextlib.suppress(OSError):  # some file systems cannot; the file itself is on the disk
            os.fsync(place.parent)
    except OSError as error:
        raise refusal(place.path, error) from None


def _take_name(temporary: str, place: Place) -> None:
    if place.data is None:
        try:
            os.link(temporary, place.name, src_dir_fd=place.parent, dst_dir_fd=place.parent, follow_symlinks=False)
        except FileExistsError:
            raise ToolError(f"{quoted(place.path)}: someone else made it just now; read it first") from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
                raise
        else:
            os.unlink(temporary, dir_fd=place.parent)
            return
    os.rename(temporary, place.name, src_dir_fd=place.parent, dst_dir_fd=place.parent)
