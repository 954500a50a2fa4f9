"""Cards in a terminal show what would run, and nothing else (T6)."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from builders import call
from talkfield.core.card import Card
from talkfield.core.messages import ToolCall
from talkfield.terminal.card import one_line, own_card, panel, problem_of, rows


def drawn(tool_call: ToolCall, card: Card | None = None, *, edited: bool = False, columns: int = 44) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=columns).print(panel(tool_call, card or own_card(tool_call), edited=edited))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def asks(args_json: str, name: str = "write_file") -> ToolCall:
    return call(name=name, args_json=args_json, status="awaiting", result=None)


def test_T6_a_card_shows_every_argument() -> None:
    assert drawn(asks('{"path": "a.txt", "content": "one\\n\\ttwo", "many": [1, {"x": null}], "no": ""}')) == [
        "╭─ write_file wants to run ────────────────╮",
        "│ path     a.txt                           │",
        "│ content  one                             │",
        "│                  two                     │",
        '│ many     [1, {"x": null}]                │',
        "│ no                                       │",
        "╰──────────────────────────────────────────╯",
    ]
    assert drawn(asks(""), edited=True)[:2] == [
        "╭─ write_file wants to run, edited by you ─╮",
        "│   no arguments                           │",
    ]


def test_T9_a_card_shows_the_command_the_change_and_what_deserves_attention() -> None:
    shown: dict[str, Any] = {"command": "rm -r build", "folder": ".", "loud": "It deletes.", "note": "2 places"}
    card = Card(digest="d", diff="@@ 1 @@\n-old\n+new\n same", source="files", ready=True, **shown)
    assert drawn(asks("{}", "run_command"), card) == [
        "╭─ run_command (files) wants to run ───────╮",
        "│ It deletes.                              │",
        "│ command  rm -r build                     │",
        "│ in       .                               │",
        "│ @@ 1 @@                                  │",
        "│ -old                                     │",
        "│ +new                                     │",
        "│  same                                    │",
        "│ 2 places                                 │",
        "╰──────────────────────────────────────────╯",
    ]


def test_T6_a_value_stays_in_its_column_and_nothing_in_it_is_markup() -> None:
    value = "[red]x[/red] " + "y" * 30 + " path /etc"
    lines = drawn(asks(f'{{"path": "{value}"}}'))
    values = "".join(line[8:].removesuffix("│") for line in lines[1:-1])
    assert values.replace(" ", "") == value.replace(" ", "")
    assert all(line.startswith(("│ path  ", "│       ")) for line in lines[1:-1])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("\\u001b[2J\\r\\u0007", "⟨U+001B⟩[2J⟨U+000D⟩⟨U+0007⟩"),
        ("a\\u202etxt.exe", "a⟨U+202E⟩txt.exe"),
        ("zero\\u200bwidth\\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("\\ud800", "⟨U+D800⟩"),
    ],
)
def test_T6_what_a_terminal_would_hide_is_written_out(value: str, shown: str) -> None:
    assert rows(own_card(asks(f'{{"v": "{value}"}}'))) == [("v", shown)]
    [(name, nested)] = rows(own_card(asks(f'{{"{value}": ["{value}"]}}')))
    assert name == shown
    assert nested.isprintable()
    assert one_line(json.loads(f'"x{value}"'), 80).isprintable()


def test_T6_of_two_values_for_one_name_the_one_that_runs_is_shown() -> None:
    assert rows(own_card(asks('{"path": "a", "path": "b"}'))) == [("path", "b")]


def test_Z4_one_line_is_one_line() -> None:
    assert one_line("a\nb\n  c", 80) == "a b c"
    assert one_line("abcdef", 4) == "abc…"


def test_T6_what_a_person_types_as_arguments_is_checked() -> None:
    assert problem_of('{"a": 1}') is None
    assert problem_of("[1]") == "the arguments must be a JSON object"
    assert str(problem_of("{")).startswith("the arguments are not valid JSON: ")
