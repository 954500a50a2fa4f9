"""What every project tool keeps (T3, T4, T9, R10). A test module subclasses it; `tool` runs over the registry."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from talkfield.errors import ToolError
from talkfield.runtime.ports import Tool
from talkfield.tools import TOOLS
from talkfield.tools.schema import check_arguments
from tool_desk import context, descriptors, make

SAMPLES: dict[str, dict[str, Any]] = {
    "read_file": {"path": "a.txt"},
    "list_dir": {"path": "d"},
    "find_files": {"pattern": "*", "path": "d"},
    "search_text": {"pattern": "x", "path": "d"},
    "write_file": {"path": "d/new.txt", "content": "x"},
    "edit_file": {"path": "a.txt", "old_text": "one", "new_text": "two"},
    "run_command": {"command": ["true"], "folder": "d"},
}
"""Arguments of each tool that work in the folder of `project`."""

HOSTILE = (
    *("..", "../outside", "/", "/etc/passwd", "a/../../outside", "out", "outdir/secret", "\0", "a\0b", "x" * 300),
    *("a/" * 3000 + "b", "\ud800", "~", "~/x", "proc", "loop", "pipe", "pipe/x", "outdir"),
)

OPTIONAL_KEYWORDS = {"$ref", "$defs", "oneOf", "allOf", "anyOf", "not", "const", "patternProperties", "format"}
"""What not every provider's dialect of JSON Schema knows."""


def project(folder: Path) -> Path:
    make(folder / "outside", secret="outside-canary")
    proj = make(folder / "proj", "d", a_txt="one", d__b_txt="x")
    (proj / "out").symlink_to("../outside/secret")
    (proj / "outdir").symlink_to("../outside")
    (proj / "proc").symlink_to("/proc/self/root")
    (proj / "loop").symlink_to("loop")
    os.mkfifo(proj / "pipe")
    return proj


def state_of(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


class ToolContract:
    """Run over every tool in `TOOLS`."""

    @pytest.fixture(params=sorted(TOOLS))
    def tool(self, request: pytest.FixtureRequest) -> Tool:
        return TOOLS[request.param]

    def test_T3_it_says_what_it_is_in_words_every_provider_takes(self, tool: Tool) -> None:
        assert re.fullmatch(r"[a-z][a-z_]{0,39}", tool.name)
        assert tool.description.endswith(".")
        assert len(tool.description) < 300
        jsonschema.Draft202012Validator.check_schema(tool.schema)
        assert tool.schema["type"] == "object"
        assert tool.schema["additionalProperties"] is False
        for name, value in tool.schema["properties"].items():
            assert value.get("description"), f"{name} needs a description, for the model"
        assert not OPTIONAL_KEYWORDS & set(re.findall(r'"([^"]+)":', json.dumps(tool.schema)))
        assert set(tool.schema.get("required", ())) <= set(tool.schema["properties"])

    def test_T3_the_sample_fits_and_nothing_more_does(self, tool: Tool) -> None:
        assert check_arguments(tool.schema, SAMPLES[tool.name]) is None
        assert check_arguments(tool.schema, {**SAMPLES[tool.name], "sudo": True}) is not None
        for name in tool.schema.get("required", ()):
            assert check_arguments(tool.schema, {k: v for k, v in SAMPLES[tool.name].items() if k != name})

    def test_T9_what_changes_something_is_asked_about_and_shows_what(self, tool: Tool) -> None:
        changes = tool.name in ("write_file", "edit_file", "run_command")
        assert tool.needs_approval is changes
        assert (tool.preview is not None) is changes

    def test_T7_rules_can_be_about_it(self, tool: Tool) -> None:
        assert tool.subject is not None
        assert tool.subject.argument in tool.schema["properties"]

    async def test_T9_it_works_in_the_projects_folder(self, tool: Tool, tmp_path: Path) -> None:
        proj, before = project(tmp_path), descriptors()
        said = await tool.run(SAMPLES[tool.name], context(proj))
        assert isinstance(said, str)
        assert said
        assert descriptors() == before

    async def test_T9_without_a_folder_it_refuses(self, tool: Tool) -> None:
        with pytest.raises(ToolError, match="no folder"):
            await tool.run(SAMPLES[tool.name], context(None))

    @pytest.mark.parametrize("path", HOSTILE, ids=lambda path: ascii(path[:20]))
    async def test_check_39_40_T9_no_path_leads_out_hangs_or_does_anything(
        self, tool: Tool, tmp_path: Path, path: str
    ) -> None:
        proj = project(tmp_path)
        before, open_before, began = state_of(tmp_path), descriptors(), time.monotonic()
        name = "folder" if "folder" in tool.schema["properties"] else "path"
        arguments = {**SAMPLES[tool.name], name: path}
        for attempt in (tool.run, tool.preview):
            if attempt is None:
                continue
            with pytest.raises(ToolError) as caught:
                await attempt(arguments, context(proj))
            assert "canary" not in caught.value.message
            assert len(caught.value.message) < 600
        assert state_of(tmp_path) == before
        assert descriptors() == open_before
        assert time.monotonic() - began < 30

    async def test_check_43_T9_talkfields_own_data_is_out_of_reach(self, tool: Tool, tmp_path: Path) -> None:
        proj = project(tmp_path)
        given = context(proj, closed_folders=(str(proj),))
        before = state_of(tmp_path)
        with pytest.raises(ToolError, match="own data"):
            await tool.run(SAMPLES[tool.name], given)
        assert state_of(tmp_path) == before

    async def test_T4_what_it_says_is_bounded(self, tool: Tool, tmp_path: Path) -> None:
        proj = project(tmp_path)
        make(proj, a_txt="one " + "x\n" * 50_000, **{f"d__{'n' * 90}{number}_txt": "x" for number in range(300)})
        said = await tool.run(SAMPLES[tool.name], context(proj, max_result_bytes=3000))
        assert len(said.encode()) <= 3000 or tool.name == "list_dir"  # the runtime caps what a tool does not

    async def test_R10_it_ends_when_it_is_cancelled(self, tool: Tool, tmp_path: Path) -> None:
        proj, before = project(tmp_path), descriptors()
        running = asyncio.ensure_future(tool.run(SAMPLES[tool.name], context(proj)))
        await asyncio.sleep(0)
        running.cancel()
        began = time.monotonic()
        await asyncio.wait([running])
        assert running.cancelled()
        assert time.monotonic() - began < 30
        assert descriptors() == before
