"""Writing and editing files: what the card showed, whole or not at all, and nothing that is not to be touched."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from talkfield.core.card import Preview
from talkfield.core.concern import Concern
from talkfield.errors import ToolError
from talkfield.tools.confinement import ProjectRoot
from talkfield.tools.edit_file import TOOL as EDIT
from talkfield.tools.file_replacement import basis_of, place_of, replace
from talkfield.tools.thread import Cancellation
from talkfield.tools.write_file import TOOL as WRITE
from tool_desk import context, descriptors, make, preview, refused, result


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


async def test_T9_a_file_is_written_with_the_folders_it_needs(tmp_path: Path) -> None:
    make(tmp_path)
    assert await result(WRITE, tmp_path, path="a/b/c.txt", content="grüße\n") == "made a/b/c.txt: 8 bytes"
    assert await result(WRITE, tmp_path, path="a/b/c.txt", content="x") == "replaced a/b/c.txt: 1 bytes"
    assert tree(tmp_path) == {"a/b/c.txt": "x"}


async def test_T9_a_replaced_file_keeps_its_mode_and_other_names_keep_the_old_bytes(tmp_path: Path) -> None:
    make(tmp_path, run_sh="old")
    (tmp_path / "run.sh").chmod(0o750)
    os.link(tmp_path / "run.sh", tmp_path / "other")
    await result(WRITE, tmp_path, path="run.sh", content="new")
    assert stat.S_IMODE((tmp_path / "run.sh").stat().st_mode) == 0o750
    assert tree(tmp_path) == {"run.sh": "new", "other": "old"}


@pytest.mark.parametrize("tool", [WRITE, EDIT], ids=["write", "edit"])
async def test_T9_nothing_outside_and_nothing_but_files_is_written(tmp_path: Path, tool: object) -> None:
    make(tmp_path / "outside", x="old")
    proj = make(tmp_path / "proj", "d", real="old")
    (proj / "link").symlink_to("real")
    (proj / "out").symlink_to("../outside/x")
    (proj / "outdir").symlink_to("../outside")
    os.mkfifo(proj / "pipe")
    edit = {"content": "new"} if tool is WRITE else {"old_text": "old", "new_text": "new"}
    chosen = WRITE if tool is WRITE else EDIT
    said = {
        path: await refused(chosen, proj, path=path, **edit)
        for path in ("link", "out", "outdir/x", "d", "pipe", ".", "../outside/x", "/tmp/x")
    }
    assert said == {
        "link": "link: it is a link; name the file that it leads to",
        "out": "out: it is a link; name the file that it leads to",
        "outdir/x": "outdir: it leads out of the project's folder",
        "d": "d: it is a folder",
        "pipe": "pipe: it is no ordinary file",
        ".": "name a file, not the project's folder",
        "../outside/x": "../outside/x: '..' is not allowed; give the path from the project's folder down",
        "/tmp/x": "/tmp/x: give the path relative to the project's folder, such as src/main.py",
    }
    assert tree(tmp_path) == {"outside/x": "old", "proj/real": "old"}


async def test_check_43_T9_what_is_sensitive_is_loud_or_refused(tmp_path: Path) -> None:
    loud = (".bashrc", "sub/.env", ".vscode/tasks.json", ".mcp.json", ".github/workflows/x.yml", "talkfield.json")
    closed = (".git/hooks/pre-commit", ".GIT/config", "sub/.git/x", ".g\u200bit/hooks/x", ".git./x")
    for path in loud:
        concern = WRITE.concern({"path": path, "content": ""})
        assert isinstance(concern, Concern), path
        assert not concern.refused, path
    for path in closed:
        concern = EDIT.concern({"path": path})
        assert concern is not None, path
        assert concern.refused, path
    for path in ("src/a.py", "README.md", ".gitignore", "sub/talkfield.json", ".env.example"):
        assert WRITE.concern({"path": path}) is None, path


async def test_check_43_T9_a_link_to_something_sensitive_is_not_a_way_around(tmp_path: Path) -> None:
    proj = make(tmp_path, "_x", "docs", _git__hooks__keep="", _vscode__x="")
    (proj / "innocent").symlink_to(".git/hooks")
    (proj / "docs/more").symlink_to("../.vscode")
    assert "version control" in await refused(WRITE, proj, path="innocent/pre-commit", content="x")
    assert "name that file itself" in await refused(WRITE, proj, path="docs/more/tasks.json", content="x")
    given = context(proj, closed_folders=(str(proj / "docs"),))
    with pytest.raises(ToolError, match="own data"):
        await WRITE.run({"path": "docs/x", "content": ""}, given)


async def test_T9_the_card_of_a_write_shows_its_diff(tmp_path: Path) -> None:
    make(tmp_path, a_txt="one\ntwo\n", b_bin=b"\0")
    assert await preview(WRITE, tmp_path, path="a.txt", content="one\n2\n") == Preview(
        diff="@@ -1,2 +1,2 @@\n one\n-two\n+2",
        added=1,
        removed=1,
        note="8 bytes → 6 bytes".replace(" bytes →", " →"),
        arguments=("content",),
        basis=basis_of(b"one\ntwo\n"),
    )
    made = await preview(WRITE, tmp_path, path="new/c.txt", content="x\n")
    assert (made.diff, made.note, made.basis) == (
        "@@ -0,0 +1,1 @@\n+x",
        "a new file of 2 bytes; makes a folder, too",
        "none",
    )
    assert (await preview(WRITE, tmp_path, path="b.bin", content="x")).diff is None
    assert "makes" not in tree(tmp_path)
    with pytest.raises(ToolError, match="not allowed"):
        await preview(WRITE, tmp_path, path="../x", content="")


async def test_T6_a_file_that_changed_behind_its_card_is_not_overwritten(tmp_path: Path) -> None:
    make(tmp_path, a="old")
    shown = await preview(WRITE, tmp_path, path="a", content="new")
    (tmp_path / "a").write_text("mine")
    assert "changed after its card" in await refused(WRITE, tmp_path, basis=shown.basis, path="a", content="new")
    shown = await preview(EDIT, tmp_path, path="a", old_text="mine", new_text="x")
    (tmp_path / "a").write_text("mine too")
    assert "changed after" in await refused(EDIT, tmp_path, basis=shown.basis, path="a", old_text="mine", new_text="x")
    assert tree(tmp_path) == {"a": "mine too"}


def test_T9_a_change_between_look_and_write_is_noticed(tmp_path: Path) -> None:
    make(tmp_path, a="old")
    with ProjectRoot(context(tmp_path)) as root, place_of(root, "a") as place:
        (tmp_path / "a").write_text("someone else's")
        with pytest.raises(ToolError, match="someone else changed it"):
            replace(place, b"new", Cancellation())
    with ProjectRoot(context(tmp_path)) as root, place_of(root, "b") as place:
        (tmp_path / "b").write_text("first")
        with pytest.raises(ToolError, match="someone else"):
            replace(place, b"new", Cancellation())
    assert tree(tmp_path) == {"a": "someone else's", "b": "first"}


def test_T9_who_reads_meanwhile_sees_one_or_the_other_whole(tmp_path: Path) -> None:
    make(tmp_path, a="0" * 50_000)
    over = threading.Event()
    seen: set[str] = set()

    def look() -> None:
        while not over.is_set():
            text = (tmp_path / "a").read_text()
            seen.add(text[:1] + str(len(set(text))) + str(len(text)))

    reader = threading.Thread(target=look)
    reader.start()
    for digit in "12345678":
        with ProjectRoot(context(tmp_path)) as root, place_of(root, "a") as place:
            replace(place, digit.encode() * 50_000, Cancellation())
    over.set()
    reader.join()
    assert {one[1:] for one in seen} == {"150000"}
    assert os.listdir(tmp_path) == ["a"]


def test_R10_a_cancelled_write_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path, a="old")
    cancelled = Cancellation()
    cancelled.cancel()
    before = descriptors()
    with (
        ProjectRoot(context(tmp_path)) as root,
        place_of(root, "a") as place,
        pytest.raises(ToolError, match="cancelled"),
    ):
        replace(place, b"new", cancelled)
    assert (tree(tmp_path), descriptors()) == ({"a": "old"}, before)


async def test_W9_a_disk_that_refuses_leaves_the_old_file(tmp_path: Path) -> None:
    import resource

    make(tmp_path, a="old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        assert "too large" in await refused(WRITE, tmp_path, path="a", content="x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tree(tmp_path) == {"a": "old"}


async def test_T9_an_edit_replaces_exactly_what_was_named(tmp_path: Path) -> None:
    make(tmp_path, a_py="x = 1\ny = 1\n", w_txt=b"one\r\ntwo\r\n", b_bin=b"\0x", l_txt=b"caf\xe9")
    assert await result(EDIT, tmp_path, path="a.py", old_text="x = 1", new_text="x = 2") == "replaced 1 place in a.py"
    assert "2 times" in await refused(EDIT, tmp_path, path="a.py", old_text=" = ", new_text=":")
    assert "not in it" in await refused(EDIT, tmp_path, path="a.py", old_text="z", new_text=":")
    assert "empty" in await refused(EDIT, tmp_path, path="a.py", old_text="", new_text=":")
    assert "nothing would change" in await refused(EDIT, tmp_path, path="a.py", old_text="x", new_text="x")
    assert "write_file makes one" in await refused(EDIT, tmp_path, path="gone", old_text="x", new_text="y")
    assert "no text" in await refused(EDIT, tmp_path, path="b.bin", old_text="x", new_text="y")
    assert "UTF-8" in await refused(EDIT, tmp_path, path="l.txt", old_text="x", new_text="y")
    assert "half a character" in await refused(EDIT, tmp_path, path="a.py", old_text="x", new_text="\ud800")
    everywhere: dict[str, Any] = {"old_text": " = ", "new_text": ":", "replace_all": True}
    assert await result(EDIT, tmp_path, path="a.py", **everywhere) == "replaced 2 places in a.py"
    await result(EDIT, tmp_path, path="w.txt", old_text="one\ntwo", new_text="1\n2")
    assert (tmp_path / "a.py").read_bytes() == b"x:2\ny:1\n"
    assert (tmp_path / "w.txt").read_bytes() == b"1\r\n2\r\n"


async def test_T9_the_card_of_an_edit_shows_its_diff_or_the_model_hears_why_not(tmp_path: Path) -> None:
    make(tmp_path, a_py="x = 1\ny = 1\n")
    shown = await preview(EDIT, tmp_path, path="a.py", old_text="x = 1", new_text="x = 2")
    assert (shown.diff, shown.arguments) == ("@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1", ("old_text", "new_text"))
    with pytest.raises(ToolError, match="2 times"):
        await preview(EDIT, tmp_path, path="a.py", old_text="=", new_text=":")


async def test_X5_what_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    make(tmp_path)
    assert "half a character at position 1" in await refused(WRITE, tmp_path, path="a", content="x\udc80")
    assert tree(tmp_path) == {}
