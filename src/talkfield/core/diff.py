"""The change of a text file as people read it: a unified diff of visible text, bounded in time and size (T6, T9)."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from talkfield.core.visible import visible_line

CONTEXT = 3
MAX_COMPARED_LINES = 2000
MAX_COMPARISONS = 100_000
"""Lines that really differ, and how often one equals another: comparing takes the square of them. Beyond that, all old
lines go and all new ones come."""

MAX_SHOWN_LINES = 1500
LINE_HEAD_CHARS = 400
LINE_TAIL_CHARS = 100
WHOLE_LINES_CHARS = 200_000
"""How much of long changed lines is shown whole. Beyond it they lose their middle, as unchanged ones always do."""

NO_LINE_END = "⟨no line end⟩"


@dataclass(frozen=True)
class FileDiff:
    """`text` is the diff without file names; `added` and `removed` count lines of the whole change, shown or not.

    `cut`: some of what changes is not in `text`, which says where.
    """

    text: str
    added: int
    removed: int
    cut: bool = False


Line = tuple[str, bool]
"""A line as it is in the text, and whether it has its end."""


def unified_diff(before: str, after: str) -> FileDiff:
    """What changes from one text to the other. Lines are compared as they are and shown so that all can be seen."""
    if _all_crlf(before) and _all_crlf(after):
        before, after = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    old, new = _lines(before), _lines(after)
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    lines = list(_compared(old, new, head, tail))
    added = sum(mark == "+" for mark, _ in lines)
    removed = sum(mark == "-" for mark, _ in lines)
    shown, cut = _drawn(lines[:MAX_SHOWN_LINES])
    if len(lines) > MAX_SHOWN_LINES:
        cut = True
        shown.append(f"⟨{len(lines) - MAX_SHOWN_LINES} more lines of this change are not shown here⟩")
    return FileDiff("\n".join(shown), added, removed, cut)


def shortened(line: str, head: int = LINE_HEAD_CHARS, tail: int = LINE_TAIL_CHARS) -> str:
    """A long line with its middle counted instead of shown: what stands at its end stays in sight."""
    if len(line) <= head + tail:
        return line
    return f"{line[:head]}⟨{len(line) - head - tail} more characters⟩{line[-tail:]}"


def _all_crlf(text: str) -> bool:
    """Whether every line ends as on Windows; then that is no news in any line."""
    return "\r\n" in text and text.count("\n") == text.count("\r\n") == text.count("\r")


def _lines(text: str) -> list[Line]:
    if not text:
        return []
    lines = text.split("\n")
    last = lines.pop()
    whole = [(line, True) for line in lines]
    return [*whole, (last, False)] if last else whole


def _same(old: list[Line], new: list[Line]) -> int:
    count = 0
    for left, right in zip(old, new, strict=False):
        if left != right:
            break
        count += 1
    return count


Marked = tuple[str, str | Line]


def _compared(old: list[Line], new: list[Line], head: int, tail: int) -> Iterator[Marked]:
    """Lines of the diff with their marks; of a heading (`@`) the text is given as it is."""
    old_end, new_end = len(old) - tail, len(new) - tail
    middle_old, middle_new = old[head:old_end], new[head:new_end]
    if not middle_old and not middle_new:
        return
    if _is_quick(middle_old, middle_new):
        start = max(0, head - CONTEXT)
        yield from _hunks(old[start : old_end + CONTEXT], new[start : new_end + CONTEXT], start)
        return
    yield "@", _heading(head, len(middle_old), head, len(middle_new))
    yield from (("-", line) for line in middle_old)
    yield from (("+", line) for line in middle_new)


def _is_quick(old: list[Line], new: list[Line]) -> bool:
    if len(old) + len(new) > MAX_COMPARED_LINES:
        return False
    counts = Counter(new)
    return sum(counts[line] for line in old) <= MAX_COMPARISONS


def _hunks(old: list[Line], new: list[Line], start: int) -> Iterator[Marked]:
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        (_, old_from, _, new_from, _), (_, _, old_to, _, new_to) = group[0], group[-1]
        yield "@", _heading(start + old_from, old_to - old_from, start + new_from, new_to - new_from)
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from ((" ", line) for line in old[old_from:old_to])
            else:
                yield from (("-", line) for line in old[old_from:old_to])
                yield from (("+", line) for line in new[new_from:new_to])


def _heading(old_start: int, old_count: int, new_start: int, new_count: int) -> str:
    old_at, new_at = old_start + bool(old_count), new_start + bool(new_count)
    return f"@ -{old_at},{old_count} +{new_at},{new_count} @@"


def _drawn(lines: list[Marked]) -> tuple[list[str], bool]:
    """Each line as it is shown, and whether one that changes had to lose its middle."""
    shown: list[str] = []
    room_chars, cut = WHOLE_LINES_CHARS, False
    for mark, text in lines:
        if isinstance(text, str):
            shown.append(mark + text)
            continue
        whole = visible_line(text[0])
        drawn = shortened(whole)
        if mark != " " and drawn != whole:
            if len(whole) <= room_chars:
                room_chars -= len(whole)
                drawn = whole
            else:
                cut = True
        shown.append(mark + drawn + ("" if text[1] else NO_LINE_END))
    return shown, cut
