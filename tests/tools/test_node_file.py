"""What a file node shows is a file of the project's folder, and nothing else (L1, T9)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from talkfield.core.file_state import MAX_FILE_BYTES, FileContent
from talkfield.core.ids import NodeId
from talkfield.errors import ToolError
from talkfield.runtime.ports import ToolContext
from talkfield.tools.node_file import find_node_files, read_node_file


def context(folder: Path) -> ToolContext:
    return ToolContext(node=NodeId("n"), folder=str(folder))


async def test_L1_a_file_is_read_whole_and_only_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "plan.md"
    file.write_bytes(b"\xef\xbb\xbfone\n")
    os.utime(file, ns=(7_000_000, 5_000_000))
    content = await read_node_file("plan.md", context(tmp_path), "")
    assert content is not None
    assert content == FileContent(text="one\n", size_bytes=7, modified_at=5, signature=content.signature)
    assert await read_node_file("plan.md", context(tmp_path), content.signature) is None
    os.utime(file, ns=(7_000_000, 6_000_000))
    assert await read_node_file("plan.md", context(tmp_path), content.signature) is not None


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone.md", "there is no such file"),
        ("sub", "it is a folder"),
        ("../plan.md", r"'\.\.' is not allowed"),
        ("/etc/hostname", "relative to the project's folder"),
        ("out.md", "it leads out of the project's folder"),
        (".env", "which usually holds secrets is not shown here"),
        ("harmless.md", "it leads to .env"),
        ("picture.png", "This is no text: image/png"),
        ("large.txt", f"at most {MAX_FILE_BYTES:,} are shown"),
        ("pipe", "it is no ordinary file"),
    ],
)
async def test_L1_T9_what_is_no_text_of_the_project_is_not_read_and_says_why(
    tmp_path: Path, path: str, words: str
) -> None:
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    (tmp_path / "apart.md").write_text("apart")
    (inside / "out.md").symlink_to(tmp_path / "apart.md")
    (inside / ".env").write_text("KEY=1")
    (inside / "harmless.md").symlink_to(".env")
    (inside / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    (inside / "large.txt").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    os.mkfifo(inside / "pipe")
    with pytest.raises(ToolError, match=words):
        await read_node_file(path, context(inside), "")


async def test_L1_files_to_choose_from_are_those_of_the_project_without_secrets_and_what_git_ignores(
    tmp_path: Path,
) -> None:
    for name in ("b.md", "Docs/plan.md", "Docs/other.txt", ".env", "build/plan.md", ".git/plan.md"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
    (tmp_path / ".gitignore").write_text("build/\n")
    here = context(tmp_path)
    assert await find_node_files("PLAN", here, 50) == ("Docs/plan.md",)
    assert await find_node_files("", here, 50) == (".gitignore", "b.md", "Docs/other.txt", "Docs/plan.md")
    assert await find_node_files("", here, 2) == (".gitignore", "b.md")
