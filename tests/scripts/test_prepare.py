"""What set-up says when the machine lacks something, in a checkout with an awkward name (Z1)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that set-up needs, and nothing else: a fresh machine's checkout."""
    folder = tmp_path / "a chëckout with spaces"
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder that is the whole PATH: make, a shell and what the test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "make", "sed", "printf"):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return folder


def add_python(programs: Path) -> None:
    script(programs / "python3", f'exec "{sys.executable}" "$@"')


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def make(checkout: Path, programs: Path, target: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(programs), "LC_ALL": "POSIX", "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(
        ["make", target], cwd=checkout, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_Z1_without_python_it_says_what_to_install(checkout: Path, programs: Path) -> None:
    done = make(checkout, programs, "run")
    assert done.returncode != 0
    assert done.stderr.splitlines()[0] == (
        "talkfield: needs Python 3.11 or newer, and found none: install it (on Debian: apt-get install python3 "
        "python3-venv), then try again."
    )


def test_Z1_an_old_python_is_no_python(checkout: Path, programs: Path) -> None:
    script(programs / "python3", "exit 1")  # what `sys.exit(sys.version_info < (3, 11))` does in it
    done = make(checkout, programs, "run")
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr


def test_Z1_without_node_it_says_so_before_anything_is_installed(checkout: Path, programs: Path) -> None:
    add_python(programs)
    done = make(checkout, programs, "run")
    assert done.returncode != 0
    assert done.stderr.splitlines()[0] == (
        "talkfield: the web interface is built with Node.js 20.19 or newer: install it (with npm), then try again."
    )
    assert not (checkout / ".venv").exists()


def test_Z1_an_old_node_is_named(checkout: Path, programs: Path) -> None:
    add_python(programs)
    script(programs / "node", "echo v18.20.4")
    done = make(checkout, programs, "run")
    assert done.returncode != 0
    assert "needs Node.js 20.19 or newer and found 18.20: update it" in done.stderr


def test_Z1_a_missing_browser_is_named_where_it_cannot_be_installed(checkout: Path, programs: Path) -> None:
    add_python(programs)
    command = ["sh", "scripts/python.sh", "scripts/prepare.py", "chromium"]
    environment = {"PATH": str(programs)}
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "talkfield: the tests need a browser: install Chromium (on Debian: apt-get install chromium), or set "
        "TALKFIELD_CHROMIUM to a Chromium's path.\n"
    )


def test_Z1_help_lists_every_target(checkout: Path, programs: Path) -> None:
    done = make(checkout, programs, "help")
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names[:3] == ["help", "run", "test"]
    assert {"setup", "dev", "check", "fix", "unit", "types", "web", "e2e", "bench", "wheel", "mutants"} <= set(names)
