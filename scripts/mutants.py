"""Plants known bugs, one at a time, in a copy of the sources, and expects the named tests to fail.

A test is worth what it catches. `mutants.toml` lists bugs that were thought of while the code was written; `make
mutants` runs them all, `make mutants ARGS=history` those whose name or file holds a word. The checkout is not touched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts" / "mutants.toml"
COPIED = ("src", "tests", "scripts", "docs", "pyproject.toml", "hatch_build.py", "requirements", "Makefile")
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
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    if mutant.of_web:
        command = [str(ROOT / "web" / "node_modules" / ".bin" / "vitest"), "run", *mutant.tests]
        place, failed_codes = folder / "web", {1}
    else:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "--tb=line", *mutant.tests]
        place, failed_codes = folder, {1}
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in {0, *failed_codes}:
        raise SystemExit(f"{mutant.name}: {' '.join(mutant.tests)} could not run:\n{done.stdout}{done.stderr}")
    return done.returncode == 0, done.stdout + done.stderr


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


def main(words: list[str]) -> int:
    mutants = [m for m in read() if all(word in f"{m.name} {m.file}" for word in words)]
    with tempfile.TemporaryDirectory(prefix="talkfield-mutants-") as name:
        folder = Path(name)
        copy_to(folder)
        for tests in sorted({mutant.tests for mutant in mutants}):
            first = next(mutant for mutant in mutants if mutant.tests == tests)
            passed, said = run_tests(folder, first)
            if not passed:
                print(f"{' '.join(tests)} fails without any planted bug:\n{said}", file=sys.stderr)
                return 1
        problems = 0
        for mutant in mutants:
            started = time.monotonic()
            problem = check(folder, mutant)
            problems += bool(problem)
            print(
                f"{'SURVIVED' if problem else 'caught':8} {mutant.name} ({time.monotonic() - started:.1f} s) {problem}"
            )
    print(f"{len(mutants) - problems} of {len(mutants)} planted bugs were caught")
    return 1 if problems or not mutants else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
