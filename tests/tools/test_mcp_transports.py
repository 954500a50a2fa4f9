"""The official SDK on both sides: over a program's input and output, and over HTTP (T10)."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from doubles import FakeClock, KeptConfiguration
from talkfield.core.ids import NodeId
from talkfield.core.tool_server import ToolServer
from talkfield.errors import ToolError
from talkfield.runtime.config import Configuration
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import SendRequest
from talkfield.tools.mcp.directory import ToolServers
from tool_desk import context

REQUEST = SendRequest(node=NodeId("n"), messages=())

PROGRAM = """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("official")
@server.tool()
def greet(name: str) -> str:
    "Says hello."
    return f"hello {name}"
@server.tool()
def fail() -> str:
    from mcp.server.mcpserver.exceptions import ToolError
    raise ToolError("it went wrong")
server.run()
"""


@contextlib.asynccontextmanager
async def directory_of(server: ToolServer, clock: FakeClock | None = None) -> AsyncIterator[ToolServers]:
    book = ConfigurationBook(KeptConfiguration(), Configuration(tool_servers=(server,)))
    directory = ToolServers(book, clock or FakeClock(), (), lambda _line: None)
    try:
        yield directory
    finally:
        await directory.close()


async def ready(directory: ToolServers) -> None:
    await directory.prepare(REQUEST)
    for _ in range(3000):
        if directory.records(None)[0].status == "ready":
            return
        await asyncio.sleep(0.02)
    raise AssertionError(directory.records(None))


async def call(directory: ToolServers, tool_name: str, /, **arguments: Any) -> str:
    tool = next(tool for tool in directory.tools_for(REQUEST) if tool.name == tool_name)
    return await tool.run(arguments, context(None))


async def test_T10_a_server_of_the_official_sdk_over_its_input_and_output(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(PROGRAM)
    server = ToolServer(name="official", command=(sys.executable, str(tmp_path / "server.py")))
    async with directory_of(server) as directory:
        await ready(directory)
        [greet, fail] = directory.tools_for(REQUEST)
        assert (greet.name, greet.description, greet.needs_approval) == ("official__greet", "Says hello.", True)
        assert greet.schema["required"] == ["name"]
        assert await call(directory, greet.name, name="you") == "hello you"
        with pytest.raises(ToolError, match="went wrong"):
            await call(directory, fail.name)


@contextlib.asynccontextmanager
async def http_server(seen: list[str], *, port: int = 0) -> AsyncIterator[str]:
    """A server of the official SDK on this machine; `seen` takes the authorization of each request."""
    from mcp.server.mcpserver import MCPServer

    made = MCPServer("remote")

    @made.tool()
    def greet(name: str) -> str:
        """Says hello."""
        return f"hello {name}"

    inner = made.streamable_http_app()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            seen.append(dict(scope["headers"]).get(b"authorization", b"").decode())
        await inner(scope, receive, send)

    listener = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve([listener]))
    try:
        while not server.started:  # noqa: ASYNC110  (it has no event for that)
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await serving
        listener.close()


async def test_T10_a_server_of_the_official_sdk_over_http(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("default")  # the SDK's own server is not what is tested
    seen: list[str] = []
    async with http_server(seen) as url:
        server = ToolServer(name="remote", url=url, headers={"Authorization": "Bearer canary"})
        async with directory_of(server) as directory:
            await ready(directory)
            assert "canary" not in repr(directory.records(None))
            assert await call(directory, "remote__greet", name="you") == "hello you"
    assert set(seen) == {"Bearer canary"}


async def test_T10_an_http_server_that_went_away_is_told_and_found_again(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("default")
    clock = FakeClock()
    serving = contextlib.AsyncExitStack()
    url = await serving.enter_async_context(http_server([]))
    async with directory_of(ToolServer(name="remote", url=url), clock) as directory:
        await ready(directory)
        await serving.aclose()
        with pytest.raises(ToolError, match="remote"):
            await call(directory, "remote__greet", name="you")
        for _ in range(6000):
            if directory.records(None)[0].status == "failed":
                break
            await asyncio.sleep(0.01)
        assert directory.tools_for(REQUEST) == ()
        async with http_server([], port=int(url.split(":")[2].split("/")[0])):
            await clock.advance(5)
            await ready(directory)
            assert await call(directory, "remote__greet", name="you") == "hello you"
