"""Separates inline `<think>…</think>` from the answer, wherever the stream cuts the tags (D10).

A tag counts only before the first visible character of an answer; afterwards `<think>` is text like any other, so code
about XML stays whole. At most `HOLD_BACK` characters are kept back to see whether a tag comes. Nothing is lost: every
character is given out as thinking or as text, but for the two tags themselves.
"""

from __future__ import annotations

from typing import Literal

TAGS = ("think", "thinking", "thought")
OPENINGS = tuple(f"<{tag}>" for tag in TAGS)
HOLD_BACK = max(len(f"</{tag}>") for tag in TAGS)

Part = tuple[Literal["text", "thinking"], str]


class ThinkingTags:
    """Feed it the answer's text; `open` says whether a tag may still come or has not ended.

    `tag` is the tag that was found, `before` the white space ahead of it: with them the raw answer can be put together
    again. With `starts_open` the model's prompt has opened the tag already, and only the end of it will come.
    """

    def __init__(self, *, starts_open: bool = False) -> None:
        self.tag = TAGS[0] if starts_open else ""
        self.before = ""
        self.open = True
        self._inside = starts_open
        self._any_closing = starts_open
        self._held = ""
        self._white: list[str] = []

    @property
    def holds(self) -> bool:
        """Whether something is held back."""
        return bool(self._held or self._white)

    def feed(self, text: str) -> list[Part]:
        if not self.open:
            return [("text", text)] if text else []
        if not self._inside and not self._held and not text.strip():
            self._white.append(text)
            return []
        self._held = "".join([*self._white, self._held, text])
        self._white.clear()
        return self._inside_tag() if self._inside else self._before_tag()

    def finish(self) -> list[Part]:
        """The answer is over: what was held back is what it looks like."""
        held, self._held = "".join([*self._white, self._held]), ""
        self._white.clear()
        kind: Literal["text", "thinking"] = "thinking" if self._inside else "text"
        return [(kind, held)] if held else []

    def _before_tag(self) -> list[Part]:
        rest = self._held.lstrip()
        if not rest:
            return []
        for tag, opening in zip(TAGS, OPENINGS, strict=True):
            if rest.startswith(opening):
                self.before = self._held[: len(self._held) - len(rest)]
                self.tag = tag
                self._inside = True
                self._held = rest[len(opening) :]
                return self._inside_tag()
        if any(opening.startswith(rest) for opening in OPENINGS):
            return []
        return self._close()

    def _inside_tag(self) -> list[Part]:
        endings = tuple(f"</{tag}>" for tag in TAGS) if self._any_closing else (f"</{self.tag}>",)
        found = [(at, ending) for ending in endings if (at := self._held.find(ending)) >= 0]
        if found:
            at, ending = min(found)
            self.tag = ending[2:-1]
            thinking, self._held = self._held[:at], self._held[at + len(ending) :]
            self._inside = False
            parts: list[Part] = [("thinking", thinking)] if thinking else []
            return parts + self._close()
        keep = _length_of_begun(self._held, endings)
        thinking, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return [("thinking", thinking)] if thinking else []

    def _close(self) -> list[Part]:
        self.open = False
        held, self._held = self._held, ""
        return [("text", held)] if held else []


def _length_of_begun(text: str, endings: tuple[str, ...]) -> int:
    """How many characters at the end of `text` may be the beginning of an ending."""
    start = text.rfind("<", max(0, len(text) - HOLD_BACK))
    while start >= 0:
        if any(ending.startswith(text[start:]) for ending in endings):
            return len(text) - start
        start = text.rfind("<", max(0, len(text) - HOLD_BACK), start)
    return 0
