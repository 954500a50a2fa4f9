"""What reaches a terminal, and what does not."""

from __future__ import annotations

import io

import pytest

from talkfield.terminal.screen import Screen, printable


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_X3_text_cannot_drive_the_terminal() -> None:
    assert printable("a\x1b]52;c\x07b\tc\n\x9b[2Jd\r\x00\x7f") == "a]52;cb\tc\n[2Jd"
    out = Terminal()
    screen = Screen(out, {})
    screen.flow("text", "\x1b[2Ja")
    screen.line("\x1b[2Jb", "error")
    assert out.getvalue() == "[2Ja\n\x1b[31m[2Jb\x1b[0m\n"


@pytest.mark.parametrize(
    ("out", "environment"),
    [(io.StringIO(), {}), (Terminal(), {"NO_COLOR": "1"}), (Terminal(), {"TERM": "dumb"})],
)
def test_Z4_there_are_no_colours_where_nobody_sees_them(out: io.StringIO, environment: dict[str, str]) -> None:
    Screen(out, environment).line("plain", "error")
    assert out.getvalue() == "plain\n"


def test_Z4_each_kind_of_text_begins_a_line_of_its_own() -> None:
    out = io.StringIO()
    screen = Screen(out, {})
    screen.flow("thinking", "hm", "dim")
    screen.flow("thinking", "m", "dim")
    screen.flow("text", "a\n")
    screen.flow("text", "")
    screen.flow("text", "b")
    screen.line("note")
    screen.flow("text", "c")
    screen.typed()
    screen.end_line()
    assert out.getvalue() == "hmm\na\nb\nnote\nc"
