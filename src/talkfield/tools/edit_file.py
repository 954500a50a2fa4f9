"""Replaces a piece of a text file by another, where it is exactly the piece that was named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.core.card import Preview
from talkfield.core.concern import Concern
from talkfield.core.diff import unified_diff
from talkfield.errors import ToolError
from talkfield.runtime.ports import RuleSubject, Tool, ToolContext
from talkfield.tools.confinement import ProjectRoot, quoted
from talkfield.tools.file_content import encoding_of
from talkfield.tools.file_replacement import Place, basis_of, place_of, replace
from talkfield.tools.sensitivity import writing_of
from talkfield.tools.thread import Cancellation, in_thread


async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    def work(cancellation: Cancellation) -> str:
        with (
            ProjectRoot(context) as root,
            place_of(root, arguments["path"]) as place,
        ):
            if context.basis and context.basis != basis_of(place.data):
                raise ToolError(f"{quoted(place.path)} changed after its card was shown; nothing was written")
            _, after, count = edited(place, arguments)
            replace(place, after.encode(), cancellation)
            return f"replaced {count} {'place' if count == 1 else 'places'} in {quoted(place.path)}"

    return await in_thread(work)


async def preview(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    def work(_cancellation: Cancellation) -> Preview:
        with (
            ProjectRoot(context) as root,
            place_of(root, arguments["path"]) as place,
        ):
            before, after, count = edited(place, arguments)
            diff = unified_diff(before, after)
            return Preview(
                diff=diff.text,
                added=diff.added,
                removed=diff.removed,
                cut=diff.cut,
                note=f"{count} places" if count > 1 else "",
                arguments=("old_text", "new_text"),
                basis=basis_of(place.data),
            )

    return await in_thread(work)


def edited(place: Place, arguments: Mapping[str, Any]) -> tuple[str, str, int]:
    """The text before and after, and in how many places it changes. Raises `ToolError` where that is not clear."""
    path, old, new = quoted(place.path), str(arguments["old_text"]), str(arguments["new_text"])
    if place.data is None:
        raise ToolError(f"{path}: there is no such file; write_file makes one")
    if encoding_of(place.data[:8192]) is None:
        raise ToolError(f"{path}: it is no text file")
    try:
        text = place.data.decode()
        new.encode()
    except UnicodeError as error:
        raise ToolError(f"{path}: it is no text in UTF-8, or the new text holds half a character ({error})") from None
    if not old:
        raise ToolError("old_text is empty: name the text to replace")
    if old == new:
        raise ToolError("old_text and new_text are the same: nothing would change")
    if old not in text and "\r\n" in text and "\r" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    count = text.count(old)
    if count == 0:
        raise ToolError(f"{path}: old_text is not in it. It must be exactly what the file holds, spaces included")
    if count > 1 and not arguments.get("replace_all", False):
        raise ToolError(f"{path}: old_text is in it {count} times. Give more of the lines around it, or replace_all")
    return text, text.replace(old, new), count


def concern(arguments: Mapping[str, Any]) -> Concern | None:
    return writing_of(str(arguments.get("path", "")))


TOOL = Tool(
    name="edit_file",
    description=(
        "Replace text in a file of the project. old_text must be exactly what the file holds, and be in it once, "
        "unless replace_all is true."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, such as src/main.py"},
            "old_text": {"type": "string", "description": "The text to replace, with enough around it to be unique"},
            "new_text": {"type": "string", "description": "The text to put there"},
            "replace_all": {"type": "boolean", "description": "Replace every place"},
        },
        "required": ["path", "old_text", "new_text"],
        "additionalProperties": False,
    },
    run=run,
    preview=preview,
    concern=concern,
    subject=RuleSubject(kind="path", argument="path"),
)
