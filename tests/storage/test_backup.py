"""A backup holds everything but keys, is taken in only when it is whole, and replaces nothing that is not kept."""

from __future__ import annotations

import io
import json
import os
import zipfile
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from talkfield.core.ids import MessageId, NodeId, ProjectId, TurnId
from talkfield.core.records import MessageRecord
from talkfield.errors import InvalidArgument, NothingToDo, ProjectTooNew, SaveFailed, StartFailed
from talkfield.storage.backup import BackupFolder
from talkfield.storage.base import BackedUpProject, DataKeeper, StoredProject, WorkStopped, WriteBatch
from talkfield.storage.blobs import Blobs
from talkfield.storage.database import DatabaseStore
from talkfield.storage.folder import DataFolder
from talkfield.storage.restore import complete_restore, read_confirmation

NOW = datetime(2026, 8, 14, 9, 30, tzinfo=UTC)
ATLAS = ProjectId("atlas")
SECRET = "sk-very-secret"
SETTINGS = {
    "version": 1,
    "settings": {"theme": "dark"},
    "toolServers": [{"name": "files", "command": ["run"], "env": {"TOKEN": SECRET}, "headers": {"X-Key": SECRET}}],
    "serverFiles": {"abc": True},
}


def quiet(_done: int, _total: int) -> None:
    pass


def words(content: str) -> MessageRecord:
    return MessageRecord(
        id=MessageId("message-1"),
        node_id=NodeId("node-1"),
        index=0,
        turn=TurnId("t"),
        role="user",
        content=content,
        ts=1,
    )


def filled(path: Path, content: str = "hello") -> tuple[DataFolder, str]:
    """A data folder with a project, a message, an attachment, settings and keys; and the attachment's digest."""
    data = DataFolder(path)
    data.create()
    store = DatabaseStore(data.database)
    store.add_project(StoredProject(id=ATLAS, title="Atlas", folder=None, created_at=1, opened_at=2))
    store.write([WriteBatch(project=ATLAS, puts=(words(content),))])
    store.close()
    data.settings.write_text(json.dumps(SETTINGS))
    data.keys.write_text(SECRET)
    data.token.write_text(SECRET)
    (path / "chat-history").write_text("typed")
    return data, Blobs(data.blobs).put(content.encode())


def keeper(data: DataFolder, **options: Any) -> BackupFolder:
    return BackupFolder(data, "9.9", now=lambda: NOW, **options)


def take_in(into: BackupFolder, archive: bytes) -> str:
    with into.begin_upload() as upload:
        upload.write(archive)
    return into.unpack(quiet).id


def packed(data: DataFolder) -> bytes:
    return keeper(data).pack(quiet).read_bytes()


def rewritten(archive: bytes, **entries: bytes | None) -> bytes:
    """The archive with other entries: `__` stands for `.`."""
    changed = {name.replace("__", "."): data for name, data in entries.items()}
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = changed.pop(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
        for name, data in changed.items():
            new.writestr(name, data or b"")
    return out.getvalue()


def test_ST10_X2_a_backup_holds_everything_but_keys(tmp_path: Path) -> None:
    data, digest = filled(tmp_path / "old")
    archive = packed(data)
    with zipfile.ZipFile(io.BytesIO(archive)) as held:
        assert sorted(held.namelist()) == [
            "backup.json",
            f"blobs/{digest[:2]}/{digest}",
            "chat-history",
            "settings.json",
            "talkfield.db",
        ]
        assert all(SECRET.encode() not in held.read(name) for name in held.namelist())
        assert json.loads(held.read("backup.json")) == {"format": 1, "at": 1786699800000, "version": "9.9"}
        assert json.loads(held.read("settings.json"))["toolServers"][0]["env"] == {"TOKEN": ""}


def test_ST10_a_backup_is_of_one_moment_while_others_write(tmp_path: Path) -> None:
    data, _ = filled(tmp_path / "old")
    store = DatabaseStore(data.database)

    def write(_done: int, _total: int) -> None:
        store.write([WriteBatch(project=ATLAS, puts=(words("later"),))])

    archive = keeper(data).pack(write).read_bytes()
    store.close()
    new = keeper(DataFolder(tmp_path / "new"))
    new.data.create()
    new.confirm(take_in(new, archive))
    complete_restore(new.data.path)
    restored = DatabaseStore(new.data.database)
    assert restored.load(ATLAS) == (words("hello"),)
    restored.close()


def test_ST10_a_backup_is_restored_at_the_next_start_and_what_was_there_is_kept(tmp_path: Path) -> None:
    old, digest = filled(tmp_path / "old", "from the backup")
    here, other = filled(tmp_path / "here", "what is here")
    subject: DataKeeper = keeper(here)
    with subject.begin_upload() as upload:
        upload.write(packed(old))
    found = subject.unpack(quiet)
    assert (found.projects, found.attachments, found.version) == (
        (BackedUpProject(title="Atlas", state="active", messages=1),),
        1,
        "9.9",
    )
    assert complete_restore(here.path) == []  # nobody has said yes
    assert not (here.path / "restore").exists()

    with subject.begin_upload() as upload:
        upload.write(packed(old))
    subject.confirm(subject.unpack(quiet).id)
    state = subject.state()
    assert (state.restoring is not None, state.restoring_aside[:22]) == (True, "before-restore-2026081")
    with pytest.raises(NothingToDo):
        subject.begin_upload()
    (line,) = complete_restore(here.path)
    aside = here.path / state.restoring_aside
    assert str(aside) in line
    assert subject.state().set_aside == (aside.name,)

    for folder, content, blob in ((here.path, "from the backup", digest), (aside, "what is here", other)):
        store = DatabaseStore(folder / "talkfield.db")
        assert store.load(ATLAS) == (words(content),)
        store.close()
        assert Blobs(folder / "blobs").get(blob) == content.encode()
    settings = json.loads(here.settings.read_text())
    assert (settings["settings"], settings["serverFiles"]) == ({"theme": "dark"}, {})
    assert settings["toolServers"][0]["enabled"] is False
    assert json.loads((aside / "settings.json").read_text()) == SETTINGS
    assert here.keys.read_text() == SECRET


def test_ST10_a_restore_that_is_cut_short_goes_on_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, digest = filled(tmp_path / "old", "from the backup")
    archive = packed(old)
    rename = os.rename
    for steps in range(8):
        here, other = filled(tmp_path / f"here-{steps}", "what is here")
        subject = keeper(here)
        subject.confirm(take_in(subject, archive))
        left = [steps]

        def limited(source: Path, target: Path, left: list[int] = left) -> None:
            if not left[0]:
                raise OSError(28, "No space left on device")
            left[0] -= 1
            rename(source, target)

        monkeypatch.setattr(os, "rename", limited)
        with pytest.raises(StartFailed, match="could not be put in place"):
            complete_restore(here.path)
        monkeypatch.setattr(os, "rename", rename)
        confirmation = read_confirmation(here.path)
        assert confirmation is not None
        here.create()
        complete_restore(here.path)
        store = DatabaseStore(here.database)
        assert store.load(ATLAS) == (words("from the backup"),)
        store.close()
        assert Blobs(here.blobs).has(digest)
        assert Blobs(here.path / confirmation.aside / "blobs").has(other)
        assert not (here.path / "restore").exists()


def test_ST10_nobody_restores_what_was_taken_back_or_replaced(tmp_path: Path) -> None:
    old, _ = filled(tmp_path / "old")
    here = keeper(filled(tmp_path / "here")[0])
    first = take_in(here, packed(old))
    second = take_in(here, packed(old))
    with pytest.raises(NothingToDo):
        here.confirm(first)
    here.confirm(second)
    here.drop()
    assert here.state().restoring is None
    with pytest.raises(NothingToDo):
        here.confirm(second)
    assert complete_restore(here.data.path) == []


BLOB = f"blobs/{'a' * 2}/{'a' * 64}"


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ({"backup__json": None}, "no backup of Talkfield"),
        ({"backup__json": b"{"}, "no backup of Talkfield"),
        ({"backup__json": b'{"format":2,"at":1,"version":"12"}'}, r"newer Talkfield \(12\)"),
        ({"talkfield__db": None}, "no database in it"),
        ({"talkfield__db": b"no database"}, "damaged"),
        ({"settings__json": b"["}, "damaged"),
        ({"settings__json": b"[]"}, "damaged"),
        ({"../../outside": b"x"}, "it holds '../../outside'"),
        ({"blobs/aa/../../../outside": b"x"}, "it holds"),
        ({"keys__json": b"x"}, "it holds 'keys.json'"),
        ({BLOB: b"other bytes"}, "not what it was"),
    ],
)
def test_ST10_X4_what_is_no_backup_is_refused_and_leaves_nothing(
    tmp_path: Path, entries: dict[str, bytes | None], problem: str
) -> None:
    archive = rewritten(packed(filled(tmp_path / "old")[0]), **entries)
    here = keeper(filled(tmp_path / "here")[0])
    with pytest.raises(InvalidArgument, match=problem):
        take_in(here, archive)
    assert not (here.data.path / "restore").exists()
    assert not (tmp_path / "outside").exists()


def test_ST10_X4_no_archive_and_one_that_is_too_large_are_refused(tmp_path: Path) -> None:
    archive = packed(filled(tmp_path / "old")[0])
    here = keeper(filled(tmp_path / "here")[0], max_bytes=10_000)
    for data, problem in ((b"PK\x03\x04 not", "damaged"), (b"", "damaged"), (archive, "larger unpacked than 10,000")):
        with pytest.raises(InvalidArgument, match=problem):
            take_in(here, data)
        assert not (here.data.path / "restore").exists()


def test_ST10_a_database_of_a_newer_version_and_newer_settings_are_refused(tmp_path: Path) -> None:
    archive = rewritten(packed(filled(tmp_path / "old")[0]), settings__json=b'{"version":99}')
    with pytest.raises(ProjectTooNew):
        take_in(keeper(filled(tmp_path / "here")[0]), archive)


def test_ST10_a_backup_that_nobody_wants_any_more_leaves_nothing(tmp_path: Path) -> None:
    data, _ = filled(tmp_path / "old")

    def stop(_done: int, total: int) -> None:
        if total:
            raise WorkStopped

    with pytest.raises(WorkStopped):
        keeper(data).pack(stop)
    assert list(data.path.glob(".talkfield-backup-*")) == []
    archive = packed(data)
    here = keeper(filled(tmp_path / "here")[0])
    with here.begin_upload() as upload:
        upload.write(archive)
    with pytest.raises(WorkStopped):
        here.unpack(stop)
    assert not (here.data.path / "restore").exists()


def test_W9_a_backup_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "gone")
    with pytest.raises(SaveFailed, match="could not be written"):
        keeper(data).pack(quiet)
    with pytest.raises(SaveFailed, match="could not be written"):
        keeper(data).begin_upload()


def test_ST10_the_size_of_everything_is_told(tmp_path: Path) -> None:
    data, digest = filled(tmp_path / "here", "12345")
    state = keeper(data).state()
    assert (state.folder, state.attachments, state.attachment_bytes, state.set_aside) == (str(data.path), 1, 5, ())
    assert state.database_bytes >= data.database.stat().st_size > 0
    assert digest == sha256(b"12345").hexdigest()
