"""Puts the built browser UI into wheel and sdist, so that installing either needs no Node.js."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IGNORED = {"node_modules", "coverage", "test-results", ".vite"}


class WebBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds `web/` into `server/static/` unless what is there was built from these very sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # `make web-build` or the Vite development server serve a checkout
        root = Path(self.root)
        if is_current(root):
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("The UI is not built and npm was not found: run `make ui`, or install a published wheel.")
        build(root, npm)


def static_folder(root: Path) -> Path:
    return root / "src" / "talkfield" / "server" / "static"


def is_current(root: Path) -> bool:
    stamp = static_folder(root) / ".sources"
    built = (static_folder(root) / "index.html").exists() and stamp.exists()
    if not (root / "web").exists():  # an sdist that was stripped of its sources: trust what it carries
        return built
    return built and stamp.read_text() == digest(root / "web")


def build(root: Path, npm: str) -> None:
    web = root / "web"
    subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=web, check=True)
    subprocess.run([npm, "run", "build"], cwd=web, check=True)
    (static_folder(root) / ".sources").write_text(digest(web))


def digest(folder: Path) -> str:
    """SHA-256 over names and contents of every source file below `folder`, in a fixed order."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not IGNORED & set(path.relative_to(folder).parts):
            total.update(path.relative_to(folder).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()
