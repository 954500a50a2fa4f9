"""Which tools a chat is told of: all, but for those that were switched off in it (T10)."""

from __future__ import annotations

from typing import Any

import pytest

from doubles import settle
from session_desk import END, Desk, desk, tool
from talkfield.core.ids import NodeId
from talkfield.core.records import ToolCallRecord
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.runtime.ports import CallChunk, FinishChunk, Tool
from talkfield.wire import client as ask
from talkfield.workspace.tool_switch import switched_on

CALL = [CallChunk("w", "write", "{}"), FinishChunk("tool_calls")]


def named(name: str, source: str = "") -> Tool:
    made = tool(name, needs_approval=False)
    return Tool(**{**{field: getattr(made, field) for field in made.__dataclass_fields__}, "source": source})


async def result(made: Desk, node: NodeId) -> Any:
    """What became of the last call."""
    await made.say(node, "go")
    await settle()
    calls = [record for record in made.session.snapshot() if isinstance(record, ToolCallRecord)]
    return [call for call in calls if call.node_id == node][-1].result


async def test_T10_a_tool_that_is_switched_off_is_unknown_in_this_chat_alone() -> None:
    async with desk(*[CALL, [END]] * 3, tools=[named("write")]) as made:
        node, other = await made.chat(), await made.chat()
        await made.do(ask.SwitchTools(node=node, off=("write", "write")))
        assert made.record(node).data.tools_off == ("write",)
        assert "unknown tool: write" in await result(made, node)
        assert await result(made, other) == "written"
        await made.do(ask.SwitchTools(node=node, off=()))
        assert await result(made, node) == "written"


async def test_U3_a_switch_is_undone_and_names_that_are_none_are_refused() -> None:
    async with desk() as made:
        node = await made.chat()
        await made.do(ask.SwitchTools(node=node, off=("write",)))
        await made.do(ask.Undo())
        assert made.record(node).data.tools_off == ()
        for off in (("",), ("x" * 201,), tuple(map(str, range(1001)))):
            with pytest.raises(InvalidArgument):
                await made.do(ask.SwitchTools(node=node, off=off))
        with pytest.raises(UnknownThing):
            await made.do(ask.SwitchTools(node=NodeId("gone"), off=()))


def test_T10_a_servers_name_switches_off_all_of_its_tools_and_no_other() -> None:
    tools = [named("write"), named("prog"), named("prog__a", "prog"), named("prog__b", "prog"), named("x", "other")]
    assert [each.name for each in switched_on(tools, ("prog__a",))] == ["write", "prog", "prog__b", "x"]
    assert [each.name for each in switched_on(tools, ("prog",))] == ["write", "x"]
    assert [each.name for each in switched_on(tools, ())] == ["write", "prog", "prog__a", "prog__b", "x"]
