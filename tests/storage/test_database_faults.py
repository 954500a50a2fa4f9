"""The database and what may happen to a machine: a killed process, a full disk, a disk that may not be written."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import chat, message_record
from contracts.store_contract import batch, found, loaded, project
from storage.commit_loop import PROJECT, state_after
from storage.disk import SmallDisk, files_up_to, small_disk
from talkfield.errors import ProjectUnreadable, SaveFailed
from talkfield.storage.database import DatabaseStore

COMMIT_LOOP = Path(__file__).with_name("commit_loop.py")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path) as disk:
        yield disk


def check_whole(store: DatabaseStore) -> None:
    """SQLite finds nothing wrong, and the full text index has exactly what the records have."""
    with store.engine.begin() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)]
        connection.exec_driver_sql("INSERT INTO record_text(record_text, rank) VALUES ('integrity-check', 1)")


def killed_after(path: Path, first: int, acknowledgements: int) -> int:
    """Runs the commit loop, kills it after so many acknowledgements; gives the last number it acknowledged."""
    with subprocess.Popen([sys.executable, COMMIT_LOOP, path, str(first)], stdout=subprocess.PIPE, text=True) as loop:
        assert loop.stdout is not None
        numbers = [int(loop.stdout.readline()) for _ in range(acknowledgements)]
        loop.kill()
        rest = loop.stdout.read().split("\n")[:-1]  # what it said before the end; a half line was no acknowledgement
        return int(rest[-1]) if rest else numbers[-1]


def test_check_11_W8_ST1_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "talkfield.db"
    chance = random.Random(8)
    done = 0
    for _ in range(8):
        acknowledged = killed_after(path, done + 1, chance.randrange(1, 40))
        store = DatabaseStore(path)
        assert store.notices == []
        records = loaded(store, PROJECT)
        done = acknowledged + (records != state_after(acknowledged))  # or it was killed before it could say so
        assert records == state_after(done)
        assert found(store, f"text{done}") == {f"m{done}"}
        check_whole(store)
        store.close()


OPEN_NEW = """
import sys
from pathlib import Path
from alembic import command  # so that the rest is quick enough to be hit
from talkfield.storage.database import DatabaseStore
print("now", flush=True)
DatabaseStore(Path(sys.argv[1]))
print("opened", flush=True)
sys.stdin.read()
"""


def test_ST9_start_that_was_killed_leaves_no_false_alarm(tmp_path: Path) -> None:
    path = tmp_path / "talkfield.db"
    chance = random.Random(9)
    for _ in range(6):
        for file in tmp_path.iterdir():
            file.unlink()
        program = [sys.executable, "-c", OPEN_NEW, str(path)]
        with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as start:
            assert start.stdout is not None
            assert start.stdout.readline() == "now\n"
            try:
                start.wait(chance.uniform(0, 0.08))
            except subprocess.TimeoutExpired:
                start.kill()
        store = DatabaseStore(path)
        assert (store.notices, store.projects()) == ([], [])
        check_whole(store)
        store.close()


def write_until_it_fails(store: DatabaseStore) -> tuple[int, SaveFailed]:
    """Writes messages of 10 KB, each with the node; gives how many were acknowledged, and the failure."""
    for number in range(10_000):
        try:
            store.write([batch(message_record(f"m{number}", content="word " * 2000), chat(x=number))])
        except SaveFailed as failure:
            return number, failure
    raise AssertionError("nothing failed")


def check_state(store: DatabaseStore, count: int) -> None:
    messages = {f"m{number}": message_record(f"m{number}", content="word " * 2000) for number in range(count)}
    assert loaded(store) == messages | {"n": chat(x=count - 1)}
    check_whole(store)


def test_check_14_W9_full_disk_is_told_and_saving_works_again(disk: SmallDisk) -> None:
    path = disk.path / "talkfield.db"
    store = DatabaseStore(path)
    store.add_project(project())
    store.write([batch(message_record("m0", content="word " * 2000), chat(x=0))])
    disk.fill()
    with pytest.raises(SaveFailed) as failure:
        store.write([batch(message_record("m1", content="word " * 2000), chat(x=1))])
    assert str(failure.value) == f"Conversations could not be saved to {path}: the disk is full."
    assert failure.value.hint == "Free some space."
    check_state(store, 1)
    disk.free()
    store.write([batch(message_record("m1", content="word " * 2000), chat(x=1))])
    check_state(store, 2)
    store.close()
    store = DatabaseStore(path)
    check_state(store, 2)
    store.close()


def test_W9_file_that_may_not_grow_is_told_and_saving_works_again(tmp_path: Path) -> None:
    store = DatabaseStore(tmp_path / "talkfield.db")
    store.add_project(project())
    with files_up_to(400_000):
        count, failure = write_until_it_fails(store)
        assert count > 3
        assert "could not be saved" in str(failure)
        check_state(store, count)
    store.write([batch(message_record(f"m{count}", content="word " * 2000), chat(x=count))])
    check_state(store, count + 1)
    store.close()
    store = DatabaseStore(tmp_path / "talkfield.db")
    check_state(store, count + 1)
    store.close()


def test_W9_full_disk_at_the_first_start_is_told_and_leaves_nothing_half_made(disk: SmallDisk) -> None:
    path = disk.path / "talkfield.db"
    disk.fill()
    with pytest.raises(SaveFailed, match=r"disk is full|no space"):
        DatabaseStore(path)
    disk.free()
    store = DatabaseStore(path)
    assert (store.notices, store.projects()) == ([], [])
    store.close()


def test_check_15_W9_read_only_disk_is_told_and_nothing_is_set_aside(disk: SmallDisk) -> None:
    path = disk.path / "talkfield.db"
    store = DatabaseStore(path)
    store.add_project(project())
    store.close()
    before = path.read_bytes()
    disk.forbid_writing()
    with pytest.raises(ProjectUnreadable) as failure:
        DatabaseStore(path)
    assert str(failure.value) == f"Conversations could not be read from {path}: it could not be opened."
    assert failure.value.hint == "See that its folder is there and may be written."
    assert [file.name for file in disk.path.iterdir()] == ["talkfield.db"]
    assert path.read_bytes() == before
