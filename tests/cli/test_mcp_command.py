"""`talkfield mcp`: other programs use the Talkfield that runs, through the official SDK (T10)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from cli.terminal import environment, opened
from talkfield.storage.folder import DataFolder
from talkfield.storage.lock import holder_of
from talkfield.wire import PROTOCOL_VERSION

SCRIPT = """
[[rules]]
when = "write"
steps = [ { call = "write_file", args = { path = "a.txt", content = "x" } } ]

[[rules]]
when = "fail"
steps = [ { fail = 401, message = "no such key" } ]

[[rules]]
steps = [ { text = "the reply" } ]
"""


class Canvas:
    """The person's side: a browser's channel to the Talkfield that runs."""

    def __init__(self, home: Path) -> None:
        data = DataFolder.locate(environment(home))
        holder = holder_of(data.lock().path)
        assert holder is not None
        assert holder.url is not None
        self.url, self.token = holder.url, data.token.read_text().strip()

    async def do(self, socket: Any, command: dict[str, Any]) -> None:
        await socket.send_json({"type": "do", "id": "1", "command": command})

    @contextlib.asynccontextmanager
    async def channel(self, project: str) -> AsyncIterator[tuple[Any, list[dict[str, Any]]]]:
        headers = {"Authorization": f"Bearer {self.token}"}
        async with (
            aiohttp.ClientSession() as http,
            http.ws_connect(f"{self.url}/api/channel", headers=headers) as socket,
        ):
            await socket.send_json({"type": "hello", "protocol": PROTOCOL_VERSION, "project": project})
            yield socket, (await socket.receive_json())["records"]

    async def decide(self, project: str, decision: str) -> dict[str, Any]:
        """Decide the call of a program outside as it comes; the card that was shown."""
        async with self.channel(project) as (socket, records):
            while not (asked := [record for record in records if record["record"] == "visitorCall"]):
                frames = (await socket.receive_json()).get("frames", ())
                records = [change["value"] for frame in frames for change in frame["changes"] if change["op"] == "put"]
            where = {"node": asked[0]["nodeId"], "call": asked[0]["id"]}
            await self.do(socket, {"do": "decideCall", "decision": decision, **where})
            return dict(asked[0]["card"])

    async def allow(self, project: str, *tools: str) -> None:
        """Rules that let programs outside do this."""
        async with self.channel(project) as (socket, _records):
            for tool in tools:
                await self.do(socket, {"do": "saveRule", "action": "allow", "tool": tool, "kind": "any"})
                while (await socket.receive_json())["type"] != "ack":
                    pass


class Outside:
    """A program that has started `talkfield mcp`."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> Any:
        result = await self.client.call_tool(tool, arguments)
        text = "".join(block.text for block in result.content)
        if result.is_error:
            return text
        structured = result.structured_content
        return structured.get("result", structured) if isinstance(structured, dict) else json.loads(text)


async def connected(home: Path, work: Any) -> None:
    mcp = await asyncio.to_thread(__import__, "mcp")
    await asyncio.to_thread(__import__, "jsonschema")
    program = mcp.StdioServerParameters(command=sys.executable, args=["-m", "talkfield", "mcp"], env=environment(home))
    async with mcp.Client(program) as client:
        await work(Outside(client))


async def test_T10_other_programs_list_read_add_and_talk(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    folder = tmp_path / "folder"
    folder.mkdir()
    home = tmp_path / "home"

    async def work(outside: Outside) -> None:
        tools = (await outside.client.list_tools()).tools
        assert [tool.name for tool in tools] == [
            "list_projects",
            "list_nodes",
            "read_transcript",
            "add_node",
            "send_message",
        ]
        projects = await outside.call("list_projects")
        project = next(one for one in projects if one.get("folder") == str(folder))
        assert await outside.call("list_nodes", project=project["id"]) == []
        canvas = await asyncio.to_thread(Canvas, home)
        refused, card = await asyncio.gather(
            outside.call("add_node", project=project["id"], title="Refused"), canvas.decide(project["id"], "deny")
        )
        assert "not done: denied by user" in refused
        assert (card["source"], card["fields"][0]["text"]) == ("talkfield mcp", "Refused")
        assert await outside.call("list_nodes", project=project["id"]) == []
        added, _ = await asyncio.gather(
            outside.call("add_node", project=project["id"], title="From outside"),
            canvas.decide(project["id"], "approve"),
        )
        node = added["id"]
        [listed] = await outside.call("list_nodes", project=project["id"])
        assert (listed["id"], listed["title"], listed["kind"]) == (node, "From outside", "chat")
        await canvas.allow(project["id"], "talkfield__send_message")
        sent = await outside.call("send_message", node=node, text="hello")
        assert sent == {"done": True, "stop_reason": "end_turn", "reply": "the reply"}
        read = await outside.call("read_transcript", node=node, last=1)
        assert (read["earlier"], read["messages"]) == (1, [{"role": "assistant", "content": "the reply"}])
        assert "no such key" in await outside.call("send_message", node=node, text="fail please")
        waiting = await outside.call("send_message", node=node, text="write it", wait_s=2)
        assert waiting == {"done": False, "waits_for_a_person": True, "running": True}
        assert not (folder / "a.txt").exists()
        assert "not the id" in await outside.call("read_transcript", node="../projects")
        assert "no node" in await outside.call("read_transcript", node="nobody")

    with opened(home, str(folder), "--port", "0", TALKFIELD_SCRIPTED=str(script)):
        await connected(home, work)


async def test_T10_without_a_running_talkfield_every_tool_says_what_to_do(tmp_path: Path) -> None:
    async def work(outside: Outside) -> None:
        said = await outside.call("list_projects")
        assert said.endswith("Talkfield does not run on this machine. Start it with: talkfield open")

    await connected(tmp_path / "home", work)


@pytest.mark.parametrize("text", ["not json\n", "", '{"jsonrpc":"2.0"}\n'])
def test_X5_what_is_no_message_does_not_end_it_badly(tmp_path: Path, text: str) -> None:
    from cli.terminal import run

    done = run(tmp_path / "home", "mcp", stdin=text, limit_s=40)
    assert done.status == 0
    assert "Traceback" not in done.out
