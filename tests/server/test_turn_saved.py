"""A script is told that a turn ended when its end is on the disk, and not before (ST1, W9)."""

from __future__ import annotations

import asyncio
from typing import Any

from doubles import FakeClock, services, settle
from server.server_doubles import Running, running
from talkfield.errors import SaveFailed
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.ports import FinishChunk, TextChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire.client import AddNode
from talkfield.workspace.studio import Studio, open_studio

HELLO: list[Any] = [TextChunk("hello"), FinishChunk("stop")]


class DiskThatFills(MemoryStore):
    """Takes questions, and no whole reply while it is `full`."""

    full = True

    def put(self, batches: Any) -> None:
        said = [getattr(record, "content", "") for batch in batches for record in batch.puts]
        if self.full and "hello" in said:
            raise SaveFailed("the disk is full.")
        super().put(batches)


async def started(store: DiskThatFills) -> tuple[Studio, str]:
    clock = FakeClock()
    studio = await open_studio(services(ScriptedDriver(HELLO, clock=clock), store=store, clock=clock), lambda: "epoch")
    session = await studio.session()
    return studio, (await session.handle(AddNode(kind="chat", x=0, y=0))).made[0]


async def said(server: Running, node: str, **headers: str) -> tuple[int, str]:
    url = f"{server.url}/api/nodes/{node}/send"
    async with server.http.post(url, json={"text": "hi"}, headers=headers) as response:
        return response.status, await response.text()


async def test_ST1_an_answer_is_no_acknowledgement_of_what_is_not_on_the_disk() -> None:
    store = DiskThatFills()
    studio, node = await started(store)
    async with running(studio) as server:
        status, answer = await said(server, node)
        assert (status, "save_failed" in answer) == (507, True)
        async with server.http.get(f"{server.url}/api/nodes/{node}") as response:
            messages = (await response.json())["messages"]
        assert [message["content"] for message in messages] == ["hi", "hello"]  # it is there all the same
        store.full = False


async def test_ST1_a_stream_says_done_only_of_what_is_on_the_disk() -> None:
    store = DiskThatFills()
    studio, node = await started(store)
    async with running(studio) as server:
        status, stream = await said(server, node, accept="text/event-stream")
        assert (status, "event: delta" in stream, "event: done" in stream) == (200, True, False)
        store.full = False


async def test_ST1_what_can_be_saved_is_told() -> None:
    store = DiskThatFills()
    store.full = False
    studio, node = await started(store)
    async with running(studio) as server:
        status, stream = await said(server, node, accept="text/event-stream")
        assert (status, "event: done" in stream) == (200, True)
        session = await studio.session()
        async with asyncio.timeout(60):
            await session.durable()
        await settle()
