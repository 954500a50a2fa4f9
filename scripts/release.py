"""What a release is made of.

`release.py changes VERSION` moves what stands in `changes/` into CHANGELOG.md. `release.py build` makes the wheel and
the sdist in `dist/`, UI inside, twice: whoever builds the same commit has to get the same bytes. Their dates are that
of the commit.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
"""The kinds of changes, as the ends of the names of their files, in the order in which they are told."""


def gathered(fragments: Path) -> tuple[str, list[Path]]:
    """What the files in `fragments` say, by kind, as a part of a changelog; and these files, by name."""
    files = sorted(path for path in fragments.glob("*.md") if path.name != "README.md")
    unknown = [path.name for path in files if path.name.split(".")[-2] not in KINDS]
    if unknown:
        raise SystemExit(f"release: not <what>.<{'|'.join(KINDS)}>.md: {', '.join(unknown)}")
    parts = []
    for kind, title in KINDS.items():
        lines = [" ".join(path.read_text().split()) for path in files if path.name.split(".")[-2] == kind]
        if lines:
            parts.append(f"### {title}\n\n" + "".join(f"- {line}\n" for line in lines))
    return "\n".join(parts), files


def tell_changes(version: str, today: str, root: Path = ROOT) -> None:
    """Writes the part of `version` above those of earlier ones, and takes the fragments away."""
    text, files = gathered(root / "changes")
    if not files:
        raise SystemExit("release: there is nothing in changes/")
    changelog = root / "CHANGELOG.md"
    head, mark, earlier = changelog.read_text().partition("\n## ")
    changelog.write_text(f"{head.rstrip()}\n\n## {version} ({today})\n\n{text}{mark}{earlier}")
    for path in files:
        path.unlink()


def build(target: Path) -> None:
    """The wheel and the sdist. Raises `SystemExit` where two builds differ."""
    asked = ["git", "log", "-1", "--format=%ct"]
    committed = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    hatchling = Path(sys.executable).with_name("hatchling")
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        for folder in (first, second):
            subprocess.run(
                [hatchling, "build", "--target", "wheel", "--target", "sdist", "--directory", folder],
                cwd=ROOT,
                env=os.environ | {"SOURCE_DATE_EPOCH": committed},
                stdout=subprocess.DEVNULL,
                check=True,
            )
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for path in sorted(Path(first).iterdir()):
            if path.read_bytes() != (Path(second) / path.name).read_bytes():
                raise SystemExit(f"release: two builds of {path.name} differ")
            shutil.copy(path, target)
            print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {target.name}/{path.name}")


def main() -> None:
    match sys.argv[1:]:
        case ["changes", version]:
            tell_changes(version, datetime.datetime.now(datetime.UTC).date().isoformat())
        case ["build"]:
            build(ROOT / "dist")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
