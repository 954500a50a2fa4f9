"""However a turn ends, the chat goes on: nothing runs any more, and the next request is one that the strictest service
of either wire takes (checks 23, 24, 25 and 28).
"""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from providers.listening import refusing
from providers.raw_server import Answer, Peer
from reliability.product import (
    APIS,
    Api,
    Changing,
    InTurn,
    Product,
    calling,
    delta,
    ending,
    good,
    opening,
    problems,
    product,
    telling,
)
from server.server_doubles import settled
from talkfield.core.ids import NodeId
from talkfield.runtime.ports import Tool, ToolContext
from talkfield.wire.client import DecideCall, EditMessage, RemoveMessage, RemoveNodes, SendMessage, StopTurn, Undo
from talkfield.wire.server import Ack, Rejected

BOTH = pytest.mark.parametrize("api", APIS)


async def stays(peer: Peer) -> None:
    """Says nothing, and stays until the other end has gone."""
    await peer.gone()


def begins(api: Api, *words: str) -> Answer:
    """Says these words, and then nothing more."""

    async def answer(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(opening(api) + b"".join(delta(api, word) for word in words))
        await peer.gone()

    return answer


def tool(*, needs_approval: bool = True, ran: list[Any] | None = None, hold: asyncio.Event | None = None) -> Tool:
    async def run(arguments: Mapping[str, Any], _context: ToolContext) -> str:
        if ran is not None:
            ran.append(dict(arguments))
        if hold is not None:
            await hold.wait()
        return "written"

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    return Tool(name="write", description="", schema=schema, run=run, needs_approval=needs_approval)


async def said(made: Product, node: NodeId) -> bool:
    await made.until(lambda: made.said(node) and made.said(node)[-1].content)
    return True


async def carded(made: Product, node: NodeId) -> bool:
    await made.until(lambda: [call for call in made.calls(node) if call.status == "awaiting"])
    return True


async def running(made: Product, node: NodeId) -> bool:
    await made.until(lambda: [call for call in made.calls(node) if call.status == "running"])
    return True


async def waits(made: Product, node: NodeId) -> bool:
    await made.until(lambda: (run := made.run(node)) is not None and run.retry_at is not None)
    return True


async def asked(made: Product, _node: NodeId) -> bool:
    await settled(lambda: len(made.service.received) == 1)
    return True


async def ended(made: Product, node: NodeId) -> bool:
    await made.over(node)
    return False


Reached = Callable[[Product, NodeId], Awaitable[bool]]
"""Waits until a turn is where the test wants it; whether a stop still finds it there."""

MOMENTS: dict[str, tuple[Callable[[Api], Answer], Reached]] = {
    "before the first byte": (lambda _api: stays, asked),
    "in mid answer": (lambda api: begins(api, "one ", "two "), said),
    "before a decision": (lambda api: telling(calling(api, "write", '{"n": 1}')), carded),
    "with two cards": (lambda api: telling(calling(api, "write", '{"n": 1}', "0", "0")), carded),
    "while a tool runs": (lambda api: telling(calling(api, "write", '{"n": 1}')), running),
    "between two tries": (lambda _api: refusing(503), waits),
    "when it is over": (good, ended),
}


@BOTH
@pytest.mark.parametrize(("answer", "reached"), MOMENTS.values(), ids=MOMENTS)
async def test_check_24_28_R10_a_turn_stopped_anywhere_leaves_a_chat_that_goes_on(
    tmp_path: Path, api: Api, answer: Callable[[Api], Answer], reached: Reached
) -> None:
    tools = [tool(needs_approval=reached is not running, hold=asyncio.Event())]
    async with product(tmp_path, answer(api), good(api), api=api, tools=tools) as made:
        node = await made.begin()
        is_running = await reached(made, node)
        await made.do(StopTurn(node=node))
        await made.do(StopTurn(node=node))
        reply = await made.over(node)
        assert (reply.stopped, reply.error) == (is_running, None)
        assert {call.status for call in made.calls(node)} <= {"cancelled", "error"}
        before = len(made.service.received)
        await made.begin("and now?", node)
        assert (await made.over(node)).content == "fine"
        assert len(made.service.received) == before + 1
        assert problems(api, made.service) == []


@asynccontextmanager
async def deaf() -> AsyncIterator[str]:
    """An address that neither accepts nor refuses: its queue of connections is full."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        taken = []
        try:
            for _ in range(4):
                taken.append(socket.socket())
                taken[-1].setblocking(False)
                taken[-1].connect_ex(listening.getsockname())
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            for each in taken:
                each.close()


@BOTH
async def test_check_24_R10_a_turn_stopped_while_it_connects_is_over(tmp_path: Path, api: Api) -> None:
    async with deaf() as url, product(tmp_path, good(api), api=api, url=url) as made:
        node = await made.begin()
        await asyncio.sleep(0)
        assert made.session.is_busy(node)
        await made.do(StopTurn(node=node))
        assert (await made.over(node)).stopped


# What may stand in a history ------------------------------------------------------------------------------------------


async def deny(made: Product, node: NodeId) -> None:
    await carded(made, node)
    for call in made.calls(node):
        await made.do(DecideCall(node=node, call=call.id, decision="deny", reason="no"))


async def nothing(_made: Product, _node: NodeId) -> None:
    pass


def cut(api: Api) -> Answer:
    async def answer(peer: Peer) -> None:
        await peer.events()
        whole = calling(api, "write", '{"n": 1}')
        await peer.chunk(opening(api) + delta(api, "Let me ") + whole[: len(whole) // 3])
        await peer.reset()

    return answer


def blank(api: Api) -> Answer:
    return telling(opening(api) + delta(api, " \n") + ending(api))


BAD_TURNS: dict[str, tuple[Callable[[Api], Answer], Callable[[Product, NodeId], Awaitable[None]]]] = {
    "denied": (lambda api: telling(calling(api, "write", '{"n": 1}', "a", "b")), deny),
    "an unknown tool": (lambda api: telling(calling(api, "format_disk", "{}")), nothing),
    "arguments of another type": (lambda api: telling(calling(api, "write", '{"n": "x"}')), nothing),
    "arguments that are none": (lambda api: telling(calling(api, "write", '{"n": ')), nothing),
    "cut in a call": (cut, nothing),
    "nothing but white space": (blank, nothing),
    "refused": (lambda _api: refusing(400, b'{"error": {"message": "no"}}'), nothing),
}


@BOTH
async def test_check_28_T11_a_turn_that_went_wrong_spoils_no_later_request(tmp_path: Path, api: Api) -> None:
    ran: list[Any] = []
    service = Changing(good(api))
    async with product(tmp_path, service, api=api, tools=[tool(ran=ran)]) as made:
        for name, (answer, then) in BAD_TURNS.items():
            node = await made.chat()
            service.now = InTurn(answer(api), good(api))
            await made.begin("Hello", node)
            await then(made, node)
            await made.over(node)
            for _ in range(2):
                await made.begin("and now?", node)
                assert (await made.over(node)).content == "fine", name
        assert (problems(api, made.service), ran) == ([], [])


@BOTH
@pytest.mark.parametrize("moment", ["in mid answer", "before a decision", "while a tool runs"])
async def test_check_28_R14_a_turn_that_a_crash_cut_off_spoils_no_later_request(
    tmp_path: Path, api: Api, moment: str
) -> None:
    answer, reached = MOMENTS[moment]
    ran: list[Any] = []
    tools = [tool(needs_approval=reached is not running, hold=asyncio.Event(), ran=ran)]
    crashed = tmp_path / "crashed"
    (tmp_path / "first").mkdir()
    async with product(tmp_path / "first", answer(api), api=api, tools=tools) as made:
        node = await made.begin()
        await reached(made, node)
        await made.session.durable()
        await asyncio.to_thread(shutil.copytree, tmp_path / "first", crashed)  # what a kill would have left
        await made.do(StopTurn(node=node))
        await made.over(node)
    async with product(crashed, good(api), api=api, tools=tools, life="second-") as made:
        assert not made.session.is_busy(node)
        await made.begin("and now?", node)
        assert (await made.over(node)).content == "fine"
        assert problems(api, made.service) == []
        assert {call.status for call in made.calls(node)} <= {"cancelled", "error"}
    assert len(ran) == (moment == "while a tool runs")


# Cards ----------------------------------------------------------------------------------------------------------------


@BOTH
async def test_check_23_R8_one_id_of_a_service_in_two_chats_two_rounds_and_twice_at_once(
    tmp_path: Path, api: Api
) -> None:
    """What a service calls its calls says nothing: `0` each time, as some do, and each card answers for its own."""
    ran: list[Any] = []
    answers = (
        telling(calling(api, "write", '{"n": 1}', "0", "0")),
        telling(calling(api, "write", '{"n": 2}', "0")),
        telling(calling(api, "write", '{"n": 3}', "0")),
        good(api),
    )
    async with product(tmp_path, *answers, api=api, tools=[tool(ran=ran)]) as made:
        one = await made.begin()
        await made.until(lambda: len(made.calls(one)) == 2)
        two = await made.begin()
        await carded(made, two)
        first, second = made.calls(one)
        (other,) = made.calls(two)
        assert {call.wire_id for call in (first, second, other)} == {"0"}
        assert isinstance(await made.do(DecideCall(node=two, call=first.id, decision="approve")), Rejected)
        await made.do(DecideCall(node=one, call=second.id, decision="approve"))
        await made.until(lambda: made.calls(one)[1].status == "done")
        assert [call.status for call in (*made.calls(one), *made.calls(two))] == ["awaiting", "done", "awaiting"]
        await made.do(DecideCall(node=one, call=first.id, decision="deny"))
        await made.until(lambda: len(made.calls(one)) == 3)
        assert [call.status for call in (*made.calls(one), *made.calls(two))] == [
            *("denied", "done", "awaiting"),
            "awaiting",
        ]
        await made.do(DecideCall(node=one, call=made.calls(one)[2].id, decision="approve"))
        await made.over(one)
        await made.do(DecideCall(node=two, call=other.id, decision="deny"))
        await made.over(two)
        assert ran == [{"n": 1}, {"n": 3}]
        assert problems(api, made.service) == []


# Changes under a reply that is being written --------------------------------------------------------------------------


async def edit(made: Product, node: NodeId) -> Any:
    return await made.do(EditMessage(message=made.said(node, "user")[0].id, text="something else"))


async def remove_question(made: Product, node: NodeId) -> Any:
    return await made.do(RemoveMessage(message=made.said(node, "user")[0].id))


async def remove_reply(made: Product, node: NodeId) -> Any:
    return await made.do(RemoveMessage(message=made.said(node)[-1].id))


async def undo(made: Product, _node: NodeId) -> Any:
    return await made.do(Undo())


async def clear(made: Product, node: NodeId) -> Any:
    return await made.do(SendMessage(node=node, text="/clear"))


async def close(made: Product, node: NodeId) -> Any:
    return await made.do(RemoveNodes(nodes=(node,)))


@pytest.mark.parametrize("change", [edit, remove_question, remove_reply, undo, clear, close])
async def test_check_25_W4_a_change_under_a_running_reply_is_refused_or_ends_it_and_leaves_no_orphan(
    tmp_path: Path, change: Callable[[Product, NodeId], Awaitable[Any]]
) -> None:
    go = asyncio.Event()

    async def slow(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(delta("openai", "one "))
        await go.wait()
        await peer.chunk(delta("openai", "two") + ending("openai"))
        await peer.last_chunk()

    async with product(tmp_path, slow, good("openai")) as made:
        node = await made.begin()
        await said(made, node)
        answer = await change(made, node)
        go.set()
        if change is close:
            await made.until(lambda: node not in made.page.mirror.records)
        else:
            assert isinstance(answer, Rejected), answer
            assert (await made.over(node)).content == "one two"
        await settled(lambda: not made.session.is_busy(node))
        kept = {record.id: record for record in made.session.snapshot()}
        await made.page.follow(made.session.seq)
        assert made.page.mirror.state() == dict(sorted(kept.items()))
        assert not [record for record in kept.values() if type(record).__name__ == "RunRecord"]
        owned = [record for record in kept.values() if getattr(record, "node_id", None) == node]
        if change is close:
            assert owned == []
        else:
            again = await made.begin("and now?", node)
            assert (await made.over(again)).content == "fine"
            assert isinstance(await made.do(Undo()), Ack)
