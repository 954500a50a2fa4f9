"""When the built UI counts as current (Z3)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def hatch_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def built(root: Path) -> None:
    write(root / "web" / "package.json", "{}")
    write(root / "web" / "src" / "App.tsx", "one")
    write(root / "src" / "talkfield" / "server" / "static" / "index.html", "<html>")


def test_Z3_a_build_is_current_until_a_source_changes(hatch_build: ModuleType, tmp_path: Path) -> None:
    built(tmp_path)
    assert not hatch_build.is_current(tmp_path)
    hatch_build.mark_current(tmp_path)
    assert hatch_build.is_current(tmp_path)
    write(tmp_path / "web" / "src" / "App.tsx", "two")
    assert not hatch_build.is_current(tmp_path)


@pytest.mark.parametrize("name", ["src/New.tsx", "index.html", "package-lock.json"])
def test_Z3_a_new_source_makes_it_old(hatch_build: ModuleType, tmp_path: Path, name: str) -> None:
    built(tmp_path)
    hatch_build.mark_current(tmp_path)
    write(tmp_path / "web" / name, "")
    assert not hatch_build.is_current(tmp_path)


@pytest.mark.parametrize("name", ["node_modules/react/index.js", "coverage/index.html", "src/App.test.tsx"])
def test_Z3_what_the_ui_is_not_made_of_does_not_count(hatch_build: ModuleType, tmp_path: Path, name: str) -> None:
    built(tmp_path)
    hatch_build.mark_current(tmp_path)
    write(tmp_path / "web" / name, "changed")
    assert hatch_build.is_current(tmp_path)


def test_Z3_names_and_contents_are_told_apart(hatch_build: ModuleType, tmp_path: Path) -> None:
    write(tmp_path / "one" / "a", "bc")
    write(tmp_path / "two" / "ab", "c")
    assert hatch_build.digest(tmp_path / "one") != hatch_build.digest(tmp_path / "two")


def test_Z3_a_source_package_without_its_web_sources_trusts_what_it_carries(
    hatch_build: ModuleType, tmp_path: Path
) -> None:
    write(tmp_path / "src" / "talkfield" / "server" / "static" / "index.html", "<html>")
    assert not hatch_build.is_current(tmp_path)
    write(tmp_path / "src" / "talkfield" / "server" / "static" / ".sources", "any")
    assert hatch_build.is_current(tmp_path)


def test_Z3_a_deleted_page_is_not_current(hatch_build: ModuleType, tmp_path: Path) -> None:
    built(tmp_path)
    hatch_build.mark_current(tmp_path)
    (tmp_path / "src" / "talkfield" / "server" / "static" / "index.html").unlink()
    assert not hatch_build.is_current(tmp_path)
