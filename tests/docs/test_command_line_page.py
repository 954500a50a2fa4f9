"""docs/command-line.md says what the program can do, no less and no more."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from talkfield.command import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text()
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
VARIABLE = re.compile(r"TALKFIELD_[A-Z_]*[A-Z]")
COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]


def section(command: str) -> str:
    found = re.search(rf"^## `talkfield {command}(?![\w-]).*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_Z1_every_command_and_option_is_described(name: str) -> None:
    described = section(name)
    assert described, f"docs/command-line.md has no section `talkfield {name}`"
    options = [option for p in COMMANDS[name].params if p.param_type_name == "option" for option in p.opts]
    assert [option for option in options if option != "--help" and f"`{option}" not in described] == []
    arguments = [p.name.upper() for p in COMMANDS[name].params if p.param_type_name == "argument"]
    heading = described.splitlines()[0]
    assert [argument for argument in arguments if argument not in heading] == []


def test_Z1_no_command_or_option_is_invented() -> None:
    described = set(re.findall(r"^## `talkfield ([\w-]+)", PAGE, re.MULTILINE))
    assert described == set(COMMANDS)
    known = {option for command in COMMANDS.values() for p in command.params for option in (*p.opts, *p.secondary_opts)}
    named = set(re.findall(r"`(--[a-z-]+)", "".join(page.read_text() for page in PAGES)))
    assert named - known - {"--help", "--version"} == set()


def test_Z1_every_variable_is_described_and_none_is_invented() -> None:
    source = "".join(path.read_text() for path in (ROOT / "src" / "talkfield").rglob("*.py"))
    used = {name for name in VARIABLE.findall(source) if not name.startswith("TALKFIELD_PROVIDER")}
    named = {name for name in VARIABLE.findall(PAGE) if not name.startswith("TALKFIELD_PROVIDER")}
    assert named == used
