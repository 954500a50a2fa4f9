"""What a person types into the search box, as a query that cannot fail (ST8).

Two roads: the full text index by words, and, where words are not what the index has, a plain look for the text itself.
The index takes a run of letters for one word; scripts that put no spaces between words (Chinese, Japanese, Thai and
others) are one long word to it, so the middle of a sentence could never be found. The same goes for a query of signs
alone, like `++`.
"""

from __future__ import annotations

import re
import unicodedata

from talkfield.core.shelf import ShelfItem
from talkfield.storage.base import ShelfEntry
from talkfield.storage.codec import clean

MAX_QUERY_CHARACTERS = 1000
SNIPPET_WORDS = 16
SNIPPET_CHARACTERS = 120

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of Thai, Lao, Burmese, Khmer, Japanese and Chinese."""


def words_of(text: str) -> list[str]:
    """The query's words, split at white space; bounded, and without what cannot be stored or bound."""
    return clean(text[:MAX_QUERY_CHARACTERS]).replace("\0", " ").split()


def index_query(words: list[str]) -> str | None:
    """The words as a query of the index: all of them, the last one as a beginning. None: look for the text itself.

    Each word is quoted, so no sign in it means anything to the index.
    """
    if any(UNSPACED.search(word) for word in words):
        return None
    indexed = [word for word in words if any(character.isalnum() for character in word)]
    if not indexed:
        return None
    return " ".join('"' + word.replace('"', '""') + '"' for word in indexed) + "*"


def like_patterns(words: list[str]) -> list[str]:
    """One pattern per word for SQL's LIKE with `\\` as escape."""
    return ["%" + re.sub(r"([\\%_])", r"\\\1", word) + "%" for word in words]


def snippet_around(text: str, word: str) -> str:
    """A piece of `text` around the first place of `word`, on one line."""
    at = max(0, text.casefold().find(word.casefold()))
    start = max(0, at - SNIPPET_CHARACTERS // 3)
    piece = one_line(text[start : start + SNIPPET_CHARACTERS])
    return ("…" if start else "") + piece + ("…" if start + SNIPPET_CHARACTERS < len(text) else "")


def shelf_entry(item: ShelfItem, words: list[str]) -> ShelfEntry:
    """An item of the shelf as a list shows it, with a piece around the first of the words looked for."""
    return ShelfEntry(
        id=item.id,
        node=item.node.id,
        title=item.node.title,
        why=item.why,
        taken_at=item.taken_at,
        messages=len(item.messages),
        snippet=snippet_around(item.text, words[0] if words else ""),
    )


def one_line(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())


def plain(text: str) -> str:
    """`text` without case and accents, to compare by."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
