"""Writes to a terminal: a model's text as it comes, and what Talkfield says about it.

Whatever comes from a model loses its control characters first, so that no answer can move the cursor, clear the screen
or reach the clipboard (X3). Colours and dimness only where someone looks at them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TextIO

if TYPE_CHECKING:
    from rich.console import RenderableType

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What could move a terminal's cursor, clear it or write to its clipboard."""

PIPE_CLOSED = 141
"""What shells report for a program whose reader went away."""

Style = Literal["plain", "dim", "warning", "error", "strong"]

CODES: dict[Style, str] = {"plain": "", "dim": "2", "warning": "33", "error": "31", "strong": "1"}


def printable(text: str) -> str:
    """The text without control characters; line breaks and tabs stay."""
    return CONTROL.sub("", text)


def fall_silent(out: TextIO) -> int:
    """Nobody reads this output any more: write the rest nowhere, so that the interpreter's own flush is quiet too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    return PIPE_CLOSED


class Screen:
    """One terminal, or whatever output has been led to. Text of one `kind` flows; another kind begins a new line."""

    def __init__(self, out: TextIO, environment: Mapping[str, str] = os.environ) -> None:
        self._out = out
        self._coloured = out.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        self._kind = ""
        self._at_line_start = True

    def flow(self, kind: str, text: str, style: Style = "plain") -> None:
        """Go on with text of this kind."""
        text = printable(text)
        if not text:
            return
        if kind != self._kind:
            self.end_line()
            self._kind = kind
        self._write(self.styled(text, style))
        self._at_line_start = text.endswith("\n")

    def line(self, text: str, style: Style = "plain") -> None:
        """Say something on lines of its own."""
        self.end_line()
        self._write(self.styled(printable(text), style) + "\n")

    def show(self, drawn: RenderableType) -> None:
        """Put up something that is drawn as wide as the terminal is."""
        from rich.console import Console  # 60 ms that only a card needs

        self.end_line()
        Console(file=self._out, highlight=False, markup=False, emoji=False).print(drawn)

    def end_line(self) -> None:
        """End a line that has begun."""
        if not self._at_line_start:
            self._write("\n")
        self._at_line_start = True
        self._kind = ""

    def typed(self) -> None:
        """A person pressed Enter: the cursor stands at the start of a line."""
        self._at_line_start = True
        self._kind = ""

    def styled(self, text: str, style: Style) -> str:
        code = CODES[style] if self._coloured else ""
        return f"\x1b[{code}m{text}\x1b[0m" if code else text

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
