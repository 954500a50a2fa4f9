"""Finds files by their paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.core.path_pattern import PathPattern
from talkfield.errors import ToolError
from talkfield.runtime.ports import RuleSubject, Tool, ToolContext
from talkfield.tools.confinement import ProjectRoot, listed
from talkfield.tools.project_walk import Walk
from talkfield.tools.thread import Cancellation, in_thread

MAX_FOUND = 500
ROOM_FOR_WORDS = 500


async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    try:
        pattern = PathPattern(arguments["pattern"], anywhere=True)
    except ValueError as error:
        raise ToolError(str(error)) from None
    top: str = arguments.get("path", ".")

    def work(cancellation: Cancellation) -> str:
        with ProjectRoot(context) as root:
            return find(Walk(root, cancellation), pattern, top, context.max_result_bytes - ROOM_FOR_WORDS)

    return await in_thread(work)


def find(walk: Walk, pattern: PathPattern, top: str, max_bytes: int) -> str:
    found: list[str] = []
    size = 0
    with walk.root.folder(top) as opened:
        above = "" if opened.path == "." else f"{opened.path}/"
    for path in walk.files(top):
        if not pattern.matches(path.removeprefix(above)):
            continue
        line = listed(path)
        size += len(line.encode()) + 1
        if len(found) >= MAX_FOUND or size > max_bytes:
            walk.notes.append(f"there are more than {len(found)}; narrow the pattern or the folder")
            break
        found.append(line)
    words = f"{len(found)} files" if found else "no file fits"
    return "\n".join(["; ".join([words, *walk.notes]) + (":" if found else ""), *found])


TOOL = Tool(
    name="find_files",
    description=(
        "Find files of the project by a pattern: *.py finds by name anywhere, src/**/*.ts by path. What .gitignore "
        "leaves out is left out."
    ),
    schema={
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "With *, ?, [abc], {a,b}, and ** for any folders"},
            "path": {"type": "string", "description": "The folder to look in; the project's own without it"},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
    run=run,
    needs_approval=False,
    subject=RuleSubject(kind="path", argument="path"),
)
