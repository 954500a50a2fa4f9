"""Paths that the documentation names are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
PATH = re.compile(r"`((?:src|web|tests|docs|scripts|benchmarks|changes|requirements)/[^`\s]*|Makefile)`")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)(?:#[^)]*)?\)")
MAKE = re.compile(r"`make ([a-z]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_paths_exist(page: Path) -> None:
    missing = []
    for name in PATH.findall(page.read_text()):
        # Of `tests/tools/<name>.py` the folder, of `tests/docs/test_where.py::test_…` the file.
        place = ROOT / re.split("<|::", name)[0]
        if not (place.exists() or ("<" in name and place.parent.exists())):
            missing.append(name)
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


def test_commands_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    strangers = {
        (str(page.relative_to(ROOT)), target)
        for page in PAGES
        for target in MAKE.findall(page.read_text())
        if target not in targets
    }
    assert strangers == set()


def test_every_target_says_what_it_does() -> None:
    lines = (ROOT / "Makefile").read_text().splitlines()
    assert [line for line in lines if re.match(r"^[a-z0-9-]+:", line) and "## " not in line] == []


def test_pictures_are_taken_by_tests_and_every_one_is_shown() -> None:
    there = {path.stem for path in (ROOT / "docs" / "images").glob("*.png")}
    taken = set(re.findall(r'take\(canvas, "([\w-]+)"\)', (ROOT / "tests/e2e/test_pictures.py").read_text()))
    shown = {Path(link).stem for page in PAGES for link in LINK.findall(page.read_text()) if link.endswith(".png")}
    assert there == taken == shown
