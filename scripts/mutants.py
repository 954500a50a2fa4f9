"""Plants known bugs, one at a time, in a copy of the sources, and expects the named tests to fail.

A test is worth what it catches. `mutants.toml` lists bugs that were thought of while the code was written; `make
mutants` runs them all, `make mutants ARGS=history` those whose name or file holds a word. The checkout is not touched.
"""

from __future__ import annotations

import compileall
import importlib
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts" / "mutants.toml"
COPIED = ("src", "tests", "scripts", "docs", "pyproject.toml", "hatch_build.py", "requirements", "Makefile")
LIBRARIES = (
    *("aiohttp", "blockbuster", "genai_prices.data", "hypothesis.stateful", "jsonschema", "msgspec", "pytest_asyncio"),
    *("pytest_timeout", "sqlalchemy", "starlette.applications", "uvloop"),
)
PYTEST = (
    *("-q", "-x", "--no-header", "--tb=line", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("--hypothesis-profile=planted", "--hypothesis-seed=0"),
)
WORKERS = 2
WEB_COPIED = ("src", "package.json", "tsconfig.json", "vite.config.ts")


@dataclass(frozen=True)
class Mutant:
    """`old` stands exactly once in `file`; with `new` in its place, `tests` (pytest arguments, or a web test) fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def of_web(self) -> bool:
        return self.file.startswith("web/")


def read() -> list[Mutant]:
    entries = tomllib.loads(LIST.read_text())["mutant"]
    return [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def copy_to(folder: Path) -> None:
    ignore = shutil.ignore_patterns("__pycache__", "static", "node_modules", ".hypothesis")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignore)
        elif source.exists():
            shutil.copy2(source, folder / name)
    (folder / "web").mkdir()
    for name in WEB_COPIED:
        source = ROOT / "web" / name
        if source.is_dir():
            shutil.copytree(source, folder / "web" / name, ignore=ignore)
        elif source.exists():
            shutil.copy2(source, folder / "web" / name)
    if (ROOT / "web" / "node_modules").exists():
        (folder / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")


def run_tests(folder: Path, mutant: Mutant) -> tuple[bool, str]:
    """Whether the tests passed, and what they said. Raises `SystemExit` where there was nothing to run."""
    code, said = run_vitest(folder / "web", mutant.tests) if mutant.of_web else run_pytest(folder, mutant.tests)
    if code not in {0, 1}:
        raise SystemExit(f"{mutant.name}: {' '.join(mutant.tests)} could not run:\n{said}")
    return code == 0, said


def run_vitest(folder: Path, tests: Sequence[str]) -> tuple[int, str]:
    command = [str(ROOT / "web" / "node_modules" / ".bin" / "vitest"), "run", *tests]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def run_pytest(folder: Path, tests: Sequence[str]) -> tuple[int, str]:
    """In a copy of this process, which has all libraries in memory: importing them takes longer than testing."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            code = 70
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                os.chdir(folder)
                os.environ["PYTHONPATH"] = str(folder / "src")
                sys.path.insert(0, str(folder / "src"))
                code = int(pytest.main([*PYTEST, *tests]))
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode(errors="replace")


def check(folder: Path, mutant: Mutant) -> str:
    """Empty when the bug was caught, else what is wrong."""
    path = folder / mutant.file
    if not path.exists():
        return f"{mutant.file} is not there any more"
    text = path.read_text()
    if text.count(mutant.old) != 1:
        return f"its text stands {text.count(mutant.old)} times in {mutant.file}: bring the entry up to date"
    path.write_text(text.replace(mutant.old, mutant.new))
    try:
        survived, _said = run_tests(folder, mutant)
    finally:
        path.write_text(text)
    return f"survived {' '.join(mutant.tests)}" if survived else ""


def make_copy() -> None:
    """Each process has a copy of the project of its own to plant bugs in, in its working folder."""
    folder = Path(tempfile.mkdtemp(dir=os.getcwd()))
    os.chdir(folder)
    copy_to(folder)
    # By the source's hash: a planted bug may well leave a file's size and second as they were.
    compileall.compile_dir(folder / "src", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def whole(mutant: Mutant) -> str:
    """Empty when its tests pass without it, else what they said."""
    passed, said = run_tests(Path.cwd(), mutant)
    return "" if passed else f"{' '.join(mutant.tests)} fails without any planted bug:\n{said}"


def planted(mutant: Mutant) -> str:
    """Empty when it was caught. Tells it as soon as it is known."""
    started = time.monotonic()
    problem = check(Path.cwd(), mutant)
    word = "SURVIVED" if problem else "caught"
    print(f"{word:8} {mutant.name} ({time.monotonic() - started:.1f} s) {problem}", flush=True)
    return problem


def main(words: list[str]) -> int:
    for library in LIBRARIES:
        importlib.import_module(library)
    mutants = [m for m in read() if all(word in f"{m.name} {m.file}" for word in words)]
    started_in = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="talkfield-mutants-") as name:
        os.chdir(name)
        try:
            with multiprocessing.get_context("fork").Pool(WORKERS, make_copy) as pool:
                first_of = {mutant.tests: mutant for mutant in mutants}
                for said in filter(None, pool.map(whole, first_of.values(), chunksize=1)):
                    print(said, file=sys.stderr)
                    return 1
                problems = sum(map(bool, pool.map(planted, mutants, chunksize=1)))
        finally:
            os.chdir(started_in)
    print(f"{len(mutants) - problems} of {len(mutants)} planted bugs were caught")
    return 1 if problems or not mutants else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
