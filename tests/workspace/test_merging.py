"""What several nodes said last goes into one new chat, numbered, and can be traced back (L4)."""

from __future__ import annotations

from typing import Any

import pytest

from builders import usage
from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.ids import NodeId
from talkfield.core.messages import Source
from talkfield.core.records import HISTORY_ID, EdgeRecord
from talkfield.errors import ContextFull, InvalidArgument, UnknownThing
from talkfield.providers.scripted import Hold
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.wire import client as ask


def reply(text: str) -> list[Any]:
    return [UsageChunk(usage(10, 1)), TextChunk(text), END]


async def two_chats_and_a_note(subject: Desk) -> tuple[NodeId, NodeId, NodeId]:
    first, second = await subject.chat(title="Left"), await subject.chat()
    await subject.say(first, "which way?")
    await subject.say(second, "and you?")
    note = NodeId((await subject.do(ask.AddNode(kind="sticky", x=900, y=0, text="stay", title="Note"))).made[0])
    return first, second, note


async def merged(subject: Desk, *nodes: NodeId, **fields: Any) -> NodeId:
    outcome = await subject.do(ask.MergeNodes(nodes=nodes, instruction="Decide.", **fields))
    (made,) = map(NodeId, outcome.made)
    while subject.session.is_busy(made):
        await settle(1)
    return made


async def test_L4_last_replies_go_numbered_and_titled_into_one_chat_that_is_one_undo_entry() -> None:
    async with desk(reply("go left"), reply("go right"), reply("Left [1], or stay [3].")) as subject:
        first, second, note = await two_chats_and_a_note(subject)
        before = {record.id for record in subject.session.snapshot()}
        made = await merged(subject, first, second, note, title="Decision", model="judge")
        assert subject.texts(made) == [
            ("user", "[1] Left\n\ngo left"),
            ("user", "[2] and you?\n\ngo right"),
            ("user", "[3] Note\n\nstay"),
            ("user", "Decide."),
            ("assistant", "Left [1], or stay [3]."),
        ]
        messages = subject.session.document.messages(made)
        last = [subject.session.document.messages(node)[-1].id for node in (first, second)]
        assert [message.source for message in messages] == [
            Source(node=first, number=1, message=last[0]),
            Source(node=second, number=2, message=last[1]),
            Source(node=note, number=3),
            None,
            None,
        ]
        node = subject.record(made)
        assert (node.title, node.data.model) == ("Decision", "judge")
        edges = [each for each in subject.session.document if isinstance(each, EdgeRecord)]
        assert [(edge.source, edge.target, edge.kind) for edge in edges] == [
            (each, made, "lineage") for each in (first, second, note)
        ]
        assert subject.record(HISTORY_ID).undo == "merge"
        undone = await subject.do(ask.Undo())
        assert undone.text is None
        assert {record.id for record in subject.session.snapshot()} == before
        await subject.do(ask.Redo())
        assert subject.texts(made)[-1] == ("assistant", "Left [1], or stay [3].")


async def test_L4_another_reply_to_a_merge_is_given_the_same() -> None:
    async with desk(reply("go left"), reply("go right"), reply("left"), reply("right")) as subject:
        first, second, _ = await two_chats_and_a_note(subject)
        made = await merged(subject, first, second)
        assert subject.record(made).title == "Merge of 2"
        given = subject.texts(made)[:3]
        await subject.do(ask.RegenerateReply(message=subject.session.document.messages(made)[-1].id))
        while subject.session.is_busy(made):
            await settle(1)
        assert subject.texts(made) == [*given, ("assistant", "right")]


async def test_L4_what_cannot_be_merged_is_refused_and_changes_nothing() -> None:
    async with desk(reply("go left"), reply("go right"), [TextChunk("half"), Hold()]) as subject:
        first, second, note = await two_chats_and_a_note(subject)
        empty = await subject.chat(title="Empty")
        writing = await subject.chat(title="Writing")
        await subject.do(ask.SendMessage(node=writing, text="hi"))
        await settle()
        seq = subject.session.seq
        refused: list[tuple[ask.MergeNodes, type[Exception], str]] = [
            (ask.MergeNodes(nodes=(first, second), instruction=" "), InvalidArgument, "nothing to send"),
            (ask.MergeNodes(nodes=(first, first), instruction="x"), InvalidArgument, "from 2 to"),
            (ask.MergeNodes(nodes=(first, empty), instruction="x"), InvalidArgument, "Empty.* said nothing"),
            (ask.MergeNodes(nodes=(note, writing), instruction="x"), InvalidArgument, "Writing.* said nothing"),
            (ask.MergeNodes(nodes=(note, NodeId("gone")), instruction="x"), UnknownThing, "gone"),
            (ask.MergeNodes(nodes=(first, second), instruction="x " * 4000), ContextFull, "tokens"),
        ]
        for command, error, words in refused:
            with pytest.raises(error, match=words):
                await subject.do(command)
        assert subject.session.seq == seq
