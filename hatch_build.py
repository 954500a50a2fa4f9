"""Puts the built browser UI into wheel and sdist, so that installing either needs no Node.js (Z3).

`scripts/prepare.py` uses the same functions to build the UI of a checkout, so that there is one idea of "current".
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IGNORED_FOLDERS = {"node_modules", "coverage", "test-results", ".vite"}


class WebBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds `web/` into `server/static/` unless what is there was built from these very sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # a checkout's UI is built by `make ui`, or served by the Vite development server
        root = Path(self.root)
        if is_current(root):
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(
                "The UI is not built and npm was not found: run `make ui`, or install a published wheel."
            )
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=root / "web", check=True)
        subprocess.run([npm, "run", "build"], cwd=root / "web", check=True)
        mark_current(root)


def static_folder(root: Path) -> Path:
    return root / "src" / "talkfield" / "server" / "static"


def is_current(root: Path) -> bool:
    """Whether what is in `server/static/` was built from what is in `web/`."""
    stamp = static_folder(root) / ".sources"
    built = (static_folder(root) / "index.html").exists() and stamp.exists()
    if not (root / "web").exists():  # an sdist that was stripped of its sources: trust what it carries
        return built
    return built and stamp.read_text() == digest(root / "web")


def mark_current(root: Path) -> None:
    (static_folder(root) / ".sources").write_text(digest(root / "web"))


def digest(folder: Path) -> str:
    """SHA-256 over names and contents of everything that the built UI depends on, in a fixed order."""
    total = hashlib.sha256()
    for name in sorted(sources(folder)):
        data = (folder / name).read_bytes()
        total.update(f"{name}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()


def sources(folder: Path) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED_FOLDERS]
        for name in files:
            if ".test." not in name:
                yield (Path(place) / name).relative_to(folder).as_posix()
