"""A studio with one open project, driven as the server drives it, with a scripted provider behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from doubles import FakeClock, services, settle
from talkfield.core.changes import Frame
from talkfield.core.events import ChatEvent, Done
from talkfield.core.ids import NodeId
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.ports import FinishChunk, Tool
from talkfield.storage.base import ProjectStore
from talkfield.wire import client as ask
from talkfield.workspace.base import Outcome
from talkfield.workspace.session import Session
from talkfield.workspace.studio import Studio, open_studio

END = FinishChunk("stop")


@dataclass
class Desk:
    """A studio with one open project, and everything it said."""

    studio: Studio
    session: Session
    clock: FakeClock
    frames: list[Frame] = field(default_factory=list)
    events: list[ChatEvent] = field(default_factory=list)

    async def chat(self, **fields: Any) -> NodeId:
        node = NodeId((await self.do(ask.AddNode(kind="chat", x=1, y=2, **fields))).made[0])
        self.session.listen(node, self.events.append)
        return node

    async def do(self, command: ask.Command) -> Outcome:
        return await self.session.handle(command)

    async def say(self, node: NodeId, text: str) -> Outcome:
        """Send, and wait until the turn is over."""
        before = len(self.events)
        outcome = await self.do(ask.SendMessage(node=node, text=text))
        while self.session.is_busy(node) or not any(isinstance(event, Done) for event in self.events[before:]):
            await settle(1)
        return outcome

    def texts(self, node: NodeId) -> list[tuple[str, str]]:
        return [(message.role, message.content) for message in self.session.document.messages(node)]

    def record(self, record_id: str) -> Any:
        return self.session.document.get(record_id)


@asynccontextmanager
async def desk(*scripts: Any, store: ProjectStore | None = None, **more: Any) -> AsyncIterator[Desk]:
    clock = FakeClock()
    driver = ScriptedDriver(*scripts, clock=clock)
    studio = await open_studio(services(driver, store=store, clock=clock, **more), lambda: "epoch")
    try:
        made = Desk(studio, await studio.session(), clock)
        made.session.subscribe(made.frames.append)
        yield made
    finally:
        await studio.close()


def tool(name: str = "write", *, needs_approval: bool = True) -> Tool:
    async def run(_arguments: Any, _context: Any) -> str:
        return "written"

    return Tool(name=name, description="", schema={}, run=run, needs_approval=needs_approval)
