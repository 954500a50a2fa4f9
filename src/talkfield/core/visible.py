"""Text from a model as a person must see it: nothing in it invisible, nothing that moves what stands around it (T6).

A card is only worth something if it shows what will happen. So control characters, characters that turn the direction
of writing, characters of no width and unusual spaces are written as `⟨U+202E⟩`; runs that would push something out of
sight are counted instead of drawn. Pure; the text itself is never changed by this, only how it is shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u034f")
"""Letters and signs by category that are drawn as nothing."""

SELECTORS = frozenset([*map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))])
MOST_MARKS = 3
"""Combining marks on one letter; real writing needs no more."""

LONG_SPACES = re.compile(r"[ \t]{40,}")
EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n){3,}")


def visible_line(text: str) -> str:
    """The text on one line: line breaks too are written as what they are."""
    return LONG_SPACES.sub(_spaces, "".join(_shown(text, keep="")))


def visible_text(text: str) -> str:
    """The text with its lines; more than two empty ones together are counted."""
    shown = "".join(_shown(text.replace("\r\n", "\n"), keep="\n\t"))
    return EMPTY_LINES.sub(_empty_lines, LONG_SPACES.sub(_spaces, shown))


def _shown(text: str, *, keep: str) -> Iterator[str]:
    if text.isascii() and text.isprintable():
        yield text
        return
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        if category in ("Mn", "Me"):
            marks += 1
            hidden = marks > MOST_MARKS or character in SELECTORS or character in BLANK_LETTERS
        else:
            marks = 0
            hidden = (
                (category in HIDDEN_CATEGORIES and character not in keep)
                or (category == "Zs" and character != " ")
                or character in BLANK_LETTERS
            )
        yield f"⟨U+{ord(character):04X}⟩" if hidden else character


def _spaces(found: re.Match[str]) -> str:
    return f" ⟨{len(found[0])} spaces⟩ "


def _empty_lines(found: re.Match[str]) -> str:
    return f"\n⟨{found[0].count(chr(10)) - 1} empty lines⟩\n"
