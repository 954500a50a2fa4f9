"""What a person is shown holds nothing that cannot be seen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.visible import visible_line, visible_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("a\u00a0b\u3000c", "a⟨U+00A0⟩b⟨U+3000⟩c"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("\u3164\u2800", "⟨U+3164⟩⟨U+2800⟩"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 5, "e" + "\u0301" * 3 + "⟨U+0301⟩" * 2),
        ("a\ufe0f", "a⟨U+FE0F⟩"),
        ("漢字 und ümlaut", "漢字 und ümlaut"),
        ("a" + " " * 50 + "b", "a ⟨50 spaces⟩ b"),
        ("two\nlines\ttab", "two⟨U+000A⟩lines⟨U+0009⟩tab"),
        ("\ud800", "⟨U+D800⟩"),
    ],
)
def test_check_44_T6_a_line_shows_what_cannot_be_seen(text: str, shown: str) -> None:
    assert visible_line(text) == shown


def test_check_44_T6_empty_lines_are_counted_not_drawn() -> None:
    assert visible_text("harmless" + "\n" * 5000 + "rm -rf /") == "harmless\n⟨4999 empty lines⟩\nrm -rf /"
    assert visible_text("a\n\n\nb\tc\r\nd") == "a\n\n\nb\tc\nd"
    assert visible_text("a\rb") == "a⟨U+000D⟩b"


@given(st.text())
def test_T6_no_text_keeps_anything_unseen(text: str) -> None:
    for character in visible_line(text):
        assert unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    for character in visible_text(text).replace("\n", "").replace("\t", ""):
        assert unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=30))
def test_T6_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert visible_line(text) == text
