"""The documentation as a site: it builds without a warning, holds every page, and asks nobody else for anything."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FROM_ELSEWHERE = re.compile(r"<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=\"?(?:https?:)?//")


def pages_of(entries: list[object]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            for below in entry.values():
                yield from pages_of(below if isinstance(below, list) else [below])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    zensical = Path(sys.executable).with_name("zensical")
    done = subprocess.run([zensical, "build", "--strict"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    return folder / ".make" / "site"


def test_docs_site_has_a_place_for_every_page() -> None:
    listed = list(pages_of(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]))
    written = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(written)


def test_docs_site_is_built_without_a_warning_and_needs_nobody_else(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) == len(list((ROOT / "docs").rglob("*.md"))) + 1  # and the one for what is not there
    assert [page.name for page in pages if FROM_ELSEWHERE.search(page.read_text())] == []
