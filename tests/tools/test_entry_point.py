"""Tools of installed packages: listed, and imported only when a person has named them (T9)."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

import pytest

from talkfield.core.records import ToolServerRecord
from talkfield.tools.entry_point import GROUP, EntryPointTools

MODULE = """
import talkfield

@talkfield.tool
def one() -> str:
    return "one"

@talkfield.tool
def two() -> str:
    return "two"

both = [one, two]
nothing = 5
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"package_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def points(package: str) -> list[importlib.metadata.EntryPoint]:
    found = {"single": "one", "pair": "both", "odd": "nothing", "gone": "missing"}
    return [importlib.metadata.EntryPoint(name, f"{package}:{value}", GROUP) for name, value in found.items()]


def summary(record: ToolServerRecord) -> tuple[str, str, tuple[str, ...]]:
    return record.name, record.status, record.tools


async def test_T9_nothing_is_imported_before_it_is_named(package: str) -> None:
    chosen: list[str] = []
    told: list[int] = []
    tools = EntryPointTools(lambda: chosen, lambda: told.append(1), lambda: points(package))
    assert tools.records() == ()
    await tools.prepare()
    assert [summary(record) for record in tools.records()] == [
        (name, "off", ()) for name in ("single", "pair", "odd", "gone")
    ]
    assert package not in sys.modules
    chosen.extend(["single", "pair"])
    await tools.prepare()
    assert [(tool.name, tool.source) for tool in tools.tools()] == [("one", "single"), ("one", "pair"), ("two", "pair")]
    assert [summary(record) for record in tools.records()][:2] == [
        ("single", "ready", ("one",)),
        ("pair", "ready", ("one", "two")),
    ]
    chosen.remove("pair")
    tools.settings_changed()
    assert [tool.name for tool in tools.tools()] == ["one"]
    count = len(told)
    await tools.prepare()
    assert len(told) == count


async def test_T9_what_cannot_be_loaded_says_so(package: str) -> None:
    tools = EntryPointTools(lambda: ["odd", "gone", "nowhere"], lambda: None, lambda: points(package))
    await tools.prepare()
    assert tools.tools() == ()
    said = {record.name: (record.status, record.message) for record in tools.records()}
    assert said["odd"] == ("failed", "It is neither a tool nor a list of tools; make one with talkfield.tool.")
    assert said["gone"][1].startswith("It could not be loaded: AttributeError")
    assert said["nowhere"] == ("failed", "No package that is installed has this name.")
