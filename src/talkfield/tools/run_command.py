"""Runs a program in the project's folder. It is not confined: whoever approves it lets it do what the person could."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Mapping
from typing import Any

from talkfield.core.card import Preview
from talkfield.core.concern import Concern
from talkfield.core.diff import shortened
from talkfield.core.visible import visible_line
from talkfield.errors import ToolError
from talkfield.runtime.ports import RuleSubject, Tool, ToolContext
from talkfield.tools.confinement import ProjectRoot
from talkfield.tools.process_group import Ended, run_program
from talkfield.tools.sensitivity import concern_of_command
from talkfield.tools.thread import Cancellation, in_thread

DEFAULT_TIMEOUT_S = 120
MAX_TIMEOUT_S = 3600
ROOM_FOR_WORDS = 400
COMMAND_HEAD_CHARS = 6000
COMMAND_TAIL_CHARS = 2000


async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    words = words_of(arguments)
    descriptor, folder = await in_thread(
        lambda _cancellation: open_folder(arguments, context), discard=lambda opened: os.close(opened[0])
    )
    try:
        ended = await run_program(
            words,
            # By its descriptor where the system can: the folder that was opened, whatever its name means by now.
            f"/proc/self/fd/{descriptor}" if sys.platform == "linux" else folder,
            timeout_s=arguments.get("timeout_s", DEFAULT_TIMEOUT_S),
            max_output_bytes=context.max_result_bytes - ROOM_FOR_WORDS,
            report=context.report,
        )
    finally:
        os.close(descriptor)
    return told(ended)


def told(ended: Ended) -> str:
    """The result for the model; a program that failed is an error result with what it said."""
    if ended.status is None:
        words = f"ended by Talkfield: {ended.why}"
    elif ended.status < 0:
        words = f"ended by {signal.Signals(-ended.status).name}"
    else:
        words = f"exit status {ended.status}"
    if ended.left_behind:
        words += "; what it had left running was ended"
    text = f"{words}\n{ended.output}" if ended.output else f"{words}, no output"
    if ended.status != 0:
        raise ToolError(text)
    return text


def words_of(arguments: Mapping[str, Any]) -> list[str]:
    words = [str(word) for word in arguments["command"]]
    if not words[0] or any("\0" in word for word in words):
        raise ToolError("the command needs a program's name, and no NUL characters")
    return words


def open_folder(arguments: Mapping[str, Any], context: ToolContext) -> tuple[int, str]:
    """The folder to run in: a descriptor to close, and its whole path."""
    with (
        ProjectRoot(context) as root,
        root.folder(arguments.get("folder", ".")) as opened,
    ):
        return os.dup(opened.descriptor), root.path if opened.path == "." else f"{root.path}/{opened.path}"


async def preview(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    """The exact command line and folder; a folder that is not there is told to the model at once."""
    words = words_of(arguments)

    def work(_cancellation: Cancellation) -> str:
        descriptor, whole = open_folder(arguments, context)
        os.close(descriptor)
        return whole

    folder = await in_thread(work)
    whole = visible_line(shlex.join(words))
    command = shortened(whole, COMMAND_HEAD_CHARS, COMMAND_TAIL_CHARS)
    return Preview(
        command=command,
        cut=command != whole,
        folder=visible_line(folder),
        arguments=("command", "folder"),
    )


def concern(arguments: Mapping[str, Any]) -> Concern | None:
    command = arguments.get("command")
    return concern_of_command([str(word) for word in command]) if isinstance(command, list) else None


TOOL = Tool(
    name="run_command",
    description=(
        "Run a program in the project's folder. The command is a list of words, not a shell line: "
        '["git", "status", "--short"]. Returns its exit status and what it printed.'
    ),
    schema={
        "type": "object",
        "properties": {
            "command": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "maxItems": 1000,
                "description": "The program and its arguments, each a word of its own",
            },
            "folder": {
                "type": "string",
                "description": "The folder of the project to run in; the project's own without",
            },
            "timeout_s": {
                "type": "number",
                "minimum": 1,
                "maximum": MAX_TIMEOUT_S,
                "description": f"Seconds after which it is ended; {DEFAULT_TIMEOUT_S} without it",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
    run=run,
    preview=preview,
    concern=concern,
    subject=RuleSubject(kind="command", argument="command"),
)
