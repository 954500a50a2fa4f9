"""What scripts can ask about tools: the audit log, and rules on trial."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import aiohttp
import msgspec
import pytest

from server.server_doubles import NODE, ScriptedSession, ScriptedStudio, chat, running
from talkfield.core.audit import AuditEntry, AuditQuery
from talkfield.core.ids import CallId, NodeId
from talkfield.workspace.base import LoggedCall, Visit


def logged(row: int) -> LoggedCall:
    return LoggedCall(
        row,
        AuditEntry(
            call=CallId(f"c{row}"),
            node=NODE,
            tool="write_file",
            args_json="{}",
            decision="person",
            at=row,
            outcome="done",
        ),
    )


async def test_T8_the_audit_log_comes_in_pages_or_as_lines() -> None:
    session = ScriptedSession(chat())
    session.audited = [logged(row) for row in range(1, 2502)]
    async with running(ScriptedStudio(session)) as server:
        url = f"{server.url}/api/projects/project-1/audit"
        async with server.http.get(url, params={"limit": "2"}) as response:
            page = await response.json()
        assert page == {
            "calls": [
                {
                    "call": f"c{row}",
                    "node": "node-1",
                    "tool": "write_file",
                    "argsJson": "{}",
                    "decision": "person",
                    "at": row,
                    "outcome": "done",
                }
                for row in (1, 2)
            ],
            "next": 2,
        }
        async with server.http.get(url, params={"after": "2500"}) as response:
            assert [call["call"] for call in (await response.json())["calls"]] == ["c2501"]
        async with server.http.get(url, headers={"Accept": "application/x-ndjson"}) as response:
            lines = (await response.text()).splitlines()
            assert response.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line)["at"] for line in lines] == list(range(1, 2502))
        async with server.http.get(url, params={"lines": "1", "after": "2500"}) as response:
            assert (await response.text()).count("\n") == 1
            assert response.headers["content-disposition"] == 'attachment; filename="audit.jsonl"'


async def test_X5_pages_are_numbers() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        for query in ("after=x", "limit=-1", "limit=1001", "after=1e3", "after=" + "9" * 5000, "limit=²"):
            async with server.http.get(f"{server.url}/api/projects/project-1/audit?{query}") as response:
                assert response.status == 422
                assert "must be a number" in (await response.json())["error"]["message"]


async def test_T7_a_rule_on_trial_is_told_what_it_would_have_decided() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        body = {"action": "allow", "tool": "write_file", "kind": "path", "pattern": "src/**"}
        async with server.http.post(f"{server.url}/api/projects/project-1/rules/try", json=body) as response:
            call = {"call": "c1", "node": "node-1", "at": 1, "status": "done", "matched": True, "summary": "src/**"}
            assert await response.json() == {
                "words": "allow src/**",
                "matched": 1,
                "calls": [call, {**call, "asked": True}],
            }
        url = f"{server.url}/api/projects/project-1/rules/try"
        for at_hand, fits in (("c1", True), ("c2", False)):
            async with server.http.post(url, json={**body, "call": at_hand}) as response:
                assert (await response.json())["fits"] is fits


async def test_T8_the_audit_log_is_read_the_newest_first_with_nothing_invisible() -> None:
    session = ScriptedSession(chat())
    session.audited = [logged(row) for row in range(1, 4)]
    odd = msgspec.structs.replace(session.audited[2].entry, args_json="{\u202e}", source="s\u200b", duration_ms=5)
    session.audited[2] = LoggedCall(3, odd)
    async with running(ScriptedStudio(session)) as server:
        url = f"{server.url}/api/projects/project-1/audit/recent"
        asked = {"limit": "2", "tool": "write_file", "node": "node-1", "outcome": "done", "words": "a b", "before": "9"}
        async with server.http.get(url, params=asked) as response:
            page = await response.json()
        async with server.http.get(url, params={"before": "2", "limit": "0"}) as response:
            assert [call["at"] for call in (await response.json())["calls"]] == [1]
        async with server.http.get(url, params={"outcome": "eaten"}) as response:
            assert response.status == 422
    call = {"node": "node-1", "tool": "write_file", "decision": "person", "outcome": "done"}
    assert page == {
        "calls": [
            {**call, "call": "c3", "at": 3, "arguments": "{⟨U+202E⟩}", "source": "s⟨U+200B⟩", "durationMs": 5},
            {**call, "call": "c2", "at": 2, "arguments": "{}"},
        ],
        "next": 2,
    }
    assert session.audit_queries[0] == AuditQuery(
        before=9, tool="write_file", node=NODE, outcome="done", words="a b", limit=2
    )


async def test_T10_a_program_outside_is_let_through_or_turned_away_in_words() -> None:
    session = ScriptedSession(chat())
    async with running(ScriptedStudio(session)) as server:
        url = f"{server.url}/api/visitor-calls"
        in_chat = {"tool": "talkfield__send_message", "node": "node-1", "waitS": 9000}
        async with server.http.post(url, json={**in_chat, "arguments": {"text": "hello"}}) as response:
            assert await response.json() == {"allowed": True, "arguments": {"text": "hello"}}
        async with server.http.post(url, json={**in_chat, "arguments": {"text": "no"}}) as response:
            assert await response.json() == {"allowed": False, "arguments": {}, "why": "denied by user"}
        in_project = {"tool": "talkfield__add_node", "project": "project-1", "arguments": {"title": "x"}}
        async with server.http.post(url, json=in_project) as response:
            assert (await response.json())["allowed"] is True
        async with server.http.post(url, json={**in_project, "tool": "write_file"}) as response:
            assert response.status == 422
    assert session.visits == [
        ("talkfield__send_message", {"text": "hello"}, NODE, 3600.0),
        ("talkfield__send_message", {"text": "no"}, NODE, 3600.0),
        ("talkfield__add_node", {"title": "x"}, "", 600.0),
    ]


async def test_T10_who_leaves_is_waited_for_no_longer() -> None:
    left = asyncio.Event()

    class Patient(ScriptedSession):
        async def ask_visitor(self, tool: str, arguments: Mapping[str, Any], node: NodeId, limit_s: float) -> Visit:
            try:
                return await super().ask_visitor(tool, arguments, node, limit_s)
            finally:
                left.set()

    async with running(ScriptedStudio(Patient(chat()))) as server:
        body = {"tool": "talkfield__send_message", "node": "node-1", "arguments": {"text": "wait"}}
        with pytest.raises(TimeoutError):
            await server.http.post(f"{server.url}/api/visitor-calls", json=body, timeout=aiohttp.ClientTimeout(total=2))
        await asyncio.wait_for(left.wait(), 60)
