"""What the documents that Talkfield was made from describe of the runtime, and no rule says."""

from __future__ import annotations

import asyncio
from typing import Any

from builders import NODE, assistant, user
from doubles import PROVIDER, Recorder, ports, settle
from talkfield.core.events import Delta, Done, kind_of
from talkfield.core.ids import CallId, NodeId
from talkfield.providers.scripted import Hold, ScriptedDriver
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.ports import FinishChunk, RuntimePorts, SendRequest, SendResult, TextChunk

END = FinishChunk("stop")
ASKED = SendRequest(node=NODE, messages=(user(),))


def runtime(*scripts: Any, recorder: Recorder | None = None, **more: Any) -> tuple[ChatRuntime, ScriptedDriver]:
    driver = ScriptedDriver(*scripts)
    return ChatRuntime(ports(driver, recorder or Recorder(), **more)), driver


async def test_seed_what_is_asked_of_an_idle_node_does_nothing_and_says_so() -> None:
    recorder = Recorder()
    subject, _ = runtime(recorder=recorder)
    assert not subject.is_busy(NODE)
    assert not subject.stop(NODE)
    assert not subject.approve(NODE, CallId("c"), "approve")
    assert recorder.batches == []


async def test_seed_a_stopped_run_is_busy_until_it_is_over() -> None:
    subject, _ = runtime([TextChunk("a"), Hold()])
    turn = subject.start(ASKED)
    await settle()
    assert subject.stop(NODE)
    assert subject.is_busy(NODE)
    assert await turn == SendResult(ok=True, stop_reason="stopped")
    assert not subject.is_busy(NODE)


async def test_seed_stopping_twice_is_stopping_once() -> None:
    recorder = Recorder()
    subject, _ = runtime([Hold()], recorder=recorder)
    turn = subject.start(ASKED)
    await settle()
    subject.stop(NODE)
    subject.stop(NODE)
    await turn
    assert [kind_of(event) for event in recorder.events].count("done") == 1


async def test_seed_sends_to_a_busy_node_are_neither_queued_nor_joined() -> None:
    hold = Hold()
    subject, driver = runtime([hold, END])
    turn = subject.start(ASKED)
    await settle()
    refused = [await subject.send(ASKED) for _ in range(3)]
    assert {result.code for result in refused} == {"busy"}
    assert refused[0].error == "chat already running for this node"
    hold.release()
    await turn
    await settle()
    assert len(driver.requests) == 1


async def test_seed_the_result_is_an_envelope_and_the_reply_comes_as_events() -> None:
    recorder = Recorder()
    subject, _ = runtime([TextChunk("hello"), END], recorder=recorder)
    result = await subject.send(ASKED)
    assert result == SendResult(ok=True, stop_reason="end_turn")
    assert "".join(event.text for event in recorder.events if isinstance(event, Delta)) == "hello"


async def test_seed_there_are_no_tools_unless_they_are_given() -> None:
    driver, recorder = ScriptedDriver([END]), Recorder()
    given = ports(driver, recorder)
    subject = ChatRuntime(
        RuntimePorts(
            resolve_provider=given.resolve_provider,
            driver_for=given.driver_for,
            broadcast=recorder,
            ids=given.ids,
            clock=given.clock,
        )
    )
    await subject.send(ASKED)
    assert driver.requests[0].tools == ()


async def test_seed_the_callers_messages_are_passed_on_not_copied() -> None:
    messages = [user(), assistant(), user("and?", "u2")]
    subject, driver = runtime([END])
    await subject.send(SendRequest(node=NODE, messages=messages))
    assert driver.requests[0].messages == tuple(messages)
    assert len(messages) == 3


async def test_seed_the_driver_is_made_for_the_provider_that_was_resolved() -> None:
    made: list[str] = []
    driver = ScriptedDriver([END])

    def driver_for(provider: Any) -> ScriptedDriver:
        made.append(provider.id)
        return driver

    subject, _ = runtime(driver_for=driver_for)
    await subject.send(ASKED)
    assert (made, driver.requests[0].provider) == ([PROVIDER.id], PROVIDER)


async def test_seed_two_nodes_run_at_once_and_end_each_for_itself() -> None:
    recorder = Recorder()
    subject, driver = runtime([Hold()], [END], recorder=recorder)
    other = SendRequest(node=NodeId("other"), messages=(user(),))
    held = subject.start(ASKED)
    await settle()
    assert (await subject.send(other)).ok
    assert subject.is_busy(NODE)
    assert not subject.is_busy(other.node)
    driver.release()
    assert (await asyncio.wait_for(held, 60)).code == "cut"
    assert [event.node for event in recorder.events if isinstance(event, Done)] == [other.node, NODE]
