"""Writes a whole file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.core.card import Preview
from talkfield.core.concern import Concern
from talkfield.core.diff import unified_diff
from talkfield.errors import ToolError
from talkfield.runtime.ports import RuleSubject, Tool, ToolContext
from talkfield.tools.confinement import NotThere, ProjectRoot, quoted
from talkfield.tools.file_replacement import basis_of, place_of, replace
from talkfield.tools.sensitivity import writing_of
from talkfield.tools.thread import Cancellation, in_thread


async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    path: str = arguments["path"]
    data = bytes_of(arguments["content"])

    def work(cancellation: Cancellation) -> str:
        with (
            ProjectRoot(context) as root,
            place_of(root, path, make_folders=True) as place,
        ):
            if context.basis and context.basis != basis_of(place.data):
                raise ToolError(f"{quoted(path)} changed after its card was shown; nothing was written. Read it again.")
            replace(place, data, cancellation)
            done = "made" if place.data is None else "replaced"
            return f"{done} {quoted(place.path)}: {len(data):,} bytes"

    return await in_thread(work)


async def preview(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    path: str = arguments["path"]
    data = bytes_of(arguments["content"])

    def work(_cancellation: Cancellation) -> Preview:
        with ProjectRoot(context) as root:
            try:
                with place_of(root, path) as place:
                    return change_of(place.data, data)
            except NotThere:
                return change_of(None, data, "makes a folder, too")

    return await in_thread(work)


def change_of(before: bytes | None, after: bytes, note: str = "") -> Preview:
    """The change of a file as its card shows it."""
    what = f"a new file of {len(after):,} bytes" if before is None else f"{len(before):,} → {len(after):,} bytes"
    if before is not None and b"\0" in before:
        return Preview(note=f"replaces a binary file: {what}", basis=basis_of(before))
    diff = unified_diff((before or b"").decode("utf-8", "backslashreplace"), after.decode())
    return Preview(
        diff=diff.text,
        added=diff.added,
        removed=diff.removed,
        cut=diff.cut,
        note="; ".join(filter(None, [what if diff.text or before is None else "no change", note])),
        arguments=("content",),
        basis=basis_of(before),
    )


def bytes_of(content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            f"the content holds half a character at position {error.start}; no file can hold that"
        ) from None


def concern(arguments: Mapping[str, Any]) -> Concern | None:
    return writing_of(str(arguments.get("path", "")))


TOOL = Tool(
    name="write_file",
    description="Write a text file of the project, new or in place of the old one; folders are made as needed.",
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, such as src/main.py"},
            "content": {"type": "string", "description": "All of the file's text"},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
    run=run,
    preview=preview,
    concern=concern,
    subject=RuleSubject(kind="path", argument="path"),
)
