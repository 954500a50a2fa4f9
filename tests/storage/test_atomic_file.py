"""A file is replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import random
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from storage.disk import files_up_to, small_disk
from talkfield.errors import SaveFailed
from talkfield.storage.atomic import write_atomically, write_synced


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_ST6_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert content(tmp_path) == {"file": b"two"}


def test_X2_mode_holds_whatever_it_was_before(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o644)
    write_atomically(path, b"secret")
    assert mode(path) == 0o600


def test_check_46_X2_private_file_is_private_from_its_first_byte(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write_synced(tmp_path / "file", b"secret", 0o600)  # which opens it with its mode, and changes none later
    finally:
        os.umask(old)
    assert mode(tmp_path / "file") == 0o600
    with pytest.raises(FileExistsError):
        write_synced(tmp_path / "file", b"other", 0o600)


def test_shared_file_keeps_its_mode_and_a_new_one_gets_the_usual(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write_atomically(tmp_path / "new", b"", mode=None)
        (tmp_path / "there").touch()
        (tmp_path / "there").chmod(0o664)
        write_atomically(tmp_path / "there", b"", mode=None)
    finally:
        os.umask(old)
    assert (mode(tmp_path / "new"), mode(tmp_path / "there")) == (0o644, 0o664)


def test_what_a_link_points_to_is_replaced_not_the_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere" / "file")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert content(tmp_path / "elsewhere") == {"file": b"new"}


def test_W9_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with files_up_to(1000), pytest.raises(SaveFailed, match="file too large") as failure:
        write_atomically(path, b"x" * 2000)
    assert failure.value.hint == "The file has reached the size this machine allows."
    assert content(tmp_path) == {"file": b"old"}


def test_W9_full_and_read_only_disks_are_told_with_what_to_do(tmp_path: Path) -> None:
    with small_disk(tmp_path) as disk:
        path = tmp_path / "file"
        path.write_bytes(b"old")
        disk.fill()
        with pytest.raises(SaveFailed, match="no space left") as full:
            write_atomically(path, b"x" * 5000)
        disk.free()
        disk.forbid_writing()
        with pytest.raises(SaveFailed, match="read-only") as forbidden:
            write_atomically(path, b"new")
        assert content(tmp_path) == {"file": b"old"}
    assert full.value.hint == "The disk is full: free some space."
    assert forbidden.value.hint == "The disk is read-only: make it writable."


def test_W9_folder_that_is_gone_is_told_and_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(SaveFailed) as failure:
        write_atomically(tmp_path / "gone" / "file", b"")
    assert failure.value.hint == "The folder is gone: bring it back."
    assert content(tmp_path) == {}


def test_check_15_W9_error_of_the_disk_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()  # a rename over a folder fails at the last step
    with pytest.raises(SaveFailed) as failure:
        write_atomically(tmp_path / "file", b"")
    assert isinstance(failure.value.__cause__, OSError)
    assert failure.value.__cause__.errno == errno.EISDIR
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


WRITE_FOR_EVER = """
import sys
from itertools import count
from pathlib import Path
from talkfield.storage.atomic import write_atomically
for number in count(1):
    write_atomically(Path(sys.argv[1]), (b"%d" % (number % 10)) * 300_000)
    print(number, flush=True)
"""


def test_ST6_killed_process_leaves_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    chance = random.Random(5)
    for _ in range(5):
        program = [sys.executable, "-c", WRITE_FOR_EVER, str(path)]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            number = [process.stdout.readline() for _ in range(chance.randrange(1, 30))][-1]
            process.kill()
            number = (process.stdout.read().split("\n")[:-1] or [number])[-1]
        data = path.read_bytes()
        assert data in {(b"%d" % (each % 10)) * 300_000 for each in (int(number), int(number) + 1)}
