"""Listing folders, and finding files in them."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from talkfield.tools import find_files, list_dir
from talkfield.tools.find_files import TOOL as FIND
from talkfield.tools.list_dir import TOOL as LIST
from tool_desk import context, make, refused, result


async def test_T9_a_folder_is_listed_with_what_each_entry_is(tmp_path: Path) -> None:
    make(tmp_path, "d", b_txt="123", a_txt="")
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    assert await result(LIST, tmp_path) == (
        ".: 5 entries\nd/\na.txt (0 bytes)\nb.txt (3 bytes)\nlink -> /etc/passwd\npipe (no ordinary file)"
    )
    assert await result(LIST, tmp_path, path="d") == "d: empty"
    assert await refused(LIST, tmp_path, path="b.txt") == ("b.txt: a part of it that would have to be a folder is none")
    assert "leads out" in await refused(LIST, tmp_path, path="link")


async def test_T9_names_that_could_deceive_are_written_out(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "a\nb\u202e").touch()
    os.mkdir(os.fsencode(tmp_path) + b"/\xff")
    assert await result(LIST, tmp_path) == ".: 2 entries\n?/\na\\nb\\u202e (0 bytes)"


async def test_check_43_T9_talkfields_own_data_is_not_even_listed(tmp_path: Path) -> None:
    make(tmp_path, data__keys="no", x="")
    given = context(tmp_path, closed_folders=(str(tmp_path / "data"),))
    assert await LIST.run({}, given) == ".: 1 entries\nx (0 bytes)"
    assert await FIND.run({"pattern": "**"}, given) == "1 files:\nx"


async def test_check_41_a_folder_of_very_many_entries_is_bounded(tmp_path: Path) -> None:
    for number in range(list_dir.MAX_SHOWN + 200):
        (tmp_path / f"f{number:04}").touch()
    lines = (await result(LIST, tmp_path)).splitlines()
    assert lines[0] == f".: {list_dir.MAX_SHOWN} entries of 700 (use find_files for the others)"
    assert len(lines) == list_dir.MAX_SHOWN + 1
    found = (await result(FIND, tmp_path, pattern="f*")).splitlines()
    assert found[0] == f"{find_files.MAX_FOUND} files; there are more than 500; narrow the pattern or the folder:"


async def test_check_41_folders_a_thousand_deep_are_left_out_with_a_word(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1000):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("f", os.O_CREAT, dir_fd=here))
    os.close(here)
    began = time.process_time()
    try:
        assert await result(FIND, tmp_path, pattern="f") == "no file fits; folders more than 100 deep were left out"
        assert time.process_time() - began < 20
    finally:  # too deep for what clears up after tests
        await (await asyncio.create_subprocess_exec("rm", "-r", str(tmp_path / "d"))).wait()


async def test_T9_files_are_found_by_pattern_without_what_git_ignores(tmp_path: Path) -> None:
    make(
        tmp_path,
        _gitignore="*.log\nbuild/\n/only_here.txt\n!keep.log\n",
        a_py="",
        x_log="",
        keep_log="",
        build__b_py="",
        src__c_py="",
        src__d_ts="",
        src___gitignore="!y.log\n*.ts\n",
        src__y_log="",
        _git__hooks__h_py="",
    )
    assert await result(FIND, tmp_path, pattern="*.py") == "2 files:\na.py\nsrc/c.py"
    assert await result(FIND, tmp_path, pattern="src/*") == "3 files:\nsrc/.gitignore\nsrc/c.py\nsrc/y.log"
    assert await result(FIND, tmp_path, pattern="*.{log,ts}") == "2 files:\nkeep.log\nsrc/y.log"
    assert await result(FIND, tmp_path, pattern="*.py", path="src") == "1 files:\nsrc/c.py"
    assert await result(FIND, tmp_path, pattern="*.ts", path="src") == "no file fits"
    assert await refused(FIND, tmp_path, pattern="") == "a pattern has 1 to 1000 characters"


async def test_T9_links_are_not_walked(tmp_path: Path) -> None:
    make(tmp_path / "outside", f_py="")
    proj = make(tmp_path / "proj", d__g_py="")
    (proj / "out").symlink_to("../outside")
    (proj / "round").symlink_to(".")
    (proj / "file.py").symlink_to("d/g.py")
    assert await result(FIND, proj, pattern="*.py") == "1 files:\nd/g.py"


async def test_T9_a_hostile_ignore_file_takes_no_time(tmp_path: Path) -> None:
    make(tmp_path, _gitignore="a*" * 60 + "b\n[z-a]\n*.x\n" + "**/" * 300 + "q\n")
    (tmp_path / ("a" * 250)).touch()
    (tmp_path / "a.x").touch()
    began = time.process_time()
    said = await result(FIND, tmp_path, pattern="a*")
    assert said == f"1 files; not all of ./.gitignore could be understood:\n{'a' * 250}"
    assert time.process_time() - began < 20
