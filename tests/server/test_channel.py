"""The channel over real sockets: hello, resume, frames, commands, bad input, slow readers (docs/spec/channel.md)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.server_doubles import (
    NODE,
    PROJECT,
    Browser,
    Mirror,
    Running,
    ScriptedSession,
    ScriptedStudio,
    chat,
    message,
    running,
    settled,
    state_of,
)
from talkfield import __version__, wire
from talkfield.core.changes import Append, Change, Put, Remove
from talkfield.core.ids import ProjectId, RecordId
from talkfield.core.messages import ProviderState
from talkfield.errors import ProjectUnreadable
from talkfield.wire.client import AddNode, Command, Hello, StopTurn, Undo
from talkfield.wire.server import Ack, Frames, Pong, Rejected, SlashCommandInfo, VendorInfo, Welcome
from talkfield.workspace.base import Outcome

REPLY = RecordId("message-1")


def append(text: str, record: str = REPLY, field: Any = "content") -> Append:
    return Append(RecordId(record), field, text)


async def test_CH1_hello_is_answered_with_everything() -> None:
    session = ScriptedSession(chat(), message(REPLY, "Hi"))
    slash = (SlashCommandInfo(name="clear", about="Empties the chat"),)
    vendors = (VendorInfo(id="a", name="A", api="openai", base_url="https://a.example"),)
    told: dict[str, Any] = {"slash_commands": slash, "vendors": vendors}
    async with running(ScriptedStudio(session), **told) as server, server.browser() as browser:
        welcome = await browser.hello()
    assert welcome == Welcome(
        protocol=wire.PROTOCOL_VERSION,
        version=__version__,
        project=PROJECT,
        epoch="epoch-1",
        seq=0,
        resumed=False,
        records=(chat(), message(REPLY, "Hi")),
        slash_commands=slash,
        vendors=vendors,
    )


async def test_CH1_another_protocol_is_refused() -> None:
    async with running(ScriptedStudio(ScriptedSession())) as server, server.browser() as browser:
        await browser.say(Hello(protocol=99))
        refusal = await browser.until(Rejected)
        assert (refusal.code, refusal.hint, await browser.end()) == ("protocol", "Reload the page.", 4001)


async def test_CH1_commands_before_hello_end_the_connection() -> None:
    async with running(ScriptedStudio(ScriptedSession())) as server, server.browser() as browser:
        await browser.do("1", Undo())
        assert await browser.until(Rejected) == Rejected(
            code="bad_message", message="The first message of a connection is `hello`."
        )
        assert await browser.end() == 4000


async def test_CH2_nothing_falls_between_welcome_and_frames() -> None:
    session = ScriptedSession(chat(), message(REPLY))
    async with running(ScriptedStudio(session)) as server, server.browser() as first, server.browser() as second:
        await first.hello()
        for number in range(200):
            session.commit(append(f"{number} "))
            if number == 100:
                await second.say(Hello(protocol=wire.PROTOCOL_VERSION))
            await asyncio.sleep(0)
        second.mirror.load(await second.until(Welcome))
        await first.follow(200)
        await second.follow(200)
    assert first.mirror.state() == second.mirror.state() == state_of(session)


async def test_CH3_a_browser_that_was_away_gets_what_it_missed() -> None:
    session = ScriptedSession(chat(), message(REPLY))
    async with running(ScriptedStudio(session)) as server:
        async with server.browser() as browser:
            await browser.hello()
            session.commit(append("one "))
            await browser.follow(1)
        session.commit(append("two "))
        session.commit(Put(chat(title="Named")))
        async with server.browser() as again:
            again.mirror = browser.mirror
            welcome = await again.hello()
            await again.follow(3)
    assert (welcome.resumed, welcome.records, welcome.seq) == (True, None, 3)
    assert again.mirror.state() == state_of(session)


@pytest.mark.parametrize(
    ("epoch", "seq"), [("epoch-1", 3), ("epoch-1", -1), ("epoch-1", 10**30), ("another", 1), ("epoch-1", 0)]
)
async def test_check_20_CH3_what_cannot_be_resumed_is_sent_whole(epoch: str, seq: int) -> None:
    session = ScriptedSession(chat(), message(REPLY), max_frames=1)
    session.commit(append("a"))
    session.commit(append("b"))
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        browser.mirror = Mirror(PROJECT, epoch, seq)
        welcome = await browser.hello()
        assert (welcome.resumed, welcome.seq) == (False, 2)
        assert browser.mirror.state() == state_of(session)


async def test_CH3_more_than_an_outbox_holds_is_sent_whole() -> None:
    session = ScriptedSession(chat())
    for number in range(20):
        session.commit(Put(chat(title=str(number))))
    async with running(ScriptedStudio(session), max_outbox_frames=10) as server, server.browser() as browser:
        browser.mirror = Mirror(PROJECT, "epoch-1", 0)
        assert (await browser.hello()).resumed is False
        assert browser.mirror.state() == state_of(session)


async def test_W6_a_second_hello_changes_the_project() -> None:
    first, second = (
        ScriptedSession(chat()),
        ScriptedSession(chat("other"), project=ProjectId("project-2"), epoch="epoch-2"),
    )
    async with running(ScriptedStudio(first, second)) as server, server.browser() as browser:
        await browser.hello()
        await browser.hello("project-2", resume=False)
        first.commit(Put(chat(title="not for this browser")))
        second.commit(Put(chat("other", title="for this browser")))
        await browser.follow(1)
        await browser.catch_up()
        assert browser.mirror.state() == state_of(second)
        assert (first.subscribers, len(second.subscribers)) == ([], 1)


async def test_W6_a_second_hello_resumes_on_the_same_connection() -> None:
    session = ScriptedSession(chat(), message(REPLY))
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        session.commit(append("sent before the second hello is read "))
        welcome = await browser.hello()
        session.commit(append("and after"))
        await browser.follow(2)
    assert welcome.resumed is True
    assert browser.mirror.state() == state_of(session)


async def test_check_37_CH3_unknown_projects_are_refused_without_a_hint() -> None:
    async with running(ScriptedStudio(ScriptedSession())) as server, server.browser() as browser:
        await browser.say(Hello(protocol=wire.PROTOCOL_VERSION, project=ProjectId("project-9")))
        assert await browser.until(Rejected) == Rejected(code="unknown", message="there is no project project-9")
        assert await browser.end() == 4004


async def test_X5_a_damaged_project_is_told() -> None:
    class Damaged(ScriptedStudio):
        async def session(self, project: Any = None) -> ScriptedSession:
            raise ProjectUnreadable("the project's records are damaged", hint="See the data folder.")

    async with running(Damaged(ScriptedSession())) as server, server.browser() as browser:
        await browser.say(Hello(protocol=wire.PROTOCOL_VERSION))
        assert await browser.until(Rejected) == Rejected(
            code="project_unreadable", message="the project's records are damaged", hint="See the data folder."
        )
        assert await browser.end() == 4004


async def test_D11_browsers_never_see_provider_state() -> None:
    hidden = ProviderState(provider="p", model="m", data='{"signature":"s3cret"}')
    session = ScriptedSession(chat(), message("before", provider_state=hidden))
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        session.commit(Put(message("after", "text", index=1, provider_state=hidden)))
        await browser.follow(1)
        assert browser.mirror.state() == {
            "after": message("after", "text", index=1),
            "before": message("before"),
            NODE: chat(),
        }


# Frames


async def test_CH6_a_burst_goes_in_few_batches_encoded_once() -> None:
    session = ScriptedSession(chat(), message(REPLY), message("message-2", index=1))
    async with running(ScriptedStudio(session)) as server, server.browser() as one, server.browser() as two:
        await one.hello()
        await two.hello()
        for number in range(500):
            session.commit(append("x", REPLY if number % 2 else "message-2"), cause="delta")
            session.commit(append("y", field="thinking"), cause="thinking")
        await one.follow(1000)
        await two.follow(1000)
    assert one.mirror.state() == two.mirror.state() == state_of(session)
    assert one.batches == two.batches <= 3


async def test_CH6_a_quiet_project_is_sent_from_at_once() -> None:
    """With frames gathered for an hour, only what comes first after a silence can arrive."""
    session = ScriptedSession(chat(), message(REPLY))
    async with running(ScriptedStudio(session), batch_interval_s=3600) as server, server.browser() as browser:
        await browser.hello()
        session.commit(append("at once"))
        await browser.follow(1)
        session.commit(append(", later"))
        await browser.catch_up()
        assert browser.mirror.seq == 1


async def test_CH8_an_ack_follows_the_frames_it_speaks_of() -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session), batch_interval_s=3600) as server, server.browser() as browser:
        await browser.hello()
        for number in range(1, 4):
            await browser.do(f"{number}", AddNode(kind="chat", x=number, y=0))
            assert await browser.answers(1) == [Ack(id=f"{number}", seq=number, made=(f"made-{number}",))]
            assert browser.mirror.state() == state_of(session)


change_strategy = st.one_of(
    st.builds(
        append,
        st.text(max_size=5),
        st.sampled_from([REPLY, "message-2"]),
        st.sampled_from(["content", "thinking"]),
    ),
    st.builds(lambda title: Put(chat(title=title)), st.text(max_size=5)),
    st.builds(lambda number: Put(chat(f"node-{number}")), st.integers(2, 4)),
    st.builds(lambda number: Remove(RecordId(f"node-{number}")), st.integers(2, 4)),
)


@given(
    commits=st.lists(st.lists(change_strategy, min_size=1, max_size=3), max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    forget_after=st.integers(1, 40),
)
@settings(max_examples=20)
async def test_check_20_W6_a_browser_may_leave_and_come_back_at_any_point(
    commits: list[list[Change]], cuts: list[int], forget_after: int
) -> None:
    session = ScriptedSession(
        chat(), chat("node-2"), chat("node-3"), chat("node-4"), message(REPLY), message("message-2", index=1),
        max_frames=forget_after,
    )  # fmt: skip
    async with running(ScriptedStudio(session), batch_interval_s=0.001) as server:
        mirror = Mirror()
        done = 0
        for cut in [*sorted(cuts), len(commits)]:
            async with server.browser() as browser:
                browser.mirror = mirror
                await browser.hello()
                for changes in commits[done:cut]:
                    session.commit(*changes)
                    await asyncio.sleep(0)
                if cut == len(commits):
                    await browser.follow(session.seq)
                else:
                    await browser.catch_up()  # and leaves with what had come by now
            done = max(done, cut)
    assert mirror.state() == state_of(session)


# Commands


async def test_CH8_each_command_is_answered_once() -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        await browser.do("good", AddNode(kind="chat", x=1, y=2))
        await browser.do("bad", AddNode(kind="chat", x=1, y=2, title="refuse me"))
        assert await browser.answers(2) == [
            Ack(id="good", seq=1, made=("made-1",)),
            Rejected(id="bad", code="invalid_argument", message="title: is not to be refused"),
        ]


async def test_CH9_commands_of_one_browser_are_done_in_order() -> None:
    release = asyncio.Event()

    async def slow_first(session: ScriptedSession, command: Command) -> Outcome:
        if len(session.handled) == 1:
            await release.wait()
        return Outcome(seq=session.seq, text=str(len(session.handled)))

    session = ScriptedSession(chat(), handler=slow_first)
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        for name in ("first", "second", "third"):
            await browser.do(name, Undo())
        await browser.catch_up()  # a command that takes its time holds up no ping (CH10)
        assert len(session.handled) == 1
        release.set()
        assert await browser.answers(3) == [
            Ack(id="first", seq=0, text="1"),
            Ack(id="second", seq=0, text="2"),
            Ack(id="third", seq=0, text="3"),
        ]


async def test_CH9_a_repeated_command_is_answered_again_not_done_again() -> None:
    session = ScriptedSession()
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        for _ in range(3):
            await browser.do("same", AddNode(kind="chat", x=1, y=2))
        assert await browser.answers(3) == [Ack(id="same", seq=1, made=("made-1",))] * 3
        assert len(session.handled) == 1


async def test_CH9_a_command_survives_its_connection_and_is_not_done_twice() -> None:
    release = asyncio.Event()

    async def held(session: ScriptedSession, command: Command) -> Outcome:
        await release.wait()
        session.commit(Put(chat("made")))
        return Outcome(seq=session.seq, made=("made",))

    session = ScriptedSession(handler=held)
    async with running(ScriptedStudio(session)) as server:
        async with server.browser() as browser:
            await browser.hello(client="page-1")
            await browser.do("1", AddNode(kind="chat", x=1, y=2))
            await browser.catch_up()
        async with server.browser() as again, server.browser() as other:
            again.mirror = browser.mirror
            await again.hello(client="page-1")
            await again.do("1", AddNode(kind="chat", x=1, y=2))
            await again.catch_up()
            release.set()
            assert await again.answers(1) == [Ack(id="1", seq=1, made=("made",))]
            assert len(session.handled) == 1
            await other.hello(client="page-2")
            await other.do("1", AddNode(kind="chat", x=1, y=2))
            await other.answers(1)
            assert len(session.handled) == 2


async def test_X5_a_command_that_breaks_is_answered_and_the_connection_lives(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(session: ScriptedSession, command: Command) -> Outcome:
        raise ZeroDivisionError

    async with running(ScriptedStudio(ScriptedSession(handler=broken))) as server, server.browser() as browser:
        await browser.hello()
        await browser.do("1", Undo())
        answer = await browser.until(Rejected)
        assert (answer.id, answer.code) == ("1", "internal")
        await browser.catch_up()
    assert "a command failed: Undo" in caplog.text


async def test_W6_stop_reaches_the_owner_while_a_burst_streams() -> None:
    session = ScriptedSession(chat(), message(REPLY))
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        for _ in range(100):
            session.commit(append("x" * 1000))
        await browser.do("stop", StopTurn(node=NODE))
        assert await browser.answers(1) == [Ack(id="stop", seq=100)]
        assert session.handled == [StopTurn(node=NODE)]


# Bad input

DEEP = '{"type":"ping","a":' + "[" * 100_000 + "]" * 100_000 + "}"

BAD_MESSAGES: dict[str, str | bytes] = {
    "nothing": "",
    "no JSON": "hello",
    "no object": "[1]",
    "unknown type": '{"type":"shutdown"}',
    "no type": "{}",
    "unknown field": '{"type":"ping","force":true}',
    "wrong protocol type": '{"type":"hello","protocol":"1"}',
    "client name too long": json.dumps({"type": "hello", "protocol": 1, "client": "x" * 101}),
    "client name empty": '{"type":"hello","protocol":1,"client":""}',
    "deep": DEEP,
    "deep array": "[" * 100_000,
    "binary": b'{"type":"ping"}',
    "command without an id": '{"type":"do","command":{"do":"undo"}}',
    "command with a number as id": '{"type":"do","id":1,"command":{"do":"undo"}}',
    "too long": json.dumps({"type": "do", "id": "1", "command": {"do": "addNode", "title": "x" * 1_100_000}}),
    "too long in bytes": json.dumps({"type": "ping", "a": "ä" * 600_000}, ensure_ascii=False),
}


@pytest.mark.parametrize("bad", BAD_MESSAGES.values(), ids=BAD_MESSAGES)
async def test_check_30_X5_a_bad_message_is_refused_with_a_reason_and_the_server_lives(bad: str | bytes) -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session)) as server:
        async with server.browser() as browser:
            await (browser.socket.send_bytes(bad) if isinstance(bad, bytes) else browser.socket.send_str(bad))
            refusal = await browser.until(Rejected)
            assert (refusal.id, refusal.code) in ((None, "bad_message"), (None, "too_large"))
            assert refusal.message
            assert await browser.end() == 4000
        async with server.browser() as after:
            await after.hello()
            assert after.mirror.state() == state_of(session)
    assert session.handled == []


async def test_check_30_X5_a_message_past_every_limit_is_cut_off() -> None:
    async with running(ScriptedStudio(ScriptedSession())) as server:
        async with server.browser() as browser:
            with contextlib.suppress(ConnectionError):  # it is cut off in the middle of the sending
                await browser.socket.send_str("x" * (5 * 1024 * 1024))
            await browser.end()
        async with server.browser() as after:
            await after.hello()


BAD_COMMANDS = {
    "unknown command": '{"do":"formatDisk"}',
    "missing field": '{"do":"addNode","kind":"chat","x":1}',
    "wrong type": '{"do":"addNode","kind":"chat","x":"1","y":1}',
    "unknown field": '{"do":"undo","twice":true}',
    "NaN": '{"do":"addNode","kind":"chat","x":NaN,"y":1}',
    "1e400": '{"do":"addNode","kind":"chat","x":1e400,"y":1}',
    "half a character": '{"do":"addNode","kind":"chat","x":1,"y":1,"title":"\\ud83d"}',
}


@pytest.mark.parametrize("command", BAD_COMMANDS.values(), ids=BAD_COMMANDS)
async def test_check_30_X5_a_bad_command_is_refused_alone(command: str) -> None:
    session = ScriptedSession()
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        await browser.socket.send_str(f'{{"type":"do","id":"7","command":{command}}}')
        refusal = await browser.until(Rejected)
        assert (refusal.id, refusal.code) == ("7", "bad_message")
        await browser.catch_up()
    assert session.handled == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
commands = st.fixed_dictionaries(
    {"do": st.sampled_from(["addNode", "undo", "sendMessage", "placeNodes", "changeSettings"]) | json_values},
    optional=dict.fromkeys(("kind", "x", "y", "node", "text", "places", "nodes", "title"), json_values),
)
nearly_messages = st.fixed_dictionaries(
    {"type": st.sampled_from(["hello", "do", "ping", "welcome"]) | json_values},
    optional={
        "id": st.text(max_size=5) | json_values,
        "command": commands | json_values,
        "protocol": st.just(1) | json_values,
        "project": json_values,
        "epoch": json_values,
        "seq": json_values,
        "client": json_values,
    },
)


@given(st.lists(st.text(max_size=20) | nearly_messages.map(json.dumps), max_size=8))
@settings(max_examples=20)
async def test_check_30_X5_whatever_is_said_is_answered_or_ended_in_order(said: list[str]) -> None:
    """Each message has its answer, or the connection ends with a code that says why; the server lives on."""
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        async with server.browser() as browser:
            for text in said:
                if browser.socket.closed:
                    break
                await browser.socket.send_str(text)
                heard = await browser.hear()
                while isinstance(heard, Frames):
                    heard = await browser.hear()
                if isinstance(heard, Rejected) and heard.id is None:
                    assert await browser.end() in (4000, 4001, 4004)
                else:
                    assert isinstance(heard, Welcome | Ack | Rejected | Pong)
        async with server.browser() as after:
            await after.hello()


# Slow readers, ends


async def stalled(server: Running) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A browser that says hello and then reads nothing: a WebSocket by hand, since a client library would read on."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=2**12)
    writer.write(
        f"GET /api/channel HTTP/1.1\r\nHost: {server.address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Authorization: Bearer bearer-token-of-these-tests\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    hello = wire.encode(Hello(protocol=wire.PROTOCOL_VERSION))
    writer.write(bytes([0x81, 0x80 | len(hello)]) + bytes(4) + hello)
    await reader.readexactly(2)
    return reader, writer


async def test_check_21_CH7_a_browser_that_stops_reading_costs_little_and_holds_up_nobody() -> None:
    session = ScriptedSession(chat(), message(REPLY))
    async with running(
        ScriptedStudio(session), max_outbox_bytes=1024 * 1024, overflow_grace_s=0.05, batch_interval_s=0
    ) as server:
        _, writer = await stalled(server)
        async with server.browser() as browser:
            await browser.hello()
            for number in range(400):
                session.commit(Put(message(REPLY, f"{number}" + "x" * 100_000)))
                await browser.follow(number + 1)
            assert browser.mirror.state() == state_of(session)
            assert len(session.subscribers) == 1
            await settled(lambda: server.app.hub.connections == 1)
        writer.transport.abort()


async def test_check_21_CH7_a_slow_browser_is_closed_with_its_own_code_and_resumes() -> None:
    session = ScriptedSession(chat(), message(REPLY))
    async with running(ScriptedStudio(session), max_outbox_frames=10, batch_interval_s=0) as server:
        async with server.browser() as browser:
            await browser.hello()
            # Within one turn of the loop nothing can be sent: the outbox must hold it or give up.
            flush = session.subscribers[0].__self__.flush  # type: ignore[attr-defined]
            for number in range(30):
                session.commit(Put(chat(title=f"{number}")))
                flush()
            assert await browser.end() == 4008
        async with server.browser() as again:
            again.mirror = browser.mirror
            await again.hello()
            await again.follow(30)
    assert again.mirror.state() == state_of(session)


async def test_W6_a_stopping_server_says_so() -> None:
    studio = ScriptedStudio(ScriptedSession(chat()))
    async with running(studio) as server, server.browser() as browser:
        await browser.hello()
        server.stop()
        assert await browser.end() == 1001
    assert studio.closed


async def test_W6_a_browser_that_does_not_read_does_not_hold_up_the_end() -> None:
    session = ScriptedSession(chat(), message(REPLY, "x" * 20_000_000))
    loop = asyncio.get_running_loop()
    async with running(ScriptedStudio(session)) as server:
        _, writer = await stalled(server)
        began = loop.time()
    assert loop.time() - began < 4
    writer.transport.abort()


async def test_check_19_W7_fifty_chats_and_five_browsers_end_alike() -> None:
    records = [record for n in range(50) for record in (chat(f"n{n}"), message(f"m{n}", node_id=f"n{n}"))]
    session = ScriptedSession(*records)

    async def watch(server: Running, leave_at: int) -> Mirror:
        mirror = Mirror()
        for stop_at in (leave_at, 50 * 40):
            async with server.browser() as browser:
                browser.mirror = mirror
                await browser.hello()
                await browser.follow(stop_at)
        return mirror

    async with running(ScriptedStudio(session)) as server:
        watchers = [asyncio.create_task(watch(server, 300 * each)) for each in range(5)]
        for step in range(40):
            for n in range(50):
                session.commit(append(f"<{n}:{step}>", f"m{n}"), cause="delta")
            await asyncio.sleep(0.002)
        mirrors = await asyncio.gather(*watchers)
    for mirror in mirrors:
        assert mirror.state() == state_of(session)


async def test_W6_tabs_that_only_listen_can_leave_without_a_word() -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session)) as server:
        browser = Browser(await server.http.ws_connect(f"{server.url}/api/channel"))
        await browser.hello()
        connection: Any = browser.socket._response.connection
        connection.transport.abort()
        await settled(lambda: not session.subscribers)
        await browser.socket.close()


async def test_CH10_pings_are_answered_even_before_hello() -> None:
    async with running(ScriptedStudio(ScriptedSession())) as server, server.browser() as browser:
        await browser.socket.send_str('{"type":"ping"}')
        assert await browser.hear() == Pong()


async def test_X1_a_refused_handshake_is_an_answer_before_anything_is_read(caplog: pytest.LogCaptureFixture) -> None:
    async with running(ScriptedStudio(ScriptedSession())) as server:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            async with server.browser(headers={"authorization": "Bearer wrong"}):
                raise AssertionError("came in")
        assert refusal.value.status == 401
    assert caplog.records == []


async def test_CH6_frames_is_one_message() -> None:
    session = ScriptedSession(chat(), message(REPLY))
    async with running(ScriptedStudio(session)) as server, server.browser() as browser:
        await browser.hello()
        session.commit(append("a"))
        session.commit(append("b"))
        session.commit(Put(chat(title="t")))
        heard = await browser.hear()
    assert isinstance(heard, Frames)
    assert [(frame.first, frame.seq, frame.changes) for frame in heard.frames] == [
        (1, 2, (append("ab"),)),
        (0, 3, (Put(chat(title="t")),)),
    ]
