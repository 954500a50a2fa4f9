"""Opens the database file: makes a new one, brings an older one up to date, sets a damaged one aside (ST9).

A new database is made beside its place and moved there when it is whole. So a file in its place that has no tables, or
no bytes, was not left by a start that was cut short: something happened to it, and it is kept.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event, inspect, select
from sqlalchemy.exc import DBAPIError

from talkfield.errors import ProjectTooNew, ProjectUnreadable, SaveFailed
from talkfield.storage.atomic import PRIVATE, advice, reason, sync_folder, write_synced
from talkfield.storage.damage import Now, set_aside
from talkfield.storage.database_error import failure_of, is_damage
from talkfield.storage.migrations import migrate
from talkfield.storage.schema import REVISIONS, VERSION

COMPANIONS = ("-wal", "-shm", "-journal")
"""Files that SQLite keeps beside a database: without its log, a database is not whole."""

MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100
"""The header of every SQLite database begins with `MAGIC`; byte 18 says how it is written: 1 plain, 2 with a log."""

JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024


class NotOurs(Exception):
    """The file is a database, but not one of ours."""


def open_database(path: Path, *, busy_timeout_s: float, now: Now, notices: list[str]) -> Engine:
    """An engine on the database at `path`, which has this version's tables.

    What was set aside is said in `notices`. Raises `ProjectTooNew`, `ProjectUnreadable`, `SaveFailed`.
    """
    try:
        why = damage_before_opening(path)
        if why is None and path.exists():
            try:
                return open_existing(path, busy_timeout_s)
            except NotOurs:
                why = "is a database of another program"
            except DBAPIError as error:
                if not is_damage(error):
                    raise failure_of(error, path, ProjectUnreadable) from error
                why = "is damaged"
        if why is not None:
            aside = set_aside(path, now(), companions=COMPANIONS)
            notices.append(
                f"{path} {why}. It is kept as {aside}, and Talkfield starts with an empty one; projects that have a"
                " folder can be opened from there."
            )
        make_new(path, busy_timeout_s)
        return open_existing(path, busy_timeout_s)
    except DBAPIError as error:
        raise failure_of(error, path) from error
    except OSError as error:
        raise SaveFailed(f"{path} could not be made: {reason(error)}.", hint=advice(error)) from error


def damage_before_opening(path: Path) -> str | None:
    """What is wrong that SQLite must not see.

    It takes a file without bytes, and a log without its database, for a fresh start; and it may delete the log of a
    file that it does not understand, with all that has not been moved from there to the database.
    """
    if not path.exists():
        logged = any(path.with_name(path.name + suffix).exists() for suffix in COMPANIONS)
        return "is gone, but its log is there" if logged else None
    if not path.is_file():
        return None
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if not header:
        return "is empty"
    is_database = header.startswith(MAGIC) and len(header) == HEADER_BYTES and header[18] in (1, 2)
    return None if is_database else "is damaged"


def open_existing(path: Path, busy_timeout_s: float) -> Engine:
    """An engine on a database that is there, brought up to date. Raises `NotOurs`, `ProjectTooNew`, `DBAPIError`."""
    engine = engine_on(path, busy_timeout_s)
    try:
        with engine.begin() as connection:
            revision = revision_of(connection)
            if revision not in REVISIONS:
                raise ProjectTooNew(f"{path} was written by a newer Talkfield (revision {revision}).")
            if revision != REVISIONS[-1]:
                migrate(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def revision_of(connection: Connection) -> str:
    if not inspect(connection).has_table(VERSION.name):
        raise NotOurs
    revision = connection.execute(select(VERSION.c.version_num)).scalar()
    if revision is None:
        raise NotOurs
    return str(revision)


def make_new(path: Path, busy_timeout_s: float) -> None:
    """A database without projects at `path`, there at once or not at all."""
    temporary = path.with_name(f"{path.name}.new")
    for suffix in ("", *COMPANIONS):
        path.with_name(temporary.name + suffix).unlink(missing_ok=True)
    write_synced(temporary, b"", PRIVATE)
    engine = engine_on(temporary, busy_timeout_s)
    try:
        with engine.begin() as connection:
            migrate(connection)
    finally:
        engine.dispose()
    os.rename(temporary, path)
    sync_folder(path.parent)


def engine_on(path: Path, busy_timeout_s: float) -> Engine:
    """One connection, which any one thread at a time may use, opened at first use."""
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=str(path)),
        poolclass=StaticPool,
        connect_args={"check_same_thread": False, "timeout": busy_timeout_s},
        hide_parameters=True,  # else an error's text, which may be logged, holds what was to be saved
    )
    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", begin)
    return engine


def set_up(connection: Any, _record: object) -> None:
    # The driver begins transactions by itself, but not for DDL: a migration would not be all or nothing.
    connection.isolation_level = None
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",  # no commit waits for the disk; `DatabaseStore.sync` does
        "foreign_keys=ON",
        f"journal_size_limit={JOURNAL_LIMIT_BYTES}",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def begin(connection: Connection) -> None:
    # Takes the right to write at once: a reader that turns writer half way would be refused without waiting.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
