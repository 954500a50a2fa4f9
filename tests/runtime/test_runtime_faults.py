"""Whatever is injected may fail, and never takes a turn, a node or the wrong run with it (R7, R9, R13)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from builders import NODE, assistant, call, user
from doubles import Recorder, ports, settle
from talkfield.core.audit import AuditEntry
from talkfield.core.card import Preview
from talkfield.core.events import ChatEvent, Delta, Done, ToolCalled, ToolCarded, ToolReturned, ToolSaid, UsageReported
from talkfield.core.ids import CallId, NodeId, RuleId
from talkfield.core.messages import ModelInfo, Usage
from talkfield.core.rule import Rule
from talkfield.errors import ProviderRefused
from talkfield.providers.scripted import Hold, ScriptedDriver
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.gate import CallGate, judged
from talkfield.runtime.ports import (
    CallChunk,
    Chunk,
    FinishChunk,
    ProviderConfig,
    ProviderRequest,
    SendRequest,
    SendResult,
    TextChunk,
    Tool,
    ToolContext,
    UsageChunk,
)

END = FinishChunk("stop")
OK = SendResult(ok=True, stop_reason="end_turn")


def asked(*messages: Any) -> SendRequest:
    return SendRequest(node=NODE, messages=messages or (user(),))


def free_tool(run: Any) -> Tool:
    return Tool(name="look", description="", schema={}, run=run, needs_approval=False)


def calls(name: str = "look") -> list[Chunk]:
    return [CallChunk("w", name, "{}"), FinishChunk("tool_calls")]


async def ended(runtime: ChatRuntime, request: SendRequest) -> SendResult:
    """The result, or a failure where the turn would never end."""
    return await asyncio.wait_for(runtime.send(request), 60)


def failing(*_arguments: Any) -> Any:
    raise RuntimeError("it broke")


async def test_R7_a_price_that_cannot_be_found_out_is_no_price() -> None:
    lines: list[str] = []
    recorder = Recorder()
    used = Usage(input_tokens=3, output_tokens=1)
    driver = ScriptedDriver([TextChunk("a"), UsageChunk(used), END])
    runtime = ChatRuntime(ports(driver, recorder, price=failing, log=lines.append))
    assert await ended(runtime, asked()) == OK
    assert [(e.usage, e.cost) for e in recorder.events if isinstance(e, UsageReported)] == [(used, None)]
    assert "price for scripted-1 failed: RuntimeError" in lines


async def test_R13_a_receipt_that_cannot_be_kept_never_breaks_a_run() -> None:
    lines: list[str] = []
    driver = ScriptedDriver([TextChunk("a"), END])
    assert await ended(ChatRuntime(ports(driver, Recorder(), asked=failing, log=lines.append)), asked()) == OK
    assert "receipt in n failed: RuntimeError" in lines


async def test_R7_where_arguments_cannot_be_checked_the_model_is_told() -> None:
    async def look(_arguments: Mapping[str, Any], _context: Any) -> str:
        raise AssertionError("it was not checked")

    recorder = Recorder()
    driver = ScriptedDriver(calls(), [END])
    runtime = ChatRuntime(ports(driver, recorder, tools=[free_tool(look)], check_arguments=failing))
    assert await ended(runtime, asked()) == OK
    [result] = [event for event in recorder.events if isinstance(event, ToolReturned)]
    assert (result.status, result.result) == ("error", "the arguments for look could not be checked: RuntimeError")


async def test_T4_a_tool_that_cancels_itself_is_an_error_result() -> None:
    async def look(_arguments: Mapping[str, Any], _context: Any) -> str:
        raise asyncio.CancelledError

    recorder = Recorder()
    driver = ScriptedDriver(calls(), [END])
    assert await ended(ChatRuntime(ports(driver, recorder, tools=[free_tool(look)])), asked()) == OK
    [result] = [event for event in recorder.events if isinstance(event, ToolReturned)]
    assert (result.status, result.is_error) == ("error", True)


async def test_R3_a_run_that_cannot_begin_leaves_its_node_free() -> None:
    given = ports(ScriptedDriver(), Recorder())
    runtime = ChatRuntime(replace(given, driver_for=failing))
    with pytest.raises(RuntimeError):
        runtime.start(asked())
    assert not runtime.is_busy(NODE)
    tool = replace(free_tool(failing), needs_approval=True)
    broken = ChatRuntime(replace(given, tools_for=lambda _request: [tool], rules_for=failing))
    waiting = assistant("", tool_calls=(call("c1", name="look", status="awaiting", result=None),))
    with pytest.raises(RuntimeError):
        broken.resume(asked(user(), waiting))
    assert not broken.is_busy(NODE)


async def test_R11_cancelling_a_caller_whose_turn_is_over_stops_no_other_turn() -> None:
    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver([END], [Hold()]), recorder))
    caller: asyncio.Task[SendResult]
    second: list[asyncio.Task[SendResult]] = []

    def again(_node: NodeId, events: tuple[ChatEvent, ...]) -> None:
        """Sends again on `done`, and drops who asked first in the same breath."""
        if isinstance(events[-1], Done) and not second:
            second.append(runtime.start(asked()))
            caller.cancel()

    recorder.consumers.append(again)
    caller = asyncio.create_task(runtime.send(asked()))
    with pytest.raises(asyncio.CancelledError):
        await caller
    await settle()
    assert runtime.is_busy(NODE)
    runtime.stop(NODE)
    assert (await second[0]).stop_reason == "stopped"


class TurnsStopIntoFailure:
    """A driver that says something else when it is cut."""

    async def stream(self, request: ProviderRequest) -> AsyncIterator[list[Chunk]]:
        yield [TextChunk("a")]
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ProviderRefused("cut") from None

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        return []

    async def close(self) -> None: ...


async def test_R11_what_a_driver_says_after_the_stop_changes_nothing() -> None:
    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver(), recorder, driver_for=lambda _provider: TurnsStopIntoFailure()))
    turn = runtime.start(asked())
    await settle()
    runtime.stop(NODE)
    assert await turn == SendResult(ok=True, stop_reason="stopped")
    assert [event.error for event in recorder.events if isinstance(event, Done)] == [None]


class WithoutClose:
    """A driver whose stream is an iterator and no generator: there is nothing to close."""

    def __init__(self) -> None:
        self.reads: list[list[Chunk]] = [[TextChunk("a")], [END]]

    def stream(self, request: ProviderRequest) -> WithoutClose:
        return self

    def __aiter__(self) -> WithoutClose:
        return self

    async def __anext__(self) -> list[Chunk]:
        if not self.reads:
            raise StopAsyncIteration
        return self.reads.pop(0)

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        return []

    async def close(self) -> None: ...


async def test_D1_a_drivers_stream_may_be_any_iterator() -> None:
    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver(), recorder, driver_for=lambda _provider: WithoutClose()))
    assert await ended(runtime, asked()) == OK
    assert [event.text for event in recorder.events if isinstance(event, Delta)] == ["a"]


async def test_R14_a_card_that_is_open_again_may_be_decided_from_inside_its_broadcast() -> None:
    async def look(_arguments: Mapping[str, Any], _context: Any) -> str:
        return "seen"

    recorder = Recorder()
    tool = replace(free_tool(look), needs_approval=True)
    runtime = ChatRuntime(ports(ScriptedDriver([END]), recorder, tools=[tool]))

    def approve(node: NodeId, events: tuple[ChatEvent, ...]) -> None:
        for event in events:
            if isinstance(event, ToolCalled) and event.call.status == "awaiting":
                assert runtime.approve(node, event.call.id, "approve")

    recorder.consumers.append(approve)
    waiting = call("c1", name="look", status="awaiting", result=None)
    task = runtime.resume(asked(user(), assistant("", tool_calls=(waiting,))))
    assert await asyncio.wait_for(task, 60) == OK
    assert [event.result for event in recorder.events if isinstance(event, ToolReturned)] == ["seen"]


async def test_W8_closing_after_a_stop_leaves_it_a_stop() -> None:
    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver([TextChunk("a"), Hold()]), recorder))
    turn = runtime.start(asked())
    await settle()
    runtime.stop(NODE)
    await runtime.close()
    assert await turn == SendResult(ok=True, stop_reason="stopped")


async def test_check_16_W8_what_comes_after_the_close_is_not_taken_in() -> None:
    recorder = Recorder()
    tool = replace(free_tool(failing), needs_approval=True)
    runtime = ChatRuntime(ports(ScriptedDriver(calls()), recorder, tools=[tool]))
    turn = runtime.start(asked())
    await settle()
    before = list(recorder.events)
    closing = asyncio.create_task(runtime.close())
    await asyncio.sleep(0)
    runtime.stop(NODE)
    runtime.approve(NODE, CallId("call-1"), "approve")
    await closing
    assert (await turn).code == "interrupted"
    assert recorder.events == before


async def test_T8_what_cannot_be_put_on_record_does_not_run() -> None:
    ran: list[str] = []

    async def look(_arguments: Mapping[str, Any], _context: Any) -> str:
        ran.append("ran")
        return "seen"

    recorder = Recorder()
    driver = ScriptedDriver(calls(), [END])
    runtime = ChatRuntime(ports(driver, recorder, tools=[free_tool(look)], audit=failing))
    assert await ended(runtime, asked()) == OK
    [result] = [event for event in recorder.events if isinstance(event, ToolReturned)]
    assert result.result == "not run: it could not be put on record (RuntimeError)"
    assert ran == []


async def test_T8_a_record_that_fails_afterwards_takes_nothing_back() -> None:
    lines: list[str] = []
    recorded: list[AuditEntry] = []

    def audit(entry: AuditEntry) -> None:
        if entry.outcome != "started":
            raise RuntimeError("the disk is full")
        recorded.append(entry)

    async def look(_arguments: Mapping[str, Any], _context: Any) -> str:
        return "seen"

    recorder = Recorder()
    tools = [free_tool(look), replace(free_tool(look), name="write", needs_approval=True)]
    asks: list[Chunk] = [CallChunk("w", "look", "{}"), CallChunk("w", "write", "{}"), FinishChunk("tool_calls")]
    runtime = ChatRuntime(ports(ScriptedDriver(asks, [END]), recorder, tools=tools, audit=audit, log=lines.append))
    turn = runtime.start(asked())
    await settle()
    assert runtime.approve(NODE, CallId("call-2"), "deny")
    assert await asyncio.wait_for(turn, 60) == OK
    results = [event.result for event in recorder.events if isinstance(event, ToolReturned)]
    assert results == ["seen", "denied by user"]
    assert [entry.call for entry in recorded] == ["call-1"]
    assert lines[:2] == [f"audit of call-{number} failed: RuntimeError" for number in (1, 2)]


async def test_R7_rules_that_cannot_be_read_end_the_turn_and_not_the_node() -> None:
    async def look(_arguments: Mapping[str, Any], _context: Any) -> str:
        raise AssertionError("nobody judged it")

    lines: list[str] = []
    recorder = Recorder()
    driver = ScriptedDriver(calls())
    runtime = ChatRuntime(ports(driver, recorder, tools=[free_tool(look)], rules_for=failing, log=lines.append))
    result = await ended(runtime, asked())
    assert (result.ok, result.code, result.error) == (False, "internal", "Talkfield itself failed: RuntimeError")
    assert "turn in n failed: RuntimeError" in lines
    assert not runtime.is_busy(NODE)


async def test_R7_a_card_that_cannot_be_made_costs_no_event() -> None:
    lines: list[str] = []
    recorder = Recorder()
    tool = replace(free_tool(failing), needs_approval=True, subject=cast("Any", Unreadable()))
    runtime = ChatRuntime(ports(ScriptedDriver(calls()), recorder, tools=[tool], log=lines.append))
    turn = runtime.start(asked())
    await settle()
    assert [event.call.status for event in recorder.events if isinstance(event, ToolCalled)] == ["awaiting"]
    assert "card in n failed: RuntimeError" in lines
    runtime.stop(NODE)
    assert (await turn).stop_reason == "stopped"


class Unreadable:
    """A tool's subject that cannot be read."""

    @property
    def kind(self) -> str:
        raise RuntimeError("it broke")


async def test_R7_a_turn_can_fail_before_its_first_provider_call() -> None:
    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver(), recorder, prepare_tools=failing))
    result = await ended(runtime, asked())
    assert (result.code, runtime.is_busy(NODE)) == ("internal", False)


async def test_R10_several_turns_can_be_stopped_and_waited_for() -> None:
    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver([Hold()], [Hold()], [Hold()]), recorder))
    nodes = [NodeId(name) for name in "abc"]
    turns = [runtime.start(replace(asked(), node=node)) for node in nodes]
    await settle()
    await runtime.stop_and_wait(["a", "b", "nobody"])  # type: ignore[list-item]
    assert [runtime.is_busy(node) for node in nodes] == [False, False, True]
    await runtime.stop_and_wait(nodes)
    await runtime.stop_and_wait(nodes)
    assert [(await turn).stop_reason for turn in turns] == ["stopped"] * 3


async def test_T6_a_preview_that_comes_after_the_decision_changes_no_card() -> None:
    shown = asyncio.Event()

    async def preview(_arguments: Mapping[str, Any], _context: Any) -> Preview:
        await shown.wait()
        return Preview(note="too late")

    async def look(_arguments: Mapping[str, Any], _context: Any) -> str:
        shown.set()
        await settle()
        return "seen"

    recorder = Recorder()
    tool = replace(free_tool(look), needs_approval=True, preview=preview)
    runtime = ChatRuntime(ports(ScriptedDriver(calls(), [END]), recorder, tools=[tool]))
    turn = runtime.start(asked())
    await settle()
    assert runtime.approve(NODE, CallId("call-1"), "approve")
    assert await asyncio.wait_for(turn, 60) == OK
    assert [event.card.note for event in recorder.events if isinstance(event, ToolCarded)] == [""]


def test_T6_there_is_no_card_for_what_cannot_be_decided() -> None:
    gate = CallGate([replace(free_tool(failing), needs_approval=True)], lambda _schema, _arguments: None)
    assert gate.card(CallId("c"), "nobody", "{}") is None
    assert gate.card(CallId("c"), "look", "{") is None


def test_T7_a_call_without_whole_arguments_is_decided_by_no_rule() -> None:
    rule = Rule(id=RuleId("r"), action="allow", tool="look", kind="any")
    assert judged(rule, None, "look", "{") == (False, False)


async def test_R7_output_that_is_still_on_its_way_is_not_told_after_the_end() -> None:
    async def look(_arguments: Mapping[str, Any], context: ToolContext) -> str:
        context.report("first")
        context.report("second")
        await asyncio.Event().wait()
        return "never"

    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver(calls()), recorder, tools=[free_tool(look)]))
    turn = runtime.start(asked())
    await settle()
    runtime.stop(NODE)
    await turn
    assert [event.text for event in recorder.events if isinstance(event, ToolSaid)] == ["first"]
    assert isinstance(recorder.events[-1], Done)
