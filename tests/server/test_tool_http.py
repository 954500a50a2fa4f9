"""What scripts can ask about tools: the audit log, and rules on trial."""

from __future__ import annotations

import json

from server.server_doubles import NODE, ScriptedSession, ScriptedStudio, chat, running
from talkfield.core.audit import AuditEntry
from talkfield.core.ids import CallId
from talkfield.workspace.base import LoggedCall


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
            assert await response.json() == {
                "matched": 1,
                "calls": [
                    {"call": "c1", "node": "node-1", "at": 1, "status": "done", "matched": True, "summary": "src/**"}
                ],
            }
