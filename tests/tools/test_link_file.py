"""What links write stays in the project's folder, as what tools write does (L1, T9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from talkfield.core.ids import NodeId
from talkfield.errors import ToolError
from talkfield.runtime.ports import ToolContext
from talkfield.tools.link_file import write_link_file


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.rglob("*"))


def context(folder: Path) -> ToolContext:
    return ToolContext(node=NodeId("n"), folder=str(folder))


async def test_L1_a_link_adds_to_a_file_or_replaces_it(tmp_path: Path) -> None:
    here = context(tmp_path)
    assert await write_link_file("out/notes.md", "one\n", here, append=True) == "made out/notes.md: 4 bytes"
    await write_link_file("out/notes.md", "two", here, append=True)
    await write_link_file("out/notes.md", "three\n", here, append=True)
    assert (tmp_path / "out/notes.md").read_text() == "one\n\ntwo\n\nthree\n"
    assert await write_link_file("out/notes.md", "new\n", here, append=False) == "replaced out/notes.md: 4 bytes"
    assert (tmp_path / "out/notes.md").read_text() == "new\n"


@pytest.mark.parametrize(
    "path", ["../out.md", "/tmp/out.md", "", "leads-out/out.md", ".git/hooks/pre-commit", ".bashrc"]
)
async def test_L1_T9_a_link_writes_nothing_outside_the_folder_and_nothing_that_runs(tmp_path: Path, path: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "apart").mkdir()
    (inside / "leads-out").symlink_to(tmp_path / "apart")
    with pytest.raises(ToolError):
        await write_link_file(path, "text", context(inside), append=False)
    assert names_in(tmp_path) == ["apart", "inside", "leads-out"]
