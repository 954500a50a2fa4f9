"""Every project tool keeps the contract, is described to people, and has no test to itself missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.tool_contract import SAMPLES, ToolContract
from talkfield.tools import TOOLS

ROOT = Path(__file__).resolve().parents[2]


class TestEveryTool(ToolContract):
    pass


def test_T9_the_tools_are_the_ones_that_are_promised() -> None:
    assert list(TOOLS) == [
        "read_file",
        "list_dir",
        "find_files",
        "search_text",
        "write_file",
        "edit_file",
        "run_command",
    ]
    assert SAMPLES.keys() == TOOLS.keys()


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_described_to_people(name: str) -> None:
    assert f"| `{name}` |" in (ROOT / "docs" / "tools.md").read_text()
