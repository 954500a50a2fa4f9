"""Walks the files of a project as a developer sees them: without what `.gitignore` leaves out, and bounded.

No link is followed, so nothing is seen twice and nothing outside is. What is beyond the limits is counted in `notes`,
never left out in silence.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pathspec

from talkfield.errors import ToolError
from talkfield.tools.confinement import ProjectRoot
from talkfield.tools.thread import Cancellation

MAX_SEEN = 200_000
MAX_DEPTH = 100
MAX_SECONDS = 15.0
MAX_IGNORE_BYTES = 256 * 1024
MAX_STARS = 3
"""Stars in one name of an ignore pattern: with more, a hostile one could keep the matcher busy for hours."""

NEVER_WALKED = frozenset({".git", ".hg", ".svn", ".jj"})


@dataclass
class Walk:
    """One walk. `notes` says what was left out, once it is over."""

    root: ProjectRoot
    cancellation: Cancellation
    deadline_s: float = MAX_SECONDS
    notes: list[str] = field(default_factory=list)
    seen: int = 0

    def files(self, top: str) -> Iterator[str]:
        """Paths of regular files below a folder, sorted within each folder, folders after files."""
        ends_at = time.monotonic() + self.deadline_s
        with self.root.folder(top) as opened:
            real = "" if opened.path == "." else opened.path
        ignored = [self._rules_of(folder) for folder in ancestors_of(real)]
        pending: list[tuple[str, list[Ignore]]] = [(real, [each for each in ignored if each is not None])]
        while pending:
            folder, ignores = pending.pop()
            self.cancellation.check()
            if time.monotonic() > ends_at:
                self.notes.append(f"not everything was looked at: {self.deadline_s:.0f} s were over")
                return
            if self.seen > MAX_SEEN:
                self.notes.append(f"not everything was looked at: there are more than {MAX_SEEN:,} entries")
                return
            own = self._rules_of(folder)
            rules = [*ignores, own] if own is not None else ignores
            folders, files = self._entries(folder)
            yield from (path for path in files if not is_ignored(path, rules, folder=False))
            inner = [path for path in folders if not is_ignored(path, rules, folder=True)]
            pending += [(path, rules) for path in reversed(inner)]

    def _entries(self, folder: str) -> tuple[list[str], list[str]]:
        """Folders and regular files in a folder, sorted."""
        folders: list[str] = []
        files: list[str] = []
        if folder.count("/") >= MAX_DEPTH:
            self._note(f"folders more than {MAX_DEPTH} deep were left out")
            return folders, files
        try:
            with self.root.folder(folder or ".") as opened, os.scandir(opened.descriptor) as entries:
                for entry in entries:
                    self.seen += 1
                    if self.seen > MAX_SEEN:
                        break
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.name in NEVER_WALKED or self.root.is_closed(path) or self.root.is_denied(path):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)
                    elif entry.is_file(follow_symlinks=False):
                        files.append(path)
        except (OSError, ToolError):
            self._note("folders that could not be read were left out")
        return sorted(folders), sorted(files)

    def _rules_of(self, folder: str) -> Ignore | None:
        """What a folder's `.gitignore` says."""
        try:
            with self.root.file(f"{folder}/.gitignore" if folder else ".gitignore") as opened:
                text = os.pread(opened.descriptor, MAX_IGNORE_BYTES, 0).decode("utf-8", "replace")
        except ToolError:
            return None
        lines = [line for line in text.splitlines() if max(map(lone_stars, line.split("/")), default=0) <= MAX_STARS]
        spec = spec_of(lines)
        if spec is None:
            self._note(f"not all of {folder or '.'}/.gitignore could be understood")
            spec = spec_of([line for line in lines if spec_of([line]) is not None])
        return Ignore(folder, spec) if spec is not None else None

    def _note(self, words: str) -> None:
        if words not in self.notes:
            self.notes.append(words)


@dataclass(frozen=True)
class Ignore:
    """The rules of one folder's `.gitignore`."""

    folder: str
    spec: pathspec.GitIgnoreSpec

    def says(self, path: str) -> bool | None:
        """True: left out; False: taken back in; None: nothing. `path` of a folder ends with a slash."""
        below = path[len(self.folder) + 1 :] if self.folder else path
        return self.spec.check_file(below).include


def spec_of(lines: list[str]) -> pathspec.GitIgnoreSpec | None:
    """The rules of some lines; None where one of them makes no sense, or no expression can be made of it."""
    try:
        return pathspec.GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error, RecursionError, OverflowError, FutureWarning):
        return None


def is_ignored(path: str, rules: list[Ignore], *, folder: bool) -> bool:
    """The deepest file that says something about a path is right."""
    named = f"{path}/" if folder else path
    for ignore in reversed(rules):
        said = ignore.says(named)
        if said is not None:
            return said
    return False


def ancestors_of(folder: str) -> list[str]:
    """The folders above a folder, from the project's own down: `a/b` has `` and `a`."""
    names = folder.split("/") if folder else []
    return ["/".join(names[:count]) for count in range(len(names))]


def lone_stars(name: str) -> int:
    return 0 if name == "**" else name.count("*")
