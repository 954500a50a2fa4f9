"""Searching text, with ripgrep where there is one and without."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from talkfield.tools import search_text
from talkfield.tools.search_text import TOOL, Hits, Query, Searcher, find_searcher, search, told
from tool_desk import context, descriptors, make, refused, result

WORKER: Searcher = (sys.executable, "-IS", str(Path(search_text.__file__).with_name("search_worker.py")), "50")
RIPGREP = find_searcher()
SEARCHERS = pytest.mark.parametrize(
    "searcher",
    [
        pytest.param(WORKER, id="python"),
        pytest.param(RIPGREP, id="ripgrep", marks=pytest.mark.skipif(not shutil.which("rg"), reason="no ripgrep")),
    ],
)


async def found(folder: Path, searcher: Searcher, pattern: str, *, top: str = ".", **how: Any) -> str:
    hits = Hits(10_000)
    query = Query(pattern=pattern, regex=how.pop("regex", False), any_case=how.pop("any_case", False))
    await search(context(folder), top, None, query, searcher, hits)
    return "\n".join([told(hits).splitlines()[0], *sorted(hits.lines)])


@SEARCHERS
async def test_T9_lines_that_fit_come_with_path_and_number(tmp_path: Path, searcher: Searcher) -> None:
    make(tmp_path, a_py="x = 1\ny(x)\n", d__b_py="Y(X)\r\n", c_txt="y(x)", bin_dat=b"y(x)\0")
    assert await found(tmp_path, searcher, "y(x)") == "2 lines in 4 files searched:\na.py:2: y(x)\nc.txt:1: y(x)"
    assert await found(tmp_path, searcher, "y(x)", any_case=True, top="d") == (
        "1 lines in 1 files searched:\nd/b.py:1: Y(X)"
    )
    assert await found(tmp_path, searcher, r"^[xy] ?[=(]", regex=True, top="a.py") == (
        "2 lines in 1 files searched:\na.py:1: x = 1\na.py:2: y(x)"
    )
    assert await found(tmp_path, searcher, "nowhere") == "no line fits in 4 files searched"
    assert await found(tmp_path, searcher, "-e") == "no line fits in 4 files searched"


@SEARCHERS
async def test_T9_a_pattern_that_is_none_is_told(tmp_path: Path, searcher: Searcher) -> None:
    make(tmp_path, a="x")
    with pytest.raises(Exception, match="cannot be used"):
        await found(tmp_path, searcher, "(", regex=True)


@SEARCHERS
async def test_check_41_long_lines_and_many_hits_are_bounded(tmp_path: Path, searcher: Searcher) -> None:
    make(tmp_path, a="x" * 100_000 + "\n", b="x\n" * 1000)
    said = await found(tmp_path, searcher, "x")
    assert len(said) < 3000
    assert said.startswith("51 lines in 2 files")


@SEARCHERS
async def test_T9_secrets_and_what_git_ignores_are_not_searched(tmp_path: Path, searcher: Searcher) -> None:
    make(tmp_path, _env="key=1", _gitignore="skip\n", skip="key=1", a="key=1")
    assert await found(tmp_path, searcher, "key") == (
        "1 lines in 2 files searched; 1 files that usually hold secrets were not searched:\na:1: key=1"
    )
    assert "not searched" in await found(tmp_path, searcher, "key", top=".env")


async def test_check_40_T9_what_is_searched_is_what_was_opened(tmp_path: Path) -> None:
    """Every file is exchanged for a link to the outside right after the walk has opened it."""
    make(tmp_path, outside="needle outside")
    proj = make(tmp_path / "proj", **{f"f{number}": f"needle {number}" for number in range(5)})
    searcher = (sys.executable, "-ISc", SWAP, str(proj), str(tmp_path / "outside"), *WORKER)
    said = await found(proj, searcher, "needle")
    assert "outside" not in said
    assert said.startswith("5 lines")


SWAP = """
import os, subprocess, sys
folder, outside, *command = sys.argv[1:]
for name in os.listdir(folder):
    os.remove(f"{folder}/{name}"); os.symlink(outside, f"{folder}/{name}")
sys.exit(subprocess.call(command, close_fds=False))
"""


async def test_T9_an_expression_that_takes_for_ever_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, a="a" * 40 + "!")
    monkeypatch.setenv("PATH", str(tmp_path))  # without ripgrep
    monkeypatch.setattr(search_text, "MAX_SECONDS", 4.0)
    before = descriptors()
    assert await result(TOOL, tmp_path, pattern="(a+)+$", regex=True) == (
        "no line fits in 1 files searched; not everything was searched: 4 s were over"
    )
    assert descriptors() == before


async def test_R10_a_search_that_is_stopped_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, a="a" * 40 + "!")
    monkeypatch.setenv("PATH", str(tmp_path))
    before = descriptors()
    searching = asyncio.ensure_future(TOOL.run({"pattern": "(a+)+$", "regex": True}, context(tmp_path)))
    await asyncio.sleep(0.3)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(search_text.MAX_SECONDS / 2):  # well before the search would end by itself
            await searching
    assert descriptors() == before


async def test_X5_a_pattern_is_one_line(tmp_path: Path) -> None:
    make(tmp_path, a="")
    for pattern in ("", "a\nb", "a\0b"):
        assert await refused(TOOL, tmp_path, pattern=pattern) == "the pattern is one line of text"
    assert os.listdir(tmp_path) == ["a"]
