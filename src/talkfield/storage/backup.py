"""Backups: all of a data folder in one archive, without keys; and such an archive in its place again.

A backup is a zip archive of a consistent copy of the database, every attachment, the settings without what may be
secret, and what `talkfield chat` keeps. A backup that came in is unpacked beside everything and checked to the last
byte; it takes its place when Talkfield next starts, before anything is open, and what was there is set aside (ST10).

Blocking, for threads of the caller's; one backup is made, and one taken in, at a time.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sqlite3
import threading
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from talkfield.errors import InvalidArgument, NothingToDo, SaveFailed
from talkfield.storage.atomic import PRIVATE, advice, reason, sync_file, write_atomically
from talkfield.storage.base import BackedUpProject, Backup, DataState, Report
from talkfield.storage.damage import Now, local_time
from talkfield.storage.database_file import NotOurs, open_existing
from talkfield.storage.folder import DataFolder
from talkfield.storage.restore import CONFIRMED, CONTENT, RESTORE_FOLDER, Confirmation, read_confirmation
from talkfield.storage.settings import ConfigurationFile

FORMAT = 1
MANIFEST = "backup.json"
DATABASE = "talkfield.db"
SETTINGS = "settings.json"
TERMINAL_FILES = ("chat-audit.jsonl", "chat-history", "chat-rules.json")
BLOB = re.compile(r"blobs/([0-9a-f]{2})/(\1[0-9a-f]{62})")
BACKUP_NAME = "talkfield-backup-"
EXPORT_NAME = "talkfield-export-"

MAX_ENTRIES = 1_000_000
MAX_UNPACKED_BYTES = 16 * 1024**3
MAX_MANIFEST_BYTES = 1_000_000
BLOCK_BYTES = 1024 * 1024
PAGES = 2048

PROJECTS = """
    SELECT projects.title, projects.state, COUNT(records.row)
    FROM projects LEFT JOIN records ON records.project = projects.id AND records.kind = 'message'
    GROUP BY projects.id ORDER BY projects.opened_at DESC, projects.id
"""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup says of itself: when it was made (epoch ms) and by which version."""

    format: int
    at: int
    version: str


class BackupFolder:
    """A `storage.base.DataKeeper` on a data folder."""

    def __init__(self, data: DataFolder, version: str, *, now: Now = local_time, max_bytes: int = MAX_UNPACKED_BYTES):
        self.data = data
        self.version = version
        self.now = now
        self.max_bytes = max_bytes
        self.packing = threading.Lock()
        self.unpacking = threading.Lock()
        self.found: Backup | None = None

    @property
    def upload(self) -> Path:
        return self.data.path / RESTORE_FOLDER / "upload.zip"

    @property
    def content(self) -> Path:
        return self.data.path / RESTORE_FOLDER / CONTENT

    def state(self) -> DataState:
        files = [path for path in self.data.blobs.glob("??/*") if path.is_file()]
        database = [self.data.database.with_name(self.data.database.name + each) for each in ("", "-wal")]
        confirmation = read_confirmation(self.data.path)
        return DataState(
            folder=str(self.data.path),
            database_bytes=sum(map(size_of, database)),
            attachments=len(files),
            attachment_bytes=sum(map(size_of, files)),
            free_bytes=shutil.disk_usage(self.data.path).free,
            set_aside=tuple(sorted(path.name for path in self.data.path.iterdir() if is_set_aside(path.name))),
            restoring=None if confirmation is None else confirmation.backup,
            restoring_aside="" if confirmation is None else confirmation.aside,
        )

    # Out --------------------------------------------------------------------------------------------------------------

    def pack(self, report: Report) -> Path:
        with self.packing:
            self.sweep()
            name = f"{BACKUP_NAME}{self.now():%Y-%m-%d-%H%M%S}"
            target = self.data.path / f".{name}.zip"
            copy = target.with_suffix(".db")
            try:
                copy_database(self.data.database, copy, report)
                self.write_archive(target, copy, report)
                sync_file(target)
            except BaseException as error:
                remove(target)
                if isinstance(error, OSError | sqlite3.Error):
                    raise save_failed(target, error) from error
                raise
            finally:
                remove(copy)
            return target

    def pack_files(self, files: Sequence[tuple[str, bytes]], report: Report) -> Path:
        with self.packing:
            self.sweep()
            target = self.data.path / f".{EXPORT_NAME}{self.now():%Y-%m-%d-%H%M%S}.zip"
            try:
                with new_file(target) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                    for done, (name, data) in enumerate(files):
                        report(done, len(files))
                        archive.writestr(name, data)
            except BaseException as error:
                remove(target)
                if isinstance(error, OSError):
                    raise save_failed(target, error) from error
                raise
            return target

    def sweep(self) -> None:
        """What an earlier one left, or a kill."""
        for name in (BACKUP_NAME, EXPORT_NAME):
            for path in self.data.path.glob(f".{name}*"):
                remove(path)

    def write_archive(self, target: Path, copy: Path, report: Report) -> None:
        manifest = Manifest(format=FORMAT, at=int(self.now().timestamp() * 1000), version=self.version)
        blobs = [(f"blobs/{path.parent.name}/{path.name}", path) for path in sorted(self.data.blobs.glob("??/*"))]
        files = [(DATABASE, copy)]
        files += [(name, path) for name in TERMINAL_FILES if (path := self.data.path / name).is_file()]
        files += [(name, path) for name, path in blobs if BLOB.fullmatch(name)]
        total, done = sum(size_of(path) for _, path in files), 0
        with (
            new_file(target) as out,
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        ):
            archive.writestr(MANIFEST, msgspec.json.encode(manifest))
            if self.data.settings.is_file():
                archive.writestr(SETTINGS, without_secrets(self.data.settings.read_bytes()))
            for name, path in files:
                with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as entry:
                    for block in blocks(source):
                        entry.write(block)
                        done += len(block)
                        report(done, total)

    # In ---------------------------------------------------------------------------------------------------------------

    def begin_upload(self) -> IO[bytes]:
        if read_confirmation(self.data.path) is not None:
            raise NothingToDo("A backup is ready to be restored.", hint="Take that back first.")
        self.found = None
        try:
            self.clear()
            self.upload.parent.mkdir(mode=0o700, exist_ok=True)
            return new_file(self.upload)
        except OSError as error:
            raise save_failed(self.upload, error) from error

    def unpack(self, report: Report) -> Backup:
        with self.unpacking:
            try:
                return self.unpack_upload(report)
            except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, NotOurs) as error:
                raise InvalidArgument(f"is no backup of Talkfield, or damaged: {error}", place="file") from error
            except (SQLAlchemyError, msgspec.MsgspecError) as error:
                raise InvalidArgument("is damaged: what is in it cannot be read", place="file") from error
            except OSError as error:
                raise save_failed(self.content, error) from error
            finally:
                if self.found is None:
                    self.clear()
                remove(self.upload)

    def unpack_upload(self, report: Report) -> Backup:
        with zipfile.ZipFile(self.upload) as archive:
            entries = archive.infolist()
            total = sum(entry.file_size for entry in entries)
            self.require_size(len(entries), total)
            manifest = read_manifest(archive)
            (self.content / "blobs").mkdir(mode=0o700, parents=True)
            done = attachments = 0
            for entry in entries:
                if entry.filename == MANIFEST:
                    continue
                target, digest = self.place_of(entry.filename)
                hashed = sha256()
                with archive.open(entry) as source, new_file(target) as out:
                    for block in blocks(source):
                        done += len(block)
                        self.require_size(0, done)  # what the archive says about sizes may be a lie
                        hashed.update(block)
                        out.write(block)
                        report(done, total)
                    out.flush()
                    os.fsync(out.fileno())
                if digest and hashed.hexdigest() != digest:
                    raise InvalidArgument(f"is damaged: {entry.filename} is not what it was", place="file")
                attachments += bool(digest)
        database = self.content / DATABASE
        if not database.is_file():
            raise InvalidArgument("is no backup of Talkfield: there is no database in it", place="file")
        projects = projects_in(database)
        self.tame(self.content / SETTINGS)
        self.found = Backup(
            id=secrets.token_hex(8),
            at=manifest.at,
            version=manifest.version,
            projects=projects,
            attachments=attachments,
            size_bytes=done,
        )
        return self.found

    def require_size(self, entries: int, size_bytes: int) -> None:
        if entries > MAX_ENTRIES or size_bytes > self.max_bytes:
            raise InvalidArgument(f"is larger unpacked than {self.max_bytes:,} bytes", place="file")

    def place_of(self, name: str) -> tuple[Path, str]:
        """Where an entry goes, and the digest that it has to have. Nothing else is in a backup, and nothing twice."""
        blob = BLOB.fullmatch(name)
        if blob is None and name not in (DATABASE, SETTINGS, *TERMINAL_FILES):
            raise InvalidArgument(f"is no backup of Talkfield: it holds {name[:80]!r}", place="file")
        target = self.content / name
        if blob is not None:
            target.parent.mkdir(mode=0o700, exist_ok=True)
        if target.exists():
            raise InvalidArgument(f"is damaged: it holds {name!r} twice", place="file")
        return target, "" if blob is None else blob[2]

    def tame(self, settings: Path) -> None:
        """Settings that this version can read, and that start no program of themselves."""
        if not settings.is_file():
            return
        tree = msgspec.json.decode(settings.read_bytes(), type=dict[str, Any])
        servers = [{**each, "enabled": False} for each in tree.get("toolServers", []) if isinstance(each, dict)]
        write_atomically(settings, msgspec.json.encode({**tree, "toolServers": servers, "serverFiles": {}}))
        ConfigurationFile(settings, now=self.now).load()

    def confirm(self, id: str) -> None:
        with self.unpacking:
            if self.found is None or self.found.id != id:
                raise NothingToDo("This backup is no longer here.", hint="Choose its file again.")
            name = f"before-restore-{self.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
            confirmation = Confirmation(aside=name, backup=replace(self.found, id=""))
            write_atomically(self.data.path / RESTORE_FOLDER / CONFIRMED, msgspec.json.encode(confirmation))

    def drop(self) -> None:
        with self.unpacking:
            self.found = None
            self.clear()

    def clear(self) -> None:
        folder = self.data.path / RESTORE_FOLDER
        remove(folder / CONFIRMED)  # first: without it, what is left half removed is never restored
        shutil.rmtree(folder, ignore_errors=True)


def copy_database(source: Path, target: Path, report: Report) -> None:
    """A copy as of one moment, whoever writes meanwhile."""

    def progress(_status: int, remaining: int, total: int) -> None:
        report(0, 0)

    address = f"file:{quote(str(source))}?mode=ro"
    new_file(target).close()
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as read:
        # A transaction that reads holds the moment: else each write meanwhile would begin the copy anew.
        read.execute("BEGIN")
        read.execute("SELECT COUNT(*) FROM alembic_version").fetchone()
        with closing(sqlite3.connect(target)) as copy:
            read.backup(copy, pages=PAGES, progress=progress, sleep=0)


def without_secrets(data: bytes) -> bytes:
    """Settings without the values of headers and environment variables; their names stay."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, list):
            return [cleaned(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            name: dict.fromkeys(each, "") if name in ("headers", "env") and isinstance(each, dict) else cleaned(each)
            for name, each in value.items()
        }

    try:
        return msgspec.json.encode(cleaned(msgspec.json.decode(data)))
    except msgspec.MsgspecError:
        return b"{}"  # it cannot be read here either


def read_manifest(archive: zipfile.ZipFile) -> Manifest:
    """What the backup says of itself. Raises `InvalidArgument` for one of a newer Talkfield."""
    try:
        with archive.open(MANIFEST) as file:
            manifest = msgspec.json.decode(file.read(MAX_MANIFEST_BYTES), type=Manifest)
    except (KeyError, msgspec.MsgspecError):
        raise InvalidArgument("is no backup of Talkfield", place="file") from None
    if manifest.format > FORMAT:
        raise InvalidArgument(
            f"was made by a newer Talkfield ({manifest.version})", place="file", hint="Update Talkfield."
        )
    return manifest


def projects_in(database: Path) -> tuple[BackedUpProject, ...]:
    """The projects of an unpacked database, which is brought up to date. Raises what opening it raises."""
    engine = open_existing(database, 5.0)
    try:
        with engine.begin() as connection:
            if (words := connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()) != "ok":
                raise InvalidArgument(f"is damaged: {words}", place="file")
            rows = connection.exec_driver_sql(PROJECTS).all()
    finally:
        engine.dispose()
    sync_file(database)
    return tuple(BackedUpProject(title=title, state=state, messages=count) for title, state, count in rows)


def blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(BLOCK_BYTES):
        yield block


def new_file(path: Path) -> IO[bytes]:
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE), "wb")


def is_set_aside(name: str) -> bool:
    return ".damaged-" in name or name.startswith("before-restore-")


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def save_failed(path: Path, error: BaseException) -> SaveFailed:
    if isinstance(error, OSError):
        return SaveFailed(f"{path} could not be written: {reason(error)}.", hint=advice(error))
    return SaveFailed(f"{path} could not be written: {error}.")
