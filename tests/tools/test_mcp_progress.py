"""What a server of the official SDK says of its progress, on its way to the record that browsers are shown (T10)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles import FakeClock
from session_desk import END, Desk, desk
from talkfield.core.changes import Append
from talkfield.core.ids import NodeId
from talkfield.core.records import ToolCallRecord
from talkfield.core.tool_server import ToolServer
from talkfield.runtime.ports import CallChunk, FinishChunk
from talkfield.tools.mcp.connection import Connection, progress_line
from talkfield.wire import client as ask

PROGRAM = Path(__file__).parents[1] / "e2e" / "tool_server.py"
BEDS = "1 of 3: bed 1 is wet\n2 of 3: bed 2 is wet\n"


async def eventually(is_so: Callable[[], bool], what: str) -> None:
    """A process of its own takes its own time."""
    for _ in range(3000):
        if is_so():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"never: {what}")


def calls(made: Desk, node: NodeId) -> list[ToolCallRecord]:
    document = made.session.document
    return [call for message in document.messages(node) for call in document.calls(message.id)]


def only_call(made: Desk, node: NodeId) -> ToolCallRecord:
    [call] = calls(made, node)
    return call


async def test_T10_progress_of_a_server_is_on_the_record_while_its_tool_runs(tmp_path: Path) -> None:
    server = ToolServer(name="garden", command=(sys.executable, str(PROGRAM)))
    connection = Connection(server, None, FakeClock(), lambda: None, lambda _line: None)
    connection.need()
    try:
        await connection.settled()
        rain = tmp_path / "rain"
        asks = [CallChunk("w", "garden__water", f'{{"until": "{rain}"}}'), FinishChunk("tool_calls")]
        async with desk(asks, [END], tools=connection.tools) as made:
            node = await made.chat()
            await made.do(ask.SendMessage(node=node, text="go"))
            await eventually(lambda: [call.status for call in calls(made, node)] == ["awaiting"], "a card")
            await made.do(ask.DecideCall(node=node, call=only_call(made, node).id, decision="approve"))
            await eventually(lambda: only_call(made, node).output.startswith(BEDS[:10]), "the first bed")
            await made.clock.advance(1)
            await eventually(lambda: only_call(made, node).output == BEDS, "the second bed")
            assert only_call(made, node).status == "running"
            told = [change for frame in made.frames for change in frame.changes if isinstance(change, Append)]
            assert "".join(change.text for change in told if str(change.id) == str(only_call(made, node).id)) == BEDS
            rain.touch()
            await eventually(lambda: not made.session.is_busy(node), "the end")
            assert only_call(made, node).result == "all beds are wet"
    finally:
        await connection.close(5)


@pytest.mark.parametrize(
    ("said", "line"),
    [((2, 3, "bed 2"), "2 of 3: bed 2"), ((0.5, None, None), "0.5"), ((7, None, "rows"), "7: rows"), ((1, 0, ""), "1")],
)
def test_T10_progress_is_a_line(said: tuple[float, float | None, str | None], line: str) -> None:
    assert progress_line(*said) == line + "\n"
