"""The project file is never touched without need, and never over what someone else wrote."""

from __future__ import annotations

import os
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from storage.disk import files_up_to
from talkfield.errors import ProjectUnreadable, SaveFailed
from talkfield.storage.base import SharedFile
from talkfield.storage.project_file import DiskProjectFile, digest_of

NOON = datetime(2026, 8, 14, 12, 30, 15)


@pytest.fixture
def file(tmp_path: Path) -> DiskProjectFile:
    return DiskProjectFile(tmp_path)


def save(file: SharedFile, data: bytes) -> str:
    """As the owner does it, but for remembering."""
    if not file.differs(data):
        return "not needed"
    file.intend(data)
    return file.write(data)


def state(file: DiskProjectFile) -> tuple[bytes, int, int]:
    status = file.path.stat()
    return file.path.read_bytes(), status.st_mtime_ns, status.st_ino


def test_ST6_file_is_written_and_known_as_ours(file: DiskProjectFile) -> None:
    assert (file.read(), file.outside_change()) == (None, None)
    assert save(file, b"one") == "written"
    assert (file.read(), file.outside_change(), file.digests) == (b"one", None, (digest_of(b"one"),))
    assert [path.name for path in file.path.parent.iterdir()] == ["talkfield.json"]


def test_W11_ST6_save_without_a_change_touches_nothing(file: DiskProjectFile) -> None:
    save(file, b"one")
    before = state(file)
    assert save(file, b"one") == "not needed"
    assert file.write(b"one") == "unchanged"
    restarted = DiskProjectFile(file.path.parent, digests=file.digests)
    assert save(restarted, b"one") == "unchanged"
    assert state(file) == before


def test_ST7_change_of_someone_else_is_seen_and_not_overwritten(file: DiskProjectFile) -> None:
    save(file, b"one")
    file.path.write_bytes(b"theirs")
    assert file.differs(b"one")
    assert file.write(b"two") == "changed-outside"
    assert (file.outside_change(), file.read()) == (b"theirs", b"theirs")
    assert file.accept(b"theirs") == (digest_of(b"theirs"),)
    assert file.outside_change() is None
    assert save(file, b"two") == "written"


def test_ST7_change_of_the_same_length_at_the_same_time_is_not_overwritten(file: DiskProjectFile) -> None:
    save(file, b"one")
    status = file.path.stat()
    file.path.write_bytes(b"eno")
    os.utime(file.path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.write(b"two") == "changed-outside"


def test_ST7_file_that_is_there_before_us_is_someone_elses(file: DiskProjectFile) -> None:
    file.path.write_bytes(b"cloned")
    assert (file.outside_change(), file.write(b"mine")) == (b"cloned", "changed-outside")


def test_ST7_file_taken_back_to_what_we_wrote_before_is_a_change(file: DiskProjectFile) -> None:
    save(file, b"one")
    save(file, b"two")
    file.path.write_bytes(b"one")
    assert file.outside_change() == b"one"


def test_ST7_after_a_crash_both_the_old_and_the_new_bytes_are_ours(tmp_path: Path) -> None:
    file = DiskProjectFile(tmp_path)
    save(file, b"old")
    remembered = file.intend(b"new")  # and then the machine dies, before the write or after it
    for there in (b"old", b"new"):
        file.path.write_bytes(there)
        restarted = DiskProjectFile(tmp_path, digests=remembered)
        assert restarted.outside_change() is None
        assert restarted.write(b"newer") == "written"


def test_ST7_deleted_file_is_written_again(file: DiskProjectFile) -> None:
    save(file, b"one")
    file.path.unlink()
    assert file.outside_change() is None
    assert save(file, b"one") == "written"


def test_W9_failed_writes_do_not_make_a_stranger_of_the_old_file(file: DiskProjectFile) -> None:
    save(file, b"old")
    with files_up_to(10):
        for number in range(30):
            with pytest.raises(SaveFailed):
                save(file, b"a much longer file %d" % number)
    assert (file.read(), file.outside_change()) == (b"old", None)
    assert DiskProjectFile(file.path.parent, digests=file.digests).outside_change() is None
    assert save(file, b"new") == "written"


def test_W9_folder_that_is_gone_is_told_and_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(SaveFailed, match="is gone"):
        DiskProjectFile(tmp_path / "gone").write(b"one")
    assert list(tmp_path.iterdir()) == []


def test_X4_file_that_is_too_big_is_refused(tmp_path: Path) -> None:
    file = DiskProjectFile(tmp_path, max_bytes=10)
    file.path.write_bytes(b"x" * 11)
    for ask in (file.read, file.outside_change, lambda: file.write(b"one")):
        with pytest.raises(ProjectUnreadable, match="reads up to 10"):
            ask()


def test_ST9_what_cannot_be_read_is_told_and_left(file: DiskProjectFile) -> None:
    file.path.mkdir()
    with pytest.raises(ProjectUnreadable):
        file.write(b"one")
    assert file.path.is_dir()


def test_check_17_ST9_file_that_makes_no_sense_is_set_aside(file: DiskProjectFile) -> None:
    file.path.write_bytes(b"<<<<<<< HEAD")
    aside = file.set_aside(NOON)
    assert (aside.name, aside.read_bytes()) == ("talkfield.json.damaged-20260814-123015", b"<<<<<<< HEAD")
    assert save(file, b"one") == "written"


class OwnerAndOthers(RuleBasedStateMachine):
    """An owner that crashes and starts again, and others who write and delete: nobody's bytes are ever lost unseen.

    `theirs` is what others wrote and the owner has not loaded: it must stay in the file until it has been.
    """

    contents = st.sampled_from([b"a", b"b", b"c"])

    @initialize()
    def begin(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.remembered: tuple[str, ...] = ()
        self.file = DiskProjectFile(Path(self.scratch.name))
        self.count = 0
        self.theirs: bytes | None = None

    @rule(data=contents)
    def owner_saves(self, data: bytes) -> None:
        if self.file.differs(data):
            self.remembered = self.file.intend(data)
            if self.file.write(data) == "changed-outside":
                assert self.theirs is not None
                return
            self.remembered = self.file.digests
        assert self.theirs is None

    @rule(data=contents)
    def owner_is_killed_before_or_after_a_write(self, data: bytes) -> None:
        if self.theirs is None:
            self.remembered = self.file.intend(data)
            if data == b"a":
                self.file.write(data)
        self.file = DiskProjectFile(Path(self.scratch.name), digests=self.remembered)

    @rule()
    def owner_looks(self) -> None:
        change = self.file.outside_change()
        if change is not None:
            assert change == self.theirs
            self.remembered = self.file.accept(change)
            self.theirs = None

    @rule()
    def others_write(self) -> None:
        self.count += 1
        self.theirs = b"theirs %d" % self.count
        self.file.path.write_bytes(self.theirs)

    @rule()
    def others_delete(self) -> None:
        self.file.path.unlink(missing_ok=True)
        self.theirs = None

    @invariant()
    def what_others_wrote_is_there(self) -> None:
        if self.theirs is not None:
            assert self.file.read() == self.theirs

    def teardown(self) -> None:
        if hasattr(self, "scratch"):
            self.scratch.cleanup()


TestOwnerAndOthers: Any = OwnerAndOthers.TestCase
TestOwnerAndOthers.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
