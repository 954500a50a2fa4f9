"""One prompt for several models, each in a new chat, taken back as one (L4)."""

from __future__ import annotations

from typing import Any

import pytest

from builders import usage
from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.ids import NodeId
from talkfield.core.records import HISTORY_ID, EdgeRecord, totals_id
from talkfield.errors import ContextFull, InvalidArgument, NothingToDo, TurnRunning
from talkfield.providers.scripted import Hold
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.wire import client as ask


def reply(text: str) -> list[Any]:
    return [UsageChunk(usage(10, 1)), TextChunk(text), END]


def models(*names: str) -> tuple[ask.Recipient, ...]:
    return tuple(ask.Recipient(model=name) for name in names)


async def ended(subject: Desk, *nodes: NodeId) -> None:
    while any(map(subject.session.is_busy, nodes)):
        await settle(1)


async def fan(subject: Desk, *names: str, **fields: Any) -> tuple[NodeId, ...]:
    outcome = await subject.do(ask.FanOut(text="Which way?", models=models(*names), **fields))
    return tuple(map(NodeId, outcome.made))


async def test_L4_one_prompt_goes_to_several_models_in_chats_side_by_side_and_comes_back_as_one() -> None:
    async with desk(reply("left"), reply("right"), reply("up")) as subject:
        before = {record.id for record in subject.session.snapshot()}
        made = await fan(subject, "alpha", "beta", "vendor/gamma", x=100, y=50)
        await ended(subject, *made)
        nodes = [subject.record(node) for node in made]
        assert [(node.data.model, node.title) for node in nodes] == [
            ("alpha", "Which way? · alpha"),
            ("beta", "Which way? · beta"),
            ("vendor/gamma", "Which way? · gamma"),
        ]
        assert [(node.x, node.y) for node in nodes] == [(100, 50), (592, 50), (1084, 50)]
        said = [subject.texts(node) for node in made]
        assert said == [[("user", "Which way?"), ("assistant", text)] for text in ("left", "right", "up")]
        assert subject.record(HISTORY_ID).undo == "fan-out"
        await subject.do(ask.Undo())
        assert {record.id for record in subject.session.snapshot()} == before
        with pytest.raises(NothingToDo):
            await subject.do(ask.Undo())
        await subject.do(ask.Redo())
        assert [subject.texts(node) for node in made] == said


async def test_L4_from_a_chat_each_goes_on_from_it_and_its_money_is_counted_once() -> None:
    async with desk(reply("hello"), reply("left"), reply("right")) as subject:
        node = await subject.chat(title="Plans", system="be kind")
        await subject.say(node, "hi")
        made = await fan(subject, "alpha", "beta", node=node)
        await ended(subject, *made)
        for each, text in zip(made, ("left", "right"), strict=True):
            assert [said for _, said in subject.texts(each)] == ["hi", "hello", "Which way?", text]
            assert subject.record(each).data.system == "be kind"
            assert subject.record(totals_id(each)).input_tokens == 10
        edges = [each for each in subject.session.document if isinstance(each, EdgeRecord)]
        assert [(edge.source, edge.target, edge.kind) for edge in edges] == [(node, each, "lineage") for each in made]
        undone = await subject.do(ask.Undo())
        assert (undone.made, undone.text) == ((node,), "Which way?")
        assert subject.texts(node) == [("user", "hi"), ("assistant", "hello")]


async def test_UN5_while_one_of_them_answers_nothing_of_it_is_undone_and_those_that_ended_go_on() -> None:
    async with desk(reply("left"), [TextChunk("ri"), Hold()], reply("more")) as subject:
        first, second = await fan(subject, "alpha", "beta")
        with pytest.raises(TurnRunning):
            await subject.do(ask.Undo())
        await ended(subject, first)
        subject.session.listen(first, subject.events.append)
        await subject.say(first, "and then?")
        await subject.do(ask.StopTurn(node=second))
        await ended(subject, second)
        assert subject.texts(second)[-1] == ("assistant", "ri")
        await subject.do(ask.Undo())
        assert [text for _, text in subject.texts(first)] == ["Which way?", "left"]
        await subject.do(ask.Undo())
        assert subject.session.nodes() == ()


async def test_L4_one_is_picked_and_the_others_close_in_one_step_though_they_still_answer() -> None:
    async with desk(reply("left"), [TextChunk("ri"), Hold()], [Hold()]) as subject:
        first, second, third = await fan(subject, "alpha", "beta", "gamma")
        await ended(subject, first)
        await subject.do(ask.RemoveNodes(nodes=(second, third)))
        assert [node.id for node in subject.session.nodes()] == [first]
        await subject.do(ask.Undo())
        assert [node.id for node in subject.session.nodes()] == [first, second, third]
        await subject.do(ask.Undo())
        assert subject.session.nodes() == ()


async def test_L4_what_is_being_answered_in_the_chat_is_left_out() -> None:
    async with desk(reply("hello"), [TextChunk("wai"), Hold()], reply("left")) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        await subject.do(ask.SendMessage(node=node, text="wait"))
        (made,) = await fan(subject, "alpha", node=node)
        await ended(subject, made)
        assert [text for _, text in subject.texts(made)] == ["hi", "hello", "Which way?", "left"]


async def test_L4_what_cannot_be_asked_changes_nothing() -> None:
    async with desk(context_limit=lambda model, _provider: 10 if model == "small" else None) as subject:
        seq = subject.session.seq
        refused: list[tuple[ask.FanOut, type[Exception]]] = [
            (ask.FanOut(text=" ", models=models("alpha")), InvalidArgument),
            (ask.FanOut(text="/clear", models=models("alpha")), InvalidArgument),
            (ask.FanOut(text="hi", models=()), InvalidArgument),
            (ask.FanOut(text="hi", models=models(*["alpha"] * 13)), InvalidArgument),
            (ask.FanOut(text="hi" * 100, models=models("alpha", "small")), ContextFull),
            (ask.FanOut(text="hi", models=models("alpha"), x=float("nan")), InvalidArgument),
        ]
        for command, error in refused:
            with pytest.raises(error):
                await subject.do(command)
        assert subject.session.seq == seq
