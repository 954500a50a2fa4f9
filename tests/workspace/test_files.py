"""What is uploaded becomes an attachment; what nothing names is swept at the next start (U11)."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from doubles import FakeClock, services
from talkfield.core.changes import Put
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.messages import Attachment
from talkfield.core.nodes import ChatData
from talkfield.core.records import MessageRecord, NodeRecord
from talkfield.errors import ProjectUnreadable, UnknownThing
from talkfield.providers.scripted import ScriptedDriver
from talkfield.storage.blobs import Blobs
from talkfield.storage.memory import MemoryStore
from talkfield.workspace.files import plain_name, true_type
from talkfield.workspace.studio import Studio, open_studio

PNG = b"\x89PNG\r\n\x1a\n and pixels"
DAY_MS = 24 * 60 * 60 * 1000


async def started(store: MemoryStore, blobs: Blobs, now_ms: int = 0, log: list[str] | None = None) -> Studio:
    clock = FakeClock()
    clock._now_s = now_ms / 1000
    lines = log if log is not None else []
    shared = services(ScriptedDriver(clock=clock), store=store, blobs=blobs, clock=clock)
    return await open_studio(replace(shared, log=lines.append), lambda: "epoch")


async def test_U11_a_file_is_kept_by_its_bytes_and_named_by_a_value(tmp_path: Path) -> None:
    studio = await started(MemoryStore(), Blobs(tmp_path))
    kept = await studio.keep_file("../../plan.png", "", PNG)
    again = await studio.keep_file("copy.txt", "text/plain", PNG)
    assert kept == Attachment(
        id=kept.id, name="plan.png", media_type="image/png", size_bytes=len(PNG), digest=again.digest
    )
    assert (again.media_type, again.id != kept.id) == ("image/png", True)
    assert await studio.file(kept.digest) == PNG
    with pytest.raises(UnknownThing):
        await studio.file("../../etc/passwd")
    await studio.close()


async def test_U11_what_nothing_names_is_swept_at_the_next_start_after_a_day(tmp_path: Path) -> None:
    store, blobs = MemoryStore(), Blobs(tmp_path)
    studio = await started(store, blobs)
    sent, unsent, young = [(await studio.keep_file("x", "", bytes([number]))) for number in range(3)]
    for file, put_at_s in ((sent, 0), (unsent, 0), (young, 86_400)):
        await asyncio.to_thread(os.utime, blobs.path_of(file.digest), (put_at_s, put_at_s))
    session = await studio.session()
    node = NodeRecord(id=NodeId("n"), x=0, y=0, width=1, height=1, data=ChatData())
    message = MessageRecord(
        id=MessageId("m"), node_id=node.id, index=0, role="user", content="", ts=0, attachments=(sent,)
    )
    session.workspace.commit([Put(node), Put(message)], "edit")
    await studio.close()
    log: list[str] = []
    await (await started(store, blobs, DAY_MS + 1000, log)).close()
    there = [await asyncio.to_thread(blobs.has, file.digest) for file in (sent, unsent, young)]
    assert there == [True, False, True]
    assert log == ["swept 1 attachments that nothing names"]


class Unreadable(MemoryStore):
    def named_blobs(self) -> frozenset[str]:
        raise ProjectUnreadable("the disk reports an error")


async def test_W9_nothing_is_swept_when_the_store_cannot_say_what_is_named(tmp_path: Path) -> None:
    blobs, log = Blobs(tmp_path), list[str]()
    digest = await asyncio.to_thread(blobs.put, b"x")
    await asyncio.to_thread(os.utime, blobs.path_of(digest), (0, 0))
    await (await started(Unreadable(), blobs, 10 * DAY_MS, log)).close()
    assert await asyncio.to_thread(blobs.has, digest)
    assert log == ["attachments were not swept: the disk reports an error"]


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("a/b\\c.txt", "c.txt"),
        ("", "file"),
        ("../", "file"),
        ("in\u202evoice\0.pdf", "in voice .pdf"),
        ("x" * 300 + ".pdf", "x" * 180 + ".pdf"),
        ("x" * 300, "x" * 200),
        ("übung\ud800.md", "übung .md"),
    ],
)
def test_X4_a_name_is_plain(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("told", "data", "true"),
    [
        ("text/html", PNG, "image/png"),
        ("", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("", b"GIF89a", "image/gif"),
        ("", b"RIFF\0\0\0\0WEBPVP8", "image/webp"),
        ("", b"%PDF-1.7", "application/pdf"),
        ("image/png", b"<svg onload=alert(1)>", "application/octet-stream"),
        ("Text/Plain; charset=utf-8", b"x", "text/plain"),
        ("nonsense", b"x", "application/octet-stream"),
        ("text/plain\r\nX: y", b"x", "application/octet-stream"),
        ("", b"", "application/octet-stream"),
    ],
)
def test_U11_the_media_type_is_what_the_bytes_show(told: str, data: bytes, true: str) -> None:
    assert true_type(told, data) == true
