"""Environments of the peers: what Talkfield is measured beside is installed apart from it and never part of it.

Each lives in `.make/peers/<name>` and is made when it is first asked for, or when what it is to hold has changed.
Without a network, or where something cannot be installed, the reason is said and the peer is not measured.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / ".make" / "peers"
INSTALL_TIMEOUT_S = 900.0


class Missing(Exception):
    """Why a peer cannot be measured, in a few words."""


def python_environment(name: str, packages: list[str]) -> Path:
    """The folder of programs of an environment that holds these packages."""
    folder = FOLDER / name
    if not is_made(folder, packages):
        run([sys.executable, "-m", "venv", str(folder)], name)
        run([str(folder / "bin" / "pip"), "install", "--quiet", *packages], name)
        mark_made(folder, packages)
    return folder / "bin"


def node_packages(name: str, packages: list[str]) -> Path:
    """The `node_modules` that holds these packages; none of their scripts has run."""
    folder = FOLDER / name
    if not is_made(folder, packages):
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--prefix", str(folder), "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
        run(["npm", "install", "--silent", *options, *packages], name)
        mark_made(folder, packages)
    return folder / "node_modules"


def is_made(folder: Path, packages: list[str]) -> bool:
    stamp = folder / "packages.json"
    return stamp.exists() and json.loads(stamp.read_text("utf-8")) == packages


def mark_made(folder: Path, packages: list[str]) -> None:
    (folder / "packages.json").write_text(json.dumps(packages), "utf-8")


def installed() -> dict[str, dict[str, str]]:
    """The versions of what was asked for, by environment; of dependencies not."""
    found: dict[str, dict[str, str]] = {}
    for stamp in sorted(FOLDER.glob("*/packages.json")):
        wanted = {re.split(r"[=\[]", package)[0] for package in json.loads(stamp.read_text("utf-8"))}
        places = [str(place) for place in stamp.parent.glob("lib/python*/site-packages")]
        there = {each.name: each.version for each in distributions(path=places)} if places else {}
        if versions := {name: there[name] for name in sorted(wanted & there.keys())}:
            found[stamp.parent.name] = versions
    return found


def run(command: list[str], name: str) -> None:
    print(f"{name}: {' '.join(Path(part).name for part in command[:3])} …", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALL_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{Path(command[0]).name} {type(error).__name__}") from error
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        raise Missing(f"could not be installed: {' '.join(last)[:200]}")
