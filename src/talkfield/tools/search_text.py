"""Searches the text of the project's files.

The searching itself is done by a program of its own, ripgrep where there is one, else this Python with
`search_worker.py`: so an expression that takes for ever is ended with the program. It is handed files that are open
already, never names: what it reads is what the confinement opened.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talkfield.core.path_pattern import PathPattern
from talkfield.errors import ToolError
from talkfield.runtime.ports import RuleSubject, Tool, ToolContext
from talkfield.tools.confinement import ProjectRoot, listed
from talkfield.tools.process_group import start_program
from talkfield.tools.project_walk import Walk
from talkfield.tools.sensitivity import reading_of
from talkfield.tools.thread import Cancellation, in_thread

MAX_FOUND = 200
MAX_FROM_ONE_FILE = 50
MAX_LINE_CHARS = 300
MAX_FILE_BYTES = 8 * 1024 * 1024
FILES_AT_ONCE = 200
MAX_OUTPUT_BYTES = 1024 * 1024
MAX_SECONDS = 20.0
ROOM_FOR_WORDS = 600

Searcher = tuple[str, ...]
"""The program with its flags; the pattern and the files follow."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is looked for. `regex`: a regular expression, else the text itself."""

    pattern: str
    regex: bool
    any_case: bool


@dataclass
class Hits:
    """What was found so far, as lines for the model."""

    max_bytes: int
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    size: int = 0
    files: int = 0

    @property
    def full(self) -> bool:
        return len(self.lines) >= MAX_FOUND or self.size >= self.max_bytes

    def add(self, path: str, line: str, text: str) -> None:
        if self.full:
            return
        shown = text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + "…"
        said = f"{listed(path)}:{line}: {shown.strip()}"
        self.size += len(said.encode("utf-8", "replace")) + 1
        self.lines.append(said)

    def note(self, words: str) -> None:
        if words not in self.notes:
            self.notes.append(words)


async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    query = Query(
        pattern=arguments["pattern"],
        regex=arguments.get("regex", False),
        any_case=arguments.get("any_case", False),
    )
    if not query.pattern or "\n" in query.pattern or "\0" in query.pattern:
        raise ToolError("the pattern is one line of text")
    try:
        name = PathPattern(arguments["files"], anywhere=True) if arguments.get("files") else None
    except ValueError as error:
        raise ToolError(str(error)) from None
    hits = Hits(context.max_result_bytes - ROOM_FOR_WORDS)
    top: str = arguments.get("path", ".")
    searcher = await asyncio.to_thread(find_searcher)
    try:
        async with asyncio.timeout(MAX_SECONDS):
            await search(context, top, name, query, searcher, hits)
    except TimeoutError:
        hits.note(f"not everything was searched: {MAX_SECONDS:.0f} s were over")
    return told(hits)


def find_searcher() -> Searcher:
    ripgrep = shutil.which("rg")
    if ripgrep is None:
        return (sys.executable, "-IS", str(Path(__file__).with_name("search_worker.py")), str(MAX_FROM_ONE_FILE))
    flags = ("--no-config", "--no-messages", "--color=never", "--no-heading", "--with-filename", "--line-number")
    limits = (f"--max-count={MAX_FROM_ONE_FILE}", f"--max-columns={MAX_LINE_CHARS * 4}", "--max-columns-preview")
    return (ripgrep, *flags, "--null", "--sort=none", "--no-mmap", *limits)


async def search(
    context: ToolContext, top: str, name: PathPattern | None, query: Query, searcher: Searcher, hits: Hits
) -> None:
    batches: Batches | None = None
    try:
        batches = await in_thread(lambda cancellation: Batches(context, top, name, cancellation), Batches.close)
        while not hits.full:
            files = await in_thread(batches.next, close_all)
            if not files:
                break
            try:
                await search_batch(files, query, searcher, hits)
            finally:
                close_all(files)
        if hits.full:
            hits.note("there is more; narrow the pattern or the folder")
    finally:
        if batches is not None:
            hits.files = batches.opened
            for words in batches.notes():
                hits.note(words)
            batches.close()


Files = list[tuple[int, str]]
"""Open files: a descriptor and a path each."""


def close_all(files: Files) -> None:
    for descriptor, _path in files:
        os.close(descriptor)


class Batches:
    """Open files of the project, some at a time. Closed while a thread still opens more, it is closed by that thread:
    a descriptor that is in use must never be another's.
    """

    def __init__(self, context: ToolContext, top: str, name: PathPattern | None, cancellation: Cancellation) -> None:
        self.root = ProjectRoot(context)
        self.walk = Walk(self.root, cancellation)
        self.opened = self.secrets = self.large = 0
        self.busy = threading.Lock()
        self.abandoned = self.closed = False
        self.paths = self._paths(top, name)

    def _paths(self, top: str, name: PathPattern | None) -> Iterator[str]:
        try:
            with self.root.folder(top) as opened:
                real = opened.path
        except ToolError:
            with self.root.file(top) as opened:  # one file by its name: asked about like reading it, if it is a secret
                yield opened.path
            return
        above = "" if real == "." else f"{real}/"
        for path in self.walk.files(top):
            if name is None or name.matches(path.removeprefix(above)):
                yield path

    def next(self, cancellation: Cancellation) -> Files:
        """The next files with their descriptors; none when there are no more."""
        try:
            with self.busy:
                return self._next(cancellation)
        finally:
            if self.abandoned:
                self.close()

    def _next(self, cancellation: Cancellation) -> Files:
        self.walk.cancellation = cancellation
        files: Files = []
        try:
            for path in self.paths:
                cancellation.check()
                if reading_of(path) is not None:
                    self.secrets += 1
                    continue
                with contextlib.suppress(ToolError), self.root.file(path) as opened:
                    if opened.status.st_size > MAX_FILE_BYTES:
                        self.large += 1
                        continue
                    files.append((os.dup(opened.descriptor), path))
                if len(files) >= FILES_AT_ONCE:
                    break
        except BaseException:
            close_all(files)
            raise
        self.opened += len(files)
        return files

    def notes(self) -> list[str]:
        notes = list(self.walk.notes)
        if self.secrets:
            notes.append(f"{self.secrets} files that usually hold secrets were not searched")
        if self.large:
            notes.append(f"{self.large} files over {MAX_FILE_BYTES // 1024 // 1024} MiB were not searched")
        return notes

    def close(self) -> None:
        self.abandoned = True
        if not self.busy.acquire(blocking=False):
            return
        try:
            if not self.closed:
                self.closed = True
                self.root.__exit__()
        finally:
            self.busy.release()


async def search_batch(files: Files, query: Query, searcher: Searcher, hits: Hits) -> None:
    """Let the program search open files, and take in what it says. It ends with this, however this ends."""
    options = [*(("-i",) if query.any_case else ()), *(() if query.regex else ("-F",))]
    names = {f"/dev/fd/{descriptor}": path for descriptor, path in files}
    said = {1: bytearray(), 2: bytearray()}
    full = asyncio.Event()

    def take(stream: int, data: bytes) -> None:
        said[stream] += data
        if len(said[stream]) > MAX_OUTPUT_BYTES:
            full.set()

    program = await start_program(
        [*searcher, *options, "-e", query.pattern, "--", *names],
        take,
        separate_errors=True,
        pass_fds=[descriptor for descriptor, _path in files],
    )
    filled = asyncio.create_task(full.wait())
    try:
        await asyncio.wait({program.exited, filled}, return_when=asyncio.FIRST_COMPLETED)
        if not filled.done():
            await program.silent
    finally:
        filled.cancel()
        await program.end(ask_first=False)
    if program.status == 2 and not said[1]:
        raise ToolError(f"the pattern cannot be used: {said[2][:500].decode('utf-8', 'replace').strip()}")
    for line in said[1].decode("utf-8", "replace").split("\n"):
        name, found, rest = line.partition("\0")
        if found and name in names:
            number, _, text = rest.partition(":")
            hits.add(names[name], number, text)


def told(hits: Hits) -> str:
    words = f"{len(hits.lines)} lines" if hits.lines else "no line fits"
    head = "; ".join([f"{words} in {hits.files} files searched", *hits.notes])
    return "\n".join([head + (":" if hits.lines else ""), *hits.lines])


TOOL = Tool(
    name="search_text",
    description=(
        "Search the text of the project's files; each line that fits comes with its path and number. What .gitignore "
        "leaves out, binary files and files that hold secrets are left out."
    ),
    schema={
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "The text to find, within one line"},
            "regex": {"type": "boolean", "description": "The pattern is a regular expression"},
            "any_case": {"type": "boolean", "description": "Upper and lower case are the same"},
            "path": {"type": "string", "description": "The folder or file to search; the whole project without it"},
            "files": {"type": "string", "description": "Only files that fit this pattern, such as *.py or src/**"},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
    run=run,
    needs_approval=False,
    subject=RuleSubject(kind="path", argument="path"),
)
