"""The store of the product: one SQLite database, through SQLAlchemy Core (W10).

A transaction is in the system's hands when it is committed, and on the disk after `sync`: that is what
`synchronous=FULL` does in one step, in two, so that growing text need not wait until the disk has what came before it
(ST1, ST2). A write touches the rows of the records
that changed and their entries in two indexes, whatever else there is (ST3). The full text index and the ledger of usage
move in the same transaction as the records (ST8).

It is made for one thread, which may be another than the one that opened it; if several call, they take turns, but for
`sync`, which waits for the disk beside them.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Table, bindparam, delete, exists, select, text, union_all
from sqlalchemy import Row as SqlRow
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from talkfield.core.audit import AuditQuery
from talkfield.core.ids import ProjectId, RecordId
from talkfield.core.records import DocumentRecord, MessageRecord
from talkfield.core.shelf import ShelfItem
from talkfield.errors import ProjectError, ProjectUnreadable, SaveFailed, UnknownThing
from talkfield.storage import codec
from talkfield.storage.atomic import advice, reason, sync_file
from talkfield.storage.audit import audit_row, read_audit, read_recent
from talkfield.storage.base import AuditLine, SearchHit, ShelfEntry, StoredProject, UsageRow, WriteBatch
from talkfield.storage.damage import Now, local_time
from talkfield.storage.database_error import failure_of, is_damage
from talkfield.storage.database_file import open_database
from talkfield.storage.ledger import LedgerEntry, bounded, entries_of, sum_by_day
from talkfield.storage.schema import AUDIT, PROJECTS, RECORDS, SHELF, USAGE
from talkfield.storage.search import SNIPPET_WORDS, index_query, like_patterns, one_line, snippet_around, words_of
from talkfield.storage.shelf import REMOVE_ITEM, item_row, list_shelf, read_item

Row = dict[str, Any]
Result = TypeVar("Result")


def upsert(table: Table, *keys: str) -> Insert:
    """Insert a row, or replace what is not a key in the one that has its keys."""
    statement = insert(table)
    rest = {column.name: statement.excluded[column.name] for column in table.c if column.name not in (*keys, "row")}
    return statement.on_conflict_do_update(index_elements=keys, set_=rest)


PUT_PROJECT = upsert(PROJECTS, "id")
PUT_RECORD = upsert(RECORDS, "project", "id")
PUT_USAGE = upsert(USAGE, "project", "message")
PUT_AUDIT = upsert(AUDIT, "project", "call")
PUT_ITEM = upsert(SHELF, "project", "id")
FIND_PROJECT = select(PROJECTS.c.id).where(PROJECTS.c.id == bindparam("key"))
REMOVE_RECORD = delete(RECORDS).where(RECORDS.c.project == bindparam("in_project"), RECORDS.c.id == bindparam("gone"))

BODIES_WITH_DIGESTS = union_all(
    *(select(table.c.body).where(table.c.body.like('%"digest":"%')) for table in (RECORDS, SHELF))
)

SEARCH_INDEX = text("""
    SELECT project, node, id, piece FROM (
        SELECT records.project, records.node, records.id, record_text.rank AS rank,
            snippet(record_text, 0, '', '', '…', :words) AS piece
        FROM record_text JOIN records ON records.row = record_text.rowid
        WHERE record_text MATCH :query AND (:project IS NULL OR records.project = :project)
        ORDER BY record_text.rowid DESC LIMIT :ranked
    ) ORDER BY rank LIMIT :limit
""")
RANKED = 1000
"""How many hits are ranked: a word that stands in every message must not keep the one thread that saves."""

REBUILD_INDEX = "INSERT INTO record_text(record_text) VALUES ('rebuild')"


class DatabaseStore:
    """A `storage.base.ProjectStore` in the file at `path`, made when it is not there.

    `notices` says, one line each, what was found damaged and set aside. Raises `ProjectTooNew`, `ProjectUnreadable` or
    `SaveFailed` when it cannot be opened.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = 5.0, now: Now = local_time) -> None:
        self.path = path
        self.notices: list[str] = []
        self.turnstile = threading.RLock()
        self.engine = open_database(path, busy_timeout_s=busy_timeout_s, now=now, notices=self.notices)
        self.identity = identity_of(path)
        self.closed = False
        self.doubtful = False
        """A sync failed: what the log holds may not be on the disk, whatever a later one says."""

    def projects(self) -> list[StoredProject]:
        query = select(PROJECTS).order_by(PROJECTS.c.opened_at.desc(), PROJECTS.c.id)
        rows = self.read(lambda connection: connection.execute(query).mappings().all())
        return [project_of(dict(row)) for row in rows]

    def add_project(self, project: StoredProject) -> None:
        row = project_row(codec.storable_project(project))
        self.change(lambda connection: connection.execute(PUT_PROJECT, row))

    def remove_project(self, project: ProjectId) -> None:
        key = codec.clean(project)

        def remove(connection: Connection) -> None:
            connection.execute(delete(RECORDS).where(RECORDS.c.project == key))
            connection.execute(delete(PROJECTS).where(PROJECTS.c.id == key))

        self.change(remove)

    def load(self, project: ProjectId) -> tuple[DocumentRecord, ...]:
        key = codec.clean(project)
        query = select(RECORDS.c.id, RECORDS.c.body, RECORDS.c.text).where(RECORDS.c.project == key)

        def fetch(connection: Connection) -> Sequence[SqlRow[str, str, str | None]]:
            require(connection, key)
            return connection.execute(query).all()

        return tuple(self.record_of(id, body, text) for id, body, text in self.read(fetch))

    def owner_of(self, record: RecordId) -> ProjectId | None:
        holds = exists().where(RECORDS.c.project == PROJECTS.c.id, RECORDS.c.id == codec.clean(record))
        query = select(PROJECTS.c.id).where(holds).order_by(PROJECTS.c.opened_at.desc(), PROJECTS.c.id).limit(1)
        return self.read(lambda connection: connection.execute(query).scalar())

    def write(self, batches: Sequence[WriteBatch]) -> None:
        self.put(batches)
        self.sync()

    def sync(self) -> None:
        if self.doubtful:
            self.leave_log()
        # Without a log, all of it is in the database, where SQLite has synced it before it let go of the log.
        try:
            sync_file(self.path.with_name(f"{self.path.name}-wal"))
        except FileNotFoundError:
            return
        except OSError as error:
            self.doubtful = True
            raise SaveFailed(
                f"Conversations could not be saved to {self.path}: {reason(error)}.", hint=advice(error)
            ) from error

    def leave_log(self) -> None:
        """Move all of the log into the database and begin it anew. Raises `SaveFailed`.

        After a sync that failed, the system may take what it could not write for written: a later one that works proves
        nothing of it, and a log with a hole in it ends there. The database is synced for itself.
        """
        with self.turnstile:
            connection = self.engine.raw_connection()  # a checkpoint is no part of a transaction
            try:
                [(busy, *_)] = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except sqlite3.Error as error:
                raise SaveFailed(f"Conversations could not be saved to {self.path}: {error}.") from error
            finally:
                connection.close()
            if busy:
                raise SaveFailed(f"{self.path} is in use by another program.", hint="Close what has it open.")
            self.doubtful = False

    def put(self, batches: Sequence[WriteBatch]) -> None:
        prepared = [(codec.clean(batch.project), PreparedBatch(batch)) for batch in batches]

        def write_all(connection: Connection) -> None:
            for key, batch in prepared:
                require(connection, key)
                batch.write(connection)

        if prepared:
            self.run(write_all, SaveFailed)

    def search(self, text: str, project: ProjectId | None = None, limit: int = 50) -> list[SearchHit]:
        words = words_of(text)
        if not words or limit < 1:
            return []
        query = index_query(words)
        key = None if project is None else codec.clean(project)
        if query is None:
            return self.read(lambda connection: search_text(connection, words, key, limit))
        return self.read(lambda connection: search_index(connection, query, key, limit))

    def shelf(self, project: ProjectId, text: str = "", limit: int = 100) -> list[ShelfEntry]:
        key = codec.clean(project)
        return self.read(lambda connection: list_shelf(connection, key, text, limit))

    def shelved(self, project: ProjectId, item: str) -> ShelfItem:
        key = codec.clean(project)
        return self.read(lambda connection: read_item(connection, key, codec.clean(item)))

    def named_blobs(self) -> frozenset[str]:
        bodies = self.read(lambda connection: connection.execute(BODIES_WITH_DIGESTS).scalars().all())
        return frozenset(digest for body in bodies for digest in codec.digests_in(body))

    def audit(self, project: ProjectId, *, after: int = 0, limit: int = 1000) -> list[AuditLine]:
        key = codec.clean(project)
        return self.read(lambda connection: read_audit(connection, key, after, limit))

    def recent_audit(self, project: ProjectId, query: AuditQuery) -> list[AuditLine]:
        key = codec.clean(project)
        return self.read(lambda connection: read_recent(connection, key, query))

    def usage(self, *, since: int = 0, until: int | None = None, zone: tzinfo = UTC) -> list[UsageRow]:
        query = select(USAGE).where(USAGE.c.at >= since)
        if until is not None:
            query = query.where(USAGE.c.at < until)
        rows = self.read(lambda connection: connection.execute(query).all())
        return sum_by_day(map(LedgerEntry._make, rows), zone)

    def close(self) -> None:
        with self.turnstile:
            self.closed = True
            self.engine.dispose()

    def record_of(self, id: str, body: str, text: str | None) -> DocumentRecord:
        """The record in a row. Raises `ProjectUnreadable`, naming the record."""
        try:
            record = codec.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ProjectUnreadable(
                f"{self.path} holds a damaged record ({id}): {error}.",
                hint="The file is left as it is; the project's talkfield.json may be whole.",
            ) from error
        if text is not None:
            msgspec.structs.force_setattr(record, "content", text)  # nobody else has seen the record yet
        return record

    def read(self, work: Callable[[Connection], Result]) -> Result:
        return self.run(work, ProjectUnreadable)

    def change(self, work: Callable[[Connection], object]) -> None:
        self.run(work, SaveFailed)
        self.sync()

    def run(self, work: Callable[[Connection], Result], failure: type[ProjectError]) -> Result:
        """Do `work` in one transaction, one caller at a time; the database's errors become `failure`.

        Damage may be in the full text index alone, and SQLite does not tell: the index is made anew from the records,
        which changes nothing where they are damaged, and the work tried once more.
        """
        with self.turnstile:
            if self.closed:
                raise failure(f"{self.path} has been closed.")
            self.require_file(failure)
            try:
                try:
                    return self.attempt(work)
                except DBAPIError as error:
                    if not is_damage(error):
                        raise
                    self.attempt(lambda connection: connection.exec_driver_sql(REBUILD_INDEX))
                    return self.attempt(work)
            except SQLAlchemyError as error:
                raise failure_of(error, self.path, failure) from error

    def attempt(self, work: Callable[[Connection], Result]) -> Result:
        with self.engine.begin() as connection:
            return work(connection)

    def require_file(self, failure: type[ProjectError]) -> None:
        """The system lets a program write on to a file that was deleted; what it wrote ends with the program."""
        if identity_of(self.path) != self.identity:
            raise failure(
                f"{self.path} is gone or was replaced.",
                hint="Bring it back; until then nothing is saved. What is on screen can be exported.",
            )


class PreparedBatch:
    """A batch as rows, made before the transaction begins."""

    def __init__(self, batch: WriteBatch) -> None:
        project = ProjectId(codec.clean(batch.project))
        records = [codec.storable(record) for record in batch.puts]
        items = [codec.storable_item(item) for item in batch.shelve]
        self.puts = [record_row(project, record) for record in records]
        self.usage = [entry._asdict() for entry in entries_of(project, records, items)]
        self.removes = [{"in_project": project, "gone": codec.clean(id)} for id in batch.removes]
        self.shelve = [item_row(project, item) for item in items]
        self.audit = [audit_row(project, entry) for entry in batch.audit]
        self.unshelve = [{"in_project": project, "gone": codec.clean(id)} for id in batch.unshelve]

    def write(self, connection: Connection) -> None:
        for statement, rows in (
            (PUT_RECORD, self.puts),
            (PUT_USAGE, self.usage),
            (REMOVE_RECORD, self.removes),
            (PUT_ITEM, self.shelve),
            (REMOVE_ITEM, self.unshelve),
            (PUT_AUDIT, self.audit),
        ):
            if rows:
                connection.execute(statement, rows)


def require(connection: Connection, project: str) -> None:
    if connection.execute(FIND_PROJECT, {"key": project}).first() is None:
        raise UnknownThing(f"There is no project {project}.")


def search_index(connection: Connection, query: str, project: str | None, limit: int) -> list[SearchHit]:
    """Hits by words, the best first by the index's own rank; of very many, the best of the newest."""
    values = {"query": query, "project": project, "limit": limit, "words": SNIPPET_WORDS, "ranked": RANKED}
    rows = connection.execute(SEARCH_INDEX, values)
    return [SearchHit(project=row[0], node=row[1], message=row[2], snippet=one_line(row[3])) for row in rows]


def search_text(connection: Connection, words: list[str], project: str | None, limit: int) -> list[SearchHit]:
    """Hits by looking at every text, the newest first."""
    query = select(RECORDS.c.project, RECORDS.c.node, RECORDS.c.id, RECORDS.c.text).order_by(RECORDS.c.row.desc())
    for pattern in like_patterns(words):
        query = query.where(RECORDS.c.text.like(pattern, escape="\\"))
    if project is not None:
        query = query.where(RECORDS.c.project == project)
    return [
        SearchHit(project=row[0], node=row[1], message=row[2], snippet=snippet_around(row[3], words[0]))
        for row in connection.execute(query.limit(limit))
    ]


def record_row(project: ProjectId, record: DocumentRecord) -> Row:
    content = record.content if isinstance(record, MessageRecord) else None
    body = msgspec.structs.replace(record, content="") if content else record
    return {
        "project": project,
        "id": record.id,
        "kind": codec.kind_of(record),
        "node": codec.node_of(record),
        "body": codec.encode(body),
        "text": content,
    }


def project_row(project: StoredProject) -> Row:
    return {
        "id": project.id,
        "title": project.title,
        "folder": project.folder,
        "created_at": bounded(project.created_at),
        "opened_at": bounded(project.opened_at),
        "file_digests": " ".join(project.file_digests),
        "state": project.state,
    }


def project_of(row: Row) -> StoredProject:
    return StoredProject(**row | {"file_digests": tuple(row["file_digests"].split())})


def identity_of(path: Path) -> tuple[int, int] | None:
    """What stays the same as long as it is the same file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
