"""Remembering a decision in a terminal: the choices, the rule in words, and its trial (T7)."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from builders import NODE, call
from talkfield.core.audit import AuditEntry
from talkfield.core.ids import CallId, RuleId
from talkfield.core.messages import ToolCall
from talkfield.core.rule import Rule
from talkfield.runtime.ports import Tool, ToolContext
from talkfield.terminal.keyboard import Keyboard
from talkfield.terminal.rule_dialog import RuleDialog, offers_of
from talkfield.terminal.screen import Screen
from talkfield.tools import TOOLS

WRITE = TOOLS["write_file"]


def writes(path: str) -> ToolCall:
    return call(name="write_file", args_json=json.dumps({"path": path, "content": "x"}), status="awaiting", result=None)


def wrote(number: int, path: str) -> AuditEntry:
    return AuditEntry(
        call=CallId(f"c{number}"),
        node=NODE,
        tool="write_file",
        args_json=json.dumps({"path": path}),
        decision="person",
        at=number,
        outcome="done",
    )


def asked(
    about: ToolCall, *typed: str, record: tuple[AuditEntry, ...] = (), tool: Tool = WRITE
) -> tuple[Rule | None, str]:
    """What comes of these lines, and all that was shown."""
    out = io.StringIO()
    dialog = RuleDialog(
        keyboard=Keyboard(io.StringIO("".join(line + "\n" for line in typed)), out),
        screen=Screen(out, {}),
        node=NODE,
        last_calls=lambda _tool, limit: record[:limit],
        new_id=lambda: RuleId("r1"),
        now_ms=lambda: 7,
    )
    return dialog.ask(about, tool), out.getvalue()


def rule(**fields: Any) -> Rule:
    given: dict[str, Any] = {"action": "allow", "kind": "path", "pattern": "docs/**", "argument": "path"}
    return Rule(id=RuleId("r1"), tool="write_file", created_at=7, **given | fields)


def test_T7_the_rule_is_said_and_tried_before_it_is_kept() -> None:
    record = (wrote(1, "docs/b.md"), wrote(2, "src/a.py"), wrote(3, "docs/.env"))
    kept, shown = asked(writes("docs/a.md"), "2", "p", "a", "k", record=record)
    assert kept == rule()
    assert shown.splitlines() == [
        "To be remembered for:",
        "  1  docs/a.md",
        "  2  docs/**",
        "  3  **/*.md",
        "  4  every file of the project",
        "  5  another path, which you write",
        "For this [C]hat or this [P]roject? p",
        "[A]llow from now on, or [N]ever? a",
        "Let write_file run without asking in this project: files that fit docs/**.",
        "It would have decided 1 of the last 3 calls on record here.",
        "1 more would be asked about each time all the same.",
        '  {"path": "docs/b.md"}',
        "[K]eep it and approve, or go [B]ack? k",
    ]


def test_T7_never_and_for_this_chat() -> None:
    kept, shown = asked(writes("docs/a.md"), "1", "c", "n", "k", record=(wrote(1, "x"),))
    assert kept == rule(action="deny", pattern="docs/a.md", node_id=NODE)
    assert "Never let write_file run in this chat: files that fit docs/a.md." in shown
    assert "It would have decided none of the one call on record here." in shown
    assert "[K]eep it and deny" in shown


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("",), "another path"),
        (("9",), "another path"),
        (("1", "c", "a", "b"), "No call of this tool is on record yet."),
        (("5", "lib/**", "c", "a"), "It would not answer for the call at hand"),
        (("5", "../x", "c", "a"), "That is no such pattern: a path pattern begins"),
    ],
)
def test_T7_nothing_is_kept_unless_it_would_answer_for_the_call_and_is_wanted(
    typed: tuple[str, ...], words: str
) -> None:
    kept, shown = asked(writes("docs/a.md"), *typed)
    assert kept is None
    assert words in shown


def test_T7_a_pattern_may_be_written() -> None:
    kept, _ = asked(writes("docs/a.md"), "5", "d*/*.md", "p", "a", "k")
    assert kept == rule(pattern="d*/*.md")


def test_T7_a_tool_about_nothing_in_particular_is_remembered_by_its_arguments() -> None:
    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        return ""

    tool = Tool(name="look", description="", schema={"type": "object"}, run=run)
    looks = call(name="look", args_json='{"b": 1}', status="awaiting", result=None)
    kept, shown = asked(looks, "1", "p", "a", "k", tool=tool)
    assert kept == Rule(id=RuleId("r1"), action="allow", tool="look", kind="exact", pattern='{"b":1}', created_at=7)
    assert "which you write" not in shown
    assert asked(looks, "3", tool=tool)[0] is None


def test_T7_nothing_is_offered_for_what_is_asked_about_each_time_or_is_no_call() -> None:
    assert offers_of(writes(".env"), WRITE) == ()
    assert offers_of(call(name="write_file", args_json="{", status="awaiting", result=None), WRITE) == ()
