"""What a person asks of several things on the canvas at once."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from builders import usage
from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.ids import NodeId, ProjectId
from talkfield.core.nodes import KINDS, ChatData, GroupData, StickyData
from talkfield.core.records import HISTORY_ID, EdgeRecord, HistoryRecord, NodeRecord, TotalsRecord, totals_id
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.providers.scripted import Hold
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.wire import client as ask


async def sticky(subject: Desk, text: str) -> NodeId:
    made = await subject.do(ask.AddNode(kind="sticky", x=500, y=0, text=text))
    return NodeId(made.made[0])


async def group(subject: Desk) -> NodeId:
    made = await subject.do(ask.AddNode(kind="group", x=-50, y=-50, width=900, height=700, title="Plans"))
    return NodeId(made.made[0])


def edges(subject: Desk) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in subject.session.document if isinstance(edge, EdgeRecord)}


async def test_U6_duplicates_of_every_kind_with_their_edges_are_one_undo_entry() -> None:
    async with desk([TextChunk("hello"), UsageChunk(usage(3, 4)), END]) as subject:
        area, note, node = await group(subject), await sticky(subject, "# Idea"), await subject.chat(title="Talk")
        await subject.say(node, "hi")
        await subject.do(ask.AddEdge(source=note, target=node))
        before = subject.session.snapshot()
        made = (await subject.do(ask.DuplicateNodes(nodes=(area, note, node), dx=10, dy=20))).made
        _, note_copy, chat_copy = map(NodeId, made)
        for original, copy in zip((area, note, node), made, strict=True):
            old, new = subject.record(original), subject.record(copy)
            assert isinstance(new, NodeRecord)
            assert (new.title, new.data, new.width, new.height) == (old.title, old.data, old.width, old.height)
            assert (new.x, new.y) == (old.x + 10, old.y + 20)
        assert subject.texts(chat_copy) == [("user", "hi"), ("assistant", "hello")]
        assert edges(subject) == {(note, node), (note_copy, chat_copy)}
        paid, free = subject.record(totals_id(node)), subject.record(totals_id(chat_copy))
        assert isinstance(paid, TotalsRecord)
        assert paid.input_tokens == 3
        assert free is None or free.input_tokens == 0  # money is counted once
        assert subject.record(HISTORY_ID).undo == "duplicate"
        await subject.do(ask.Undo())
        left = {record.id for record in subject.session.snapshot() if not isinstance(record, HistoryRecord)}
        assert left == {record.id for record in before if not isinstance(record, HistoryRecord)}


async def test_U6_a_reply_that_is_being_written_is_not_copied_with_its_chat() -> None:
    async with desk([TextChunk("one"), END], [TextChunk("two"), Hold()]) as subject:
        node = await subject.chat()
        await subject.say(node, "first")
        await subject.do(ask.SendMessage(node=node, text="second"))
        await settle()
        made = await subject.do(ask.DuplicateNodes(nodes=(node,), dx=0, dy=600))
        assert subject.texts(NodeId(made.made[0])) == [("user", "first"), ("assistant", "one")]
        assert not subject.session.is_busy(NodeId(made.made[0]))


async def test_U6_nodes_are_pasted_from_another_project() -> None:
    async with desk() as subject:
        note = await sticky(subject, "from here")
        other = await subject.studio.session(await subject.studio.new_project("Other"))
        asked = ask.DuplicateNodes(nodes=(note,), dx=0, dy=0, project=subject.session.project, why="paste")
        (made,) = (await other.handle(asked)).made
        assert other.node(NodeId(made)).node.data == StickyData(text="from here")
        assert other.document.get(HISTORY_ID) == HistoryRecord(id=HISTORY_ID, undo="paste")
        with pytest.raises(UnknownThing):
            await other.handle(ask.DuplicateNodes(nodes=(note,), dx=0, dy=0, project=ProjectId("nowhere")))


async def test_X5_what_cannot_be_copied_is_refused_and_changes_nothing() -> None:
    async with desk() as subject:
        note = await sticky(subject, "here")
        seq = subject.session.seq
        with pytest.raises(UnknownThing):
            await subject.do(ask.DuplicateNodes(nodes=(note, NodeId("gone")), dx=0, dy=0))
        with pytest.raises(InvalidArgument):
            await subject.do(ask.DuplicateNodes(nodes=(note,), dx=1e7, dy=0))
        with pytest.raises(InvalidArgument):
            await subject.do(ask.DuplicateNodes(nodes=(note,) * 501, dx=0, dy=0))
        assert subject.session.seq == seq


async def test_U6_tidying_is_one_undo_entry_with_a_name() -> None:
    async with desk() as subject:
        first, second = await subject.chat(), await subject.chat()
        places = tuple(ask.NodePlace(id=node, x=100 * at, y=7) for at, node in enumerate((first, second)))
        await subject.do(ask.PlaceNodes(places=places, why="tidy"))
        assert (subject.record(second).x, subject.record(HISTORY_ID).undo) == (100, "tidy")
        await subject.do(ask.Undo())
        assert (subject.record(first).x, subject.record(second).x) == (1, 1)


async def test_U6_chats_are_folded_and_unfolded_with_their_heights_kept() -> None:
    async with desk() as subject:
        node = await subject.chat()
        before = subject.record(node)
        await subject.do(ask.FoldChats(nodes=(node,), folded=True))
        folded = subject.record(node)
        assert (folded.data, folded.height) == (ChatData(folded=True), before.height)
        assert subject.record(HISTORY_ID).undo == "fold"
        await subject.do(ask.FoldChats(nodes=(node,), folded=False))
        assert subject.record(node) == before
        with pytest.raises(InvalidArgument):
            await subject.do(ask.FoldChats(nodes=(await sticky(subject, ""),), folded=True))


async def test_U6_a_group_has_a_colour() -> None:
    async with desk() as subject:
        area = await group(subject)
        await subject.do(ask.EditGroup(node=area, color="blue"))
        assert subject.record(area).data == GroupData(color="blue")
        await subject.do(ask.Undo())
        assert subject.record(area).data == GroupData()
        with pytest.raises(InvalidArgument):
            await subject.do(ask.EditGroup(node=await subject.chat(), color="blue"))


def test_U6_every_kind_of_node_can_be_added_and_nothing_else() -> None:
    (kind,) = [field for field in msgspec.structs.fields(ask.AddNode) if field.name == "kind"]
    assert set(get_args(kind.type)) == KINDS.keys()
