"""The end of a restore: before anything of the data folder is open, a backup that was confirmed takes its place.

What was there moves to a folder of its own; nothing is deleted. Each step is a rename, and a start that was cut short
is gone on with by the next: the confirmation goes last.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

import msgspec

from talkfield.errors import StartFailed
from talkfield.storage.atomic import advice, reason, sync_folder
from talkfield.storage.base import Backup
from talkfield.storage.database_file import COMPANIONS

RESTORE_FOLDER = "restore"
CONTENT = "content"
CONFIRMED = "confirmed.json"


class Confirmation(msgspec.Struct, frozen=True, kw_only=True):
    """A person said yes to this backup; what is there moves to the folder `aside`."""

    aside: str
    backup: Backup


def read_confirmation(folder: Path) -> Confirmation | None:
    """What waits to be restored in a data folder; None where nothing does, or nobody can read it."""
    try:
        return msgspec.json.decode((folder / RESTORE_FOLDER / CONFIRMED).read_bytes(), type=Confirmation)
    except (OSError, msgspec.MsgspecError):
        return None


def complete_restore(folder: Path) -> list[str]:
    """Put what was confirmed in its place, and clear away what was not; lines for the person. Raises `StartFailed`."""
    confirmation = read_confirmation(folder)
    waiting = folder / RESTORE_FOLDER
    if confirmation is None:
        shutil.rmtree(waiting, ignore_errors=True)
        return []
    aside = folder / confirmation.aside
    try:
        aside.mkdir(mode=0o700, exist_ok=True)
        for new in sorted((waiting / CONTENT).iterdir()):
            for suffix in (*COMPANIONS, ""):
                old = folder / (new.name + suffix)
                if os.path.lexists(old):
                    os.rename(old, free_place(aside / old.name))
            os.rename(new, folder / new.name)
        sync_folder(folder)
        sync_folder(aside)
        (waiting / CONFIRMED).unlink()
    except OSError as error:
        raise StartFailed(
            f"The backup could not be put in place: {reason(error)}.",
            hint=f"{advice(error)} Nothing is lost: what was there is in {folder} or in {aside}. Then start again.",
        ) from error
    shutil.rmtree(waiting, ignore_errors=True)
    return [f"The backup is restored. What was here before is kept in {aside}."]


def free_place(path: Path) -> Path:
    """A start that was cut short may have moved one of the name already, and the next have made an empty one."""
    return path if not os.path.lexists(path) else path.with_name(f"{path.name}.{secrets.token_hex(4)}")
