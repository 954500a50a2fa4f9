"""Tool servers through the owner: records in every open project, and what a person can ask of them (T10)."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from doubles import FakeClock, KeptConfiguration, services, settle
from session_desk import END
from talkfield.core.ids import NodeId
from talkfield.core.records import ToolCallRecord, ToolServerRecord
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.config import Configuration
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import CallChunk, FinishChunk
from talkfield.tools.mcp.directory import ToolServers
from talkfield.tools.schema import check_arguments
from talkfield.wire import client as ask
from talkfield.workspace.session import Session
from talkfield.workspace.studio import Studio, open_studio

PROGRAM = str(Path(__file__).parents[1] / "tools" / "mcp_program.py")
WORDS = (sys.executable, "-IS", PROGRAM)


async def studio_of(*scripts: Any) -> Studio:
    clock, book = FakeClock(), ConfigurationBook(KeptConfiguration(), Configuration())
    servers = ToolServers(book, clock, (), lambda _line: None)
    driver = ScriptedDriver(*scripts, clock=clock)
    given = services(driver, clock=clock)
    made = {name: getattr(given, name) for name in given.__dataclass_fields__}
    made |= {"configuration": book, "tool_servers": servers, "check_arguments": check_arguments}
    made |= {"tools_for": servers.tools_for, "prepare_tools": servers.prepare}
    return await open_studio(type(given)(**made), lambda: "epoch")


def records(session: Session) -> list[ToolServerRecord]:
    return [record for record in session.snapshot() if isinstance(record, ToolServerRecord)]


async def until(session: Session, status: str) -> ToolServerRecord:
    for _ in range(6000):
        if records(session) and records(session)[0].status == status:
            return records(session)[0]
        await asyncio.sleep(0.01)
    raise AssertionError(records(session))


async def called(session: Session, status: str) -> ToolCallRecord:
    for _ in range(6000):
        for record in session.snapshot():
            if isinstance(record, ToolCallRecord) and record.status == status:
                return record
        await asyncio.sleep(0.01)
    raise AssertionError(f"no call is {status}")


async def test_T10_a_server_is_added_used_in_a_chat_and_gated() -> None:
    asked = [CallChunk("w", "prog__add", '{"a":1,"b":2}'), FinishChunk("tool_calls")]
    await asyncio.to_thread(check_arguments, {}, {})
    studio = await studio_of(asked, [END])
    try:
        session = await studio.session()
        await session.handle(ask.SaveToolServer(name="prog", command=WORDS, env={"SECRET": "canary"}))
        assert (records(session)[0].status, records(session)[0].names) == ("idle", ("SECRET",))
        node = NodeId((await session.handle(ask.AddNode(kind="chat", x=0, y=0))).made[0])
        await session.handle(ask.SendMessage(node=node, text="add"))
        await until(session, "ready")
        call = await called(session, "awaiting")
        assert (call.status, call.card.source if call.card else "") == ("awaiting", "prog")
        await session.handle(ask.DecideCall(node=node, call=call.id, decision="approve"))
        assert (await called(session, "done")).result == "3"
        assert "canary" not in repr(session.snapshot())
        assert [line.entry.source for line in await session.audit()] == ["prog"]
    finally:
        await studio.close()


async def test_T10_what_may_be_secret_stays_when_a_server_is_changed() -> None:
    studio = await studio_of()
    try:
        session = await studio.session()
        await session.handle(ask.SaveToolServer(name="prog", command=WORDS, env={"A": "1"}))
        await session.handle(ask.SaveToolServer(name="other", command=WORDS, replaces="prog"))
        assert [(record.name, record.names) for record in records(session)] == [("other", ("A",))]
        await session.handle(ask.SaveToolServer(name="other", command=WORDS, env={}, replaces="other", enabled=False))
        assert [(record.status, record.names) for record in records(session)] == [("off", ())]
        with pytest.raises(InvalidArgument):
            await session.handle(ask.SaveToolServer(name="bad name", command=WORDS))
        await session.handle(ask.RemoveToolServer(name="other"))
        assert records(session) == []
        for bad in (
            ask.RemoveToolServer(name="other"),
            ask.RestartToolServer(name="other"),
            ask.DecideToolServers(digest="x", allow=True),
        ):
            with pytest.raises(UnknownThing):
                await session.handle(bad)
    finally:
        await studio.close()


async def test_T10_a_server_is_typed_as_a_line_and_turned_off_and_on_where_it_stands() -> None:
    studio = await studio_of()
    try:
        session = await studio.session()
        await session.handle(ask.SaveToolServer(name="one", command_line="prog 'a b' --x", env={"A": "1"}))
        await session.handle(ask.SaveToolServer(name="two", command=WORDS))
        await session.handle(ask.EnableToolServer(name="one", enabled=False))
        told = [(record.name, record.status, record.what, record.names) for record in records(session)]
        assert told[0] == ("one", "off", "prog 'a b' --x", ("A",))
        assert [name for name, *_ in told] == ["one", "two"]
        await session.handle(ask.EnableToolServer(name="one", enabled=True))
        assert [record.status for record in records(session)] == ["idle", "idle"]
        with pytest.raises(UnknownThing):
            await session.handle(ask.EnableToolServer(name="three", enabled=True))
        with pytest.raises(InvalidArgument, match="words"):
            await session.handle(ask.SaveToolServer(name="three", command_line="prog 'open"))
    finally:
        await studio.close()


async def test_T10_a_server_that_is_switched_off_in_a_chat_is_not_started_for_it() -> None:
    studio = await studio_of([END])
    try:
        session = await studio.session()
        await session.handle(ask.SaveToolServer(name="prog", command=WORDS))
        node = NodeId((await session.handle(ask.AddNode(kind="chat", x=0, y=0))).made[0])
        await session.handle(ask.SwitchTools(node=node, off=("prog",)))
        await session.handle(ask.SendMessage(node=node, text="hello"))
        while session.is_busy(node):
            await settle(1)
        assert records(session)[0].status == "idle"
    finally:
        await studio.close()


async def test_T10_a_person_is_asked_about_a_projects_servers_when_it_is_opened(tmp_path: Path) -> None:
    file = {"mcpServers": {"proj": {"command": WORDS[0], "args": list(WORDS[1:])}}}
    (tmp_path / ".mcp.json").write_text(json.dumps(file))
    studio = await studio_of()
    try:
        project = await studio.open_folder(str(tmp_path))
        session = await studio.session(project.project)
        other = await studio.session(next(known.project for known in studio.projects() if known.folder is None))
        assert [(record.status, record.origin) for record in records(session)] == [("asking", "project")]
        assert records(other) == []
        with pytest.raises(UnknownThing):
            await session.handle(ask.DecideToolServers(digest="x", allow=True))
        await session.handle(ask.DecideToolServers(digest=records(session)[0].digest, allow=True))
        assert records(session)[0].status == "idle"
        await session.handle(ask.RestartToolServer(name="proj"))
        await until(session, "ready")
        await session.handle(ask.DecideToolServers(digest=records(session)[0].digest, allow=False))
        assert records(session)[0].status == "refused"
    finally:
        await studio.close()
