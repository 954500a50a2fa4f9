"""What both decoders need around their events: what a body is made of, and words that arrive in halves. Pure."""

from __future__ import annotations

from typing import Literal

from talkfield.runtime.ports import Chunk, TextChunk, ThinkingChunk

BodyForm = Literal["events", "json", "html"]
MAX_EXCERPT_CHARACTERS = 200
TOO_DEEP = "a part of the answer is nested too deeply to be read"


NOT_YET_TELLING = b" \t\r\n\x0b\x0c\xef\xbb\xbf"
"""Bytes that may stand before the first one that shows what a body is: white space, and the byte order mark."""


def form_of(start: bytes) -> BodyForm | None:
    """What the first bytes of a body show it to be, whatever its content type says. None: too early to tell."""
    visible = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not visible:
        return None
    return {b"{": "json", b"[": "json", b"<": "html"}.get(visible[:1], "events")  # type: ignore[return-value]


def excerpt(data: bytes) -> str:
    """The beginning of what a provider sent, on one line, to quote in an error."""
    text = " ".join(data[: MAX_EXCERPT_CHARACTERS * 4].decode("utf-8", errors="replace").split())
    return text if len(text) <= MAX_EXCERPT_CHARACTERS else f"{text[:MAX_EXCERPT_CHARACTERS]}…"


def well_formed(text: str) -> str:
    """Two halves of a character that belong together become one; a lone half, which nothing can store, U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class Words:
    """Collects the text and thinking of one read as chunks, neighbours joined into one.

    Services that cut text by UTF-16 units send halves of a character as lone surrogates: a half is kept until its
    other half comes, and becomes U+FFFD where it never does.
    """

    def __init__(self) -> None:
        self.any_text = False
        self.any_thinking = False
        self._chunks: list[Chunk] = []
        self._pieces: list[str] = []
        self._thinking = False
        self._half = ""

    def text(self, text: str) -> None:
        if self._thinking:
            self._join(last=True)
            self._thinking = False
        self.any_text = True
        self._pieces.append(text)

    def thinking(self, text: str) -> None:
        if not self._thinking:
            self._join(last=True)
            self._thinking = True
        self.any_thinking = True
        self._pieces.append(text)

    def drop(self) -> None:
        """What has not been taken yet is void."""
        self.any_text = self.any_thinking = False
        self._chunks.clear()
        self._pieces.clear()
        self._half = ""

    def take(self, *, last: bool = False) -> list[Chunk]:
        """The chunks since the last call."""
        pieces = self._pieces
        if not pieces and not last and not self._chunks:
            return []
        if len(pieces) == 1 and not self._chunks and not self._half and (text := pieces[0]) and text.isascii():
            pieces.clear()
            return [ThinkingChunk(text) if self._thinking else TextChunk(text)]
        self._join(last=last)
        chunks, self._chunks = self._chunks, []
        return chunks

    def _join(self, *, last: bool = False) -> None:
        if not self._pieces and not (last and self._half):
            return
        text = self._half + "".join(self._pieces)
        self._pieces.clear()
        self._half = ""
        if not text.isascii():
            text = self._whole(text, last=last)
        if text:
            self._chunks.append(ThinkingChunk(text) if self._thinking else TextChunk(text))

    def _whole(self, text: str, *, last: bool) -> str:
        if not last and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return well_formed(text)
