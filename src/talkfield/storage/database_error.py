"""What the database says when it cannot, in words for the person who has to do something about it (W9)."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from talkfield.errors import ProjectError, SaveFailed

WHAT_TO_DO = (
    ("SQLITE_FULL", "the disk is full", "Free some space."),
    ("SQLITE_READONLY", "it may not be written", "Make the file and its folder writable."),
    ("SQLITE_BUSY", "another program holds it", "Close the program that has the database open."),
    ("SQLITE_LOCKED", "another program holds it", "Close the program that has the database open."),
    ("SQLITE_CANTOPEN", "it could not be opened", "See that its folder is there and may be written."),
    ("SQLITE_PERM", "it may not be opened", "Change the permissions of the file and its folder."),
    ("SQLITE_IOERR", "the disk reports an error", "Check the disk and its free space."),
    ("SQLITE_CORRUPT", "it is damaged", "Start Talkfield again; what is on screen can be exported before."),
    ("SQLITE_NOTADB", "it is damaged", "Start Talkfield again; what is on screen can be exported before."),
    ("SQLITE_TOOBIG", "a text is too long for it", "Delete the text; a message may have 1 GB."),
    ("SQLITE_NOMEM", "the memory is full", "Close other programs."),
)

DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


def name_of(error: BaseException) -> str:
    """SQLite's name for what went wrong, like `SQLITE_IOERR_WRITE`; empty when it has none."""
    origin = error.orig if isinstance(error, DBAPIError) else error
    return str(getattr(origin, "sqlite_errorname", "") or "")


def is_damage(error: BaseException) -> bool:
    """Whether the file's bytes are wrong, as against something in the way of reading them."""
    return name_of(error).startswith(DAMAGE)


def failure_of(error: SQLAlchemyError, path: Path, kind: type[ProjectError] = SaveFailed) -> ProjectError:
    """The error to raise instead. The database's own words name the statement at most, never what was written."""
    name = name_of(error)
    what = "could not be saved to" if issubclass(kind, SaveFailed) else "could not be read from"
    for beginning, reason, advice in WHAT_TO_DO:
        if name.startswith(beginning):
            return kind(f"Conversations {what} {path}: {reason}.", hint=advice)
    origin = error.orig if isinstance(error, DBAPIError) else error
    return kind(f"Conversations {what} {path}: {origin}.", hint="Check the disk and the permissions of the folder.")
