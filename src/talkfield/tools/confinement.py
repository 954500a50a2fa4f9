"""The project's folder as the whole world of a tool (T9).

A `ProjectRoot` holds the folder by a descriptor, not by its name, and opens everything beneath it: by the kernel's own
confinement where there is one, else name by name. Links are followed as long as they stay inside. Only regular files
and folders are opened, so that no pipe, socket or device can hang or be written to. Everything here blocks: call it in
a thread (`thread.in_thread`).

What a tool may touch inside the folder is `sensitivity.py`'s to say; it is asked for the names that a file really has,
not only for those that a model gave.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from talkfield.core.folding import folded
from talkfield.core.rule import allows_path, denies_path
from talkfield.errors import ToolError
from talkfield.runtime.ports import ToolContext
from talkfield.tools.kernel_open import BeneathOpen, kernel_open
from talkfield.tools.sensitivity import reading_of
from talkfield.tools.stepwise_open import stepwise_open

MAX_PATH_BYTES = 4000
MAX_NAME_BYTES = 255

READ_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
READ_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)

WORDS: dict[int, str] = {
    errno.ENOENT: "there is no such file or folder in the project",
    errno.ENOTDIR: "a part of it that would have to be a folder is none",
    errno.EXDEV: "it leads out of the project's folder",
    errno.ELOOP: "its links lead nowhere",
    errno.EACCES: "the system does not allow it",
    errno.EPERM: "the system does not allow it",
    errno.ENAMETOOLONG: "the path is too long",
    errno.EISDIR: "it is a folder",
    errno.ENXIO: "it is no ordinary file",
    errno.ENODEV: "it is no ordinary file",
}


@dataclass(frozen=True)
class Opened:
    """Something open: its descriptor, its path in the project without links, and what it is."""

    descriptor: int
    path: str
    status: os.stat_result


def parts_of(path: object) -> tuple[str, ...]:
    """The names of a path that a model gave, relative to the project's folder; none for the folder itself.

    Raises `ToolError` for a path that is absolute, holds `..` or NUL, is too long, or cannot be a file's name.
    """
    if not isinstance(path, str):
        raise ToolError("a path is text")
    if "\0" in path:
        raise ToolError("a path cannot hold a NUL character")
    if path.startswith(("/", "~/")) or path == "~":
        raise ToolError(f"{quoted(path)}: give the path relative to the project's folder, such as src/main.py")
    try:
        encoded = [os.fsencode(name) for name in path.split("/")]
        path.encode()
    except UnicodeEncodeError:
        raise ToolError(f"{quoted(path)}: this cannot be the name of a file") from None
    if len(os.fsencode(path)) > MAX_PATH_BYTES or max(map(len, encoded)) > MAX_NAME_BYTES:
        raise ToolError(f"{quoted(path)}: the path is too long")
    names = tuple(name for name in path.split("/") if name not in ("", "."))
    if ".." in names:
        raise ToolError(f"{quoted(path)}: '..' is not allowed; give the path from the project's folder down")
    return names


def quoted(path: str) -> str:
    """A path as it is told in a sentence: short, and on one line."""
    return listed(path if len(path) <= 200 else path[:200] + "…")


def listed(path: str) -> str:
    """A path as it stands in a list: whole, and on one line whatever characters are in it."""
    if path.isprintable():
        return path
    return path.encode("utf-8", "replace").decode().encode("unicode_escape").decode()


class NotThere(ToolError):
    """There is no file or folder of that name."""


def refusal(path: str, error: OSError) -> ToolError:
    """What an error of the system means for whoever named the path."""
    words = WORDS.get(error.errno or 0) or (error.strerror or type(error).__name__).lower()
    kind = NotThere if error.errno == errno.ENOENT else ToolError
    return kind(f"{quoted(path) or '.'}: {words}")


class ProjectRoot:
    """An open project folder; a context manager. Raises `ToolError` for everything that is wrong.

    The context's rules about paths are kept for what paths really lead to. `kernel` is for tests; by default the
    kernel's confinement is used where there is one.
    """

    def __init__(self, context: ToolContext, *, kernel: BeneathOpen | bool | None = True) -> None:
        folder = context.folder
        if folder is None:
            raise ToolError("this chat's project has no folder")
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            raise ToolError("this system cannot confine a tool to a folder, so no tool may touch files on it")
        try:
            self.path = os.path.realpath(folder, strict=True)
            self.descriptor = os.open(self.path, READ_FOLDER)
        except OSError as error:
            raise ToolError(f"the project's folder cannot be opened: {error.strerror}") from error
        self._kernel = kernel_open() if kernel is True else kernel or None
        self._closed = tuple(_below(self.path, os.path.realpath(closed)) for closed in context.closed_folders)
        self._allowed = context.allowed_path
        self._denied = context.denied_paths

    def __enter__(self) -> ProjectRoot:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self.descriptor)

    @contextlib.contextmanager
    def file(self, path: str) -> Iterator[Opened]:
        """A regular file, open for reading. A secret that was named by another name is refused: its card said less."""
        names = parts_of(path)
        with self._open(path, names, READ_FILE) as opened:
            if stat.S_ISDIR(opened.status.st_mode):
                raise ToolError(f"{quoted(path)}: it is a folder")
            if not stat.S_ISREG(opened.status.st_mode):
                raise ToolError(f"{quoted(path)}: it is no ordinary file")
            hidden = reading_of(opened.path)
            if hidden is not None and reading_of("/".join(names)) is None:
                raise ToolError(f"{quoted(path)}: it leads to {quoted(opened.path)}, {hidden}; name that file itself")
            self.refuse_beyond_rules(path, opened.path)
            yield opened

    @contextlib.contextmanager
    def folder(self, path: str) -> Iterator[Opened]:
        """A folder, open for listing."""
        with self._open(path, parts_of(path), READ_FOLDER) as opened:
            yield opened

    def refuse_beyond_rules(self, path: str, real: str) -> None:
        """A path that leads to where a rule forbids, or to where the rule that let this run does not reach."""
        if self.is_denied(real):
            raise ToolError(f"{quoted(path)}: denied by a rule of the user")
        if self._allowed is not None and not allows_path(self._allowed, real):
            raise ToolError(f"{quoted(path)}: it leads to {quoted(real)}; name that file itself")

    def is_denied(self, real: str) -> bool:
        """Whether a rule keeps this tool from a real path."""
        return bool(self._denied) and denies_path(self._denied, real)

    def is_closed(self, path: str) -> bool:
        """Whether a real path in the project is, or lies in, a folder that no tool enters."""
        names = [folded(name) for name in path.split("/") if name not in ("", ".")]
        return any(closed is not None and names[: len(closed)] == closed for closed in self._closed)

    @contextlib.contextmanager
    def _open(self, path: str, names: Sequence[str], flags: int) -> Iterator[Opened]:
        try:
            descriptor, real = self._beneath("/".join(names) or ".", flags)
        except OSError as error:
            raise refusal(path, error) from None
        try:
            if self.is_closed(real):
                raise ToolError(f"{quoted(path)}: this is Talkfield's own data; no tool may touch it")
            yield Opened(descriptor, real, os.fstat(descriptor))
        finally:
            os.close(descriptor)

    def _beneath(self, path: str, flags: int) -> tuple[int, str]:
        if self._kernel is None:
            return stepwise_open(self.descriptor, path, flags)
        try:
            descriptor = self._kernel(self.descriptor, path, flags)
        except OSError as error:
            if error.errno == errno.EAGAIN:  # the machine renames faster than the kernel can walk
                return stepwise_open(self.descriptor, path, flags)
            raise
        try:
            real = _path_of(descriptor, self.descriptor)
            if not os.fstat(descriptor).st_nlink:
                real = real.removesuffix(" (deleted)")
        except OSError:
            os.close(descriptor)
            return stepwise_open(self.descriptor, path, flags)
        return descriptor, real


def _path_of(descriptor: int, root: int) -> str:
    """The path of an open file below an open folder, as the kernel knows both. Raises `OSError` where it does not."""
    top = os.readlink(f"/proc/self/fd/{root}")
    real = os.readlink(f"/proc/self/fd/{descriptor}")
    if real == top:
        return "."
    if not real.startswith(top.rstrip("/") + "/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), real)
    return real[len(top.rstrip("/")) + 1 :]


def _below(root: str, closed: str) -> list[str] | None:
    """The names that lead from the root to a closed folder; none where the root lies in it, None where it is apart."""
    inside, outside = closed.split("/"), root.split("/")
    if root == "/":
        outside = [""]
    folded_inside, folded_outside = [folded(name) for name in inside], [folded(name) for name in outside]
    if folded_outside[: len(inside)] == folded_inside:
        return []
    if folded_inside[: len(outside)] == folded_outside:
        return folded_inside[len(outside) :]
    return None
