"""The server over the real owner and a scripted provider: two tabs, a script, and turns in every state between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from doubles import FakeClock, services
from server.server_doubles import Browser, Mirror, Running, running, settled
from talkfield.core.ids import NodeId
from talkfield.core.messages import ProviderState
from talkfield.core.records import MessageRecord, Record, ToolCallRecord
from talkfield.providers.scripted import Hold, ScriptedDriver
from talkfield.runtime.ports import CallChunk, FinishChunk, TextChunk, Tool
from talkfield.wire.client import AddNode, DecideCall, SendMessage, StopTurn, Undo
from talkfield.wire.server import Ack, Rejected
from talkfield.workspace.studio import Studio, open_studio

END = FinishChunk("stop")
JSON = {"content-type": "application/json"}
EVENTS = {"accept": "text/event-stream"}


@asynccontextmanager
async def owned(*scripts: Any, tools: Sequence[Tool] = (), **config: Any) -> AsyncIterator[tuple[Running, Studio]]:
    clock = FakeClock()
    driver = ScriptedDriver(*scripts, clock=clock)
    studio = await open_studio(services(driver, clock=clock, tools=tools), lambda: "epoch-1")
    async with running(studio, **config) as server:
        yield server, studio


async def new_chat(browser: Browser) -> Any:
    await browser.do("chat", AddNode(kind="chat", x=0, y=0))
    (answer,) = await browser.answers(1)
    assert isinstance(answer, Ack)
    return answer.made[0]


async def state_of(studio: Studio) -> dict[str, Record]:
    session = await studio.session()
    return {record.id: record for record in sorted(session.snapshot(), key=lambda record: record.id)}


def texts(mirror: Mirror) -> list[tuple[str, str]]:
    messages = [record for record in mirror.records.values() if isinstance(record, MessageRecord)]
    return [(message.role, message.content) for message in sorted(messages, key=lambda message: message.index)]


def cards_of(mirror: Mirror) -> list[ToolCallRecord]:
    return [record for record in mirror.records.values() if isinstance(record, ToolCallRecord)]


async def test_W6_two_tabs_and_the_owner_agree_on_a_whole_turn() -> None:
    pieces = [TextChunk(f"{number} ") for number in range(50)]
    async with owned([*pieces, END]) as (server, studio), server.browser() as one, server.browser() as two:
        await one.hello()
        await two.hello()
        node = await new_chat(one)
        await one.do("send", SendMessage(node=node, text="count"))
        assert isinstance((await one.answers(1))[0], Ack)
        session = await studio.session()
        await settled(lambda: not session.is_busy(node))
        await one.follow(session.seq)
        await two.follow(session.seq)
        assert one.mirror.state() == two.mirror.state() == await state_of(studio)
        assert texts(two.mirror) == [("user", "count"), ("assistant", "".join(piece.text for piece in pieces))]


async def test_C7_a_script_is_told_that_a_chat_is_full_and_says_what_then() -> None:
    long = "x" * 2000  # 500 tokens; the model takes in 1,000
    async with owned([TextChunk("a"), END], [TextChunk("b"), END]) as (server, studio):
        session = await studio.session()
        (node,) = (await session.handle(AddNode(kind="chat", x=0, y=0))).made
        url = f"{server.url}/api/nodes/{node}/send"
        async with server.http.post(url, json={"text": long}) as response:
            assert (response.status, (await response.json())["ok"]) == (200, True)
        async with server.http.post(url, json={"text": long}) as response:
            error = (await response.json())["error"]
        assert (response.status, error["code"]) == (409, "context_full")
        async with server.http.post(url, json={"text": long, "whenFull": "trim"}) as response:
            answer = await response.json()
        assert [message["content"] for message in answer["messages"]] == [long, "b"]
        assert answer["messages"][1]["receipt"]["leftOut"][0]["count"] == 2


async def test_check_18_R3_of_two_sends_at_once_from_two_tabs_one_runs_and_one_waits() -> None:
    hold = Hold()
    async with (
        owned([hold, END], [TextChunk("second"), END]) as (server, studio),
        server.browser() as one,
        server.browser() as two,
    ):
        await one.hello()
        await two.hello()
        node = await new_chat(one)
        await asyncio.gather(
            one.do("1", SendMessage(node=node, text="from a tab")),
            two.do("2", SendMessage(node=node, text="from a tab")),
        )
        assert [type(answer) for answer in [*await one.answers(1), *await two.answers(1)]] == [Ack, Ack]
        await one.catch_up()
        assert texts(one.mirror) == [("user", "from a tab"), ("assistant", "")]
        hold.release()
        session = await studio.session()
        await settled(lambda: len(session.node(node).messages) == 4 and not session.is_busy(node))
        await one.follow(session.seq)
        assert [role for role, _ in texts(one.mirror)] == ["user", "assistant", "user", "assistant"]
        assert one.mirror.state() == await state_of(studio)


async def test_check_18_R3_of_two_sends_at_once_from_two_scripts_one_is_refused() -> None:
    hold = Hold()
    async with owned([hold, END]) as (server, _), server.browser() as browser:
        await browser.hello()
        url = f"{server.url}/api/nodes/{await new_chat(browser)}/send"

        async def send() -> int:
            async with server.http.post(url, json={"text": "from a script"}) as answer:
                return answer.status

        sends = [asyncio.create_task(send()) for _ in range(2)]
        done, _ = await asyncio.wait(sends, return_when=asyncio.FIRST_COMPLETED)
        hold.release()
        assert [task.result() for task in done] == [409]
        assert sorted(await asyncio.gather(*sends)) == [200, 409]


async def test_check_18_R7_who_sends_on_done_is_never_told_busy() -> None:
    async with owned(*([TextChunk(f"{number}"), END] for number in range(20))) as (server, _):
        async with server.browser() as browser:
            await browser.hello()
            node = await new_chat(browser)
            for number in range(10):
                await browser.do(f"{number}", SendMessage(node=node, text="again"))
                (answer,) = await browser.answers(1)
                assert isinstance(answer, Ack), answer
                while f"run:{node}" in browser.mirror.records:
                    await browser.follow(browser.mirror.seq + 1)
        url = f"{server.url}/api/nodes/{node}/send"
        for _ in range(10):
            async with server.http.post(url, json={"text": "again"}, headers=EVENTS) as told:
                assert told.status == 200
                assert "event: done" in await told.text()


async def test_check_20_W6_a_tab_that_comes_and_goes_in_a_turn_misses_and_doubles_nothing() -> None:
    pieces = [TextChunk(f"<{number}>") for number in range(300)]
    script = [item for piece in pieces for item in (piece, Hold())]
    async with owned([*script, END], batch_interval_s=0.001) as (server, studio), server.browser() as stays:
        await stays.hello()
        node = await new_chat(stays)
        await stays.do("send", SendMessage(node=node, text="count"))
        await stays.answers(1)
        session = await studio.session()
        comes = Mirror()
        holds = [item for item in script if isinstance(item, Hold)]
        for position, hold in enumerate(holds):
            await hold.reached()
            hold.release()
            if position % 30 == 7:
                async with server.browser() as browser:
                    browser.mirror = comes
                    welcome = await browser.hello()
                    assert welcome.resumed is (position > 7)
                    if position % 60 == 7:
                        await browser.catch_up()
        await settled(lambda: not session.is_busy(node))
        async with server.browser() as browser:
            browser.mirror = comes
            await browser.hello()
            await browser.follow(session.seq)
        await stays.follow(session.seq)
        assert comes.state() == stays.mirror.state() == await state_of(studio)
        assert texts(comes)[1] == ("assistant", "".join(piece.text for piece in pieces))


async def test_check_22_R8_a_card_decided_in_two_tabs_counts_once() -> None:
    ran: list[str] = []

    async def write(arguments: Any, _context: Any) -> str:
        ran.append(arguments["path"])
        return "written"

    tool = Tool(name="write", description="", schema={}, run=write)
    call = CallChunk("0", "write", '{"path":"a"}')
    async with (
        owned([call, FinishChunk("tool_calls")], [TextChunk("Done."), END], tools=[tool]) as (server, studio),
        server.browser() as one,
        server.browser() as two,
    ):
        await one.hello()
        await two.hello()
        node = await new_chat(one)
        await one.do("send", SendMessage(node=node, text="write it"))
        await one.answers(1)
        while not (cards := cards_of(one.mirror)) or cards[0].status != "awaiting":
            await one.follow(one.mirror.seq + 1)
        (card,) = cards
        approve = DecideCall(node=node, call=card.id, decision="approve")
        deny = DecideCall(node=node, call=card.id, decision="deny")
        await asyncio.gather(one.do("a", approve), two.do("b", deny), one.do("c", approve), two.do("d", deny))
        answers = [*await one.answers(2), *await two.answers(2)]
        assert sorted(type(answer).__name__ for answer in answers) == ["Ack", "Rejected", "Rejected", "Rejected"]
        session = await studio.session()
        await settled(lambda: not session.is_busy(node))
        await one.do("late", approve)
        assert isinstance((await one.answers(1))[0], Rejected)
        approved = isinstance(answers[0], Ack) or isinstance(answers[1], Ack)
        assert ran == (["a"] if approved else [])


async def test_check_06_R10_stop_ends_a_silent_turn_at_once() -> None:
    async with owned([Hold(), END]) as (server, studio), server.browser() as browser:
        await browser.hello()
        node = await new_chat(browser)

        async def send() -> Any:
            async with server.http.post(f"{server.url}/api/nodes/{node}/send", json={"text": "hello"}) as answer:
                return await answer.json()

        waiting = asyncio.create_task(send())
        session = await studio.session()
        await settled(lambda: session.is_busy(node))
        await browser.do("stop", StopTurn(node=node))
        assert isinstance((await browser.answers(1))[0], Ack)
        async with asyncio.timeout(60):
            assert (await waiting)["stopReason"] == "stopped"


async def test_W6_closing_every_tab_stops_nothing() -> None:
    hold = Hold()
    async with owned([TextChunk("Hi "), hold, TextChunk("there"), END]) as (server, studio):
        async with server.browser() as browser:
            await browser.hello()
            node = await new_chat(browser)
            await browser.do("send", SendMessage(node=node, text="hello"))
            await hold.reached()
        session = await studio.session()
        assert session.is_busy(node)
        hold.release()
        await settled(lambda: not session.is_busy(node))
        async with server.browser() as again:
            await again.hello()
            assert texts(again.mirror) == [("user", "hello"), ("assistant", "Hi there")]


async def test_W4_undo_by_a_script_reaches_every_tab() -> None:
    async with owned([TextChunk("Hi"), END]) as (server, studio), server.browser() as browser:
        welcome = await browser.hello()
        node = await new_chat(browser)
        async with server.http.post(f"{server.url}/api/nodes/{node}/send", json={"text": "hello"}) as answer:
            assert (await answer.json())["ok"] is True
        async with server.http.post(f"{server.url}/api/projects/{welcome.project}/undo", headers=JSON) as answer:
            undone = await answer.json()
        await browser.follow(undone["seq"])
        assert texts(browser.mirror) == []
        assert browser.mirror.state() == await state_of(studio)
        for _ in range(2):
            await browser.do(f"{_}", Undo())
        assert [type(answer).__name__ for answer in await browser.answers(2)] == ["Ack", "Rejected"]


async def test_D11_what_a_provider_wants_back_reaches_no_client() -> None:
    hidden = ProviderState(provider="scripted", model="scripted-1", data='{"signature":"s3cret"}')
    script = [TextChunk("Hi"), FinishChunk("stop", provider_state=hidden)]
    async with owned(script) as (server, studio), server.browser() as browser:
        await browser.hello()
        node = await new_chat(browser)
        url = f"{server.url}/api/nodes/{node}"
        async with server.http.post(f"{url}/send", json={"text": "hi"}, headers=EVENTS) as told:
            said = await told.text()
        async with server.http.get(url) as told:
            said += await told.text()
        await browser.catch_up()
        async with server.browser() as late:
            await late.hello()
        session = await studio.session()
        assert "s3cret" in repr(session.snapshot())
        assert "s3cret" not in said + repr(browser.mirror.records) + repr(late.mirror.records)


async def test_check_19_W7_fifty_chats_at_once_and_five_tabs_that_come_and_go_see_the_same() -> None:
    """Each chat says its own word over and over, in its text and nowhere else."""
    scripts = [[item for step in range(20) for item in (TextChunk(f"<{n}:{step}>"), Hold())] for n in range(50)]
    holds = [[item for item in script if isinstance(item, Hold)] for script in scripts]
    async with owned(*([*script, END] for script in scripts), batch_interval_s=0.001) as (server, studio):
        session = await studio.session()
        async with server.browser() as first:
            await first.hello()
            for n in range(50):
                await first.do(f"{n}", AddNode(kind="chat", x=0, y=0))
            chats = [answer.made[0] for answer in await first.answers(50) if isinstance(answer, Ack)]
            for node in chats:
                await first.do(node, SendMessage(node=NodeId(node), text="your word"))
                await first.answers(1)
        mirrors = [Mirror() for _ in range(5)]
        for step in range(20):
            for each in holds:
                await each[step].reached()
                each[step].release()
            async with server.browser() as tab:
                tab.mirror = mirrors[step % 5]
                await tab.hello()
                await tab.catch_up()
        await settled(lambda: not any(session.is_busy(NodeId(node)) for node in chats))
        for mirror in mirrors:
            async with server.browser() as tab:
                tab.mirror = mirror
                await tab.hello()
                await tab.follow(session.seq)
        told = await state_of(studio)
        for mirror in mirrors:
            assert mirror.state() == told
        words = {node: "".join(f"<{n}:{step}>" for step in range(20)) for n, node in enumerate(chats)}
        replies = [
            record for record in told.values() if isinstance(record, MessageRecord) and record.role == "assistant"
        ]
        assert {reply.node_id: reply.content for reply in replies} == words
