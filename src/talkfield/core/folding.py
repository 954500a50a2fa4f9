"""Names of files as the most forgiving file system compares them. Pure."""

from __future__ import annotations

import unicodedata

INVISIBLE = frozenset(
    (
        *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)),
        *(*range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)),
    )
)
"""Characters that some file systems leave out when they compare names."""


def folded(name: str) -> str:
    """A name without case, invisible characters, ways to write a letter, and dots and spaces at its end."""
    if name.isascii():
        return name.casefold().rstrip(". ") or name
    seen = "".join(character for character in name if ord(character) not in INVISIBLE)
    return unicodedata.normalize("NFKC", seen).casefold().rstrip(". ") or seen
