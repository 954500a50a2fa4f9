"""The database keeps the store's contract, and what a disk and other programs may do to it."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from builders import chat, message_record
from contracts.store_contract import StoreContract, batch, found, loaded, project, said, spent
from talkfield.core.ids import ProjectId
from talkfield.errors import ProjectTooNew, ProjectUnreadable, SaveFailed
from talkfield.storage.base import ProjectStore
from talkfield.storage.database import DatabaseStore
from talkfield.storage.schema import METADATA, REVISIONS

NOON = datetime(2026, 8, 14, 12, 30, 15)
ASIDE = "talkfield.db.damaged-20260814-123015"

Open = Callable[[], DatabaseStore]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "talkfield.db"


@pytest.fixture
def opened(path: Path) -> Iterator[Open]:
    """Opens the store at `path`; the one opened before is closed first."""
    stores: list[DatabaseStore] = []

    def open_store() -> DatabaseStore:
        for store in stores:
            store.close()
        stores.append(DatabaseStore(path, busy_timeout_s=0.05, now=lambda: NOON))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


class TestDatabaseStore(StoreContract):
    @pytest.fixture
    def store(self, opened: Open) -> ProjectStore:
        return opened()


def filled(opened: Open) -> DatabaseStore:
    store = opened()
    store.add_project(project())
    store.write([batch(chat(), message_record(content="some words"))])
    return store


FILLED = {"n": chat(), "m1": message_record(content="some words")}


def sql(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """What another program would do to the file; gives the last statement's rows."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            return [connection.execute(statement).fetchall() for statement in statements][-1]
    finally:
        connection.close()


def names(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()}


# Opening


def test_what_was_written_is_there_after_reopening(opened: Open, path: Path) -> None:
    filled(opened)
    store = opened()
    assert (loaded(store), store.projects(), store.notices) == (FILLED, [project()], [])
    store.close()
    assert names(path) == {"talkfield.db"}


def test_X2_database_is_private_from_its_first_byte(opened: Open, path: Path) -> None:
    filled(opened)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"talkfield.db": 0o600, "talkfield.db-wal": 0o600, "talkfield.db-shm": 0o600}


def test_ST1_commits_are_durable(opened: Open) -> None:
    with filled(opened).engine.connect() as connection:
        pragmas = ("journal_mode", "synchronous", "foreign_keys")
        assert [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas] == ["wal", 1, 1]


class CountingStore(DatabaseStore):
    """Knows how often it waited for the disk."""

    syncs = 0

    def sync(self) -> None:
        self.syncs += 1
        super().sync()


def test_ST1_what_is_written_waits_for_the_disk_and_what_is_put_waits_for_sync(path: Path) -> None:
    store = CountingStore(path)
    store.add_project(project())
    assert store.syncs == 1
    store.put([batch(chat())])
    assert store.syncs == 1
    killed = DatabaseStore(path)  # as a process that starts after this one was killed
    assert loaded(killed) == {"n": chat()}
    killed.close()
    store.write([batch(chat(x=9))])
    assert store.syncs == 2
    store.close()
    path.with_name(f"{path.name}-wal").unlink(missing_ok=True)
    store.sync()  # no log, nothing to wait for


def test_W9_after_a_sync_that_failed_the_log_is_not_trusted(path: Path) -> None:
    store = DatabaseStore(path)
    store.add_project(project())
    store.put([batch(chat())])
    log, aside = path.with_name(f"{path.name}-wal"), path.with_name("aside")
    log.rename(aside)
    log.mkdir()
    with pytest.raises(SaveFailed):
        store.write([batch(chat(x=1))])
    log.rmdir()
    aside.rename(log)
    assert log.stat().st_size > 0
    store.sync()
    assert log.stat().st_size == 0  # all of it was moved into the database, and that was synced
    store.put([batch(chat(x=2))])
    store.sync()
    assert log.stat().st_size > 0
    assert loaded(store) == {"n": chat(x=2)}
    store.close()


def test_W9_a_log_that_cannot_be_synced_is_a_failed_save(path: Path) -> None:
    store = DatabaseStore(path)
    store.close()
    path.with_name(f"{path.name}-wal").mkdir()
    with pytest.raises(SaveFailed, match="could not be saved"):
        store.sync()


def test_opening_a_current_database_needs_no_migration_tool(opened: Open, path: Path) -> None:
    filled(opened).close()
    program = (
        "import sys; from pathlib import Path; from talkfield.storage.database import DatabaseStore;"
        "DatabaseStore(Path(sys.argv[1])).close(); print([name for name in sys.modules if name.startswith('alembic')])"
    )
    answer = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_migrations_end_where_the_schema_says(opened: Open, path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    filled(opened).close()
    config = Config()
    config.set_main_option("script_location", "talkfield.storage:migrations")
    config.set_main_option("path_separator", "os")
    revisions = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(revisions)) == REVISIONS
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), METADATA)
    engine.dispose()
    assert [difference for difference in differences if "record_text" not in str(difference)] == []


def test_database_of_an_unfinished_start_is_made_again(opened: Open, path: Path) -> None:
    path.with_name("talkfield.db.new").write_bytes(b"half")
    path.with_name("talkfield.db.new-wal").write_bytes(b"half")
    store = filled(opened)
    assert (loaded(store), store.notices) == (FILLED, [])
    store.close()
    assert names(path) == {"talkfield.db"}


def test_database_of_a_newer_version_is_left_alone(opened: Open, path: Path) -> None:
    filled(opened).close()
    sql(path, "UPDATE alembic_version SET version_num = '9999'")
    before = path.read_bytes()
    with pytest.raises(ProjectTooNew, match="newer"):
        opened()
    assert (path.read_bytes(), names(path)) == (before, {"talkfield.db"})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"garbage" * 1000, "is damaged"),
        (b"SQLite format 3\0" + b"\xff" * 5000, "is damaged"),
        (b"{}", "is damaged"),
    ],
)
def test_check_17_ST9_damaged_database_is_set_aside_and_told(
    opened: Open, path: Path, content: bytes, why: str
) -> None:
    path.write_bytes(content)
    path.with_name("talkfield.db-wal").write_bytes(b"its log")
    store = filled(opened)
    aside = path.with_name(ASIDE)
    said = f"{path} {why}. It is kept as {aside}, and Talkfield starts with an empty one; "
    assert store.notices == [said + "projects that have a folder can be opened from there."]
    assert (aside.read_bytes(), path.with_name(f"{ASIDE}-wal").read_bytes()) == (content, b"its log")
    assert loaded(store) == FILLED


def test_check_17_ST9_truncated_database_is_set_aside(opened: Open, path: Path) -> None:
    filled(opened).close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    store = opened()
    assert (store.projects(), len(store.notices)) == ([], 1)
    assert path.with_name(ASIDE).read_bytes() == whole[: len(whole) // 2]


def test_ST9_database_of_another_program_is_set_aside(opened: Open, path: Path) -> None:
    sql(path, "CREATE TABLE theirs (x)")
    store = opened()
    assert "another program" in store.notices[0]
    assert sql(path.with_name(ASIDE), "SELECT name FROM sqlite_master") == [("theirs",)]


def test_ST9_log_without_its_database_is_not_played_into_a_new_one(opened: Open, path: Path) -> None:
    filled(opened)
    log = path.with_name("talkfield.db-wal").read_bytes()
    assert log
    opened().close()
    path.unlink()
    path.with_name("talkfield.db-wal").write_bytes(log)
    store = opened()
    assert (store.projects(), len(store.notices)) == ([], 1)
    assert path.with_name(f"{ASIDE}-wal").read_bytes() == log


def test_ST9_second_damage_in_a_second_gets_a_name_of_its_own(opened: Open, path: Path) -> None:
    for content in (b"one", b"two"):
        path.write_bytes(content)
        opened().close()
    assert path.with_name(ASIDE).read_bytes() == b"one"
    assert path.with_name(f"{ASIDE}-2").read_bytes() == b"two"


def test_ST9_damaged_record_is_told_and_left_as_it_is(opened: Open, path: Path) -> None:
    filled(opened).close()
    sql(path, "UPDATE records SET body = '{\"record\":' WHERE id = 'n'")
    store = opened()
    with pytest.raises(ProjectUnreadable, match=r"damaged record \(n\)"):
        store.load(ProjectId("p"))
    store.close()
    assert sql(path, "SELECT body FROM records WHERE id = 'n'") == [('{"record":',)]


def test_ST9_damage_in_the_middle_is_told_when_it_is_read(opened: Open, path: Path) -> None:
    store = filled(opened)
    store.write([batch(*(message_record(f"m{number}", content="x" * 3000) for number in range(100)))])
    store.close()
    data = bytearray(path.read_bytes())
    data[40 * 4096 : 80 * 4096] = b"\x17" * (40 * 4096)
    path.write_bytes(data)
    with pytest.raises(ProjectUnreadable, match="damaged"):
        opened().load(ProjectId("p"))


def test_folder_that_is_not_there_is_told(path: Path) -> None:
    with pytest.raises(SaveFailed) as failure:
        DatabaseStore(path / "talkfield.db")
    assert failure.value.hint == "The folder is gone: bring it back."


UNDER_ANOTHER_USER = """
import os, sqlite3, sys  # all that is needed: the other user may not be allowed to read the library
from pathlib import Path
from talkfield.errors import ProjectError
from talkfield.storage.database import DatabaseStore
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
try:
    DatabaseStore(Path(sys.argv[1]))
except ProjectError as error:
    print(type(error).__name__, error, error.hint)
"""


def test_W9_database_that_may_not_be_written_is_told_and_kept() -> None:
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to the user that root becomes
    try:
        path = folder / "talkfield.db"
        DatabaseStore(path).close()
        path.chmod(0o444)
        folder.chmod(0o555)
        program = [sys.executable, "-c", UNDER_ANOTHER_USER, str(path)]
        answer = subprocess.run(program, capture_output=True, text=True, check=True)
        assert answer.stdout == (
            f"ProjectUnreadable Conversations could not be read from {path}: it may not be written."
            " Make the file and its folder writable.\n"
        )
        assert names(path) == {"talkfield.db"}
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


# Working


def test_store_may_be_used_by_another_thread_than_its_opener(opened: Open) -> None:
    store = filled(opened)
    seen: list[object] = []

    def use(name: str) -> None:
        store.write([batch(message_record(name, content="thread"))])
        seen.append(loaded(store)[name])

    threads = [threading.Thread(target=use, args=[name]) for name in ("t1", "t2", "t3")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 3
    assert found(store, "thread") == {"t1", "t2", "t3"}


def test_W9_database_held_by_another_program_is_told_and_works_again(opened: Open, path: Path) -> None:
    store = filled(opened)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(SaveFailed, match="another program holds it"):
        store.write([batch(chat(x=5))])
    other.execute("ROLLBACK")
    other.close()
    store.write([batch(chat(x=6))])
    assert loaded(store) == FILLED | {"n": chat(x=6)}


def test_W9_deleted_database_is_not_written_to_in_silence(opened: Open, path: Path) -> None:
    store = filled(opened)
    moved = path.with_name("moved.db")
    path.rename(moved)
    with pytest.raises(SaveFailed, match="gone"):
        store.write([batch(chat(x=5))])
    with pytest.raises(ProjectUnreadable, match="gone"):
        store.load(ProjectId("p"))
    moved.rename(path)
    store.write([batch(chat(x=6))])
    assert loaded(store) == FILLED | {"n": chat(x=6)}


def test_closed_store_says_so(opened: Open) -> None:
    store = filled(opened)
    store.close()
    store.close()
    with pytest.raises(SaveFailed, match="closed"):
        store.write([batch(chat())])


def test_X2_errors_hold_nothing_of_what_was_to_be_saved(opened: Open, path: Path) -> None:
    store = filled(opened)
    store.close()
    sql(path, "ALTER TABLE records RENAME COLUMN kind TO sort")
    store = opened()
    with pytest.raises(SaveFailed) as failure:
        store.write([batch(message_record(content="SECRET"))])
    assert "SECRET" not in f"{failure.value} {failure.value.hint} {failure.value.__cause__}"


def test_W9_error_in_the_middle_of_a_write_takes_all_of_it_back(opened: Open, path: Path) -> None:
    store = filled(opened)
    store.close()
    sql(path, "CREATE TRIGGER no BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'no'); END")
    store = opened()
    with pytest.raises(SaveFailed, match="no"):
        store.write([batch(spent()("m2"), removes=("m1",))])
    assert (loaded(store), store.usage(), found(store, "some words")) == (FILLED, [], {"m1"})


def test_ST8_index_matches_the_records_after_every_kind_of_change(opened: Open) -> None:
    store = filled(opened)
    said(store, m1="one two", m2="", m3="three\0four")
    said(store, m1="five", m2="six", m3="")
    store.write([batch(chat("m1"), removes=("m2",))])
    store.add_project(project("q"))
    store.write([batch(message_record("m9", content="nine"), into="q")])
    store.remove_project(ProjectId("q"))
    with store.engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO record_text(record_text, rank) VALUES ('integrity-check', 1)")


def test_ST8_damaged_index_is_made_anew(opened: Open, path: Path) -> None:
    filled(opened).close()
    sql(path, "DELETE FROM record_text_data WHERE id > 10")
    store = opened()
    said(store, m2="other words")
    assert (found(store, "words"), store.notices) == ({"m1", "m2"}, [])


def test_ST3_write_touches_what_changed_whatever_the_project_holds(opened: Open) -> None:
    store = filled(opened)
    log = store.path.with_name("talkfield.db-wal")

    def pages_of_a_write(text: str) -> int:
        with store.engine.connect() as connection:
            connection.exec_driver_sql("COMMIT")  # SQLAlchemy began a transaction, in which no log can be emptied
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        said(store, m1=text)
        return log.stat().st_size // 4096

    small = pages_of_a_write("one")
    store.write([batch(*(message_record(f"x{number}", content=f"word{number} " * 20) for number in range(3000)))])
    assert 0 < pages_of_a_write("two") <= small + 10
