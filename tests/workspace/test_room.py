"""A chat that is more than its model can take in: a person decides, and nothing is cut in silence (C7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from builders import assistant, call, user
from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.context_fit import file_tokens, message_tokens, newest_turns, room_for_answer
from talkfield.core.ids import NodeId
from talkfield.core.messages import Attachment, LeftOut
from talkfield.core.records import EdgeRecord
from talkfield.errors import ContextFull
from talkfield.runtime.ports import TextChunk
from talkfield.wire import client as ask

LONG = "x" * 2000  # 500 tokens; the model takes in 1,000


def sent_by(subject: Desk) -> list[list[str]]:
    driver: Any = subject.session.services.directory.driver_for(None)  # type: ignore[arg-type]
    return [[message.content for message in request.messages] for request in driver.requests]


async def over(subject: Desk) -> None:
    while any(subject.session.is_busy(node.id) for node in subject.session.nodes()):
        await settle(1)


async def full_chat(subject: Desk) -> NodeId:
    """Two questions that are together more than the model takes in, and their answers."""
    node = await subject.chat()
    await subject.say(node, LONG)
    await subject.do(ask.SendMessage(node=node, text=LONG, when_full="send"))
    await over(subject)
    return node


async def test_C7_a_send_that_passes_the_models_limit_asks_and_changes_nothing() -> None:
    async with desk([TextChunk("a"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, LONG)
        before = subject.session.seq
        with pytest.raises(ContextFull, match=r"about 1,\d\d\d tokens; scripted-1 can take in 1,000") as caught:
            await subject.do(ask.SendMessage(node=node, text=LONG))
        assert caught.value.code == "context_full"
        assert subject.session.seq == before


async def test_C7_the_oldest_turns_are_left_out_this_time_and_marked() -> None:
    async with desk([TextChunk("a"), END], [TextChunk("b"), END], [TextChunk("c"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, LONG)
        await subject.do(ask.SendMessage(node=node, text=LONG, when_full="trim"))
        await over(subject)
        await subject.do(ask.SendMessage(node=node, text="all of it", when_full="send"))
        await over(subject)
        assert sent_by(subject) == [[LONG], [LONG], [LONG, "a", LONG, "b", "all of it"]]
        receipts = [message.receipt for message in subject.session.document.messages(node) if message.receipt]
        why = "they did not fit into what the model can take in"
        assert [receipt.left_out for receipt in receipts] == [
            (),
            (LeftOut(what="Oldest messages", why=why, count=2),),
            (),
        ]
        assert len(subject.texts(node)) == 6  # the chat itself keeps everything


async def test_C7_a_message_is_said_in_a_branch_after_the_newest_turns_that_fit() -> None:
    async with desk(*([TextChunk(each), END] for each in "abcd")) as subject:
        node = await full_chat(subject)
        await subject.do(ask.SendMessage(node=node, text="short", when_full="trim"))
        await over(subject)
        before = subject.session.document.messages(node)
        answer = await subject.do(ask.SendMessage(node=node, text="z" * 1000, when_full="branch"))
        await over(subject)
        (made,) = map(NodeId, answer.made)
        assert [text for _, text in subject.texts(made)] == ["short", "c", "z" * 1000, "d"]
        assert sent_by(subject)[-1] == ["short", "c", "z" * 1000]
        assert subject.session.document.messages(node) == before
        edges = subject.session.document.every(EdgeRecord)
        assert [(edge.source, edge.target, edge.kind) for edge in edges] == [(node, made, "lineage")]
        await subject.do(ask.Undo())
        await subject.do(ask.Undo())
        assert subject.session.document.node(made) is None


async def test_C7_a_branch_of_a_chat_that_is_not_full_goes_on_from_all_of_it() -> None:
    async with desk([TextChunk("a"), END], [TextChunk("b"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        answer = await subject.do(ask.SendMessage(node=node, text="more", when_full="branch"))
        await over(subject)
        assert [text for _, text in subject.texts(NodeId(answer.made[0]))] == ["hi", "a", "more", "b"]
        assert [text for _, text in subject.texts(node)] == ["hi", "a"]


async def test_C7_asking_again_in_a_chat_that_is_full_asks_first_and_leaves_out_what_it_is_told_to() -> None:
    async with desk(*([TextChunk(each), END] for each in "abcd")) as subject:
        node = await full_chat(subject)
        question, reply = subject.session.document.messages(node)[-2:]
        again: dict[str, Callable[[ask.WhenFull], ask.Command]] = {
            "retry": lambda when_full: ask.RetryTurn(node=node, when_full=when_full),
            "new reply": lambda when_full: ask.RegenerateReply(message=reply.id, when_full=when_full),
            "edit": lambda when_full: ask.EditMessage(message=question.id, text="y" * 2000, when_full=when_full),
        }
        for what, command in again.items():
            seq = subject.session.seq
            with pytest.raises(ContextFull):
                await subject.do(command("ask"))
            assert subject.session.seq == seq, what
        await subject.do(again["edit"]("trim"))
        await over(subject)
        assert sent_by(subject)[-1] == ["y" * 2000]
        await subject.do(ask.RetryTurn(node=node, when_full="send"))
        await over(subject)
        assert sent_by(subject)[-1] == [LONG, "a", "y" * 2000]


async def test_C7_what_asking_again_takes_out_of_a_chat_makes_room() -> None:
    """The first message is asked again: what stands after it no longer counts, whatever the last call was told."""
    async with desk(*([TextChunk(each), END] for each in "abc")) as subject:
        node = await full_chat(subject)
        first = subject.session.document.messages(node)[0]
        await subject.do(ask.EditMessage(message=first.id, text="short"))
        await over(subject)
        assert sent_by(subject)[-1] == ["short"]


async def test_C7_a_model_whose_limit_is_not_known_is_sent_all() -> None:
    async with desk([TextChunk("a"), END], context_limit=lambda _model, _provider: None) as subject:
        node = await subject.chat()
        await subject.say(node, LONG * 4)
        assert sent_by(subject) == [[LONG * 4]]


def test_C7_what_a_message_takes_in_counts_its_calls_and_files() -> None:
    def file(media_type: str) -> Attachment:
        return Attachment(id="f", name="f", media_type=media_type, size_bytes=40, digest="d")

    message = assistant("1234", tool_calls=(call(name="look", args_json="{}", result="12345678"),))
    assert message_tokens(message) == 1 + 1 + 1 + 2
    assert file_tokens([file("text/plain"), file("image/png"), file("application/pdf")]) == 10 + 1000
    assert [room_for_answer(100_000, None), room_for_answer(100_000, 10), room_for_answer(1000, 900)] == [4096, 10, 250]


def test_C7_the_newest_turn_always_stays() -> None:
    messages = [user(LONG), assistant("a"), user(LONG, "u2")]
    assert [each.id for each in newest_turns(messages, "", 10).messages] == ["u2"]
    assert newest_turns(messages, "", 10_000).dropped == 0
