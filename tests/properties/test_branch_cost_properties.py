"""Whatever is branched, copied, deleted, undone and brought back: each provider call is paid for once (L4, P5).

The books count each call exactly once. On the canvas a call's money stands in at most one place, and where the reply
is that it was paid for, it stands there.
"""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import usage
from doubles import CountingIds, FakeClock, services, settle
from talkfield.core.ids import MessageId
from talkfield.core.records import MessageRecord, NodeRecord, TotalsRecord
from talkfield.errors import TalkfieldError
from talkfield.providers.script import Script
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.ports import FinishChunk, ProviderRequest, TextChunk, UsageChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask
from talkfield.workspace.session import Session
from talkfield.workspace.studio import Studio, open_studio

SETTINGS = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MOST_NODES = 12
FIRST = 1_000_000
"""Input tokens of call number 0; each later call has one more, so that a sum tells which calls are in it."""

Step = tuple[str, int]
STEPS = (
    "say branch quote duplicate edit regenerate retry delete close clear fan-out merge undo redo restore copy-project"
)
STEP = st.tuples(st.sampled_from(STEPS.split()), st.integers(0, 7))
OPENING: list[Step] = [
    ("say", 0),
    ("close", 0),
    ("undo", 0),
    ("restore", 0),
    ("branch", 1),
    ("fan-out", 0),
    ("regenerate", 1),
]
"""Each kind of copy that could cost something, once; then comes anything."""


class World:
    """A studio whose provider's calls can be told apart by what they used."""

    def __init__(self) -> None:
        self.calls = 0
        self.paid_at: dict[int, MessageId] = {}
        self.store = MemoryStore()

    async def open(self) -> None:
        clock = FakeClock()
        driver = ScriptedDriver(choose=self.answer, clock=clock)
        roomy = services(
            driver, store=self.store, clock=clock, ids=CountingIds(), context_limit=lambda _model, _provider: None
        )
        self.studio: Studio = await open_studio(roomy, lambda: "epoch")
        self.session: Session = await self.studio.session()
        await self.session.handle(ask.AddNode(kind="chat", x=0, y=0))

    def answer(self, _request: ProviderRequest) -> Script:
        number = self.calls
        self.calls += 1
        return Script((UsageChunk(usage(FIRST + number, 1)), TextChunk(f"reply {number}"), FinishChunk("stop")))

    async def sessions(self) -> list[Session]:
        return [await self.studio.session(project.project) for project in self.studio.projects()]

    def nth(self, kind: type[MessageRecord] | type[NodeRecord], number: int) -> str:
        found = [record.id for record in self.session.document if isinstance(record, kind)]
        return found[number % len(found)] if found else "none"

    async def command(self, what: str, number: int) -> ask.Command | None:
        node, message = self.nth(NodeRecord, number), self.nth(MessageRecord, number)
        full = len(self.session.nodes()) >= MOST_NODES
        match what:
            case "say" | "clear":
                return ask.SendMessage(node=node, text="/clear" if what == "clear" else f"question {self.calls}")  # type: ignore[arg-type]
            case "delete":
                return ask.RemoveMessage(message=message)  # type: ignore[arg-type]
            case "close":
                return ask.RemoveNodes(nodes=(node,))  # type: ignore[arg-type]
            case "undo":
                return ask.Undo()
            case "redo":
                return ask.Redo()
            case "retry":
                return ask.RetryTurn(node=node)  # type: ignore[arg-type]
            case "restore":
                shelf = await self.session.shelf()
                return ask.RestoreShelved(item=shelf[number % len(shelf)].id) if shelf else None
            case _ if full:
                return None
            case "branch" | "quote":
                return ask.BranchChat(message=message, quote="reply" if what == "quote" else "")  # type: ignore[arg-type]
            case "duplicate":
                return ask.DuplicateNodes(nodes=(node,), dx=10, dy=10)  # type: ignore[arg-type]
            case "edit":
                return ask.EditMessage(message=message, text=f"otherwise {self.calls}")  # type: ignore[arg-type]
            case "regenerate":
                return ask.RegenerateReply(message=message)  # type: ignore[arg-type]
            case "fan-out":
                return ask.FanOut(text="all of you", models=(ask.Recipient(), ask.Recipient()), node=node)  # type: ignore[arg-type]
            case "merge":
                return ask.MergeNodes(nodes=(node, self.nth(NodeRecord, number + 1)), instruction="unite")  # type: ignore[arg-type]
            case _:
                return ask.DuplicateProject(project=self.session.project) if len(self.studio.projects()) < 3 else None

    async def do(self, what: str, number: int) -> None:
        command = await self.command(what, number)
        if command is None:
            return
        try:
            await self.session.handle(command)
        except TalkfieldError:
            return  # nothing has changed
        for node in self.session.nodes():
            while self.session.is_busy(node.id):
                await settle(1)
        await self.session.durable()

    async def check(self) -> None:
        rows = self.store.usage()
        assert sum(row.provider_calls for row in rows) == self.calls
        assert sum(row.input_tokens for row in rows) == sum(FIRST + number for number in range(self.calls))
        shown: Counter[int] = Counter()
        totals = 0
        for session in await self.sessions():
            for record in session.document:
                if isinstance(record, MessageRecord) and record.usage is not None:
                    number = record.usage.input_tokens - FIRST
                    shown[number] += 1
                    self.paid_at.setdefault(number, record.id)
                totals += record.input_tokens if isinstance(record, TotalsRecord) else 0
        assert [number for number, times in shown.items() if times > 1] == []
        assert totals == sum(FIRST + number for number in shown)
        here = {number for number, message in self.paid_at.items() if message in self.session.document}
        assert here <= set(shown)


async def paid_once(steps: list[Step]) -> None:
    world = World()
    await world.open()
    try:
        for what, number in steps:
            await world.do(what, number)
            await world.check()
    finally:
        await world.studio.close()


@pytest.mark.timeout(300)
@given(steps=st.lists(STEP, max_size=12))
@SETTINGS
def test_L4_P5_each_provider_call_is_paid_for_once_whatever_is_copied(steps: list[Step]) -> None:
    asyncio.run(paid_once(OPENING + steps))
