"""Patterns for paths: `*` and `?` within a name, `[abc]`, `{a,b}`, and `**` over any number of folders.

Pure, and linear in the path for any pattern: a pattern comes from a model or a project's file, and must not be able to
keep the machine busy. A regular expression made of a pattern could.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MAX_PATTERN_CHARS = 1000
MAX_ALTERNATIVES = 64
"""How many patterns `{a,b}{c,d}` may stand for."""


class PathPattern:
    """One pattern. `matches` takes a path with `/` between its names, relative and without `.` and `..`.

    With `anywhere`, a pattern without `/` matches the last name of any path, as people write `*.py`. Raises
    `ValueError` for a pattern that is empty, too long, or stands for too many.
    """

    def __init__(self, text: str, *, anywhere: bool = False) -> None:
        if not text or len(text) > MAX_PATTERN_CHARS:
            raise ValueError(f"a pattern has 1 to {MAX_PATTERN_CHARS} characters")
        self.text = text
        alternatives = list(expanded(text))
        self._alternatives = [_names(each, anywhere=anywhere) for each in alternatives]

    def matches(self, path: str) -> bool:
        names = path.split("/")
        return any(_match_names(pattern, names) for pattern in self._alternatives)


def _names(pattern: str, *, anywhere: bool) -> tuple[str, ...]:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if anywhere and "/" not in pattern.rstrip("/"):
        names.insert(0, "**")
    return tuple(names)


def expanded(pattern: str) -> Iterator[str]:
    """The patterns that a pattern with `{a,b}` stands for; braces without a comma or an end are ordinary characters."""
    pending = [pattern]
    made = 0
    while pending:
        current = pending.pop()
        group = _first_group(current)
        if group is None:
            yield current
            continue
        start, end, choices = group
        made += len(choices)
        if made > MAX_ALTERNATIVES:
            raise ValueError(f"the pattern stands for more than {MAX_ALTERNATIVES} patterns")
        pending += [current[:start] + choice + current[end:] for choice in reversed(choices)]


def _first_group(pattern: str) -> tuple[int, int, list[str]] | None:
    """Where the first innermost `{a,b}` begins and ends, and its choices."""
    start = -1
    for index, character in enumerate(pattern):
        if character == "{":
            start = index
        elif character == "}" and start >= 0:
            inner = pattern[start + 1 : index]
            if "," in inner:
                return start, index + 1, inner.split(",")
            start = -1
    return None


def _match_names(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the names fit; `**` takes as few as it can, and one more whenever what follows does not fit."""
    at = place = 0
    star, resume = -1, 0
    while place < len(names):
        if at < len(pattern) and pattern[at] == "**":
            star, resume = at, place
            at += 1
        elif at < len(pattern) and match_name(pattern[at], names[place]):
            at += 1
            place += 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(rest == "**" for rest in pattern[at:])


def match_name(pattern: str, name: str) -> bool:
    """Whether one name fits a pattern of `*`, `?` and `[…]`; upper and lower case differ."""
    at = place = 0
    star, resume = -1, 0
    while place < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, place
            at += 1
            continue
        fits, after = _match_one(pattern, at, name[place]) if at < len(pattern) else (False, at)
        if fits:
            at, place = after, place + 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return not pattern[at:].strip("*")


def _match_one(pattern: str, at: int, character: str) -> tuple[bool, int]:
    """Whether one character fits the pattern at a place, and where the pattern goes on."""
    if pattern[at] == "?":
        return True, at + 1
    if pattern[at] != "[":
        return pattern[at] == character, at + 1
    first = at + 1
    negated = pattern[first : first + 1] in ("!", "^")
    first += negated
    end = pattern.find("]", first + 1)
    if end < 0:
        return character == "[", at + 1
    inside, index, found = pattern[first:end], 0, False
    while index < len(inside):
        if inside[index + 1 : index + 2] == "-" and index + 2 < len(inside):
            found = found or inside[index] <= character <= inside[index + 2]
            index += 3
        else:
            found = found or inside[index] == character
            index += 1
    return found is not negated, end + 1
