"""Which tools a chat is told of (T10): all there are, but for those that a person switched off in it.

A switch counts from the next provider call on; what a model asks for afterwards is unknown to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.changes import Put
from talkfield.core.document import Document
from talkfield.core.ids import NodeId
from talkfield.core.nodes import ChatData
from talkfield.errors import InvalidArgument
from talkfield.runtime.ports import Tool
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

MAX_SWITCHED = 1000
MAX_NAME = 200


def switch_tools(session: Session, command: ask.SwitchTools) -> Answer:
    node, data = session.chat(command.node)
    off = tuple(sorted(set(command.off)))
    if len(off) > MAX_SWITCHED or any(not name or len(name) > MAX_NAME for name in off):
        raise InvalidArgument("these are no names of tools", place="off")
    session.workspace.commit([Put(replace(node, data=replace(data, tools_off=off)))], "switchTools", label="tools")
    return Answer()


def switched_off(document: Document, node: NodeId) -> tuple[str, ...]:
    """What is switched off in a chat, as it is now."""
    record = document.node(node)
    return record.data.tools_off if record is not None and isinstance(record.data, ChatData) else ()


def switched_on(tools: Sequence[Tool], off: Sequence[str]) -> tuple[Tool, ...]:
    """The tools without those that are switched off, by their own name or by that of where they come from."""
    return tuple(tool for tool in tools if tool.name not in off and (not tool.source or tool.source not in off))
