"""Attachments' bytes come back as they were, or not at all."""

from __future__ import annotations

import stat
from hashlib import sha256
from pathlib import Path

import pytest

from storage.disk import files_up_to
from talkfield.errors import InvalidArgument, ProjectUnreadable, SaveFailed, UnknownThing
from talkfield.storage.base import BlobStore
from talkfield.storage.blobs import Blobs

DATA = b"\0\xffbytes"


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs", max_bytes=1000)


def test_blob_is_kept_once_under_its_digest(blobs: Blobs) -> None:
    store: BlobStore = blobs
    digest = store.put(DATA)
    assert digest == sha256(DATA).hexdigest()
    before = blobs.path_of(digest).stat()
    assert store.put(DATA) == digest
    assert blobs.path_of(digest).stat() == before
    assert (store.get(digest), store.has(digest)) == (DATA, True)
    assert store.get(store.put(b"")) == b""


def test_X2_blobs_are_private(blobs: Blobs) -> None:
    path = blobs.path_of(blobs.put(DATA))
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)] == [0o600, 0o700]


def test_X4_blob_that_is_too_big_is_refused(blobs: Blobs) -> None:
    blobs.put(b"x" * 1000)
    with pytest.raises(InvalidArgument, match=r"1,001 bytes; attachments may have 1,000"):
        blobs.put(b"x" * 1001)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 65, "a" * 64 + "\n", "/" * 64])
def test_X4_what_is_no_digest_reaches_no_file(blobs: Blobs, digest: str) -> None:
    for ask in (blobs.get, blobs.has):
        with pytest.raises(UnknownThing):
            ask(digest)


def test_blob_that_is_not_there_is_told(blobs: Blobs) -> None:
    assert blobs.has("a" * 64) is False
    with pytest.raises(UnknownThing, match="not on this machine"):
        blobs.get("a" * 64)


def test_ST9_damaged_blob_is_told_and_the_right_bytes_repair_it(blobs: Blobs) -> None:
    digest = blobs.put(DATA)
    blobs.path_of(digest).write_bytes(DATA[:-1])
    with pytest.raises(ProjectUnreadable, match="damaged"):
        blobs.get(digest)
    blobs.put(DATA)
    assert blobs.get(digest) == DATA


def test_W9_blob_that_cannot_be_written_is_told_and_leaves_nothing(blobs: Blobs) -> None:
    with files_up_to(10), pytest.raises(SaveFailed):
        blobs.put(b"x" * 100)
    assert [path for path in blobs.folder.rglob("*") if path.is_file()] == []


def test_W9_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SaveFailed):
        Blobs(tmp_path / "file" / "blobs").put(DATA)
