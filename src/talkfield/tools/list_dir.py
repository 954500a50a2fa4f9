"""Lists what is in a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any

from talkfield.runtime.ports import RuleSubject, Tool, ToolContext
from talkfield.tools.confinement import ProjectRoot, listed, quoted
from talkfield.tools.thread import Cancellation, in_thread

MAX_SHOWN = 500
MAX_SEEN = 100_000
LOOK_EVERY = 1000


async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    path: str = arguments.get("path", ".")

    def work(cancellation: Cancellation) -> str:
        with ProjectRoot(context) as root, root.folder(path) as opened:
            root.refuse_beyond_rules(path, opened.path)
            return listing(root, opened.descriptor, opened.path, path, cancellation)

    return await in_thread(work)


def listing(root: ProjectRoot, descriptor: int, real: str, path: str, cancellation: Cancellation) -> str:
    names: list[str] = []
    more = False
    with os.scandir(descriptor) as entries:
        for count, entry in enumerate(entries):
            if count % LOOK_EVERY == 0:
                cancellation.check()
            if count >= MAX_SEEN:
                more = True
                break
            names.append(entry.name)
    shown = sorted(names)[:MAX_SHOWN]
    lines = [line_of(descriptor, name) for name in shown if not root.is_closed(f"{real}/{name}")]
    lines.sort(key=lambda line: not line.endswith("/"))
    what = f"{quoted(path) or '.'}: {len(lines)} entries"
    if more:
        what += f" of more than {MAX_SEEN:,} (the rest was not looked at)"
    elif len(names) > len(shown):
        what += f" of {len(names):,} (use find_files for the others)"
    return "\n".join([what, *lines]) if lines else f"{quoted(path)}: empty"


def line_of(descriptor: int, name: str) -> str:
    """`folder/`, `link -> target`, or `file (12 bytes)`."""
    shown = listed(name)
    try:
        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            return f"{shown}/"
        if stat.S_ISLNK(status.st_mode):
            return f"{shown} -> {listed(os.readlink(name, dir_fd=descriptor))}"
    except OSError:
        return f"{shown} (gone or not readable)"
    return f"{shown} ({status.st_size:,} bytes)" if stat.S_ISREG(status.st_mode) else f"{shown} (no ordinary file)"


TOOL = Tool(
    name="list_dir",
    description="List the files and folders in a folder of the project. Folders end with a slash.",
    schema={
        "type": "object",
        "properties": {"path": {"type": "string", "description": "The folder; the project's own without it"}},
        "additionalProperties": False,
    },
    run=run,
    needs_approval=False,
    subject=RuleSubject(kind="path", argument="path"),
)
