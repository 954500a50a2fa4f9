"""The page about reliability and the tests it names stay together (docs/reliability.md)."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
CHECKS = [f"{number:02d}" for number in range(1, 51)]
ROW = re.compile(r"^\| (\d\d) \| [^|]+ \| [^|]+ \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
ITEM = re.compile(r"^- (\d\d)\n((?:    - .+\n)+)", re.MULTILINE)
NAMED = re.compile(r"`tests/([\w/]+\.py)::(test_\w+)`")
TEST = re.compile(r"^\s*(?:async )?def (test_\w+)", re.MULTILINE)
CARRIED = re.compile(r"test_check_((?:\d\d_)+)")


@cache
def written() -> dict[str, set[str]]:
    """The names of tests, by file."""
    folder = ROOT / "tests"
    return {path.relative_to(folder).as_posix(): set(TEST.findall(path.read_text())) for path in folder.rglob("*.py")}


@cache
def holders() -> dict[str, set[str]]:
    """Checks with the tests that carry their numbers."""
    found: dict[str, set[str]] = defaultdict(set)
    for names in written().values():
        for name in names:
            if carried := CARRIED.match(name):
                for number in carried[1].strip("_").split("_"):
                    found[number].add(name)
    return found


def items() -> dict[str, list[tuple[str, str]]]:
    """Checks with the tests that the page names for them: file and name."""
    return {number: NAMED.findall(named) for number, named in ITEM.findall(PAGE.read_text())}


def test_every_check_of_reliability_has_its_row() -> None:
    assert ROW.findall(PAGE.read_text()) == list(items()) == CHECKS


@pytest.mark.parametrize("check", CHECKS)
def test_every_check_of_reliability_has_tests_that_are_there(check: str) -> None:
    known, named = written(), items()[check]
    assert holders()[check], f"no test is named test_check_{check}_…"
    assert [f"{file}::{name}" for file, name in named if name not in known.get(file, ())] == []
    assert holders()[check] & {name for _file, name in named}, "the page names no test that carries its number"


def test_no_test_carries_the_number_of_a_check_that_is_none() -> None:
    assert holders().keys() - set(CHECKS) == set()
