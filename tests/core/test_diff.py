"""Diffs on cards: right, visible, and bounded."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.diff import MAX_SHOWN_LINES, WHOLE_LINES_CHARS, shortened, unified_diff

TEXTS = st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=12).map("\n".join) | st.lists(
    st.sampled_from(["a\n", "b\n", "\n"]), max_size=12
).map("".join)


def applied(before: str, diff: str) -> str:
    """What a patch program makes of it."""
    old = before.split("\n") if before else []
    ended = before.endswith("\n")
    if ended:
        old.pop()
    out: list[str] = []
    at = 0
    for line in diff.split("\n") if diff else []:
        if line.startswith("@@"):
            start, count = line.split()[1][1:].split(",")
            upto = int(start) - (int(count) > 0)
            out += old[at:upto]
            at = upto
        elif line.startswith((" ", "-")):
            assert old[at] == line[1:].removesuffix("⟨no line end⟩")
            if line.startswith(" "):
                out.append(line[1:])
            at += 1
        else:
            out.append(line[1:])
    rest = old[at:]
    if rest and not ended:
        rest[-1] += "⟨no line end⟩"
    out += rest
    if not out:
        return ""
    return "\n".join(line.removesuffix("⟨no line end⟩") for line in out) + (
        "" if out[-1].endswith("⟨no line end⟩") else "\n"
    )


@given(TEXTS, TEXTS)
def test_T9_a_diff_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    diff = unified_diff(before, after)
    assert applied(before, diff.text) == after
    assert (diff.added, diff.removed) == (
        sum(line.startswith("+") for line in diff.text.split("\n")),
        sum(line.startswith("-") for line in diff.text.split("\n")),
    )


def test_T6_what_cannot_be_seen_is_seen_in_a_diff() -> None:
    assert unified_diff("if admin:\n", "if admin\u202e:\n").text == "@@ -1,1 +1,1 @@\n-if admin:\n+if admin⟨U+202E⟩:"
    assert unified_diff("⟨U+202E⟩\n", "\u202e\n").text == "@@ -1,1 +1,1 @@\n-⟨U+202E⟩\n+⟨U+202E⟩"


def test_T9_line_ends_are_shown_only_where_they_change() -> None:
    assert unified_diff("a\r\nb\r\n", "a\r\nc\r\n").text == "@@ -1,2 +1,2 @@\n a\n-b\n+c"
    assert unified_diff("a\r\n", "a\n").text == "@@ -1,1 +1,1 @@\n-a⟨U+000D⟩\n+a"


def test_T9_a_large_change_is_cut_and_says_so() -> None:
    diff = unified_diff("", "".join(f"{number}\n" for number in range(5000)))
    lines = diff.text.split("\n")
    assert (diff.added, diff.removed, len(lines)) == (5000, 0, MAX_SHOWN_LINES + 1)
    assert lines[-1] == f"⟨{5001 - MAX_SHOWN_LINES} more lines of this change are not shown here⟩"
    assert diff.cut


def test_T6_a_line_that_changes_is_shown_whole_and_its_neighbours_lose_their_middle() -> None:
    long = "x" * 3000
    diff = unified_diff(f"{long}\nold\n", f"{long}\n{long} rm -rf / {long}\n")
    assert not diff.cut
    assert diff.text.split("\n")[1:] == [
        " " + "x" * 400 + "⟨2500 more characters⟩" + "x" * 100,
        "-old",
        f"+{long} rm -rf / {long}",
    ]


def test_T6_a_change_that_is_too_much_to_show_says_that_it_is_cut() -> None:
    diff = unified_diff("", "x" * (WHOLE_LINES_CHARS - 600) + "\n" + "y" * 600 + "\n" + "z" * 501 + "\n")
    lines = diff.text.split("\n")
    assert [len(line) for line in lines[1:]] == [WHOLE_LINES_CHARS - 599, 601, len("+⟨1 more characters⟩") + 500]
    assert diff.cut


def test_T6_the_end_of_a_long_line_stays_in_sight() -> None:
    assert shortened("x" * 1000 + "rm -rf /", 4, 8) == "xxxx⟨996 more characters⟩rm -rf /"


def test_T9_no_two_texts_take_long_to_compare() -> None:
    began = time.process_time()
    for before, after in (
        ("a\n" * 900 + "b\n", "c\n" + "a\n" * 900),
        ("a\nb\n" * 5000, "b\na\n" * 5000),
        ("".join(f"{n % 7}\n" for n in range(900)), "".join(f"{n % 5}\n" for n in range(900))),
    ):
        unified_diff(before, after)
    assert time.process_time() - began < 20
