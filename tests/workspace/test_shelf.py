"""Nothing that was paid for is destroyed: what is taken away can be found and brought back (W14)."""

from __future__ import annotations

from typing import Any

import pytest

from builders import usage
from doubles import CountingIds, settle
from session_desk import END, Desk, desk, tool
from talkfield.core.ids import NodeId
from talkfield.core.records import HISTORY_ID, EdgeRecord, totals_id
from talkfield.errors import ProviderRefused, SaveFailed, UnknownThing
from talkfield.providers.scripted import Fail, Hold
from talkfield.runtime.ports import CallChunk, FinishChunk, TextChunk, UsageChunk
from talkfield.storage.base import WriteBatch
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask

REPLY = [UsageChunk(usage(100, 20)), TextChunk("hello"), END]


async def listed(subject: Desk, text: str = "") -> list[tuple[str, str, int]]:
    return [(entry.why, entry.snippet, entry.messages) for entry in await subject.session.shelf(text)]


async def item_of(subject: Desk) -> str:
    (entry,) = await subject.session.shelf()
    return entry.id


async def test_W14_clearing_puts_the_conversation_on_the_shelf_and_it_can_be_brought_back() -> None:
    async with desk(REPLY) as subject:
        node = await subject.chat(title="Plans")
        await subject.say(node, "hi")
        before = subject.session.document.conversation(node)
        await subject.do(ask.SendMessage(node=node, text="/clear"))
        assert await listed(subject) == [("cleared", "hi hello", 2)]
        assert await listed(subject, "HELLO plans") == [("cleared", "hi hello", 2)]
        assert await listed(subject, "nothing of it") == []
        restored = NodeId((await subject.do(ask.RestoreShelved(item=await item_of(subject)))).made[0])
        assert subject.texts(restored) == [("user", "hi"), ("assistant", "hello")]
        copies = subject.session.document.conversation(restored)
        assert [message.copied_from for message in copies] == [message.id for message in before]
        record = subject.record(restored)
        assert (record.title, record.x > subject.record(node).x) == ("Plans", True)
        (edge,) = [each for each in subject.session.document if isinstance(each, EdgeRecord)]
        assert (edge.source, edge.target, edge.kind) == (node, restored, "lineage")
        assert await listed(subject) == []
        await subject.do(ask.Undo())
        assert (subject.record(restored), await listed(subject)) == (None, [("undone", "hi hello", 2)])


async def test_W14_undoing_a_turn_shelves_its_reply_and_redo_takes_nothing_away() -> None:
    async with desk(REPLY) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        for _ in range(2):
            await subject.do(ask.Undo())
            assert await listed(subject) == [("undone", "hi hello", 2)]
            await subject.do(ask.Redo())
            assert subject.texts(node) == [("user", "hi"), ("assistant", "hello")]
            assert await listed(subject) == [("undone", "hi hello", 2)]


async def test_W14_deleting_a_message_or_a_chat_shelves_what_was_said() -> None:
    async with desk(REPLY, [TextChunk("more"), END]) as subject:
        node = await subject.chat(title="Plans")
        await subject.say(node, "hi")
        await subject.say(node, "again")
        messages = subject.session.document.messages(node)
        await subject.do(ask.RemoveMessage(message=messages[1].id))
        await subject.do(ask.RemoveMessage(message=messages[0].id))
        assert await listed(subject) == [("message deleted", "hello", 1)]
        subject.clock._now_s += 1
        await subject.do(ask.RemoveNodes(nodes=(node,)))
        assert await listed(subject) == [("chat closed", "again more", 2), ("message deleted", "hello", 1)]
        place = subject.session.shelf
        newest = (await place())[0]
        restored = NodeId((await subject.do(ask.RestoreShelved(item=newest.id))).made[0])
        assert (subject.record(restored).x, subject.record(restored).y) == (1, 2)  # its place is free again


async def test_W14_a_failed_attempt_is_shelved_when_it_is_tried_again_and_had_text() -> None:
    failing = [TextChunk("par"), Fail(ProviderRefused("no"))]
    async with desk(failing, [Fail(ProviderRefused("no"))], [TextChunk("better"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        for _ in range(2):
            await subject.do(ask.RetryTurn(node=node))
            await settle()
        assert subject.texts(node) == [("user", "hi"), ("assistant", "better")]
        assert await listed(subject) == [("tried again", "par", 1)]


async def test_W14_sticky_notes_and_empty_chats_are_not_paid_for() -> None:
    async with desk() as subject:
        node = await subject.chat()
        note = NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text="mine"))).made[0])
        await subject.do(ask.RemoveNodes(nodes=(node, note)))
        assert await listed(subject) == []


async def test_W14_what_is_discarded_is_gone() -> None:
    async with desk(REPLY) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        await subject.do(ask.Undo())
        item = await item_of(subject)
        await subject.do(ask.DiscardShelved(item=item))
        assert await listed(subject) == []
        for command in (ask.DiscardShelved(item=item), ask.RestoreShelved(item=item)):
            with pytest.raises(UnknownThing):
                await subject.do(command)


async def test_W14_tool_calls_come_back_with_their_results() -> None:
    asked = [TextChunk("I look"), CallChunk("1", "write", '{"a":1}'), FinishChunk("tool_calls")]
    async with desk(asked, REPLY, tools=[tool(needs_approval=False)]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        before = [
            (call.name, call.args_json, call.result, call.status)
            for message in subject.session.document.conversation(node)
            for call in message.tool_calls
        ]
        await subject.do(ask.RemoveNodes(nodes=(node,)))
        restored = NodeId((await subject.do(ask.RestoreShelved(item=await item_of(subject)))).made[0])
        after = [
            (call.name, call.args_json, call.result, call.status)
            for message in subject.session.document.conversation(restored)
            for call in message.tool_calls
        ]
        assert after == before == [("write", '{"a":1}', "written", "done")]


async def test_P5_what_is_brought_back_is_on_the_books_once() -> None:
    store = MemoryStore()
    async with desk(REPLY, store=store) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        await subject.do(ask.Undo())
        restored = NodeId((await subject.do(ask.RestoreShelved(item=await item_of(subject)))).made[0])
        assert subject.record(totals_id(restored)).input_tokens == 100
        assert [(row.provider_calls, row.input_tokens) for row in store.usage()] == [(1, 100)]


async def test_W14_W8_what_goes_and_what_is_shelved_are_one_transaction() -> None:
    class Watched(MemoryStore):
        refuse = False

        def put(self, batches: Any) -> None:
            if self.refuse and any(batch.shelve for batch in batches):
                raise SaveFailed("disk full")
            super().put(batches)

    store = Watched()
    async with desk(REPLY, store=store) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        store.refuse = True
        with pytest.raises(SaveFailed):
            await subject.do(ask.RemoveNodes(nodes=(node,)))
        left = {record.id for record in store.load(subject.session.project)}
        assert node in left  # nothing was removed that is not on the shelf
        store.refuse = False
        await subject.do(ask.AddNode(kind="chat", x=0, y=0))
        assert node not in {record.id for record in store.load(subject.session.project)}
        assert await listed(subject) == [("chat closed", "hi hello", 2)]


async def test_W14_the_shelf_outlives_the_process() -> None:
    store = MemoryStore()
    async with desk(REPLY, store=store) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        await subject.do(ask.RemoveNodes(nodes=(node,)))
    async with desk(store=store, ids=CountingIds("second-")) as again:
        restored = NodeId((await again.do(ask.RestoreShelved(item=await item_of(again)))).made[0])
        assert again.texts(restored) == [("user", "hi"), ("assistant", "hello")]
        assert again.record(HISTORY_ID).undo == "bring back"


async def test_W14_a_running_chat_that_is_closed_is_shelved_with_what_came() -> None:
    async with desk([TextChunk("half"), Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
        await subject.do(ask.RemoveNodes(nodes=(node,)))
        assert await listed(subject) == [("chat closed", "hi half", 2)]


def test_W14_a_batch_may_hold_the_shelf_alone() -> None:
    assert WriteBatch(project="p", unshelve=("x",)).puts == ()  # type: ignore[arg-type]
