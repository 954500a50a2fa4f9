"""Tool servers: started when needed, asked about once, and never in the way of a chat (T10)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from doubles import FakeClock, KeptConfiguration
from talkfield.core.ids import NodeId
from talkfield.core.records import ToolServerRecord
from talkfield.core.tool_server import ToolServer
from talkfield.errors import InvalidArgument, ToolError, UnknownThing
from talkfield.runtime.config import Configuration
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import SendRequest, Tool
from talkfield.tools.mcp import connection
from talkfield.tools.mcp.directory import ToolServers
from talkfield.tools.mcp.naming import schema, tool_name
from talkfield.tools.mcp.server_file import servers_of
from talkfield.tools.schema import check_arguments
from tool_desk import context, descriptors, make

PROGRAM = str(Path(__file__).with_name("mcp_program.py"))


def program(name: str = "prog", *behaviour: str, **more: Any) -> ToolServer:
    return ToolServer(name=name, command=(sys.executable, "-IS", PROGRAM, *behaviour), **more)


def request(folder: Path | None = None) -> SendRequest:
    return SendRequest(node=NodeId("n"), messages=(), folder=None if folder is None else str(folder))


@asynccontextmanager
async def servers(
    *own: ToolServer, clock: FakeClock | None = None, first_wait_s: float = 30.0
) -> AsyncIterator[ToolServers]:
    book = ConfigurationBook(KeptConfiguration(), Configuration(tool_servers=own))
    directory = ToolServers(book, clock or FakeClock(), (), lambda _line: None, first_wait_s=first_wait_s)
    try:
        yield directory
    finally:
        await directory.close()


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in tools]


async def call(directory: ToolServers, name: str, folder: Path | None = None, **arguments: Any) -> str:
    tool = next(tool for tool in directory.tools_for(request(folder)) if tool.name == name)
    return await tool.run(arguments, context(folder))


async def until(directory: ToolServers, status: str, folder: Path | None = None) -> ToolServerRecord:
    for _ in range(6000):
        record = directory.records(None if folder is None else str(folder))[0]
        if record.status == status:
            return record
        await asyncio.sleep(0.01)
    raise AssertionError(f"it is {record}")


async def test_T10_a_server_starts_when_it_is_first_needed_and_its_tools_are_gated() -> None:
    before = descriptors()
    async with servers(program(env={"TOKEN": "canary"})) as directory:
        assert directory.tools_for(request()) == ()
        [record] = directory.records(None)
        assert (record.status, record.names, "canary" in repr(record)) == ("idle", ("TOKEN",), False)
        await directory.prepare(request())
        tools = directory.tools_for(request())
        assert names(tools) == [f"prog__{name}" for name in ("add", "say", "die", "fail", "hang", "grow")]
        assert all(tool.needs_approval and tool.source == "prog" for tool in tools)
        assert tools[0].description == "Adds two numbers.⟨U+202E⟩"
        [record] = directory.records(None)
        assert (record.tools, record.read_only) == (tuple(names(tools)), ("prog__say",))  # a word, and no more
        assert await call(directory, "prog__add", a=1, b=2) == "3"
        with pytest.raises(ToolError, match="it went wrong"):
            await call(directory, "prog__fail")
    assert descriptors() == before


async def test_T10_a_server_gets_its_own_environment_and_none_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    async with servers(program(env={"MINE": "x"})) as directory:
        await directory.prepare(request())
        said = json.loads(await call(directory, "prog__say"))
        assert "MINE" in said["env"]
        assert not any("KEY" in name or name.startswith("TALKFIELD") for name in said["env"])


async def test_T10_a_server_that_dies_is_told_and_starts_again_when_needed() -> None:
    clock = FakeClock()
    async with servers(program(), clock=clock) as directory:
        await directory.prepare(request())
        with pytest.raises(ToolError, match="prog"):
            await call(directory, "prog__die")
        record = await until(directory, "failed")
        assert (record.tools, record.message) == ((), "it ended. It said: I am dying")
        await directory.prepare(request())
        assert directory.records(None)[0].status == "failed"  # it has failed a moment ago
        await clock.advance(3)
        directory.restart(None, "prog")
        await directory.prepare(request())
        assert await call(directory, "prog__add", a=2, b=2) == "4"


@pytest.mark.parametrize(
    ("server", "why"),
    [
        (program("prog", "broken"), "no such [31mmodule"),
        (ToolServer(name="prog", command=("no-such-program-here",)), "No such file"),
        (ToolServer(name="prog", url="http://127.0.0.1:9/mcp"), ""),
    ],
)
async def test_T10_a_broken_server_is_told_and_in_nobodys_way(server: ToolServer, why: str) -> None:
    async with servers(server, program("fine")) as directory:
        began = time.monotonic()
        await directory.prepare(request())
        assert time.monotonic() - began < 25
        await until(directory, "failed")
        assert why in directory.records(None)[0].message.replace("⟨U+001B⟩", "")
        assert await call(directory, "fine__add", a=1, b=1) == "2"


async def test_T10_a_failing_server_waits_longer_each_time() -> None:
    clock = FakeClock()
    async with servers(program("prog", "broken"), clock=clock) as directory:
        pauses = []
        for _ in range(3):
            await directory.prepare(request())
            await until(directory, "failed")
            waited = 0
            while directory.records(None)[0].status == "failed":
                await clock.advance(1)
                waited += 1
                await directory.prepare(request())
            pauses.append(waited)
            await until(directory, "failed")
        assert pauses == [2, 4, 8]


async def test_T10_a_slow_server_is_waited_for_once_and_there_later() -> None:
    async with servers(program("prog", "slow", "6"), first_wait_s=3) as directory:
        began = time.monotonic()
        await directory.prepare(request())
        assert directory.tools_for(request()) == ()
        waited = time.monotonic() - began
        await directory.prepare(request())
        assert time.monotonic() - began - waited < waited / 2
        await until(directory, "ready")
        assert await call(directory, "prog__add", a=1, b=1) == "2"


async def test_T10_a_silent_server_fails_in_time_and_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "START_LIMIT_S", 0.5)
    async with servers(program("prog", "silent")) as directory:
        await directory.prepare(request())
        assert "did not answer within" in (await until(directory, "failed")).message


async def test_T10_a_server_that_talks_nonsense_first_is_understood_all_the_same() -> None:
    async with servers(program("prog", "garbage")) as directory:
        await directory.prepare(request())
        assert await call(directory, "prog__add", a=1, b=1) == "2"


async def test_R10_stop_ends_a_call_that_hangs_and_the_server_is_still_of_use() -> None:
    async with servers(program(), program("other")) as directory:
        await directory.prepare(request())
        calling = asyncio.create_task(call(directory, "prog__hang"))
        await asyncio.sleep(0.1)
        calling.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert time.monotonic() - began < 25
        assert await call(directory, "other__add", a=1, b=1) == "2"


async def test_T10_a_list_that_grows_is_seen() -> None:
    async with servers(program()) as directory:
        await directory.prepare(request())
        before = len(directory.tools_for(request()))
        await call(directory, "prog__grow")
        for _ in range(6000):
            if len(directory.tools_for(request())) > before:
                break
            await asyncio.sleep(0.01)
        assert names(directory.tools_for(request()))[-1] == "prog__new6"


async def test_T10_odd_names_and_schemas_are_made_to_fit_or_left_out() -> None:
    async with servers(program("prog", "odd")) as directory:
        await directory.prepare(request())
        tools = directory.tools_for(request())
        found = names(tools)
        assert len(set(found)) == len(found) == 5
        assert all(len(name) <= 64 and name.replace("_", "").replace("-", "").isalnum() for name in found)
        assert found[2] == "prog__with_space"
        assert found[3].startswith("prog__with_space_")
        assert directory.records(None)[0].message == "1 of its tools cannot be used"
        said = await asyncio.to_thread(check_arguments, tools[-1].schema, {})
        assert "cannot be used" in (said or "")  # and nothing is fetched: the tests' border would have seen it


async def test_T10_a_server_with_endless_tools_is_bounded() -> None:
    async with servers(program("prog", "many")) as directory:
        await directory.prepare(request())
        assert len(directory.tools_for(request())) == connection.MAX_TOOLS


async def test_T10_servers_end_with_talkfield_also_stubborn_ones() -> None:
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    async with servers(program("prog", "stubborn", mark), program("fine", "", mark)) as directory:
        await directory.prepare(request())
        running = [pid for pid in os.listdir("/proc") if pid.isdigit() and mark in command_line(pid)]
        assert len(running) == 2
        began = time.monotonic()
    assert time.monotonic() - began < 25
    assert [pid for pid in running if mark in command_line(pid)] == []


def command_line(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


# A project's own file -------------------------------------------------------------------------------------------------


def write_file(folder: Path, *words: str) -> None:
    entry = {"command": sys.executable, "args": ["-IS", PROGRAM, *words]}
    make(folder)
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"proj": entry}}))


async def test_T10_a_projects_servers_start_only_after_a_person_agreed_to_exactly_that_file(tmp_path: Path) -> None:
    write_file(tmp_path)
    folder = str(tmp_path)
    async with servers() as directory:
        await directory.prepare(request(tmp_path))
        [record] = directory.records(folder)
        assert (record.status, record.origin, PROGRAM in record.what) == ("asking", "project", True)
        assert directory.tools_for(request(tmp_path)) == ()
        with pytest.raises(UnknownThing):
            await directory.decide(folder, "0" * 64, True)
        await directory.decide(folder, record.digest, True)
        await directory.prepare(request(tmp_path))
        assert json.loads(await call(directory, "proj__say", tmp_path))["cwd"] == folder
        assert directory.tools_for(request()) == ()  # no other project has them
        write_file(tmp_path, "changed")  # approved once, exchanged later
        await directory.prepare(request(tmp_path))
        [changed] = directory.records(folder)
        assert (changed.status, changed.digest != record.digest) == ("asking", True)
        assert directory.tools_for(request(tmp_path)) == ()
        with pytest.raises(UnknownThing, match="changed"):
            await directory.decide(folder, record.digest, True)
        await directory.decide(folder, changed.digest, False)
        assert directory.records(folder)[0].status == "refused"
        write_file(tmp_path)
        await directory.look(folder)
        assert directory.records(folder)[0].status == "idle"  # asked once for these bytes
        (tmp_path / ".mcp.json").unlink()
        await directory.look(folder)
        assert directory.records(folder) == ()


async def test_T10_the_same_file_in_another_folder_is_asked_about_again(tmp_path: Path) -> None:
    write_file(tmp_path / "a")
    write_file(tmp_path / "b")
    async with servers() as directory:
        await directory.look(str(tmp_path / "a"))
        await directory.decide(str(tmp_path / "a"), directory.records(str(tmp_path / "a"))[0].digest, True)
        await directory.look(str(tmp_path / "b"))
        assert directory.records(str(tmp_path / "b"))[0].status == "asking"


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"mcpServers": []}', '{"mcpServers": {"a": 1}}', '{"mcpServers": {"a": {}}}'),
        *('{"mcpServers": {"a b": {"command": "x"}}}', '{"mcpServers": {"a": {"command": "x", "url": "http://x"}}}'),
        *('{"mcpServers": {"a": {"url": "file:///etc/passwd"}}}', '{"mcpServers": {"a": {"command": ["x"]}}}'),
        *('{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}', '{"mcpServers": {"a": {"command": "x\\u0000"}}}'),
        "[" * 100_000,
    ],
)
async def test_X5_a_file_that_cannot_be_used_is_told_and_starts_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / ".mcp.json").write_text(text)
    async with servers() as directory:
        await directory.prepare(request(tmp_path))
        [record] = directory.records(str(tmp_path))
        assert (record.status, record.name) == ("failed", ".mcp.json")
        assert ".mcp.json cannot be used" in record.message


async def test_T9_a_file_that_is_a_link_to_the_outside_is_not_read(tmp_path: Path) -> None:
    write_file(tmp_path / "outside")
    make(tmp_path / "proj")
    (tmp_path / "proj/.mcp.json").symlink_to("../outside/.mcp.json")
    async with servers() as directory:
        await directory.look(str(tmp_path / "proj"))
        [record] = directory.records(str(tmp_path / "proj"))
        assert (record.status, record.message) == ("failed", ".mcp.json: it leads out of the project's folder")


# Settings -------------------------------------------------------------------------------------------------------------


async def test_T10_a_persons_own_servers_are_added_changed_and_removed() -> None:
    async with servers() as directory:
        told: list[int] = []
        directory.watch(lambda: told.append(1))
        await directory.save(program(), None)
        await directory.prepare(request())
        assert await call(directory, "prog__add", a=1, b=1) == "2"
        with pytest.raises(InvalidArgument, match="already"):
            await directory.save(program(), None)
        await directory.save(program("renamed"), "prog")
        assert directory.tools_for(request()) == ()
        await directory.save(program("renamed", enabled=False), "renamed")
        assert [(record.name, record.status) for record in directory.records(None)] == [("renamed", "off")]
        with pytest.raises(UnknownThing):
            directory.restart(None, "renamed")
        with pytest.raises(InvalidArgument):
            await directory.save(ToolServer(name="a b", command=("x",)), None)
        await directory.remove("renamed")
        assert directory.records(None) == ()
        with pytest.raises(UnknownThing):
            await directory.remove("renamed")
        assert told


async def test_T10_a_project_cannot_take_the_place_of_a_persons_own_server(tmp_path: Path) -> None:
    write_file(tmp_path)
    async with servers(program("proj")) as directory:
        await directory.look(str(tmp_path))
        own, other = directory.records(str(tmp_path))
        assert (own.origin, own.status, other.origin, other.status) == ("settings", "idle", "project", "off")
        await directory.decide(str(tmp_path), other.digest, True)
        await directory.prepare(request(tmp_path))
        assert "cwd" in await call(directory, "proj__say", tmp_path)
        assert json.loads(await call(directory, "proj__say", tmp_path))["cwd"] != str(tmp_path)


def test_T10_the_usual_form_of_the_file_is_read() -> None:
    value = {
        "mcpServers": {
            "local": {"command": "npx", "args": ["-y", "thing"], "env": {"A": "1"}},
            "remote": {"type": "http", "url": "https://x.example/mcp", "headers": {"Authorization": "Bearer t"}},
            "quiet": {"command": "x", "disabled": True},
        }
    }
    assert servers_of(value) == (
        ToolServer(name="local", command=("npx", "-y", "thing"), env={"A": "1"}),
        ToolServer(name="remote", url="https://x.example/mcp", headers={"Authorization": "Bearer t"}),
        ToolServer(name="quiet", command=("x",), enabled=False),
    )


def test_T10_names_are_the_same_each_time() -> None:
    assert tool_name("s", "t", set()) == "s__t"
    assert tool_name("s", "t", {"s__t"}) == tool_name("s", "t", {"s__t"}) != "s__t"
    assert tool_name("s", "ü/x", set()) == "s____x"


def test_X5_a_schema_that_is_none_leaves_its_tool_out() -> None:
    assert schema({"type": "object", "required": ["a"]}) == {"type": "object", "properties": {}, "required": ["a"]}
    large = {"type": "object", "x": "y" * 70_000}
    odd: list[Any] = [None, [], "x", {"type": "array"}, {"type": "object", "x": object()}, large]
    assert [one for one in odd if schema(one) is not None] == []
