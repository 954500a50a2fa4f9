"""How a studio ends, and what the next one finds (W8, U10, W12)."""

from __future__ import annotations

from typing import Any

import pytest

from doubles import CountingIds, OneProvider, settle
from session_desk import END, desk, tool
from talkfield.core.ids import NodeId
from talkfield.core.records import run_id
from talkfield.errors import TurnRunning
from talkfield.providers.scripted import Hold, ScriptedDriver
from talkfield.runtime.ports import CallChunk, FinishChunk, ProviderConfig, TextChunk, UsageChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask

ASKED = [CallChunk("1", "write", "{}"), FinishChunk("tool_calls")]


async def test_W8_a_reply_that_was_being_written_ends_as_interrupted_and_goes_on() -> None:
    store = MemoryStore()
    async with desk([TextChunk("par"), Hold()], store=store) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
    async with desk([TextChunk("tial"), END], store=store, ids=CountingIds("second-")) as again:
        left = again.session.document.messages(node)[-1]
        assert (left.content, left.finish, left.stopped) == ("par", "cut", False)
        assert left.error is not None
        assert (left.error.code, left.error.retryable) == ("interrupted", True)
        assert left.usage is not None  # what it used is counted, though the provider never said
        assert left.usage.estimated
        await again.do(ask.ContinueTurn(node=node))
        await settle()
        assert again.texts(node) == [("user", "hi"), ("assistant", "par"), ("assistant", "tial")]


async def test_UN5_a_turn_that_goes_on_holds_what_was_asked_before_and_nobody_takes_it_away() -> None:
    store = MemoryStore()
    async with desk([TextChunk("par"), Hold()], store=store) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
    async with desk([TextChunk("ti"), Hold()], store=store, ids=CountingIds("second-")) as again:
        await again.do(ask.ContinueTurn(node=node))
        await settle()
        asked = again.session.document.messages(node)[0]
        with pytest.raises(TurnRunning):
            await again.do(ask.RemoveMessage(message=asked.id))
        assert again.texts(node) == [("user", "hi"), ("assistant", "par"), ("assistant", "ti")]


async def test_W8_W12_U10_cards_stay_open_and_what_waits_or_is_typed_is_kept() -> None:
    store = MemoryStore()
    async with desk(ASKED, store=store, tools=[tool()]) as subject:
        node = await subject.chat()
        for text in ("write", "then this", "and that"):
            await subject.do(ask.SendMessage(node=node, text=text))
        await settle()
        await subject.do(ask.SaveDraft(node=node, text="half a thought"))
    scripts = [[TextChunk("done"), END], [END], [END]]
    async with desk(*scripts, store=store, tools=[tool()], ids=CountingIds("second-")) as again:
        (card,) = again.session.document.calls(again.session.document.messages(node)[-1].id)
        assert card.status == "awaiting"
        assert [each.text for each in again.session.document.queued(node)] == ["then this", "and that"]
        assert again.record(node).data.draft == "half a thought"
        assert again.record(run_id(node)) is None
        await again.do(ask.DecideCall(node=node, call=card.id, decision="approve"))
        await settle()
        said = [text for role, text in again.texts(node) if role == "user"]
        assert said == ["write", "then this", "and that"]  # the turn went on, and then what waited


async def test_check_13_R14_a_tool_that_was_running_is_not_run_again() -> None:
    store, ran = MemoryStore(), []

    async def run(_arguments: Any, _context: Any) -> str:
        ran.append(1)
        await Hold().wait()
        return "never"

    slow = tool(needs_approval=False)
    slow = type(slow)(name="write", description="", schema={}, run=run, needs_approval=False)
    async with desk(ASKED, store=store, tools=[slow]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="write"))
        while not ran:
            await settle(1)
    async with desk([TextChunk("I see"), END], store=store, tools=[slow], ids=CountingIds("second-")) as again:
        reply = again.session.document.messages(node)[-1]
        (call,) = again.session.document.calls(reply.id)
        assert (call.status, (call.result or "")[:15]) == ("error", "unknown outcome")
        await again.do(ask.ContinueTurn(node=node))
        await settle()
        assert (again.texts(node)[-1], ran) == (("assistant", "I see"), [1])


async def test_W8_a_turn_that_cannot_start_ends_with_its_error() -> None:
    class Broken(OneProvider):
        def driver_for(self, provider: ProviderConfig) -> ScriptedDriver:
            raise OSError("no driver")

    async with desk(directory=Broken(ScriptedDriver())) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        assert not subject.session.is_busy(node)
        assert subject.record(run_id(node)) is None
        left = subject.session.document.messages(node)[-1]
        assert left.error is not None
        assert (left.error.code, "no driver" in left.error.message) == ("internal", True)
        await subject.do(ask.Undo())
        assert subject.texts(node) == []


@pytest.mark.parametrize("ended", [True, False])
async def test_P6_usage_that_was_told_before_the_end_is_kept(ended: bool) -> None:
    from builders import usage

    store = MemoryStore()
    script = [UsageChunk(usage(50, 5)), TextChunk("x"), END if ended else Hold()]
    async with desk(script, store=store) as subject:
        node = NodeId(await subject.chat())
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
    assert [row.input_tokens for row in store.usage()] == [50]
