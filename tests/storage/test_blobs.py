"""Attachments' bytes come back as they were, or not at all."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from storage.disk import files_up_to
from talkfield.errors import InvalidArgument, ProjectUnreadable, SaveFailed, UnknownThing
from talkfield.storage.base import BlobStore
from talkfield.storage.blobs import Blobs, MemoryBlobs

DATA = b"\0\xffbytes"


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs", max_bytes=1000)


def test_blob_is_kept_once_under_its_digest(blobs: Blobs) -> None:
    store: BlobStore = blobs
    digest = store.put(DATA)
    assert digest == sha256(DATA).hexdigest()
    before = blobs.path_of(digest).stat().st_ino
    assert store.put(DATA) == digest
    assert blobs.path_of(digest).stat().st_ino == before
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
def test_check_37_X4_what_is_no_digest_reaches_no_file(blobs: Blobs, digest: str) -> None:
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


def test_U11_what_nothing_names_is_swept_after_a_while(blobs: Blobs) -> None:
    named, old, again, new = (blobs.put(bytes([number])) for number in range(4))
    left = blobs.path_of(old).with_name(f".{old}.0123.tmp")
    left.write_bytes(b"half")
    hidden = blobs.path_of(named).parent
    for path in (*map(blobs.path_of, (named, old, again)), left):
        os.utime(path, (1000, 1000))
    assert blobs.put(bytes([2])) == again  # as new as if it had never been here
    assert blobs.sweep({named}, before_ms=2_000_000) == 2
    assert [blobs.has(digest) for digest in (named, old, again, new)] == [True, False, True, True]
    assert (left.exists(), hidden.exists()) == (False, True)
    assert Blobs(blobs.folder / "nowhere").sweep(set(), before_ms=2_000_000) == 0


def test_blobs_in_memory_do_the_same() -> None:
    store: BlobStore = MemoryBlobs(max_bytes=10)
    digest = store.put(DATA)
    assert (digest, store.get(digest), store.has(digest)) == (sha256(DATA).hexdigest(), DATA, True)
    assert store.has("a" * 64) is False
    for ask in (store.get, store.has):
        with pytest.raises(UnknownThing):
            ask("../x")
    with pytest.raises(UnknownThing, match="not on this machine"):
        store.get("a" * 64)
    with pytest.raises(InvalidArgument):
        store.put(b"x" * 11)
    assert store.sweep(set(), before_ms=2**60) == 0
