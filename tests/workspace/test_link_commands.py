"""Links between nodes: what they put into chats, what they remember, when they run by themselves (L1 to L3, W2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.document import Document
from talkfield.core.events import ContextAdded
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.links import InjectContext
from talkfield.core.messages import Source
from talkfield.core.records import (
    HISTORY_ID,
    LinkMemoryRecord,
    MessageRecord,
    in_document,
    link_memory_id,
    link_status_id,
)
from talkfield.errors import CommandRejected, InvalidArgument
from talkfield.providers.script import Hold
from talkfield.runtime.ports import TextChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask


async def note(subject: Desk, text: str, title: str = "Plan") -> NodeId:
    made = await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text=text, title=title))
    return NodeId(made.made[0])


async def link(subject: Desk, source: NodeId, target: NodeId, behavior: Any = None, **fields: Any) -> EdgeId:
    edge = EdgeId((await subject.do(ask.AddEdge(source=source, target=target))).made[0])
    if behavior is not None or fields:
        await subject.do(ask.EditLink(edge=edge, behavior=behavior, **fields))
    return edge


def state(subject: Desk, edge: EdgeId) -> str:
    return str(subject.record(link_status_id(edge)).state)


def memory(subject: Desk, edge: EdgeId) -> LinkMemoryRecord:
    found = subject.record(link_memory_id(edge))
    assert isinstance(found, LinkMemoryRecord)
    return found


def given(subject: Desk, node: NodeId) -> Sequence[MessageRecord]:
    return [message for message in subject.session.document.messages(node) if message.source is not None]


async def test_L1_L2_W2_a_link_adds_context_that_the_model_sees_at_once_and_without_an_undo_entry() -> None:
    store = MemoryStore()
    async with desk([TextChunk("ok"), END], store=store) as subject:
        source, target = await note(subject, "use tabs"), await subject.chat()
        edge = await link(subject, source, target)
        undo = subject.record(HISTORY_ID).undo
        await subject.do(ask.RunLink(edge=edge))
        (added,) = given(subject, target)
        assert (added.role, added.content) == ("user", "Context from Plan:\n\nuse tabs")
        assert added.source == Source(node=source, link=edge)
        assert subject.record(HISTORY_ID).undo == undo
        assert isinstance(subject.events[-1], ContextAdded)
        assert added.id in {record.id for record in store.load(subject.session.project)}  # saved before it is told
        await subject.say(target, "go")
        assert subject.texts(target) == [
            ("user", "Context from Plan:\n\nuse tabs"),
            ("user", "go"),
            ("assistant", "ok"),
        ]
        reply = subject.session.document.messages(target)[-1]
        assert reply.receipt is not None
        assert [part.source for part in reply.receipt.parts] == ["you", "links"]


async def test_L3_a_changed_source_marks_its_link_and_running_it_again_replaces() -> None:
    async with desk([TextChunk("ok"), END]) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target, InjectContext(wrapped=False))
        assert state(subject, edge) == "new"
        await subject.do(ask.RunLink(edge=edge))
        assert state(subject, edge) == "current"
        await subject.say(target, "go")
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "changed"
        await subject.do(ask.RunLink(edge=edge))
        assert state(subject, edge) == "current"
        assert [text for _, text in subject.texts(target)] == ["go", "ok", "two"]
        await subject.do(ask.RunLink(edge=edge))
        assert memory(subject, edge).outcome == "up to date"
        await subject.do(ask.EditSticky(node=source, text="three"))
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "current"  # what counts is what it says, not that it was touched


async def test_L3_undo_of_clear_does_not_bring_a_second_copy() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target, InjectContext(wrapped=False))
        await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.SendMessage(node=target, text="/clear"))
        assert given(subject, target) == []
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.Undo())
        await subject.do(ask.Undo())
        assert [message.content for message in given(subject, target)] == ["two"]


async def test_L3_a_pinned_link_stays_as_it_is() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.EditLink(edge=edge, pinned=True))
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "pinned"
        with pytest.raises(InvalidArgument, match="pinned"):
            await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.EditLink(edge=edge, pinned=False, title="  Style  guide "))
        assert (state(subject, edge), subject.record(edge).title) == ("changed", "Style guide")


async def test_L1_context_can_wait_for_what_is_said_next() -> None:
    async with desk([TextChunk("ok"), END]) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target, InjectContext(when="nextSend", wrapped=False))
        await subject.do(ask.RunLink(edge=edge))
        assert (state(subject, edge), subject.texts(target)) == ("armed", [])
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.say(target, "go")
        assert subject.texts(target) == [("user", "two"), ("user", "go"), ("assistant", "ok")]
        assert (state(subject, edge), memory(subject, edge).armed) == ("current", False)


async def test_L1_while_a_reply_runs_in_the_target_context_waits_for_its_end() -> None:
    async with desk([TextChunk("o"), Hold(), TextChunk("k"), END]) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.SendMessage(node=target, text="go"))
        await settle()
        await subject.do(ask.RunLink(edge=edge))
        assert (given(subject, target), memory(subject, edge).outcome) == ([], "waits for the reply to end")
        await subject.do(ask.StopTurn(node=target))
        await settle()
        await subject.clock.advance(3)
        assert [role for role, _ in subject.texts(target)] == ["user", "assistant", "user"]


async def test_L3_a_circle_is_refused_with_its_path() -> None:
    async with desk() as subject:
        a, b, c = [await subject.chat(title=name) for name in "ABC"]
        await link(subject, a, b)
        await link(subject, b, c)
        with pytest.raises(InvalidArgument, match="C → A → B → C"):
            await subject.do(ask.AddEdge(source=c, target=a))


@pytest.mark.parametrize("kind", ["sticky", "group"])
async def test_L1_nothing_leads_to_what_takes_no_context(kind: Any) -> None:
    async with desk() as subject:
        node = await subject.chat()
        other = NodeId((await subject.do(ask.AddNode(kind=kind, x=0, y=0))).made[0])
        with pytest.raises(InvalidArgument, match="leads to a chat"):
            await subject.do(ask.AddEdge(source=node, target=other))


async def test_X5_what_a_link_cannot_do_is_refused_and_changes_nothing() -> None:
    async with desk([TextChunk("ok"), END], [TextChunk("more"), END]) as subject:
        node, target = await subject.chat(), await subject.chat()
        group = NodeId((await subject.do(ask.AddNode(kind="group", x=-9, y=-9))).made[0])
        empty, grouped = await link(subject, node, target), await link(subject, group, target)
        await subject.say(node, "hi")
        await subject.do(ask.RegenerateReply(message=subject.session.document.messages(node)[-1].id))
        await settle()
        lineage = next(each for each in subject.session.document if getattr(each, "kind", "") == "lineage")
        before = subject.session.snapshot()
        for command in (
            ask.RunLink(edge=EdgeId("nothing")),
            ask.RunLink(edge=EdgeId(lineage.id)),
            ask.EditLink(edge=EdgeId(lineage.id), pinned=True),
            ask.EditLink(edge=grouped, automatic=True),
        ):
            with pytest.raises(CommandRejected):
                await subject.do(command)
        assert subject.session.snapshot() == before
        assert state(subject, empty) == "new"


async def test_L1_L3_automatic_links_run_in_order_when_the_source_is_quiet_once_per_change() -> None:
    async with desk() as subject:
        source = await note(subject, "one")
        middle, last = await subject.chat(title="Middle"), await subject.chat(title="Last")
        everything = InjectContext(part="conversation", wrapped=False)
        second = await link(subject, middle, last, everything, automatic=True)
        first = await link(subject, source, middle, everything, automatic=True)
        await subject.clock.advance(0.5)
        assert given(subject, middle) == []
        await subject.clock.advance(3)
        assert [given(subject, node)[0].content for node in (middle, last)] == ["one", "Context: one"]
        before = subject.session.seq
        await subject.clock.advance(10)
        assert subject.session.seq == before
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.clock.advance(3)
        assert [[m.content for m in given(subject, node)] for node in (middle, last)] == [["two"], ["Context: two"]]
        assert (state(subject, first), state(subject, second)) == ("current", "current")
        ran = [frame.cause for frame in subject.frames if frame.cause == "context-added"]
        assert len(ran) == 4


async def test_L3_a_link_goes_with_its_memory_and_comes_back_with_it() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
        kept = {record.id: record for record in subject.session.document if in_document(record)}
        await subject.do(ask.RemoveEdges(edges=(edge,)))
        assert subject.record(link_memory_id(edge)) is subject.record(link_status_id(edge)) is None
        await subject.do(ask.Undo())
        assert {record.id: record for record in subject.session.document if in_document(record)} == kept
        assert state(subject, edge) == "current"
        await subject.do(ask.RemoveNodes(nodes=(source,)))
        await subject.do(ask.Undo())
        assert state(subject, edge) == "current"


async def test_L3_what_was_delivered_is_known_after_a_restart() -> None:
    store = MemoryStore()
    async with desk(store=store) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
    async with desk(store=store) as subject:
        assert state(subject, edge) == "current"
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "changed"
        document = Document(record for record in subject.session.document if in_document(record))
        assert document.get(edge) == subject.record(edge)
