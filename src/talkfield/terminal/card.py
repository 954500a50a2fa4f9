"""The card of a tool call in a terminal (T6): what `core/card.py` says of it, drawn in a box.

Everything on it is visible text already; here it only gets its place, so that nothing in it can pass for something
else: names beside values, and wherever a line wraps, it stays in its own column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from talkfield.core.card import Card, card_of
from talkfield.core.messages import ToolCall
from talkfield.core.visible import visible_line
from talkfield.runtime.gate import parse_arguments

if TYPE_CHECKING:
    from rich.panel import Panel
    from rich.text import Text

LONGEST_NAME = 24
DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def own_card(call: ToolCall) -> Card:
    """A card of the arguments alone, for a call that nobody made one for."""
    return card_of(call.id, call.name, call.args_json, parse_arguments(call.args_json))


def panel(call: ToolCall, card: Card, *, edited: bool = False) -> Panel:
    """The card as wide as the terminal is."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(max_width=LONGEST_NAME, overflow="fold", style="bold")
    table.add_column(overflow="fold")
    for name, value in rows(card):
        table.add_row(Text(name), Text(value))
    parts: list[Text | Table] = [Text(card.loud, style="bold red")] if card.loud else []
    parts.append(table)
    if card.diff:
        parts.append(diff_text(card.diff))
    if card.note:
        parts.append(Text(card.note, style="italic"))
    origin = f" ({card.source})" if card.source else ""
    title = f"{visible_line(call.name)}{origin} wants to run{', edited by you' if edited else ''}"
    return Panel(Group(*parts), title=Text(title), title_align="left", border_style="red" if card.loud else "yellow")


def rows(card: Card) -> list[tuple[str, str]]:
    """What is shown by name."""
    shown = [(name, value) for name, value in (("command", card.command), ("in", card.folder)) if value]
    shown += [(field.name, field.text) for field in card.fields]
    return shown or [("", "no arguments")]


def diff_text(diff: str) -> Text:
    from rich.text import Text

    lines = [Text(line, style=DIFF_STYLES.get(line[:1], "")) for line in diff.split("\n")]
    return Text("\n").join(lines)


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
