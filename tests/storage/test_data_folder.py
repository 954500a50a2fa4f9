"""The data folder is private, is this process's alone, and says so in one line when it cannot be used."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from storage.disk import small_disk
from talkfield.errors import ProjectLocked, StartFailed
from talkfield.storage.folder import DataFolder
from talkfield.storage.lock import DataFolderLock, Holder, holder_of


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "deep" / "home")
    folder.create()
    return folder


def test_folder_is_where_the_environment_says(tmp_path: Path) -> None:
    assert DataFolder.locate({"TALKFIELD_HOME": str(tmp_path / "a" / ".." / "b")}).path == tmp_path / "b"
    assert DataFolder.locate({"TALKFIELD_HOME": "~/x"}).path == Path.home() / "x"
    assert DataFolder.locate({"TALKFIELD_HOME": "x"}).path == Path.cwd() / "x"
    for nothing in ({}, {"TALKFIELD_HOME": " "}):
        assert DataFolder.locate(nothing).path.name == "talkfield"


def test_everything_has_its_place(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    paths = (folder.database, folder.settings, folder.keys, folder.token, folder.blobs, folder.lock().path)
    names = ["talkfield.db", "settings.json", "keys.json", "api-token", "blobs", "lock"]
    assert [str(path.relative_to(tmp_path)) for path in paths] == names


def test_X2_folder_is_private(folder: DataFolder) -> None:
    folder.create()
    assert (mode(folder.path), mode(folder.blobs)) == (0o700, 0o700)
    assert list(folder.path.iterdir()) == [folder.blobs]


def test_W9_folder_that_cannot_be_written_ends_the_start_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StartFailed) as failure:
        DataFolder(tmp_path / "file" / "home").create()
    assert "\n" not in str(failure.value)
    with small_disk(tmp_path) as disk:
        disk.forbid_writing()
        with pytest.raises(StartFailed) as failure:
            DataFolder(tmp_path).create()
        assert str(failure.value) == f"Talkfield cannot write to its data folder {tmp_path}: read-only file system."
        assert failure.value.hint == "The disk is read-only: make it writable. Or set TALKFIELD_HOME to another folder."


# The API token


def test_X1_token_is_made_once_and_private(folder: DataFolder) -> None:
    token = folder.api_token()
    assert len(token) >= 43
    assert folder.api_token() == token
    assert mode(folder.token) == 0o600
    other = DataFolder(folder.path / "other")
    other.create()
    assert other.api_token() != token


def test_X1_token_that_others_could_read_is_closed_to_them(folder: DataFolder) -> None:
    token = folder.api_token()
    folder.token.chmod(0o644)
    assert folder.api_token() == token
    assert mode(folder.token) == 0o600


@pytest.mark.parametrize("content", [b"", b"short", "ü".encode() * 40])
def test_X1_damaged_token_is_made_anew(folder: DataFolder, content: bytes) -> None:
    folder.token.write_bytes(content)
    token = folder.api_token()
    assert len(token) >= 43
    assert folder.api_token() == token


def test_X1_token_that_cannot_be_read_ends_the_start(folder: DataFolder) -> None:
    folder.token.mkdir()
    with pytest.raises(StartFailed, match="api-token could not be read"):
        folder.api_token()


# The lock

HOLD = """
import subprocess, sys
from pathlib import Path
from talkfield.storage.lock import DataFolderLock
lock = DataFolderLock(Path(sys.argv[1]))
lock.acquire()
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
for line in sys.stdin:
    lock.announce(line.strip())
    print("told", flush=True)
"""


@contextmanager
def holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock and has a child of its own; it announces each line it is sent."""
    program = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_ST5_second_process_is_refused_and_told_who_has_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holding(path) as process:
        with pytest.raises(ProjectLocked) as refusal:
            DataFolderLock(path).acquire()
        assert str(refusal.value) == f"Talkfield is already running on this data (process {process.pid})."
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("http://127.0.0.1:8123\n")
        process.stdin.flush()
        process.stdout.readline()
        with pytest.raises(ProjectLocked) as refusal:
            DataFolderLock(path).acquire()
        assert str(refusal.value) == (
            f"Talkfield is already running on this data (process {process.pid}, http://127.0.0.1:8123)."
        )
        assert holder_of(path) == Holder(process.pid, "http://127.0.0.1:8123")


def test_ST5_killed_process_leaves_no_lock_even_while_its_child_lives(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    for _ in range(3):
        with holding(path) as process:
            process.kill()
            process.wait()
            with DataFolderLock(path):
                assert holder_of(path) == Holder(os.getpid())


def test_ST5_lock_is_for_one_in_the_same_process_too(tmp_path: Path) -> None:
    first, second = DataFolderLock(tmp_path / "lock"), DataFolderLock(tmp_path / "lock")
    first.acquire()
    with pytest.raises(ProjectLocked):
        second.acquire()
    first.release()
    first.release()
    with second:
        second.announce("http://127.0.0.1:1")
        second.announce("http://x")
        assert holder_of(tmp_path / "lock") == Holder(os.getpid(), "http://x")
    assert holder_of(tmp_path / "lock") is None


def test_ST5_lock_file_is_private_and_stays(tmp_path: Path) -> None:
    with DataFolderLock(tmp_path / "lock"):
        assert mode(tmp_path / "lock") == 0o600
    assert (tmp_path / "lock").exists()


def test_ST5_words_in_the_lock_file_are_no_lock(tmp_path: Path) -> None:
    for words in ("1\nhttp://x\n", "nonsense", ""):
        (tmp_path / "lock").write_text(words)
        with DataFolderLock(tmp_path / "lock"):
            assert holder_of(tmp_path / "lock") == Holder(os.getpid())


def test_lock_in_a_folder_that_is_gone_ends_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartFailed):
        DataFolderLock(tmp_path / "gone" / "lock").acquire()
