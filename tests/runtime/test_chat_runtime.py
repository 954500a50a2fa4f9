"""The runtime against a scripted driver: every promise of R1 to R14 that a consumer can see."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from builders import NODE, assistant, call, note, usage, user
from doubles import PROVIDER, CountingIds, FakeClock, Recorder, ports, settle
from talkfield.core.events import ChatEvent, Delta, Done, kind_of
from talkfield.core.ids import CallId, NodeId
from talkfield.core.messages import MessageCost, MessageError, ProviderState, ToolCall, Usage
from talkfield.core.recovery import INTERRUPTED as REPLY_INTERRUPTED
from talkfield.core.turn import INTERRUPTED, NOT_RUN
from talkfield.errors import NodeBusy, ProviderCut, ProviderRefused
from talkfield.providers.scripted import Fail, Hold, ScriptedDriver
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.ports import (
    CallChunk,
    Chunk,
    FinishChunk,
    ProviderConfig,
    ProviderRequest,
    RestartChunk,
    RetryChunk,
    SendRequest,
    SendResult,
    TextChunk,
    ThinkingChunk,
    Tool,
    ToolContext,
    UsageChunk,
)

END = FinishChunk("stop")
ASK = [CallChunk("w", "write", "{}"), FinishChunk("tool_calls")]


def scripted(*scripts: Any) -> ScriptedDriver:
    return ScriptedDriver(*scripts)


def request(*messages: Any, node: str = "n", **more: Any) -> SendRequest:
    return SendRequest(node=NodeId(node), messages=messages or (user(),), **more)


def tool(name: str = "write", result: str = "written", *, needs_approval: bool = True, run: Any = None) -> Tool:
    async def answer(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        return result

    return Tool(name=name, description="", schema={}, run=run or answer, needs_approval=needs_approval)


def kinds(events: list[ChatEvent]) -> list[str]:
    return [kind_of(event) for event in events]


def results(recorder: Recorder) -> list[tuple[str, str, str]]:
    return [(e.call_id, e.status, e.result) for e in recorder.events if kind_of(e) == "toolResult"]  # type: ignore[union-attr]


def open_call(recorder: Recorder) -> CallId:
    for event in reversed(recorder.events):
        if kind_of(event) == "toolCall" and event.call.status == "awaiting":  # type: ignore[union-attr]
            return event.call.id  # type: ignore[union-attr]
    raise AssertionError("no card is open")


async def test_R6_events_are_forwarded_as_they_come_and_done_ends_them() -> None:
    driver = scripted([ThinkingChunk("hm"), [TextChunk("a"), TextChunk("b")], UsageChunk(usage()), END])
    recorder = Recorder()
    result = await ChatRuntime(ports(driver, recorder)).send(request())
    assert result == SendResult(ok=True, stop_reason="end_turn")
    assert [kinds(list(batch)) for batch in recorder.batches] == [
        ["thinking"],
        ["delta", "delta"],
        ["usage", "finish", "done"],
    ]
    driver.assert_played()


async def test_R1_one_run_for_each_node_of_one_runtime() -> None:
    hold = Hold()
    driver = scripted([hold, END], [END], [END])
    runtime, other = ChatRuntime(ports(driver, Recorder())), ChatRuntime(ports(driver, Recorder()))
    first = runtime.start(request())
    await hold.reached()
    refused = await runtime.send(request())
    assert (refused.ok, refused.code, refused.error) == (False, "busy", "chat already running for this node")
    assert (await other.send(request())).ok
    assert (await runtime.send(request(node="m"))).ok
    hold.release()
    assert (await first).ok


async def test_R2_no_provider_is_refused_with_what_to_do() -> None:
    recorder = Recorder()
    runtime = ChatRuntime(ports(ScriptedDriver(), recorder, resolve_provider=lambda _request: None))
    refused = await runtime.send(request())
    assert (refused.ok, refused.code) == (False, "no_provider")
    assert "Settings" in refused.hint
    assert recorder.batches == []  # R7: a refused send says nothing to others


async def test_R4_the_model_of_the_request_wins_over_the_providers() -> None:
    driver = scripted([END], [END])
    runtime = ChatRuntime(ports(driver, Recorder()))
    await runtime.send(request())
    await runtime.send(request(model="mine"))
    assert [asked.model for asked in driver.requests] == ["scripted-1", "mine"]


async def test_R4_no_model_is_refused_before_any_request() -> None:
    driver = ScriptedDriver()
    nameless = ProviderConfig(id=PROVIDER.id, name="P", api="scripted", base_url="")
    runtime = ChatRuntime(ports(driver, Recorder(), resolve_provider=lambda _request: nameless))
    assert (await runtime.send(request())).code == "no_model"
    assert driver.requests == []


async def test_R3_the_run_is_registered_before_any_io_and_one_of_two_sends_wins() -> None:
    driver = scripted([END])
    runtime = ChatRuntime(ports(driver, Recorder()))
    first = runtime.start(request())
    assert runtime.is_busy(NODE)
    with pytest.raises(NodeBusy):
        runtime.start(request())
    assert (await first).ok
    assert not runtime.is_busy(NODE)


async def test_R3_stop_counts_from_the_first_tick() -> None:
    driver = ScriptedDriver()
    recorder = Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    task = runtime.start(request())
    assert runtime.stop(NODE)
    assert await task == SendResult(ok=True, stop_reason="stopped")
    assert kinds(recorder.events) == ["done"]


async def test_R5_the_callers_messages_are_not_touched() -> None:
    messages = [user(), note(), assistant("old", tool_calls=(call(status="running", result=None),))]
    before = list(messages)
    driver = scripted([TextChunk("x"), END])
    await ChatRuntime(ports(driver, Recorder())).send(SendRequest(node=NODE, messages=messages))
    assert messages == before
    assert [message.role for message in driver.requests[0].messages] == ["user", "assistant"]


async def test_R7_done_comes_after_release() -> None:
    driver = scripted([END], [END])
    recorder = Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    again: list[asyncio.Task[SendResult]] = []

    def send_on_done(_node: NodeId, events: tuple[ChatEvent, ...]) -> None:
        if isinstance(events[-1], Done) and not again:
            assert not runtime.is_busy(NODE)
            again.append(runtime.start(request()))

    recorder.consumers.append(send_on_done)
    assert (await runtime.send(request())).ok
    assert (await again[0]).ok
    assert kinds(recorder.events).count("done") == 2


async def test_R8_an_approval_is_parked_by_our_call_id_and_decided_once() -> None:
    driver = scripted(ASK, [TextChunk("thanks"), END])
    recorder = Recorder()
    runtime = ChatRuntime(ports(driver, recorder, tools=[tool()]))
    task = runtime.start(request())
    await settle()
    card = open_call(recorder)
    assert card != "w"
    assert not runtime.approve(NODE, CallId("w"), "approve")
    assert not runtime.approve(NodeId("other"), card, "approve")
    assert runtime.approve(NODE, card, "approve")
    assert not runtime.approve(NODE, card, "deny")
    assert (await task).ok
    assert results(recorder) == [(card, "done", "written")]
    assert driver.requests[1].messages[-1].tool_calls[0].result == "written"
    assert not runtime.approve(NODE, card, "approve")


async def test_T6_edited_arguments_are_what_runs() -> None:
    seen: list[Mapping[str, Any]] = []

    async def run(arguments: Mapping[str, Any], _context: ToolContext) -> str:
        seen.append(arguments)
        return "ok"

    driver = scripted(ASK, [END])
    recorder = Recorder()
    runtime = ChatRuntime(ports(driver, recorder, tools=[tool(run=run)]))
    task = runtime.start(request())
    await settle()
    runtime.approve(NODE, open_call(recorder), "approve", args_json='{"path":"b"}')
    await task
    assert seen == [{"path": "b"}]


async def test_check_24_R9_R10_stop_settles_open_cards_and_running_tools() -> None:
    started = asyncio.Event()

    async def forever(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    two = [CallChunk("1", "write", "{}"), CallChunk("2", "slow", "{}"), FinishChunk("tool_calls")]
    driver, recorder = scripted(two), Recorder()
    tools = [tool(), tool("slow", needs_approval=False, run=forever)]
    runtime = ChatRuntime(ports(driver, recorder, tools=tools))
    task = runtime.start(request())
    await started.wait()
    card = open_call(recorder)
    runtime.stop(NODE)
    assert await task == SendResult(ok=True, stop_reason="stopped")
    assert [(status, result) for _, status, result in results(recorder)] == [
        ("cancelled", NOT_RUN),
        ("cancelled", INTERRUPTED),
    ]
    assert not runtime.approve(NODE, card, "approve")


async def test_R10_stop_ends_a_silent_provider_and_closes_its_stream() -> None:
    hold = Hold()
    driver, recorder = scripted([TextChunk("abcd"), hold]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    task = runtime.start(request())
    await hold.reached()
    runtime.stop(NODE)
    runtime.stop(NODE)
    assert await task == SendResult(ok=True, stop_reason="stopped")
    assert kinds(recorder.events) == ["delta", "usage", "done"]
    driver.assert_played()


async def test_P6_a_stopped_runs_usage_is_estimated_and_marked() -> None:
    hold = Hold()
    driver, recorder = scripted([TextChunk("abcd"), hold]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    task = runtime.start(request(user("12345678")))
    await hold.reached()
    runtime.stop(NODE)
    await task
    assert recorder.events[1].usage == Usage(input_tokens=2, output_tokens=1, estimated=True)  # type: ignore[union-attr]


async def test_D9_the_last_usage_of_a_call_wins_and_is_priced_once() -> None:
    priced: list[tuple[str, Usage]] = []

    def price(model: str, _provider: ProviderConfig, used: Usage, _usd: Any) -> MessageCost:
        priced.append((model, used))
        return MessageCost(usd=1, source="table")  # type: ignore[arg-type]

    driver = scripted([UsageChunk(usage(1, 1)), TextChunk("x"), UsageChunk(usage(9, 9), model="real"), END])
    recorder = Recorder()
    await ChatRuntime(ports(driver, recorder, price=price)).send(request())
    assert priced == [("real", usage(9, 9))]


async def test_R11_errors_of_the_provider_end_in_error_with_its_words() -> None:
    error = ProviderRefused("no such model", code="model_not_found", hint="Choose another.")
    driver, recorder = scripted([TextChunk("par"), Fail(error)]), Recorder()
    result = await ChatRuntime(ports(driver, recorder)).send(request())
    assert result == SendResult(
        ok=False, stop_reason="error", code="model_not_found", error="no such model", hint="Choose another."
    )
    assert kinds(recorder.events) == ["delta", "usage", "done"]


@pytest.mark.parametrize("script", [[TextChunk("half")], [TextChunk("half"), Fail(ProviderCut("gone"))]])
async def test_D4_an_answer_without_proof_of_its_end_is_cut(script: list[Any]) -> None:
    driver, recorder = scripted(script), Recorder()
    result = await ChatRuntime(ports(driver, recorder)).send(request())
    assert (result.ok, result.code, result.retryable) == (False, "cut", True)
    assert kinds(recorder.events) == ["delta", "usage", "finish", "done"]


class RaisingDriver(ScriptedDriver):
    """Raises what no driver should."""

    def __init__(self, error: BaseException | None) -> None:
        super().__init__()
        self._error = error

    async def stream(self, request: ProviderRequest) -> AsyncIterator[list[Chunk]]:
        if self._error is not None:
            raise self._error
        yield []


async def test_R11_a_fault_in_a_driver_is_an_error_of_the_run() -> None:
    lines: list[str] = []
    runtime = ChatRuntime(ports(RaisingDriver(KeyError("secret")), Recorder(), log=lines.append))
    result = await runtime.send(request())
    assert (result.ok, result.code, result.error) == (False, "internal", "KeyError in the driver for Scripted")
    assert not any("secret" in line for line in lines)


async def test_R11_an_abort_seen_by_the_driver_is_a_stop() -> None:
    runtime = ChatRuntime(ports(RaisingDriver(asyncio.CancelledError()), Recorder()))
    assert await runtime.send(request()) == SendResult(ok=True, stop_reason="stopped")


async def test_R11_cancelling_the_caller_of_send_is_a_stop() -> None:
    hold = Hold()
    driver, recorder = scripted([hold]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    caller = asyncio.create_task(runtime.send(request()))
    await hold.reached()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert recorder.events[-1].reason == "stopped"  # type: ignore[union-attr]
    assert not runtime.is_busy(NODE)


async def test_R11_a_run_whose_own_task_is_cancelled_ends_as_stopped() -> None:
    hold = Hold()
    driver, recorder = scripted([hold]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    task = runtime.start(request())
    await hold.reached()
    task.cancel()
    assert await task == SendResult(ok=True, stop_reason="stopped")
    assert not runtime.is_busy(NODE)


async def test_T2_the_limit_ends_the_turn_ok() -> None:
    driver = scripted(*[[CallChunk("w", "look", "{}"), FinishChunk("tool_calls")]] * 2)
    recorder = Recorder()
    tools = [tool("look", needs_approval=False)]
    runtime = ChatRuntime(ports(driver, recorder, tools=tools, max_provider_calls=lambda: 2))
    assert await runtime.send(request()) == SendResult(ok=True, stop_reason="max_iterations")
    assert kinds(recorder.events)[-2:] == ["note", "done"]


async def test_R12_one_line_for_each_run_without_content_or_keys() -> None:
    lines: list[str] = []
    driver = scripted([TextChunk("secret words"), UsageChunk(usage(7, 3)), END])
    await ChatRuntime(ports(driver, Recorder(), log=lines.append)).send(request(user("private")))
    assert lines == ["chat n end_turn in 0.0 s, 7 tokens in, 3 out"]


async def test_R13_a_consumer_that_raises_never_breaks_a_run() -> None:
    def broken(_node: NodeId, _events: tuple[ChatEvent, ...]) -> None:
        raise RuntimeError("bad consumer")

    lines: list[str] = []
    recorder = Recorder()
    recorder.consumers.append(broken)
    driver = scripted([TextChunk("a"), UsageChunk(usage(1, 1)), END])
    assert (await ChatRuntime(ports(driver, recorder, log=lines.append)).send(request())).ok
    assert lines == [
        "broadcast for n failed: RuntimeError",
        "chat n end_turn in 0.0 s, 1 tokens in, 1 out",
        "broadcast for n failed: RuntimeError",
    ]


async def test_R13_a_consumer_may_stop_the_run_from_inside_its_broadcast() -> None:
    driver, recorder = scripted([[TextChunk("a"), TextChunk("b")], TextChunk("c"), END]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder))

    def stop(node: NodeId, _events: tuple[ChatEvent, ...]) -> None:
        runtime.stop(node)

    recorder.consumers.append(stop)
    assert (await runtime.send(request())).stop_reason == "stopped"
    assert [event.text for event in recorder.events if isinstance(event, Delta)] == ["a", "b"]


async def test_R14_resume_goes_on_from_the_transcript_alone() -> None:
    seen: list[str] = []

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        seen.append("ran")
        return "now"

    waiting = call("c1", name="write", status="awaiting", result=None)
    ran_before = call("c2", name="write", status="running", result=None)
    messages = (user(), assistant("", tool_calls=(waiting, ran_before)))
    driver, recorder = scripted([TextChunk("done"), END]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder, tools=[tool(run=run)]))
    task = runtime.resume(request(*messages))
    await settle()
    assert runtime.approve(NODE, CallId("c1"), "approve")
    assert (await task).ok
    assert seen == ["ran"]
    sent = driver.requests[0].messages[-1].tool_calls
    assert (sent[0].id, sent[0].result) == ("c1", "now")
    assert "unknown outcome" in (sent[1].result or "")


async def test_R14_a_tool_that_is_gone_after_a_restart_is_an_error_result() -> None:
    waiting = call("c1", name="gone", status="awaiting", result=None)
    driver, recorder = scripted([END]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    task = runtime.resume(request(user(), assistant("", tool_calls=(waiting,))))
    await settle()
    runtime.approve(NODE, CallId("c1"), "approve")
    assert (await task).ok
    assert results(recorder) == [("c1", "error", "unknown tool: gone (there are: none)")]


async def test_R14_a_finished_transcript_is_over_at_once() -> None:
    driver = ScriptedDriver()
    result = await ChatRuntime(ports(driver, Recorder())).resume(request(user(), assistant(finish="stop")))
    assert result == SendResult(ok=True, stop_reason="end_turn")


async def test_check_27_T3_arguments_are_checked_before_any_card() -> None:
    def check(_schema: Any, arguments: Any) -> str | None:
        return None if "path" in arguments else "path is missing"

    calls = [
        CallChunk("1", "write", "{}"),
        CallChunk("2", "write", "{broken"),
        CallChunk("3", "write", "[]"),
        CallChunk("4", "nothing", "{}"),
        FinishChunk("tool_calls"),
    ]
    driver, recorder = scripted(calls, [END]), Recorder()
    await ChatRuntime(ports(driver, recorder, tools=[tool()], check_arguments=check)).send(request())
    assert [(status, result.partition(":")[0]) for _, status, result in results(recorder)] == [
        ("error", "the arguments do not fit write"),
        ("error", "the arguments are not valid JSON"),
        ("error", "the arguments must be a JSON object"),
        ("error", "unknown tool"),
    ]


@pytest.mark.parametrize(("error", "text"), [(ValueError("no such file"), "no such file"), (KeyError(), "KeyError")])
async def test_T4_a_tool_that_raises_is_an_error_result_and_the_loop_goes_on(error: Exception, text: str) -> None:
    async def fail(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        raise error

    driver, recorder = scripted(ASK, [END]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder, tools=[tool(needs_approval=False, run=fail)]))
    assert (await runtime.send(request())).ok
    assert [(status, result) for _, status, result in results(recorder)] == [("error", text)]


async def test_W8_a_tools_start_is_made_durable_before_it_runs() -> None:
    order: list[str] = []

    async def durable(_node: NodeId, _call: CallId) -> None:
        order.append("durable")

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        order.append("ran")
        return ""

    driver = scripted(ASK, [END])
    tools = [tool(needs_approval=False, run=run)]
    await ChatRuntime(ports(driver, Recorder(), tools=tools, before_tool=durable)).send(request())
    assert order == ["durable", "ran"]


async def test_D6_a_retry_is_told_with_the_time_it_waits_until() -> None:
    clock = FakeClock(now_ms=5000)
    driver, recorder = scripted([RetryChunk(2, 1.5, "busy"), TextChunk("x"), END]), Recorder()
    await ChatRuntime(ports(driver, recorder, clock=clock)).send(request())
    retry = recorder.events[0]
    assert (kind_of(retry), retry.attempt, retry.retry_at, retry.reason) == ("retry", 2, 6500, "busy")  # type: ignore[union-attr]


async def test_D4_an_answer_that_begins_again_is_told_and_taken_whole() -> None:
    first = [TextChunk("Spark"), RestartChunk(), TextChunk("Hello"), CallChunk("w", "look", "{}"), END]
    driver, recorder = scripted(first, [END]), Recorder()
    await ChatRuntime(ports(driver, recorder, tools=[tool("look", needs_approval=False)])).send(request())
    assert kinds(recorder.events)[:3] == ["delta", "restart", "delta"]
    assert driver.requests[1].messages[-1].content == "Hello"


async def test_D4_the_words_of_a_refusal_stay_with_the_reply() -> None:
    driver, recorder = scripted([FinishChunk("refusal", "refusal", detail="I can't help with that.")]), Recorder()
    assert (await ChatRuntime(ports(driver, recorder)).send(request())).stop_reason == "end_turn"
    finished = next(event for event in recorder.events if kind_of(event) == "finish")
    assert finished.error == MessageError(code="refused", message="I can't help with that.")  # type: ignore[union-attr]


async def test_D11_provider_state_goes_back_with_its_message_in_the_next_round() -> None:
    state = ProviderState(provider="scripted", model="m", data='[{"type":"thinking"}]')
    first = [CallChunk("w", "look", "{}"), FinishChunk("tool_calls", provider_state=state)]
    driver = scripted(first, [END])
    await ChatRuntime(ports(driver, Recorder(), tools=[tool("look", needs_approval=False)])).send(request())
    assert driver.requests[1].messages[-1].provider_state == state


async def test_D1_a_paused_answer_is_sent_back_as_it_is() -> None:
    driver = scripted([TextChunk("searching"), FinishChunk("stop", "pause_turn")], [TextChunk("found"), END])
    recorder = Recorder()
    assert (await ChatRuntime(ports(driver, recorder)).send(request())).stop_reason == "end_turn"
    assert [message.content for message in driver.requests[1].messages] == ["hi", "searching"]


async def test_U11_attachments_are_fetched_for_the_driver() -> None:
    async def files(_messages: Any) -> Mapping[str, bytes]:
        return {"d": b"x"}

    driver = scripted([END])
    await ChatRuntime(ports(driver, Recorder(), files=files)).send(request())
    assert driver.requests[0].files == {"d": b"x"}


async def test_R10_a_tool_that_will_not_end_does_not_hold_the_turn() -> None:
    release = asyncio.Event()
    started = asyncio.Event()

    async def stubborn(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        started.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    driver, recorder = scripted(ASK), Recorder()
    runtime = ChatRuntime(ports(driver, recorder, tools=[tool(needs_approval=False, run=stubborn)]))
    task = runtime.start(request())
    await started.wait()
    runtime.stop(NODE)
    assert (await task).stop_reason == "stopped"
    assert [status for _, status, _ in results(recorder)] == ["cancelled"]
    release.set()
    await settle()
    assert kinds(recorder.events)[-1] == "done"


async def test_W8_closing_interrupts_replies_that_are_being_written_and_counts_what_they_used() -> None:
    holds = [Hold(), Hold()]
    driver, recorder = scripted([TextChunk("some text"), holds[0]], [holds[1]]), Recorder()
    runtime = ChatRuntime(ports(driver, recorder))
    tasks = [runtime.start(request(node=name)) for name in ("a", "b")]
    for hold in holds:
        await hold.reached()
    await runtime.close()
    assert [((await task).stop_reason, (await task).code) for task in tasks] == [("error", "interrupted")] * 2
    assert [kinds(list(batch)) for batch in recorder.batches] == [
        ["delta"],
        ["usage", "finish", "done"],
        ["finish", "done"],
    ]
    assert [event.error for event in recorder.events if isinstance(event, Done)] == [REPLY_INTERRUPTED] * 2
    assert not runtime.stop(NodeId("a"))
    await runtime.close()


async def test_W8_closing_leaves_open_cards_open_and_cuts_tools() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    asked = [CallChunk("1", "write", "{}"), CallChunk("2", "look", "{}"), FinishChunk("tool_calls")]
    driver, recorder = scripted(asked), Recorder()
    tools = [tool(), tool("look", needs_approval=False, run=slow)]
    runtime = ChatRuntime(ports(driver, recorder, tools=tools))
    task = runtime.start(request())
    await started.wait()
    before = list(recorder.events)
    await runtime.close()
    assert (ended.is_set(), (await task).code) == (True, "interrupted")
    assert recorder.events == before  # nothing is settled, nothing goes on
    assert len(driver.requests) == 1
    assert not runtime.is_busy(NODE)


def test_T6_ids_of_calls_are_ours() -> None:
    assert CountingIds()("call") == "call-1"
    assert ToolCall(id=CallId("call-1"), name="x", args_json="{}", status="done", wire_id="0").wire_id == "0"
