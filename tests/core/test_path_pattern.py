"""Patterns for paths: what they match, and that no pattern takes long."""

from __future__ import annotations

import fnmatch
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.path_pattern import PathPattern, expanded, match_name


@pytest.mark.parametrize(
    ("pattern", "fits", "others"),
    [
        ("*.py", ["a.py", ".py"], ["a.pyc", "d/a.py"]),
        ("src/**", ["src", "src/a", "src/a/b"], ["srcs/a", "a/src/b"]),
        ("**/x", ["x", "a/x", "a/b/x"], ["a/x/b", "ax"]),
        ("a/**/b", ["a/b", "a/c/b", "a/c/d/b"], ["a/bb", "b"]),
        ("a?c", ["abc"], ["ac", "a/c"]),
        ("[a-c]x[!0-9]", ["bxy"], ["dxy", "bx1"]),
        ("[]]", ["]"], ["["]),
        ("[", ["["], ["a"]),
        ("*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.t", "a.{ts,tsx}"]),
        ("{a,b{c,d}}", ["a", "bc", "bd"], ["b"]),
        ("{a}", ["{a}"], ["a"]),
        ("./src//x", ["src/x"], []),
        ("**", ["a", "a/b"], []),
    ],
)
def test_T7_patterns_mean_what_people_write(pattern: str, fits: list[str], others: list[str]) -> None:
    made = PathPattern(pattern)
    assert [path for path in fits if not made.matches(path)] == []
    assert [path for path in others if made.matches(path)] == []


def test_T9_a_name_alone_is_looked_for_anywhere_where_asked() -> None:
    assert PathPattern("*.py", anywhere=True).matches("a/b/c.py")
    assert not PathPattern("a/*.py", anywhere=True).matches("b/a/c.py")


@pytest.mark.parametrize("pattern", ["", "x" * 1001, "{a,b}" * 7])
def test_X5_a_pattern_beyond_measure_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        PathPattern(pattern)


@given(st.text("ab*?[]!-", max_size=8), st.text("ab[]!-", max_size=8))
def test_T7_names_match_as_pythons_own_patterns_do(pattern: str, name: str) -> None:
    if "[" in pattern:  # an odd range means nothing in particular to anyone
        match_name(pattern, name)
    else:
        assert match_name(pattern, name) == bool(re.match(fnmatch.translate(pattern), name))


def test_T9_no_pattern_takes_long() -> None:
    began = time.process_time()
    assert not PathPattern("a*" * 400 + "b").matches("a" * 4000)
    assert not PathPattern("**/a/" * 150 + "b").matches("a/" * 2000 + "c")
    assert time.process_time() - began < 20


def test_T7_alternatives_are_told_one_by_one() -> None:
    assert list(expanded("{a,b}/{c,d}")) == ["a/c", "a/d", "b/c", "b/d"]
