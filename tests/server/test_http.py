"""The HTTP API over real sockets: every operation, its errors, turns awaited and streamed, and its description."""

from __future__ import annotations

import asyncio
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import aiohttp
import jsonschema
import pytest

from server.server_doubles import (
    NODE,
    Running,
    ScriptedSession,
    ScriptedStudio,
    chat,
    message,
    running,
    settled,
)
from talkfield import __version__
from talkfield.core.changes import Put, Remove
from talkfield.core.events import (
    ChatEvent,
    ContextAdded,
    Delta,
    Done,
    MessageFinished,
    NoteAdded,
    RetryWaiting,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    UsageReported,
)
from talkfield.core.ids import CallId, MessageId, TurnId
from talkfield.core.messages import Message, MessageError, ProviderState, ToolCall, Usage
from talkfield.core.records import RunRecord, TotalsRecord, run_id, totals_id
from talkfield.core.shelf import ShelfItem
from talkfield.errors import (
    InvalidArgument,
    NodeBusy,
    NoModel,
    NoProvider,
    NothingToDo,
    SaveFailed,
    TalkfieldError,
    TurnRunning,
    UnknownThing,
)
from talkfield.wire.client import AddNode, Command, DecideCall, Redo, SendMessage, StopTurn, Undo
from talkfield.workspace.base import Outcome

TURN = TurnId("turn-1")
REPLY = MessageId("reply-1")
JSON = {"content-type": "application/json"}
EVENTS = {"accept": "text/event-stream"}

RUN = RunRecord(id=run_id(NODE), node_id=NODE, turn=TURN, phase="streaming", started_at=0)


async def call(server: Running, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    data = None if body is None else io.BytesIO(sent)
    async with server.http.request(method, f"{server.url}{path}", data=data, headers=JSON) as response:
        assert response.headers["content-type"] == "application/json"
        return response.status, await response.json()


def error(code: str, message: str, hint: str = "") -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "hint": hint}}


class Turns:
    """A handler that begins a turn at `SendMessage`, as a session does, and leaves its course to the test."""

    def __init__(self) -> None:
        self.session: ScriptedSession | None = None

    async def __call__(self, session: ScriptedSession, command: Command) -> Outcome:
        self.session = session
        if isinstance(command, SendMessage):
            if command.text == "/cost":
                session.commit(Put(message("note-1", "Nothing spent.", role="note")))
                return Outcome(seq=session.seq)
            session.commit(
                Put(message("user-1", command.text, role="user", turn=TURN)),
                Put(message(REPLY, index=1, turn=TURN)),
                Put(RUN),
            )
        return Outcome(seq=session.seq)

    async def begun(self) -> ScriptedSession:
        await settled(lambda: self.session is not None and self.session.is_busy(NODE))
        assert self.session is not None
        return self.session


def end(session: ScriptedSession, content: str, done: Done, **rest: Any) -> None:
    """The last frame of a turn, then its `done`, as the owner does it (R7)."""
    session.commit(Put(message(REPLY, content, index=1, turn=TURN, **rest)), Remove(run_id(NODE)))
    session.tell(done)


async def test_health_needs_no_token() -> None:
    async with (
        running(ScriptedStudio(ScriptedSession())) as server,
        aiohttp.ClientSession() as stranger,
        stranger.get(f"{server.url}/api/health") as response,
    ):
        assert (response.status, await response.json()) == (200, {"ok": True, "version": __version__})


async def test_projects_are_listed_added_and_read(tmp_path: Path) -> None:
    folder = str(tmp_path)
    async with running(ScriptedStudio(ScriptedSession(chat(title="First")))) as server:
        assert await call(server, "GET", "/api/projects") == (
            200,
            {"projects": [{"id": "project-1", "title": "Title of project-1"}]},
        )
        assert await call(server, "POST", "/api/projects", {"title": "New", "folder": folder}) == (
            201,
            {"id": "project-2", "title": "New", "folder": folder},
        )
        assert await call(server, "POST", "/api/projects", {"folder": folder}) == (
            201,
            {"id": "project-2", "title": "Title of project-2", "folder": folder},
        )
        assert await call(server, "POST", "/api/projects", {"folder": f"{folder}/nope"}) == (
            422,
            error("invalid_argument", "folder: there is no such folder"),
        )
        assert await call(server, "POST", "/api/projects", {"title": "New", "folder": "new"}) == (
            422,
            error("invalid_argument", "folder: must be an absolute path"),
        )
        assert await call(server, "GET", "/api/projects/project-1") == (
            200,
            {
                "project": {"id": "project-1", "title": "Title of project-1"},
                "nodes": [
                    {
                        "record": "node",
                        "id": "node-1",
                        "x": 0.0,
                        "y": 0.0,
                        "width": 460.0,
                        "height": 520.0,
                        "title": "First",
                        "data": {"kind": "chat"},
                    }
                ],
                "seq": 0,
            },
        )


async def test_nodes_are_added_where_they_are_told_or_to_the_right() -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session)) as server:
        placed = {"kind": "chat", "title": "T", "provider": "p", "model": "m", "system": "s", "x": 1, "y": -2.5}
        status, node = await call(server, "POST", "/api/projects/project-1/nodes", placed)
        assert (status, node["id"], node["title"]) == (201, "made-1", "T")
        await call(server, "POST", "/api/projects/project-1/nodes", {"kind": "chat"})
        await call(server, "POST", "/api/projects/project-1/nodes", {})
    assert session.handled == [
        AddNode(kind="chat", title="T", provider="p", model="m", system="s", x=1, y=-2.5),  # type: ignore[arg-type]
        AddNode(kind="chat", x=501, y=-2.5),
        AddNode(kind="chat", x=1001, y=-2.5),
    ]


async def test_D11_a_node_is_read_with_its_conversation_and_without_provider_state() -> None:
    hidden = ProviderState(provider="p", model="m", data="s3cret")
    totals = TotalsRecord(
        id=totals_id(NODE),
        node_id=NODE,
        input_tokens=10,
        output_tokens=0,
        usd=Decimal("0.0123"),
        label="$0.0123",
        context_tokens=10,
    )
    session = ScriptedSession(
        chat(), message(REPLY, "Hi", provider_state=hidden, usage=Usage(input_tokens=10, output_tokens=0)), totals
    )
    async with running(ScriptedStudio(session)) as server:
        status, node = await call(server, "GET", "/api/nodes/node-1")
    assert (status, node["node"]["id"]) == (200, "node-1")
    del node["node"]
    assert node == {
        "project": "project-1",
        "running": False,
        "messages": [
            {
                "id": "reply-1",
                "role": "assistant",
                "content": "Hi",
                "ts": 0,
                "usage": {"inputTokens": 10, "outputTokens": 0},
            }
        ],
        "usage": {"inputTokens": 10, "outputTokens": 0, "contextTokens": 10},
        "cost": {"usd": "0.0123", "label": "$0.0123"},
    }


async def test_W14_the_shelf_is_listed_searched_and_read_without_provider_state() -> None:
    session = ScriptedSession(chat(title="Plans"))
    state = ProviderState(provider="p", model="m", data="signature")
    said = Message(id=MessageId("m1"), role="assistant", content="about rivers", ts=1, provider_state=state)
    item = ShelfItem(id="s1", why="undone", taken_at=5, node=chat(title="Plans"), messages=(said,))
    session.shelved_items.append(item)
    async with running(ScriptedStudio(session)) as server:
        entry = {"id": "s1", "node": "node-1", "title": "Plans", "why": "undone", "takenAt": 5, "messages": 1}
        listed = (200, {"items": [{**entry, "snippet": "about rivers"}]})
        assert await call(server, "GET", "/api/projects/project-1/shelf") == listed
        assert await call(server, "GET", "/api/projects/project-1/shelf?q=rivers") == listed
        assert await call(server, "GET", "/api/projects/project-1/shelf?q=hills") == (200, {"items": []})
        status, whole = await call(server, "GET", "/api/projects/project-1/shelf/s1")
        assert (status, whole["messages"]) == (
            200,
            [{"id": "m1", "role": "assistant", "content": "about rivers", "ts": 1}],
        )
        assert (await call(server, "GET", "/api/projects/project-1/shelf/s2"))[0] == 404


async def test_commands_are_passed_on() -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session)) as server:
        decision = {"call": "call-1", "decision": "approve", "argsJson": "{}", "reason": "why"}
        for path, body in (
            ("/api/projects/project-1/undo", None),
            ("/api/projects/project-1/redo", {}),
            ("/api/nodes/node-1/stop", None),
            ("/api/nodes/node-1/approve", decision),
            ("/api/nodes/node-1/approve", {"call": "call-2", "decision": "deny"}),
        ):
            assert await call(server, "POST", path, body) == (200, {"ok": True, "seq": 0})
    assert session.handled == [
        Undo(),
        Redo(),
        StopTurn(node=NODE),
        DecideCall(node=NODE, call=CallId("call-1"), decision="approve", args_json="{}", reason="why"),
        DecideCall(node=NODE, call=CallId("call-2"), decision="deny"),
    ]


# Turns


async def test_a_turn_is_waited_for() -> None:
    turns = Turns()
    before = message("before", "Earlier", role="user", turn="turn-0")
    async with running(ScriptedStudio(ScriptedSession(chat(), before, handler=turns))) as server:
        asked = asyncio.create_task(call(server, "POST", "/api/nodes/node-1/send", {"text": "Hello"}))
        session = await turns.begun()
        session.tell(Delta(node=NODE, message=REPLY, text="Hi", turn=TURN))
        end(session, "Hi", Done(node=NODE, reason="end_turn", message=REPLY, turn=TURN))
        assert await asked == (
            200,
            {
                "ok": True,
                "stopReason": "end_turn",
                "messages": [
                    {"id": "user-1", "role": "user", "content": "Hello", "ts": 0, "turn": "turn-1"},
                    {"id": "reply-1", "role": "assistant", "content": "Hi", "ts": 0, "turn": "turn-1"},
                ],
            },
        )
        assert session.listeners == []


async def test_a_turn_that_failed_is_an_answer_of_its_own() -> None:
    turns = Turns()
    failure = MessageError(code="provider_limited", message="Too many requests", retryable=True, hint="Wait a while")
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=turns))) as server:
        asked = asyncio.create_task(call(server, "POST", "/api/nodes/node-1/send", {"text": "Hello"}))
        end(await turns.begun(), "", Done(node=NODE, reason="error", error=failure, turn=TURN), error=failure)
        status, answer = await asked
    del answer["messages"]
    assert (status, answer) == (
        200,
        {
            "ok": False,
            "stopReason": "error",
            "error": {"code": "provider_limited", "message": "Too many requests", "hint": "Wait a while"},
        },
    )


@pytest.mark.parametrize("reason", ["stopped", "max_iterations"])
async def test_R11_a_stop_or_a_limit_is_no_failure(reason: Any) -> None:
    turns = Turns()
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=turns))) as server:
        asked = asyncio.create_task(call(server, "POST", "/api/nodes/node-1/send", {"text": "Hello"}))
        end(await turns.begun(), "", Done(node=NODE, reason=reason, turn=TURN))
        status, answer = await asked
    assert (status, answer["ok"], answer["stopReason"]) == (200, True, reason)


async def test_R7_a_turn_that_ends_before_the_answer_to_send_is_not_missed() -> None:
    class AtOnce(Turns):
        async def __call__(self, session: ScriptedSession, command: Command) -> Outcome:
            outcome = await super().__call__(session, command)
            end(session, "Quick", Done(node=NODE, reason="end_turn", turn=TURN))
            return outcome

    async with running(ScriptedStudio(ScriptedSession(chat(), handler=AtOnce()))) as server:
        status, answer = await call(server, "POST", "/api/nodes/node-1/send", {"text": "Hello"})
    assert (status, [each["content"] for each in answer["messages"]]) == (200, ["Hello", "Quick"])


async def test_R1_a_busy_node_is_refused_before_anything_happens() -> None:
    session = ScriptedSession(chat(), RUN)
    async with running(ScriptedStudio(session)) as server:
        assert await call(server, "POST", "/api/nodes/node-1/send", {"text": "Hello"}) == (
            409,
            error("busy", "chat already running for this node", NodeBusy.default_hint),
        )
    assert (session.handled, session.listeners) == ([], [])


async def test_C10_a_slash_command_ends_at_once() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=Turns()))) as server:
        note = {"id": "note-1", "role": "note", "content": "Nothing spent.", "ts": 0}
        assert await call(server, "POST", "/api/nodes/node-1/send", {"text": "/cost"}) == (
            200,
            {"ok": True, "stopReason": "end_turn", "messages": [note]},
        )


async def read_events(response: aiohttp.ClientResponse) -> list[tuple[str, int, Any]]:
    """(kind, seq, data) of each event of a stream, to its end."""
    events = []
    for block in (await response.text()).split("\n\n"):
        if block and not block.startswith(":"):
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            assert list(fields) == ["event", "id", "data"]
            events.append((fields["event"], int(fields["id"]), json.loads(fields["data"])))
    return events


async def test_M6_a_turn_is_streamed_as_events_of_its_own_words() -> None:
    turns = Turns()
    tool = ToolCall(id=CallId("call-1"), name="read_file", args_json="{}", status="running")
    hidden = ProviderState(provider="p", model="m", data="s3cret")
    context = Message(id=MessageId("c"), role="user", content="linked", ts=0, provider_state=hidden)
    told: list[ChatEvent] = [
        Delta(node=NODE, message=MessageId("x"), text="of another turn", turn=TurnId("turn-0")),
        RetryWaiting(node=NODE, message=REPLY, attempt=2, retry_at=5, reason="busy", turn=TURN),
        ThinkingDelta(node=NODE, message=REPLY, text="hm", turn=TURN),
        Delta(node=NODE, message=REPLY, text="Grüße \u2028\n", turn=TURN),
        ToolCalled(node=NODE, message=REPLY, call=tool, turn=TURN),
        ToolReturned(node=NODE, message=REPLY, call_id=CallId("call-1"), result="ok", turn=TURN),
        UsageReported(node=NODE, message=REPLY, usage=Usage(input_tokens=1, output_tokens=2), turn=TURN),
        ContextAdded(node=NODE, message=MessageId("c"), value=context),
        MessageFinished(node=NODE, message=REPLY, finish="stop", provider_state=hidden, turn=TURN),
        NoteAdded(node=NODE, message=MessageId("n"), text="limit", turn=TURN),
    ]
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=turns))) as server:
        url = f"{server.url}/api/nodes/node-1/send"
        async with server.http.post(url, json={"text": "Hello"}, headers=EVENTS) as response:
            assert (response.status, response.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
            session = await turns.begun()
            session.tell(*told)
            end(session, "Hi", Done(node=NODE, reason="end_turn", message=REPLY, turn=TURN))
            events = await read_events(response)
        assert session.listeners == []
    base = {"node": "node-1", "message": "reply-1", "turn": "turn-1", "seq": 1}
    call_json = {"id": "call-1", "name": "read_file", "argsJson": "{}", "status": "running"}
    value = {"id": "c", "role": "user", "content": "linked", "ts": 0}
    assert events == [
        ("retry", 1, {"kind": "retry", **base, "attempt": 2, "retryAt": 5, "reason": "busy"}),
        ("thinking", 1, {"kind": "thinking", **base, "text": "hm"}),
        ("delta", 1, {"kind": "delta", **base, "text": "Grüße \u2028\n"}),
        ("toolCall", 1, {"kind": "toolCall", **base, "call": call_json}),
        ("toolResult", 1, {"kind": "toolResult", **base, "callId": "call-1", "result": "ok"}),
        ("usage", 1, {"kind": "usage", **base, "usage": {"inputTokens": 1, "outputTokens": 2}}),
        ("context-added", 1, {"kind": "context-added", "node": "node-1", "message": "c", "value": value, "seq": 1}),
        ("note", 1, {"kind": "note", **base, "message": "n", "text": "limit"}),
        ("done", 2, {"kind": "done", **base, "reason": "end_turn", "seq": 2}),
    ]


async def test_C10_a_slash_command_is_streamed_as_its_note() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=Turns()))) as server:
        url = f"{server.url}/api/nodes/node-1/send"
        async with server.http.post(url, json={"text": "/cost"}, headers=EVENTS) as response:
            events = await read_events(response)
    note = {"kind": "note", "node": "node-1", "message": "note-1", "text": "Nothing spent.", "seq": 1}
    assert events == [
        ("note", 1, note),
        ("done", 1, {"kind": "done", "node": "node-1", "reason": "end_turn", "seq": 1}),
    ]


async def test_W6_a_script_that_leaves_stops_nothing() -> None:
    turns = Turns()
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=turns))) as server:
        async with server.http.post(
            f"{server.url}/api/nodes/node-1/send", json={"text": "Hello"}, headers=EVENTS
        ) as response:
            session = await turns.begun()
            response.close()
        await settled(lambda: not session.listeners)
        assert session.is_busy(NODE)
        assert session.handled == [SendMessage(node=NODE, text="Hello")]


async def test_a_silent_turn_keeps_its_connection_with_comments() -> None:
    turns = Turns()
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=turns)), keep_alive_s=0.01) as server:
        url = f"{server.url}/api/nodes/node-1/send"
        async with server.http.post(url, json={"text": "Hello"}, headers=EVENTS) as response:
            for _ in range(3):
                assert await response.content.readline() == b": keep-alive\n"
                assert await response.content.readline() == b"\n"
            end(await turns.begun(), "Hi", Done(node=NODE, reason="end_turn", turn=TURN))
            assert (await response.text()).endswith('"reason":"end_turn","turn":"turn-1","seq":2}\n\n')


async def test_a_stopping_server_ends_what_waits() -> None:
    turns = Turns()
    async with running(ScriptedStudio(ScriptedSession(chat(), handler=turns))) as server:
        waits = asyncio.create_task(call(server, "POST", "/api/nodes/node-1/send", {"text": "Hello"}))
        await turns.begun()
        server.stop()
        status, answer = await waits
    assert (status, answer["error"]["code"]) == (503, "going_away")


async def test_launch_gives_a_link_that_opens() -> None:
    async with running(ScriptedStudio(ScriptedSession())) as server:
        status, answer = await call(server, "POST", "/api/launch")
        assert status == 200
        assert answer["url"].startswith(f"{server.url}/?token=")
        async with aiohttp.ClientSession() as page, page.get(answer["url"], allow_redirects=False) as opened:
            assert opened.status == 303


# Errors


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (NodeBusy(), 409),
        (TurnRunning("stop it first"), 409),
        (NothingToDo("nothing to undo"), 409),
        (NoProvider("none is configured"), 409),
        (NoModel("none is chosen"), 409),
        (UnknownThing("there is no call call-1"), 404),
        (InvalidArgument("is too long", place="text"), 422),
        (SaveFailed("the disk is full", hint="Make room."), 507),
    ],
)
async def test_R2_each_error_has_its_status(problem: TalkfieldError, status: int) -> None:
    async def refuse(session: ScriptedSession, command: Command) -> Outcome:
        raise problem

    session = ScriptedSession(chat(), handler=refuse)
    expected = (status, error(problem.code, problem.message, problem.hint))
    async with running(ScriptedStudio(session)) as server:
        assert await call(server, "POST", "/api/nodes/node-1/send", {"text": "x"}) == expected
        assert await call(server, "POST", "/api/nodes/node-1/stop") == expected
        assert await call(server, "POST", "/api/projects/project-1/undo") == expected
    assert session.listeners == []


async def test_X5_an_unexpected_failure_is_an_answer_without_details(caplog: pytest.LogCaptureFixture) -> None:
    async def break_down(session: ScriptedSession, command: Command) -> Outcome:
        raise ZeroDivisionError("inner details")

    async with running(ScriptedStudio(ScriptedSession(chat(), handler=break_down))) as server:
        assert await call(server, "POST", "/api/nodes/node-1/stop") == (
            500,
            error("internal", "Something went wrong inside Talkfield; nothing is lost."),
        )
        assert (await call(server, "GET", "/api/health"))[0] == 200
    assert "inner details" in caplog.text


@pytest.mark.parametrize(
    ("path", "body", "status", "code", "names"),
    [
        ("/api/nodes/node-1/send", {}, 422, "invalid_argument", "text"),
        ("/api/nodes/node-1/send", {"text": 5}, 422, "invalid_argument", "text: "),
        ("/api/nodes/node-1/send", {"text": "x", "txet": "y"}, 422, "invalid_argument", "txet"),
        ("/api/nodes/node-1/send", [], 422, "invalid_argument", "object"),
        ("/api/nodes/node-1/send", b"", 400, "malformed_body", ""),
        ("/api/nodes/node-1/send", b"{", 400, "malformed_body", ""),
        ("/api/nodes/node-1/send", b'{"text":"\xff"}', 400, "malformed_body", ""),
        ("/api/nodes/node-1/send", b"[" * 100_000, 422, "invalid_argument", "object"),
        ("/api/nodes/node-1/send", b'{"text":"' + b"x" * 1_100_000 + b'"}', 413, "too_large", ""),
        ("/api/nodes/node-1/approve", {"call": "c", "decision": "maybe"}, 422, "invalid_argument", "decision: "),
        ("/api/nodes/node-1/stop", {"force": True}, 422, "invalid_argument", "force"),
        ("/api/projects", {"title": ""}, 422, "invalid_argument", "title: "),
        ("/api/projects/project-1/nodes", {"kind": "sticky"}, 422, "invalid_argument", "kind: "),
        ("/api/projects/project-1/nodes", b'{"x":1e400}', 422, "invalid_argument", "x: "),
        ("/api/projects/project-1/nodes", {"x": "1"}, 422, "invalid_argument", "x: "),
        ("/api/projects/project-1/undo", b"null", 422, "invalid_argument", ""),
    ],
)
async def test_check_30_X5_bad_bodies_are_refused_by_name(
    path: str, body: Any, status: int, code: str, names: str
) -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session)) as server:
        answered, answer = await call(server, "POST", path, body)
    assert (answered, answer["error"]["code"]) == (status, code)
    assert names in answer["error"]["message"]
    assert session.handled == []


async def test_check_30_X5_a_body_without_a_length_is_bounded_too() -> None:
    async def endless() -> Any:
        for _ in range(100):
            yield b"x" * 100_000

    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        url = f"{server.url}/api/nodes/node-1/send"
        try:
            async with server.http.post(url, data=endless(), headers=JSON) as response:
                assert response.status == 413
        except (aiohttp.ClientOSError, ConnectionError):
            pass  # the server may hang up before the client has read why


async def test_check_37_unknown_ids_and_paths_are_404_alike() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        for method, path, body in (
            ("GET", "/api/projects/nope", None),
            ("GET", "/api/nodes/nope", None),
            ("GET", "/api/nodes/..%2f..%2fetc", None),
            ("POST", "/api/nodes/nope/send", {"text": "x"}),
            ("POST", "/api/nodes/nope/stop", None),
            ("POST", "/api/nodes/nope/approve", {"call": "c", "decision": "deny"}),
            ("POST", "/api/projects/nope/nodes", {}),
            ("POST", "/api/projects/nope/undo", None),
            ("GET", "/api/nope", None),
            ("GET", "/api/", None),
        ):
            status, answer = await call(server, method, path, body)
            assert (status, answer["error"]["code"], answer["error"]["hint"]) == (404, "unknown", "")


async def test_wrong_methods_are_405() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        for method, path, allowed in (
            ("DELETE", "/api/projects", {"GET", "HEAD", "POST"}),
            ("PUT", "/api/nodes/node-1", {"GET", "HEAD"}),
            ("TRACE", "/api/nodes/node-1", {"GET", "HEAD"}),
            ("GET", "/api/launch", {"POST"}),
        ):
            async with server.http.request(method, f"{server.url}{path}", headers=JSON) as response:
                assert (response.status, (await response.json())["error"]["code"]) == (405, "wrong_method")
                assert set(response.headers["allow"].split(", ")) == allowed


# The description


def resolver(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "components": document["components"]}


async def test_the_description_is_true() -> None:
    """Each operation's answer, good and bad, is what the description says."""
    turns = Turns()
    session = ScriptedSession(chat(), handler=turns)
    async with running(ScriptedStudio(session)) as server:
        _, document = await call(server, "GET", "/api/openapi.json")
        jsonschema.Draft202012Validator.check_schema(document["components"]["schemas"]["Message"])
        seen = set()
        for method, path, body, names in (
            ("get", "/api/openapi.json", None, {}),
            ("get", "/api/health", None, {}),
            ("get", "/api/projects", None, {}),
            ("post", "/api/projects", {"title": "x"}, {}),
            ("post", "/api/projects", {"title": ""}, {}),
            ("get", "/api/projects/{project}", None, {"project": "project-1"}),
            ("get", "/api/projects/{project}", None, {"project": "nope"}),
            ("get", "/api/attachments/{digest}", None, {"digest": "nope"}),
            ("get", "/api/projects/{project}/audit/recent", None, {"project": "project-1"}),
            ("get", "/api/projects/{project}/links", None, {"project": "nope"}),
            ("get", "/api/projects/{project}/links/{link}", None, {"project": "nope", "link": "nope"}),
            ("post", "/api/projects/{project}/links/{link}/run", {}, {"project": "nope", "link": "nope"}),
            ("get", "/api/projects/{project}/export", None, {"project": "nope"}),
            ("get", "/api/nodes/{node}/export", None, {"node": "nope"}),
            ("get", "/api/usage", None, {}),
            ("get", "/api/search", None, {}),
            ("get", "/api/data", None, {}),
            ("post", "/api/backups", {}, {}),
            ("post", "/api/exports", {}, {}),
            ("get", "/api/archives/{archive}", None, {"archive": "nope"}),
            ("post", "/api/restores/confirm", {"id": "nope"}, {}),
            ("post", "/api/restores/drop", {}, {}),
            ("get", "/api/projects/{project}/search", None, {"project": "project-1"}),
            ("get", "/api/projects/{project}/search", None, {"project": "nope"}),
            ("get", "/api/projects/{project}/files", None, {"project": "project-1"}),
            ("get", "/api/projects/{project}/shelf", None, {"project": "project-1"}),
            ("get", "/api/projects/{project}/shelf/{item}", None, {"project": "project-1", "item": "nope"}),
            ("get", "/api/projects/{project}/audit", None, {"project": "project-1"}),
            (
                "post",
                "/api/projects/{project}/rules/try",
                {"action": "allow", "tool": "write_file", "kind": "path", "pattern": "src/**"},
                {"project": "project-1"},
            ),
            ("post", "/api/projects/{project}/rules/try", {"action": "allow"}, {"project": "project-1"}),
            ("get", "/api/projects/{project}/budgets", None, {"project": "project-1"}),
            ("put", "/api/projects/{project}/budgets", {"limitUsd": "2.5"}, {"project": "project-1"}),
            ("put", "/api/projects/{project}/budgets", {"limitUsd": "2.5", "node": 1}, {"project": "project-1"}),
            ("post", "/api/projects/{project}/undo", {}, {"project": "project-1"}),
            ("post", "/api/projects/{project}/redo", {}, {"project": "project-1"}),
            ("get", "/api/nodes/{node}", None, {"node": "node-1"}),
            ("post", "/api/nodes/{node}/send", {"text": "/cost"}, {"node": "node-1"}),
            ("post", "/api/nodes/{node}/stop", {}, {"node": "node-1"}),
            ("post", "/api/nodes/{node}/approve", {"call": "c", "decision": "deny"}, {"node": "node-1"}),
            ("post", "/api/nodes/{node}/approve", {"call": "c"}, {"node": "node-1"}),
            ("post", "/api/launch", {}, {}),
        ):
            status, answer = await call(server, method.upper(), path.format(**names), body)
            operation = document["paths"][path][method]
            schema = operation["responses"][str(status)]["content"]["application/json"]["schema"]
            jsonschema.validate(answer, resolver(document, schema))
            seen.add((method, path))
    described = {(method, path) for path, methods in document["paths"].items() for method in methods}
    elsewhere = {"/api/projects/{project}/nodes", "/api/attachments", "/api/imports", "/api/visitor-calls"}
    elsewhere |= {"/api/restores", "/api/projects/{project}/fan-out", "/api/projects/{project}/merge"}
    elsewhere |= {"/api/projects/{project}/links/{link}/summary"}
    assert described - seen == {("post", path) for path in elsewhere}
    assert document["openapi"] == "3.1.0"
    assert document["security"] == [{"bearer": []}]
    assert document["paths"]["/api/health"]["get"]["security"] == []
