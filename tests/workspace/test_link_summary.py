"""Summaries that a link delivers: made when asked for, out of date when the source changes, and then not made anew."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from builders import usage
from doubles import settle
from session_desk import END, Desk, desk, tool
from talkfield.core.changes import Put
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.links import InjectContext, WriteFile
from talkfield.core.nodes import ChatData
from talkfield.core.records import HISTORY_ID, LinkStatusRecord, link_memory_id, link_status_id
from talkfield.errors import CommandRejected, ContextFull, InvalidArgument, ProviderRefused
from talkfield.providers.script import Fail, Hold
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask


def reply(text: str) -> list[Any]:
    return [UsageChunk(usage(10, 1)), TextChunk(text), END]


async def note(subject: Desk, text: str) -> NodeId:
    return NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text=text, title="Plan"))).made[0])


async def link(subject: Desk, source: NodeId, target: NodeId, behavior: Any = None, **fields: Any) -> EdgeId:
    edge = EdgeId((await subject.do(ask.AddEdge(source=source, target=target))).made[0])
    behavior = InjectContext(part="summary") if behavior is None else behavior
    await subject.do(ask.EditLink(edge=edge, behavior=behavior, **fields))
    return edge


async def summarized(subject: Desk, edge: EdgeId, **fields: Any) -> NodeId:
    (made,) = map(NodeId, (await subject.do(ask.SummarizeLink(edge=edge, **fields))).made)
    while subject.session.is_busy(made):
        await settle(1)
    return made


def status(subject: Desk, edge: EdgeId) -> tuple[str, str]:
    found = subject.record(link_status_id(edge))
    assert isinstance(found, LinkStatusRecord)
    return found.state, found.summary


def memory(subject: Desk, edge: EdgeId) -> Any:
    return subject.record(link_memory_id(edge))


def given(subject: Desk, node: NodeId) -> list[str]:
    return [message.content for message in subject.session.document.messages(node) if message.source is not None]


async def test_L1_L3_a_summary_is_made_when_asked_for_and_again_only_when_asked_again() -> None:
    async with desk(reply("In short: tabs."), reply("In short: spaces.")) as subject:
        source, target = await note(subject, "use tabs"), await subject.chat()
        edge = await link(subject, source, target, automatic=True)
        await subject.clock.advance(3)
        assert (status(subject, edge), memory(subject, edge)) == (("empty", "missing"), None)
        with pytest.raises(InvalidArgument, match="make it first"):
            await subject.do(ask.RunLink(edge=edge))

        made = await summarized(subject, edge, model="brief")
        assert [role for role, _ in subject.texts(made)] == ["user", "user", "assistant"]
        assert subject.texts(made)[0][1] == "[1] Plan\n\nuse tabs"
        assert subject.session.document.messages(made)[-1].model == "brief"
        assert subject.session.node_record(made).title == "Summary of Plan"
        assert status(subject, edge) == ("new", "current")
        assert (memory(subject, edge).summary.text, memory(subject, edge).summary.cost) == ("In short: tabs.", "n/a")
        await subject.clock.advance(3)
        assert (given(subject, target), status(subject, edge)) == (
            ["Summary of Plan:\n\nIn short: tabs."],
            ("current", "current"),
        )

        before = len(subject.frames)
        await subject.do(ask.EditSticky(node=source, text="use spaces"))
        await subject.clock.advance(5)
        assert status(subject, edge) == ("changed", "changed")
        assert {frame.cause for frame in subject.frames[before:]} == {"editSticky"}
        await subject.do(ask.EditSticky(node=source, text="use tabs"))
        assert status(subject, edge) == ("current", "current")
        await subject.do(ask.EditSticky(node=source, text="use spaces"))

        await summarized(subject, edge)
        await subject.clock.advance(3)
        assert given(subject, target) == ["Summary of Plan:\n\nIn short: spaces."]
        assert status(subject, edge) == ("current", "current")


async def test_L1_W1_a_summary_is_one_undo_entry_and_what_it_said_stays_with_the_link() -> None:
    async with desk(reply("short")) as subject:
        source, target = await note(subject, "long"), await subject.chat()
        edge = await link(subject, source, target)
        undo = subject.record(HISTORY_ID).undo
        made = await summarized(subject, edge)
        assert subject.record(HISTORY_ID).undo != undo
        await subject.do(ask.Undo())
        assert subject.session.document.node(made) is None
        assert subject.record(HISTORY_ID).undo == undo
        await subject.do(ask.RunLink(edge=edge))
        assert given(subject, target) == ["Summary of Plan:\n\nshort"]


async def test_L1_a_summary_stands_folded_without_tools_and_on_no_group() -> None:
    async with desk(reply("short"), tools=[tool("write")]) as subject:
        group = NodeId((await subject.do(ask.AddNode(kind="group", x=-50, y=-50, width=2000, height=900))).made[0])
        source, target = await note(subject, "long"), await subject.chat()
        edge = await link(subject, source, target)
        made = subject.session.node_record(await summarized(subject, edge))
        area = subject.session.node_record(group)
        assert made.x >= area.x + area.width
        assert isinstance(made.data, ChatData)
        assert (made.data.folded, made.data.tools_off) == (True, ("write",))


async def test_L1_while_a_summary_is_written_there_is_no_second_and_a_stopped_one_says_so() -> None:
    async with desk([TextChunk("In sh"), Hold(), END], reply("whole")) as subject:
        source, target = await note(subject, "long"), await subject.chat()
        edge = await link(subject, source, target)
        (made,) = map(NodeId, (await subject.do(ask.SummarizeLink(edge=edge))).made)
        await settle()
        with pytest.raises(CommandRejected, match="is being written"):
            await subject.do(ask.SummarizeLink(edge=edge))
        await subject.do(ask.StopTurn(node=made))
        await settle()
        assert (status(subject, edge), memory(subject, edge).error) == (
            ("empty", "missing"),
            "The summary was not finished. It was stopped.",
        )
        await summarized(subject, edge)
        assert (memory(subject, edge).error, memory(subject, edge).summary.text) == ("", "whole")


async def test_L1_a_provider_that_fails_is_told_in_the_links_memory_and_disturbs_nothing_else() -> None:
    async with desk([Fail(ProviderRefused("overloaded"))], reply("ok")) as subject:
        source, target = await note(subject, "long"), await subject.chat()
        edge = await link(subject, source, target)
        await summarized(subject, edge)
        assert "The summary was not finished. " in memory(subject, edge).error
        assert "overloaded" in memory(subject, edge).error
        assert (status(subject, edge), given(subject, target)) == (("empty", "missing"), [])
        await subject.say(target, "go")
        assert subject.texts(target) == [("user", "go"), ("assistant", "ok")]


async def test_L1_another_turn_in_the_chat_of_a_summary_changes_no_summary() -> None:
    async with desk(reply("short"), reply("something else")) as subject:
        source, target = await note(subject, "long"), await subject.chat()
        edge = await link(subject, source, target)
        made = await summarized(subject, edge)
        subject.session.listen(made, subject.events.append)
        await subject.say(made, "and now something else")
        assert memory(subject, edge).summary.text == "short"


async def test_L1_W8_a_summary_that_was_finished_just_before_a_crash_is_taken_at_the_next_start() -> None:
    store = MemoryStore()
    async with desk(reply("short"), store=store) as subject:
        source, target = await note(subject, "long"), await subject.chat()
        edge = await link(subject, source, target)
        await summarized(subject, edge)
        kept = memory(subject, edge)
        lost = replace(kept, summary=replace(kept.summary, text="", of="", cost=""))
        subject.session.workspace.commit([Put(lost)], "summary", "skip")
        await subject.session.durable()
    async with desk(store=store) as subject:
        assert memory(subject, edge) == kept
        assert status(subject, edge) == ("new", "current")


async def test_L1_a_summary_of_a_chat_is_of_its_whole_conversation_and_goes_to_a_file_too() -> None:
    async with desk(reply("one"), reply("in short")) as subject:
        source, target = await subject.chat(title="Talk"), await subject.chat()
        await subject.say(source, "one?")
        edge = await link(subject, source, target, WriteFile(path="a.md", part="summary"))
        made = await summarized(subject, edge)
        assert subject.texts(made)[0][1] == "[1] Talk\n\nUser: one?\n\nAssistant: one"
        assert status(subject, edge) == ("new", "current")


async def test_X5_a_summary_that_cannot_be_made_is_refused_and_changes_nothing() -> None:
    async with desk(context_limit=lambda _model, _provider: 100) as subject:
        source, target, empty = await note(subject, "long " * 200), await subject.chat(), await subject.chat()
        whole, plain = await link(subject, source, target), await link(subject, empty, target, InjectContext())
        nothing = await link(subject, empty, await subject.chat())
        before = subject.session.snapshot()
        for edge, error, words in (
            (whole, ContextFull, "can take in 100"),
            (plain, InvalidArgument, "delivers no summary"),
            (nothing, InvalidArgument, "source is empty"),
        ):
            with pytest.raises(error, match=words):
                await subject.do(ask.SummarizeLink(edge=edge))
        assert subject.session.snapshot() == before
