"""Going on from a message in another chat (L4)."""

from __future__ import annotations

from typing import Any

import pytest

from builders import usage
from session_desk import END, desk
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.records import HISTORY_ID, EdgeRecord, totals_id
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.providers.scripted import Hold
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.wire import client as ask


def reply(text: str) -> list[Any]:
    return [UsageChunk(usage(10, 1)), TextChunk(text), END]


async def test_L4_a_branch_goes_on_from_a_message_and_leaves_its_chat_as_it_is() -> None:
    async with desk(reply("1"), reply("2"), reply("other 2")) as subject:
        node = await subject.chat(title="Plans", system="be kind")
        await subject.say(node, "one")
        await subject.say(node, "two")
        before = subject.texts(node)
        first = subject.session.document.messages(node)[1]
        made = NodeId((await subject.do(ask.BranchChat(message=first.id))).made[0])
        assert subject.texts(node) == before
        assert subject.texts(made) == [("user", "one"), ("assistant", "1")]
        assert subject.record(made).title == "Plans (branch)"
        assert subject.record(made).data.system == "be kind"
        (edge,) = [each for each in subject.session.document if isinstance(each, EdgeRecord)]
        assert (edge.source, edge.target, edge.kind) == (node, made, "lineage")
        assert subject.record(totals_id(made)).input_tokens == 0  # its money was spent there
        assert subject.record(HISTORY_ID).undo == "branch"
        subject.session.listen(made, subject.events.append)
        await subject.say(made, "two, differently")
        assert [text for _, text in subject.texts(made)] == ["one", "1", "two, differently", "other 2"]
        await subject.do(ask.Undo())
        await subject.do(ask.Undo())
        assert subject.record(made) is None
        assert subject.texts(node) == before


async def test_L4_a_branch_may_begin_at_a_question_but_not_at_a_reply_that_is_being_written() -> None:
    async with desk([TextChunk("par"), Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="one"))
        question, answer = subject.session.document.messages(node)
        with pytest.raises(InvalidArgument, match="has not ended"):
            await subject.do(ask.BranchChat(message=answer.id))
        with pytest.raises(UnknownThing):
            await subject.do(ask.BranchChat(message=MessageId("gone")))
        made = NodeId((await subject.do(ask.BranchChat(message=question.id))).made[0])
        assert subject.texts(made) == [("user", "one")]
        await subject.do(ask.StopTurn(node=node))


async def test_L4_text_of_a_message_is_asked_about_in_a_branch_that_quotes_it() -> None:
    async with desk(reply("Bees dance.\n\nThey tell where.")) as subject:
        node = await subject.chat()
        await subject.do(ask.SaveDraft(node=node, text="my own draft"))
        await subject.say(node, "Bees?")
        answer = subject.session.document.messages(node)[1]
        quoting = ask.BranchChat(message=answer.id, quote="  Bees dance.\n\nThey tell where.\n")
        made = NodeId((await subject.do(quoting)).made[0])
        assert subject.texts(made) == subject.texts(node)
        assert subject.record(made).data.draft == "> Bees dance.\n>\n> They tell where.\n\n"
        await subject.do(ask.Undo())
        assert subject.record(made) is None
        await subject.do(ask.Redo())
        assert subject.record(made).data.draft.startswith("> Bees dance.")
        blank = NodeId((await subject.do(ask.BranchChat(message=answer.id, quote=" \n"))).made[0])
        assert subject.record(blank).data.draft == ""
        before = subject.session.seq
        with pytest.raises(InvalidArgument, match="MiB"):
            await subject.do(ask.BranchChat(message=answer.id, quote="x" * (64 * 1024 * 1024)))
        assert subject.session.seq == before
