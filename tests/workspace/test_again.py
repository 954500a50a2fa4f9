"""Trying again, regenerating and editing: what is replaced can still be reached (W13)."""

from __future__ import annotations

from typing import Any

import pytest

from builders import usage
from doubles import CountingIds, settle
from session_desk import END, Desk, desk, tool
from talkfield.core.document import Document
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.records import HISTORY_ID, EdgeRecord, Record, ToolCallRecord, in_document, totals_id
from talkfield.errors import AlreadyDecided, InvalidArgument, NodeBusy, ProviderRefused, TurnRunning, UnknownThing
from talkfield.providers.scripted import Fail, Hold
from talkfield.runtime.ports import CallChunk, FinishChunk, TextChunk, UsageChunk
from talkfield.storage.base import WriteBatch
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask


def reply(text: str, tokens: int = 10) -> list[Any]:
    return [UsageChunk(usage(tokens, 1)), TextChunk(text), END]


def saved(document: Document) -> dict[str, Record]:
    return {record.id: record for record in document if in_document(record)}


async def done(subject: Desk, command: ask.Command) -> Any:
    """Do it, and wait until every run is over."""
    outcome = await subject.do(command)
    while any(subject.session.is_busy(node.id) for node in subject.session.nodes()):
        await settle(1)
    return outcome


async def test_W13_regenerating_a_reply_keeps_it_and_all_after_it_as_a_branch() -> None:
    async with desk(reply("1"), reply("2"), reply("3"), reply("other 2")) as subject:
        node = await subject.chat(title="Plans")
        for said in ("one", "two", "three"):
            await subject.say(node, said)
        before = saved(subject.session.document)
        second = subject.session.document.messages(node)[3]
        outcome = await done(subject, ask.RegenerateReply(message=second.id))
        assert subject.texts(node) == [("user", "one"), ("assistant", "1"), ("user", "two"), ("assistant", "other 2")]
        branch = NodeId(outcome.made[0])
        assert [text for _, text in subject.texts(branch)] == ["one", "1", "two", "2", "three", "3"]
        assert subject.record(branch).title == "Plans (earlier)"
        (edge,) = [each for each in subject.session.document if isinstance(each, EdgeRecord)]
        assert (edge.source, edge.target, edge.kind) == (node, branch, "lineage")
        assert subject.record(HISTORY_ID).undo == "new reply"
        after = saved(subject.session.document)
        await subject.do(ask.Undo())  # one entry
        assert saved(subject.session.document) == before
        await subject.do(ask.Redo())
        assert saved(subject.session.document) == after


async def test_W13_the_branch_is_a_chat_like_any_other() -> None:
    async with desk(reply("1"), reply("other 1"), reply("2")) as subject:
        node = await subject.chat()
        await subject.say(node, "one")
        outcome = await done(subject, ask.RegenerateReply(message=subject.session.document.messages(node)[1].id))
        branch = NodeId(outcome.made[0])
        await done(subject, ask.SendMessage(node=branch, text="two"))
        assert [text for _, text in subject.texts(branch)] == ["one", "1", "two", "2"]
        assert [text for _, text in subject.texts(node)] == ["one", "other 1"]


async def test_W13_editing_a_message_asks_with_the_new_text_and_keeps_the_old_as_a_branch() -> None:
    async with desk(reply("1"), reply("2"), reply("to the other")) as subject:
        node = await subject.chat()
        await subject.say(node, "one")
        await subject.say(node, "two")
        before = saved(subject.session.document)
        first = subject.session.document.messages(node)[0]
        outcome = await done(subject, ask.EditMessage(message=first.id, text="another"))
        assert subject.texts(node) == [("user", "another"), ("assistant", "to the other")]
        assert [text for _, text in subject.texts(NodeId(outcome.made[0]))] == ["one", "1", "two", "2"]
        undone = await subject.do(ask.Undo())
        assert (saved(subject.session.document), undone.text) == (before, None)


async def test_W13_retry_of_a_whole_reply_keeps_it_and_of_a_failed_one_does_not() -> None:
    failing = [TextChunk("par"), Fail(ProviderRefused("no"))]
    async with desk(failing, reply("good"), reply("other")) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        assert (await done(subject, ask.RetryTurn(node=node))).made == ()
        assert len(subject.session.nodes()) == 1
        kept = await done(subject, ask.RetryTurn(node=node))
        assert subject.texts(NodeId(kept.made[0]))[-1] == ("assistant", "good")
        assert subject.texts(node)[-1] == ("assistant", "other")


async def test_W13_an_attempt_without_a_word_leaves_no_branch() -> None:
    async with desk([Fail(ProviderRefused("no"))], reply("good")) as subject:
        node = await subject.chat()
        await subject.say(node, "helo")
        edited = await done(
            subject, ask.EditMessage(message=subject.session.document.messages(node)[0].id, text="hello")
        )
        assert (edited.made, len(subject.session.nodes())) == ((), 1)
        assert subject.texts(node) == [("user", "hello"), ("assistant", "good")]


async def test_P5_money_is_counted_once_over_a_chat_and_its_branch() -> None:
    store = MemoryStore()
    async with desk(reply("1", 100), reply("2", 200), reply("other 2", 400), store=store) as subject:
        node = await subject.chat()
        await subject.say(node, "one")
        await subject.say(node, "two")
        outcome = await done(subject, ask.RegenerateReply(message=subject.session.document.messages(node)[3].id))
        branch = NodeId(outcome.made[0])
        assert subject.record(totals_id(node)).input_tokens == 100 + 400
        assert subject.record(totals_id(branch)).input_tokens == 200
        await subject.do(ask.SaveDraft(node=node, text=""))
        assert sum(row.input_tokens for row in store.usage()) == 100 + 200 + 400


async def test_W14_what_became_a_branch_is_not_on_the_shelf_but_the_new_reply_is_when_undone() -> None:
    async with desk(reply("1"), reply("other 1")) as subject:
        node = await subject.chat()
        await subject.say(node, "one")
        await done(subject, ask.RegenerateReply(message=subject.session.document.messages(node)[1].id))
        assert await subject.session.shelf() == ()
        await subject.do(ask.Undo())
        assert [entry.snippet for entry in await subject.session.shelf()] == ["other 1"]
        await subject.do(ask.Redo())
        await subject.do(ask.Undo())
        assert len(await subject.session.shelf()) == 1


async def test_UN5_the_branch_may_be_moved_and_typed_in_while_the_new_reply_runs() -> None:
    hold = Hold()
    async with desk(reply("1"), [hold, *reply("other 1")], reply("2")) as subject:
        node = await subject.chat()
        await subject.say(node, "one")
        before = saved(subject.session.document)
        outcome = await subject.do(ask.RegenerateReply(message=subject.session.document.messages(node)[1].id))
        branch = NodeId(outcome.made[0])
        await subject.do(ask.PlaceNodes(places=(ask.NodePlace(id=branch, x=900, y=900),)))
        await subject.do(ask.SaveDraft(node=branch, text="two"))
        await subject.do(ask.RenameNode(node=branch, title="Other way"))
        with pytest.raises(TurnRunning):
            await subject.do(ask.RemoveNodes(nodes=(branch,)))
        hold.release()
        await settle()
        await done(subject, ask.SendMessage(node=branch, text="two"))
        after = saved(subject.session.document)
        assert (subject.record(branch).title, subject.record(branch).x) == ("Other way", 900)
        await subject.do(ask.Undo())
        await subject.do(ask.Undo())
        assert saved(subject.session.document) == before
        await subject.do(ask.Redo())
        await subject.do(ask.Redo())
        assert saved(subject.session.document) == after


async def test_R14_an_open_card_can_be_decided_in_one_place_alone() -> None:
    asked = [CallChunk("1", "write", "{}"), FinishChunk("tool_calls")]
    store = MemoryStore()
    async with desk(asked, store=store, tools=[tool()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="write"))
        await settle()
        await subject.do(ask.SaveDraft(node=node, text=""))  # what came so far is on the disk
        killed = copy_of(store)
    async with desk(reply("other"), store=killed, tools=[tool()], ids=CountingIds("second-")) as again:
        outcome = await done(again, ask.RetryTurn(node=node))
        (copied,) = cards(again, NodeId(outcome.made[0]))
        assert copied.status == "cancelled"
        await again.do(ask.Undo())
        (card,) = cards(again, node)
        assert card.status == "awaiting"


async def test_R14_undoing_a_decision_does_not_open_its_card_again() -> None:
    asked = [CallChunk("1", "write", "{}"), FinishChunk("tool_calls")]
    store = MemoryStore()
    async with desk(asked, store=store, tools=[tool()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="write"))
        await settle()
        await subject.do(ask.SaveDraft(node=node, text=""))  # what came so far is on the disk
        killed = copy_of(store)
    async with desk(reply("done"), store=killed, tools=[tool()], ids=CountingIds("second-")) as again:
        (card,) = cards(again, node)
        await done(again, ask.DecideCall(node=node, call=card.id, decision="approve"))
        await again.do(ask.Undo())
        assert again.texts(node) == [("user", "write"), ("assistant", "")]
        assert [(call.status, call.result) for call in cards(again, node)] == [("done", "written")]
        with pytest.raises(AlreadyDecided):
            await again.do(ask.DecideCall(node=node, call=card.id, decision="approve"))


def cards(subject: Desk, node: NodeId) -> list[ToolCallRecord]:
    return [
        call
        for message in subject.session.document.messages(node)
        for call in subject.session.document.calls(message.id)
    ]


def copy_of(store: MemoryStore) -> MemoryStore:
    """What a disk would still have if the process died now."""
    copy = MemoryStore()
    for project in store.projects():
        copy.add_project(project)
        copy.write([WriteBatch(project=project.id, puts=store.load(project.id))])
    return copy


async def test_W13_bad_requests_change_nothing() -> None:
    async with desk(reply("1"), [Hold()]) as subject:
        node, other = await subject.chat(), await subject.chat()
        await subject.say(node, "one")
        question, answer = (message.id for message in subject.session.document.messages(node))
        await subject.do(ask.SendMessage(node=other, text="/cost"))
        note = subject.session.document.messages(other)[0].id
        before = subject.session.snapshot()
        for command, error in (
            (ask.EditMessage(message=answer, text="x"), InvalidArgument),
            (ask.EditMessage(message=question, text=" "), InvalidArgument),
            (ask.EditMessage(message=question, text="/clear"), InvalidArgument),
            (ask.EditMessage(message=MessageId("nobody"), text="x"), UnknownThing),
            (ask.RegenerateReply(message=MessageId("nobody")), UnknownThing),
            (ask.RegenerateReply(message=note), InvalidArgument),
        ):
            with pytest.raises(error):
                await subject.do(command)
        assert subject.session.snapshot() == before
        await subject.do(ask.SendMessage(node=node, text="two"))
        running = subject.session.snapshot()
        for busy in (ask.EditMessage(message=question, text="x"), ask.RegenerateReply(message=answer)):
            with pytest.raises(NodeBusy):
                await subject.do(busy)
        assert subject.session.snapshot() == running
