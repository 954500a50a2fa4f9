"""The rules and the tests that carry their ids stay together (docs/spec/rules.md)."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATION = sorted((ROOT / "docs" / "spec").glob("*.md"))
RULE_ROW = re.compile(r"^\| ([A-Z]{1,2}\d+) \| (in force|planned) \| (.+) \|$", re.MULTILINE)
PYTHON_TEST = re.compile(r"^\s*(?:async )?def test_(?:check_(?:\d\d_)+)?((?:[A-Z]{1,2}\d+_)+)", re.MULTILINE)
TYPESCRIPT_TEST = re.compile(r"\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*[\"'`]((?:\[[A-Z]{1,2}\d+\] ?)+)")
ID = re.compile(r"[A-Z]{1,2}\d+")


def stated() -> dict[str, str]:
    """Rule ids with their state."""
    rows = [row for page in SPECIFICATION for row in RULE_ROW.findall(page.read_text())]
    return {rule: state for rule, state, _text in rows}


@cache
def carried_ids() -> dict[str, set[str]]:
    """Rule ids with the files whose tests carry them."""
    found: dict[str, set[str]] = {}
    tests = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "web" / "src").rglob("*.test.ts*")]
    for path in tests:
        pattern = PYTHON_TEST if path.suffix == ".py" else TYPESCRIPT_TEST
        for ids in pattern.findall(path.read_text()):
            for rule in ID.findall(ids):
                found.setdefault(rule, set()).add(str(path.relative_to(ROOT)))
    return found


def test_every_rule_is_stated_once() -> None:
    rows = [row[0] for page in SPECIFICATION for row in RULE_ROW.findall(page.read_text())]
    assert sorted({rule for rule in rows if rows.count(rule) > 1}) == []


@pytest.mark.parametrize("rule", [rule for rule, state in stated().items() if state == "in force"])
def test_rule_in_force_has_a_test(rule: str) -> None:
    assert carried_ids().get(rule), (
        f"no test is named test_{rule}_… or [{rule}] …; write one, or mark the rule as planned"
    )


def test_every_id_in_a_test_has_a_rule() -> None:
    known = stated()
    strangers = {rule: files for rule, files in carried_ids().items() if rule not in known}
    assert strangers == {}, "tests carry ids that docs/spec does not state"


def test_ids_in_the_code_have_rules() -> None:
    """A docstring that points to a rule points to one that is there."""
    known = stated()
    mentioned = re.compile(r"\(((?:[A-Z]{1,2}\d+(?:, | and | to )?)+)\)")
    strangers = {
        (rule, str(path.relative_to(ROOT)))
        for path in (ROOT / "src" / "talkfield").rglob("*.py")
        for group in mentioned.findall(path.read_text())
        for rule in ID.findall(group)
        if rule not in known
    }
    assert strangers == set()


def test_rules_of_the_core_are_told_on_their_pages() -> None:
    """A line in the list is not enough for what others build on."""
    pages = "".join(
        (ROOT / "docs" / "spec" / f"{name}.md").read_text() for name in ("conversation", "turn", "cost", "window")
    )
    told = set(ID.findall(pages))
    for family, first, last in re.findall(r"\b([A-Z])(\d+) to \1?(\d+)", pages):
        told |= {f"{family}{number}" for number in range(int(first), int(last) + 1)}
    core = {
        rule for rule, state in stated().items() if rule[0] in "MRCP" and rule[1:].isdigit() and state == "in force"
    }
    assert sorted(core - told) == []


def test_T1_the_drawing_of_the_turn_is_current() -> None:
    spec = importlib.util.spec_from_file_location("draw_turn", ROOT / "scripts" / "draw_turn.py")
    assert spec is not None
    assert spec.loader is not None
    draw_turn = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw_turn)
    assert draw_turn.TARGET.read_text() == draw_turn.drawing(), "docs/spec/turn.mmd is out of date; run: make types"
