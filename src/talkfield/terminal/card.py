"""The card of a tool call in a terminal: what would run, and nothing that could pass for something else (T6).

It is built from the parsed arguments alone. What a terminal would not show, or show elsewhere, is written out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from talkfield.core.messages import ToolCall
from talkfield.core.visible import visible_line, visible_text
from talkfield.runtime.gate import parse_arguments

if TYPE_CHECKING:
    from rich.panel import Panel

EDITED = "edited by you"
LONGEST_NAME = 24


def card(call: ToolCall, *, edited: bool = False) -> Panel:
    """A box as wide as the terminal, names beside values: wherever a value wraps, it stays in its own column."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(max_width=LONGEST_NAME, overflow="fold", style="bold")
    table.add_column(overflow="fold")
    for name, value in fields(call.args_json):
        table.add_row(Text(name), Text(value))
    title = f"{visible_line(call.name)} wants to run" + (f", {EDITED}" if edited else "")
    return Panel(table, title=Text(title), title_align="left", border_style="yellow")


def fields(args_json: str) -> list[tuple[str, str]]:
    """Each argument's name and value, as they are shown: a text as it is, anything else as JSON."""
    arguments = parse_arguments(args_json)
    if not arguments:
        return [("", "no arguments")]
    return [(visible_line(name), shown(value)) for name, value in arguments.items()]


def shown(value: Any) -> str:
    return visible_text(value) if isinstance(value, str) else visible_line(json.dumps(value, ensure_ascii=False))


def one_line(text: str, width: int) -> str:
    """The beginning of a text on one line of at most this many characters."""
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= width else line[: width - 1] + "…"


def problem_of(args_json: str) -> str | None:
    """Why a text that a person typed cannot be arguments, or None."""
    try:
        parse_arguments(args_json)
    except ValueError as error:
        return str(error)
    return None
