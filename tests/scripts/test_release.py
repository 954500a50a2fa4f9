"""A release: its changes are told once, and two builds are the same bytes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def module_at(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def release() -> ModuleType:
    return module_at(ROOT / "scripts" / "release.py")


def project(root: Path, **fragments: str) -> Path:
    (root / "changes").mkdir()
    (root / "changes" / "README.md").write_text("One file a change.\n")
    for name, text in fragments.items():
        (root / "changes" / f"{name.replace('_', '.')}.md").write_text(text)
    (root / "CHANGELOG.md").write_text("# Changelog\n\nWhat changed.\n\n## 0.1.0 (2026-01-02)\n\n### Added\n\n- Old.\n")
    return root


def test_a_release_moves_what_changed_into_the_changelog(release: ModuleType, tmp_path: Path) -> None:
    root = project(tmp_path, b_added="Second.\n", a_added="First,\non two lines.\n", c_fixed="A bug.\n")
    release.tell_changes("0.2.0", "2026-03-04", root)
    assert (root / "CHANGELOG.md").read_text() == (
        "# Changelog\n\nWhat changed.\n\n## 0.2.0 (2026-03-04)\n\n### Added\n\n- First, on two lines.\n- Second.\n\n"
        "### Fixed\n\n- A bug.\n\n## 0.1.0 (2026-01-02)\n\n### Added\n\n- Old.\n"
    )
    assert [path.name for path in (root / "changes").iterdir()] == ["README.md"]
    with pytest.raises(SystemExit, match="nothing in changes"):
        release.tell_changes("0.3.0", "2026-03-05", root)


def test_a_change_of_no_kind_is_told_and_nothing_is_moved(release: ModuleType, tmp_path: Path) -> None:
    root = project(tmp_path, a_added="First.\n", b_improved="Better.\n")
    before = (root / "CHANGELOG.md").read_text()
    with pytest.raises(SystemExit, match=r"b\.improved\.md"):
        release.tell_changes("0.2.0", "2026-03-04", root)
    assert (root / "CHANGELOG.md").read_text() == before
    assert (root / "changes" / "a.added.md").exists()


def test_the_changes_of_this_version_can_be_told(release: ModuleType) -> None:
    text, files = release.gathered(ROOT / "changes")
    assert len(files) == text.count("\n- ") + text.startswith("- ")


def test_two_builds_are_the_same_bytes(release: ModuleType, tmp_path: Path) -> None:
    if not module_at(ROOT / "hatch_build.py").is_current(ROOT):
        pytest.skip("the UI has to be built first")
    release.build(tmp_path / "dist")
    assert len(list((tmp_path / "dist").iterdir())) == 2
