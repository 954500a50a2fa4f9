"""`talkfield diff` and `talkfield merge`: two versions of a project's file, for people and for git (W11)."""

from __future__ import annotations

from pathlib import Path

from talkfield.cli import FAILED, say
from talkfield.core.project import ProjectFile, load_project
from talkfield.core.project_diff import diff_projects
from talkfield.core.project_merge import merge_projects
from talkfield.core.project_text import dump_file
from talkfield.errors import ProjectTooNew, ProjectUnreadable
from talkfield.storage.atomic import write_atomically
from talkfield.storage.project_file import FILE_NAME, DiskProjectFile


def diff(before: str, after: str) -> int:
    """Print what differs, one line each; nothing where both say the same. The exit status."""
    for line in diff_projects(read(Path(before)), read(Path(after))):
        print(line)
    return 0


def merge(base: str, ours: str, theirs: str, name: str) -> int:
    """Unite `ours` and `theirs` and write the result to `ours`, as git asks of a merge driver. The exit status.

    1: something was changed on both sides otherwise. Then the file has it as in `ours`, and each such place is told.
    """
    merged = merge_projects(read(Path(base), may_be_empty=True), read(Path(ours)), read(Path(theirs)))
    write_atomically(Path(ours), dump_file(merged.file), mode=None)
    for conflict in merged.conflicts:
        say(f"{name}: {conflict}")
    if merged.conflicts:
        say(f"{name}: both sides are united but for the above, where it has what ours has; look at it, then git add it")
    return FAILED if merged.conflicts else 0


def read(path: Path, *, may_be_empty: bool = False) -> ProjectFile:
    """The project in a file, or in the `talkfield.json` of a folder. Raises `ProjectUnreadable`, `ProjectTooNew`."""
    file = path / FILE_NAME if path.is_dir() else path
    shared = DiskProjectFile(file.parent)
    shared.path = file
    data = shared.read()
    if data is None:
        raise ProjectUnreadable(f"There is no file {file}.")
    if may_be_empty and not data.strip():
        return ProjectFile()  # both sides added the file: they have nothing in common
    try:
        return load_project(data)
    except (ProjectUnreadable, ProjectTooNew) as error:
        error.message = error.message.replace(FILE_NAME, str(file), 1)
        raise
