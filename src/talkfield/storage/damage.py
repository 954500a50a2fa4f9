"""What cannot be read is set aside under a new name and told; it is never overwritten or deleted (ST9)."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from talkfield.errors import ProjectUnreadable
from talkfield.storage.atomic import advice, reason, sync_folder

Now = Callable[[], datetime]
"""The time of day, for names of files that are set aside."""


def local_time() -> datetime:
    return datetime.now().astimezone()


def free_name(path: Path, at: datetime) -> Path:
    """`<path>.damaged-<time>`, with a count where that is taken."""
    base = f"{path.name}.damaged-{at:%Y%m%d-%H%M%S}"
    name, count = path.with_name(base), 1
    while os.path.lexists(name):
        count += 1
        name = path.with_name(f"{base}-{count}")
    return name


def set_aside(path: Path, at: datetime, *, companions: tuple[str, ...] = ()) -> Path:
    """Rename the file at `path`, and those beside it whose name is its own plus a suffix. Gives the new path.

    A companion keeps its suffix (`x.db-wal` goes with `x.db`), so that repair tools still see that the files belong
    together. Raises `ProjectUnreadable` when it cannot be renamed.
    """
    new = free_name(path, at)
    try:
        for suffix in (*companions, ""):
            old = path.with_name(path.name + suffix)
            if os.path.lexists(old):
                os.rename(old, new.with_name(new.name + suffix))
        sync_folder(path.parent)
    except OSError as error:
        raise ProjectUnreadable(
            f"{path} is damaged and could not be set aside: {reason(error)}.", hint=advice(error)
        ) from error
    return new
