"""Reads the file of a file node, confined as tools are (T9, L1).

Nobody sees a card for it, and what it holds can go to any provider through a link: secrets are not read at all.
"""

from __future__ import annotations

import os
from itertools import islice

from talkfield.core.file_state import MAX_FILE_BYTES, FileContent
from talkfield.errors import ToolError
from talkfield.runtime.ports import ToolContext
from talkfield.tools.confinement import Opened, ProjectRoot, quoted
from talkfield.tools.file_content import description_of, encoding_of
from talkfield.tools.project_walk import Walk
from talkfield.tools.sensitivity import reading_of
from talkfield.tools.thread import Cancellation, in_thread

SEARCH_S = 2.0
"""So long files are looked for while somebody types."""


async def read_node_file(path: str, context: ToolContext, known: str) -> FileContent | None:
    """The whole text; None where it is the file that `known` is the signature of. Raises `ToolError`."""
    hidden = reading_of(path)
    if hidden is not None:
        raise ToolError(f"{quoted(path)}: a file {hidden} is not shown here, and no link carries it")

    def work(_cancellation: Cancellation) -> FileContent | None:
        with ProjectRoot(context) as root, root.file(path) as opened:
            return content_of(opened, path, known)

    return await in_thread(work)


async def find_node_files(like: str, context: ToolContext, limit: int) -> tuple[str, ...]:
    """Paths that hold `like`, case aside, without what `.gitignore` leaves out and without secrets; the first ones.

    Raises `ToolError` where there is no folder to look in.
    """
    wanted = like.casefold()

    def work(cancellation: Cancellation) -> tuple[str, ...]:
        with ProjectRoot(context) as root:
            files = Walk(root, cancellation, deadline_s=SEARCH_S).files(".")
            fitting = (path for path in files if wanted in path.casefold() and path.isprintable())
            return tuple(islice((path for path in fitting if reading_of(path) is None), limit))

    return await in_thread(work)


def content_of(opened: Opened, path: str, known: str) -> FileContent | None:
    status = opened.status
    signature = f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"
    if signature == known:
        return None
    if status.st_size > MAX_FILE_BYTES:
        raise ToolError(f"{quoted(path)} has {status.st_size:,} bytes; at most {MAX_FILE_BYTES:,} are shown and linked")
    data = os.pread(opened.descriptor, MAX_FILE_BYTES + 1, 0)
    encoding = encoding_of(data)
    if encoding is None:
        raise ToolError(f"{quoted(path)}: {description_of(data, status.st_size)}")
    name, mark_bytes = encoding
    return FileContent(
        text=data[mark_bytes:].decode(name, "replace"),
        size_bytes=status.st_size,
        modified_at=status.st_mtime_ns // 1_000_000,
        signature=signature,
    )
