"""Reads lines of a text file."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talkfield.core.concern import Concern
from talkfield.errors import ToolError
from talkfield.runtime.ports import RuleSubject, Tool, ToolContext
from talkfield.tools.confinement import Opened, ProjectRoot, quoted
from talkfield.tools.file_content import HEAD_BYTES, description_of, encoding_of
from talkfield.tools.sensitivity import reading_of
from talkfield.tools.thread import Cancellation, in_thread

BLOCK_BYTES = 64 * 1024
MAX_SCAN_BYTES = 256 * 1024 * 1024
"""How far into a file a line is looked for."""

ROOM_FOR_WORDS = 500


@dataclass
class Lines:
    """What was read: text, the lines it has, and why it ends where it does."""

    text: str
    first: int
    last: int
    ends_file: bool
    cut_line: bool = False
    out_of_reach: bool = False
    replaced: bool = False


async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    path: str = arguments["path"]
    first: int = arguments.get("start_line", 1)
    count: int | None = arguments.get("line_count")

    def work(cancellation: Cancellation) -> str:
        with ProjectRoot(context) as root, root.file(path) as opened:
            return read(opened, path, first, count, context.max_result_bytes - ROOM_FOR_WORDS, cancellation)

    return await in_thread(work)


def read(opened: Opened, path: str, first: int, count: int | None, max_bytes: int, cancellation: Cancellation) -> str:
    head = os.pread(opened.descriptor, HEAD_BYTES, 0)
    encoding = encoding_of(head)
    if encoding is None:
        return f"{quoted(path)}: {description_of(head, opened.status.st_size)}"
    lines = lines_of(opened.descriptor, encoding, first, count, max_bytes, cancellation)
    return f"{heading(lines, path, first, opened.status.st_size)}\n{lines.text}"


def lines_of(
    descriptor: int,
    encoding: tuple[str, int],
    first: int,
    count: int | None,
    max_bytes: int,
    cancellation: Cancellation,
) -> Lines:
    """The lines from `first` on, as many as `count` and `max_bytes` allow; a line that alone is too long is cut."""
    name, mark_bytes = encoding
    decoder = codecs.getincrementaldecoder(name)("replace")
    os.lseek(descriptor, mark_bytes, os.SEEK_SET)
    kept: list[str] = []
    kept_bytes, line, scanned, rest = 0, 1, 0, ""
    last = first - 1
    while True:
        cancellation.check()
        block = os.read(descriptor, BLOCK_BYTES)
        scanned += len(block)
        if scanned > MAX_SCAN_BYTES:
            return Lines("".join(kept), first, last, ends_file=False, out_of_reach=True)
        rest += decoder.decode(block, final=not block)
        at = 0
        while (end := rest.find("\n", at)) >= 0 or (not block and at < len(rest)):
            end = len(rest) if end < 0 else end + 1
            if line >= first:
                if count is not None and line >= first + count:
                    return done(kept, first, last, ends_file=False)
                size = len(rest[at:end].encode("utf-8", "replace"))
                if kept_bytes + size > max_bytes:
                    return stopped(kept, rest[at:end], first, last, max_bytes)
                kept.append(rest[at:end])
                kept_bytes += size
                last = line
            at = end
            line += 1
        rest = rest[at:]
        if line < first:
            rest = ""  # of a line that is not wanted nothing is kept, however long it is
        elif len(rest) > max_bytes:
            return stopped(kept, rest, first, last, max_bytes)
        if not block:
            return done(kept, first, last, ends_file=True)


def done(kept: list[str], first: int, last: int, *, ends_file: bool) -> Lines:
    text = "".join(kept)
    return Lines(text, first, last, ends_file, replaced="\ufffd" in text)


def stopped(kept: list[str], line: str, first: int, last: int, max_bytes: int) -> Lines:
    """There is no room for the next line; alone it is cut, else it is left for the next call."""
    if kept:
        return done(kept, first, last, ends_file=False)
    text = line.encode("utf-8", "replace")[:max_bytes].decode("utf-8", "ignore")
    return Lines(text, first, first, ends_file=False, cut_line=True, replaced="\ufffd" in text)


def heading(lines: Lines, path: str, first: int, size_bytes: int) -> str:
    """One line that says what follows, and how to go on."""
    name = quoted(path)
    if lines.out_of_reach and not lines.text:
        raise ToolError(
            f"{name}: line {first} is further in than {MAX_SCAN_BYTES:,} bytes, which is as far as this reads"
        )
    if lines.last < first:
        if first == 1:
            return f"{name} is empty."
        raise ToolError(f"{name}: there is no line {first}")
    parts = [f"{name}, lines {first} to {lines.last}, {size_bytes:,} bytes in all"]
    if lines.cut_line:
        parts.append(f"line {first} is too long and cut")
    elif lines.ends_file:
        parts.append("which is the end")
    else:
        parts.append(f"go on with start_line {lines.last + 1}")
    if lines.replaced:
        parts.append("characters that could not be read are shown as \ufffd")
    return "; ".join(parts) + ":"


def concern(arguments: Mapping[str, Any]) -> Concern | None:
    """Secrets are read only when a person said so, each time."""
    why = reading_of(str(arguments.get("path", "")))
    if why is None:
        return None
    return Concern(why=f"This reads a file {why}, and sends it to the chat's provider.")


TOOL = Tool(
    name="read_file",
    description=(
        "Read a text file of the project. Long files come in pieces: the first line of the result says which lines "
        "follow and where to go on. Paths are relative to the project's folder."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, such as src/main.py"},
            "start_line": {"type": "integer", "minimum": 1, "description": "First line to read; 1 without it"},
            "line_count": {"type": "integer", "minimum": 1, "description": "How many lines; as many as fit without it"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    run=run,
    needs_approval=False,
    concern=concern,
    subject=RuleSubject(kind="path", argument="path"),
)
