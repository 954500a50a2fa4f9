"""Anything people do to a project, in any order, with replies, cards and tools in between, and the process dying (W8).

Whatever happens: a client that applies the frames has what the server has; undoing everything leads to the start and
redoing it to the end; nothing that was acknowledged is lost or there twice; a run has its record and a record its run;
no tool runs twice, or without approval; what was said to its end is in the project or on its shelf; and the project's
file can be read and says the same.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from doubles import CountingIds, FakeClock, services, settle
from talkfield.core.changes import Frame
from talkfield.core.document import Document
from talkfield.core.nodes import ChatData, StickyData
from talkfield.core.project import load_project
from talkfield.core.project_text import dump_project
from talkfield.core.records import (
    EdgeRecord,
    MessageRecord,
    NodeRecord,
    QueuedRecord,
    Record,
    RunRecord,
    ToolCallRecord,
    in_document,
    run_id,
)
from talkfield.core.recovery import recover
from talkfield.errors import CommandRejected, NothingToDo, ProviderRefused
from talkfield.providers.script import Fail, Hold, Script, last_user
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.ports import CallChunk, FinishChunk, ProviderRequest, TextChunk, Tool
from talkfield.storage.base import Written
from talkfield.storage.memory import MemoryStore
from talkfield.storage.project_file import DiskProjectFile
from talkfield.wire import client as ask
from talkfield.workspace.session import Session
from talkfield.workspace.studio import Studio, open_studio

Records = dict[str, Record]
Result = TypeVar("Result")
HOPS = 14
CANVAS = ("chat", "sticky", "move", "edit", "delete", "link", "unlink")
MOST_NODES = 6


def saved(document: Document) -> Records:
    return {record.id: record for record in document if in_document(record)}


def undoable(records: Records) -> Records:
    """What undo answers for: titles by the first words, drafts, the queue and notes come and go without an entry, and
    a card that was decided stays so.
    """
    found: Records = {}
    for name, record in records.items():
        if isinstance(record, QueuedRecord) or (isinstance(record, MessageRecord) and record.role == "note"):
            continue
        if isinstance(record, NodeRecord):
            data = replace(record.data, draft="") if isinstance(record.data, ChatData) else record.data
            record = replace(record, title="", data=data)
        if isinstance(record, ToolCallRecord):
            record = replace(record, status="done", result=None, is_error=False, output="", card=None)
        found[name] = record
    return found


def finished_texts(records: Records) -> set[str]:
    """Replies that came to their end."""
    messages = [record for record in records.values() if isinstance(record, MessageRecord)]
    return {each.content for each in messages if each.role == "assistant" and each.finish == "stop" and each.content}


def after_a_crash(records: Records) -> Records:
    document = Document(records.values())
    document.apply(recover(document))
    return saved(document)


def copy_of(store: MemoryStore) -> MemoryStore:
    """What a disk has if the process dies now."""
    copy = MemoryStore()
    copy.ledger = dict(store.ledger)
    for project, kept in store.kept.items():
        copy.add_project(kept.project)
        copy.kept[project].records = dict(kept.records)
        copy.kept[project].shelf = dict(kept.shelf)
    return copy


class MortalFile(DiskProjectFile):
    """A project file whose process may have been killed: then nothing is written any more."""

    dead = False

    def write(self, data: bytes) -> Written:
        return "unchanged" if self.dead else super().write(data)


class Client:
    """A browser: a mirror that is at `seq`, or away."""

    def __init__(self, session: Session) -> None:
        self.epoch, self.seq = session.epoch, session.seq
        self.mirror = Document(session.snapshot())

    def resume(self, session: Session) -> None:
        frames = session.since(self.epoch, self.seq)
        if frames is None:
            self.epoch, self.seq, self.mirror = session.epoch, session.seq, Document(session.snapshot())
            return
        for frame in frames:
            assert frame.seq == self.seq + 1
            self.mirror.apply(frame.changes)
            self.seq = frame.seq
        assert self.seq == session.seq
        assert {r.id: r for r in self.mirror} == {r.id: r for r in session.snapshot()}


class SessionMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.store = MemoryStore()
        self.lives = 0
        self.count = 0
        self.holds: list[Hold] = []
        self.approved: set[str] = set()
        self.ran: Counter[str] = Counter()
        self.paid: set[str] = set()
        self.studio: Studio | None = None

    # The world --------------------------------------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        self.run(self.open())
        for kind in ("chat", "chat"):
            self.do(ask.AddNode(kind=kind, x=0, y=0))

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        async def whole() -> Result:
            result = await work
            await self.idle()  # what is due has been written: else the machine's pace would decide what comes out
            return result

        return self.runner.run(whole())

    async def open(self) -> None:
        self.lives += 1
        self.held: dict[str, set[str]] = {}
        self.clock = FakeClock(1_000_000_000 * self.lives)
        self.driver = ScriptedDriver(choose=self.choose, clock=self.clock)
        given = services(
            self.driver,
            store=self.store,
            clock=self.clock,
            ids=CountingIds(f"{self.lives}-"),
            tools=[Tool(name="write", description="", schema={}, run=self.run_tool)],
            open_file=self.open_file,
        )
        self.studio = await open_studio(given, lambda: f"epoch-{self.lives}")
        stored = next((kept for kept in self.store.kept.values() if kept.project.folder), None)
        self.before = after_a_crash({r.id: r for r in self.store.load(stored.project.id)}) if stored else {}
        project = await self.studio.open_folder(self.folder.name)
        self.session = await self.studio.session(project.project)
        self.start = saved(self.session.document)
        self.states = [self.start]
        self.acked = 0
        self.on_disk()
        self.clients = [Client(self.session), Client(self.session)]
        self.session.subscribe(self.on_frame)

    @property
    def path(self) -> Path:
        return Path(self.folder.name) / "talkfield.json"

    def on_disk(self) -> None:
        """Remember what the disk has now: a process that dies later may leave just this."""
        self.acked_store = copy_of(self.store)
        self.acked_file = self.path.read_bytes() if self.path.exists() else None

    def open_file(self, folder: str, digests: tuple[str, ...]) -> MortalFile:
        self.file = MortalFile(Path(folder), digests=digests)
        return self.file

    def on_frame(self, _frame: Frame) -> None:
        self.states.append(saved(self.session.document))

    def choose(self, request: ProviderRequest) -> Script:
        """What a model answers is in what it was asked: to say something, to fail, or to ask for tools first."""
        asked, since = last_user(request.messages)
        self.count += 1
        number = self.count
        if asked.startswith("tool") and not since:
            calls = [CallChunk(str(each), "write", json.dumps({"n": f"{number}.{each}"})) for each in (1, 2)]
            return Script((TextChunk(f"look {number} "), self.hold(), calls, FinishChunk("tool_calls")))
        if asked.startswith("fail"):
            return Script((TextChunk(f"part {number}"), self.hold(), Fail(ProviderRefused("no"))))
        said = (TextChunk(f"reply {number} "), self.hold(), TextChunk("and more"), self.hold(), FinishChunk("stop"))
        return Script(said)

    def hold(self) -> Hold:
        self.holds.append(Hold())
        return self.holds[-1]

    async def run_tool(self, arguments: Any, _context: Any) -> str:
        number = arguments["n"]
        self.ran[number] += 1
        await self.hold().wait()
        return "written"

    def do(self, command: ask.Command) -> Any:
        """Ask for something; None when it was refused."""
        try:
            return self.run(self.acknowledged(command))
        except CommandRejected:
            return None

    async def acknowledged(self, command: ask.Command) -> Any:
        outcome = await self.session.handle(command)
        self.on_disk()  # now, not when everything has calmed down
        self.acked = max(self.acked, self.state_at(outcome.seq))
        self.paid |= finished_texts(self.states[self.acked])
        return outcome

    def state_at(self, seq: int) -> int:
        """Which of the states is the one as of a frame."""
        return len(self.states) - 1 - (self.session.seq - seq)

    def records(self, kind: type[Any]) -> list[Any]:
        return [record for record in self.session.document if isinstance(record, kind)]

    def pick(self, kind: type[Any], number: int) -> Any:
        found = self.records(kind)
        return found[number % len(found)] if found else None

    def chat(self, number: int) -> NodeRecord | None:
        chats = [node for node in self.session.nodes() if isinstance(node.data, ChatData)]
        return chats[number % len(chats)] if chats else None

    def new_text(self, kind: str) -> str:
        self.count += 1
        return f"{kind} question {self.count}"

    async def idle(self) -> None:
        """Let the threads that write do all they were asked, and what follows from it."""
        for _ in range(HOPS):
            if self.studio is not None:
                await self.studio._folders.work(lambda: None)
                await self.studio._saver.call(lambda _store: None)
            await settle(3)

    # What people do ---------------------------------------------------------------------------------------------------

    @rule(number=st.integers(0, 9), other=st.integers(0, 9), what=st.sampled_from(CANVAS))
    def canvas(self, number: int, other: int, what: str) -> None:
        node: NodeRecord | None = self.pick(NodeRecord, number)
        if what in ("chat", "sticky"):
            if len(self.session.nodes()) < MOST_NODES:
                self.do(ask.AddNode(kind=what, x=0, y=0, text="note"))  # type: ignore[arg-type]
        elif what == "unlink":
            edge = self.pick(EdgeRecord, number)
            if edge:
                self.do(ask.RemoveEdges(edges=(edge.id,)))
        elif node is not None:
            self.edit(node, other, what)

    def edit(self, node: NodeRecord, other: int, what: str) -> None:
        match what:
            case "move":
                self.do(ask.PlaceNodes(places=(ask.NodePlace(id=node.id, x=other, y=1),)))
            case "delete":
                self.do(ask.RemoveNodes(nodes=(node.id,)))
            case "link":
                self.do(ask.AddEdge(source=node.id, target=self.pick(NodeRecord, other).id))
            case _ if isinstance(node.data, StickyData):
                self.do(ask.EditSticky(node=node.id, text=f"text {other}"))
            case _:
                self.do(ask.SaveDraft(node=node.id, text=f"typed {other}"))
                self.do(ask.ConfigureChat(node=node.id, system=f"system {other}"))

    @rule(number=st.integers(-3, 9))
    def delete_message(self, number: int) -> None:
        message = self.pick(MessageRecord, number)
        if message:
            self.do(ask.RemoveMessage(message=message.id))

    @rule(
        number=st.integers(0, 9),
        kind=st.sampled_from(["say", "tool", "fail"]),
        busy=st.sampled_from(["queue", "send"]),
        pieces=st.integers(0, 3),
    )
    def send(self, number: int, kind: str, busy: Any, pieces: int) -> None:
        node = self.chat(number)
        if node:
            self.do(ask.SendMessage(node=node.id, text=self.new_text(kind), when_busy=busy))
            for _ in range(pieces):
                self.come(-1)

    @rule(number=st.integers(0, 9), how=st.sampled_from(["edit", "remove", "send"]))
    def queue(self, number: int, how: str) -> None:
        queued = self.pick(QueuedRecord, number)
        if queued and how == "edit":
            self.do(ask.EditQueued(queued=queued.id, text=self.new_text("say"), place=0))
        elif queued and how == "remove":
            self.do(ask.RemoveQueued(queued=queued.id))
        elif queued:
            self.do(ask.SendQueued(node=queued.node_id))

    @rule(number=st.integers(0, 9))
    def stop(self, number: int) -> None:
        run = self.pick(RunRecord, number)
        if run:
            self.do(ask.StopTurn(node=run.node_id))

    @rule(number=st.integers(0, 9), decision=st.sampled_from(["approve", "approve", "deny"]))
    def decide(self, number: int, decision: Any) -> None:
        waiting = [call for call in self.records(ToolCallRecord) if call.status == "awaiting"]
        if waiting:
            call = waiting[number % len(waiting)]
            if decision == "approve":
                self.approved.add(json.loads(call.args_json)["n"])
            self.do(ask.DecideCall(node=call.node_id, call=call.id, decision=decision))

    @rule(number=st.integers(0, 9), how=st.sampled_from(["retry", "continue", "regenerate", "edit"]))
    def again(self, number: int, how: str) -> None:
        wanted = "user" if how == "edit" else "assistant"
        idle = [m for m in self.records(MessageRecord) if m.role == wanted and not self.session.is_busy(m.node_id)]
        if not idle or len(self.session.nodes()) >= MOST_NODES:
            return
        message = idle[number % len(idle)]
        match how:
            case "retry":
                self.do(ask.RetryTurn(node=message.node_id))
            case "continue":
                self.do(ask.ContinueTurn(node=message.node_id))
            case "regenerate":
                self.do(ask.RegenerateReply(message=message.id))
            case "edit":
                self.do(ask.EditMessage(message=message.id, text=self.new_text("say")))

    @rule(number=st.integers(0, 9), command=st.sampled_from(["/clear", "/cost", "/model m"]))
    def slash(self, number: int, command: str) -> None:
        node = self.chat(number)
        if node:
            self.do(ask.SendMessage(node=node.id, text=command))

    @rule()
    def undo(self) -> None:
        self.do(ask.Undo())

    @rule()
    def redo(self) -> None:
        self.do(ask.Redo())

    @rule(number=st.integers(0, 9))
    def restore(self, number: int) -> None:
        entries = self.store.shelf(self.session.project)
        if entries and len(self.session.nodes()) < MOST_NODES:
            self.do(ask.RestoreShelved(item=entries[number % len(entries)].id))

    # What happens by itself -------------------------------------------------------------------------------------------

    @rule(number=st.integers(0, 9))
    def come(self, number: int) -> None:
        """The next piece of a reply, or a tool's result."""
        if self.holds:
            self.holds.pop(number % len(self.holds)).release()
            self.run(settle())

    @rule()
    def all_come(self) -> None:
        """Everything that is under way comes to where a person has to do something."""
        for _ in range(20):
            if self.holds:
                self.come(0)

    @rule(seconds=st.sampled_from([0.3, 1.0, 3.0]))
    def pass_time(self, seconds: float) -> None:
        self.run(self.clock.advance(seconds))

    @rule(number=st.integers(0, 9))
    def edit_file(self, number: int) -> None:
        """Someone else renames a node in the project's file."""
        if self.path.exists():
            value = json.loads(self.path.read_bytes())
            names = sorted(value["nodes"])
            if names:
                value["nodes"][names[number % len(names)]]["data"] = {"text": "theirs"} if number % 2 else {}
                self.path.write_text(json.dumps(value))
                self.on_disk()

    @rule(number=st.integers(0, 1))
    def attach(self, number: int) -> None:
        """A client that was away comes back; `detach` is that it did not look until now."""
        self.clients[number].resume(self.session)

    # The process ------------------------------------------------------------------------------------------------------

    @rule(at_last_ack=st.booleans())
    def kill(self, at_last_ack: bool) -> None:
        """The process dies: the disk has all that was urgent, or just what was acknowledged."""
        states, acked = self.states, self.acked
        theirs = self.in_file(self.acked_file if at_last_ack else None)
        left, self.file.dead = self.acked_store if at_last_ack else copy_of(self.store), True
        self.run(self.end())
        self.store = left
        if at_last_ack and self.acked_file is not None:
            self.path.write_bytes(self.acked_file)
        elif at_last_ack:
            self.path.unlink(missing_ok=True)
        self.run(self.open())
        now = self.start
        possible = [after_a_crash(state) for state in states[acked:]]
        assert any(self.same(state, now, theirs) for state in possible), "no state since the last acknowledgement"

    @rule()
    def restart(self) -> None:
        self.run(self.end())
        before, theirs = saved(self.session.document), self.in_file()
        self.run(self.open())
        assert self.same(after_a_crash(before), self.start, theirs)

    def in_file(self, data: bytes | None = None) -> set[str]:
        """What the file would bring in; nothing, where it is as we wrote it."""
        if data is None and self.path.exists():
            data = self.path.read_bytes()
        if data is None or self.file.knows(data):
            return set()
        return {record.id for record in load_project(data).records}

    def same(self, state: Records, now: Records, theirs: set[str]) -> bool:
        """But for what the file brought in at the start: where both have something and nobody knows what both started
        from, the file counts, and undo has the other.
        """
        if not (state.keys() <= now.keys() and now.keys() - state.keys() <= theirs):
            return False
        return all(
            now[name] == record or name in theirs or self.moved(record, now[name]) for name, record in state.items()
        )

    def moved(self, record: Record, now: Record) -> bool:
        """Whether only its place in the chat is another: others may stand before it now."""
        both = isinstance(record, MessageRecord) and isinstance(now, MessageRecord)
        return both and replace(record, index=now.index) == now  # type: ignore[union-attr]

    async def end(self) -> None:
        assert self.studio is not None
        await self.studio.close()
        self.holds = []
        self.studio = None

    # What must hold ---------------------------------------------------------------------------------------------------

    @invariant()
    def a_run_has_its_record(self) -> None:
        if self.studio is not None:
            for node in self.session.nodes():
                assert self.session.is_busy(node.id) == (run_id(node.id) in self.session.document)
            for record in self.records(RunRecord):
                assert self.session.is_busy(record.node_id)

    @invariant()
    def nobody_takes_away_what_a_turn_holds(self) -> None:
        """While a turn runs, its messages can only become more (UN5)."""
        before, self.held = self.held, {}
        for run in self.records(RunRecord):
            messages = self.session.document.messages(run.node_id)
            self.held[run.turn] = {each.id for each in messages if each.turn == run.turn}
            assert before.get(run.turn, set()) <= self.held[run.turn]

    @invariant()
    def no_tool_runs_twice_or_without_approval(self) -> None:
        assert max(self.ran.values(), default=0) <= 1
        assert self.ran.keys() <= self.approved

    @invariant()
    def nothing_is_there_twice(self) -> None:
        if self.studio is not None:
            said = [m.content for m in self.records(MessageRecord) if m.role == "user" and m.copied_from is None]
            said += [queued.text for queued in self.records(QueuedRecord)]
            assert max(Counter(said).values(), default=1) == 1

    @invariant()
    def what_was_said_to_its_end_is_kept(self) -> None:
        if self.studio is None:
            return
        lost = self.paid - {message.content for message in self.records(MessageRecord)}
        if lost:
            project = self.session.project
            shelved = [self.store.shelved(project, entry.id) for entry in self.store.shelf(project)]
            assert lost <= {message.content for item in shelved for message in item.messages}

    @invariant()
    def the_file_can_be_read(self) -> None:
        if self.path.exists():
            load_project(self.path.read_bytes())

    def teardown(self) -> None:
        try:
            if self.studio is not None:
                self.finish()
                self.run(self.end())
        finally:
            if self.studio is not None:
                self.run(self.end())
            self.runner.close()
            self.folder.cleanup()

    def finish(self) -> None:
        for _ in range(100):
            runs = self.records(RunRecord)
            if not runs:
                break
            self.do(ask.StopTurn(node=runs[0].node_id))
        for _ in range(2):  # to see what is there, and to write it as it should be
            self.pass_time(5.0)
        for client in self.clients:
            client.resume(self.session)
        title = next(p.title for p in self.studio.projects() if p.project == self.session.project)  # type: ignore[union-attr]
        if self.path.exists():
            assert self.path.read_bytes() == dump_project(self.session.document, title)
        end, entries = saved(self.session.document), 0
        with suppress(NothingToDo):
            while True:
                self.session.workspace.undo()
                entries += 1
        assert undoable(saved(self.session.document)) == undoable(self.before)  # before what the file brought in
        for _ in range(entries):
            self.session.workspace.redo()
        assert undoable(saved(self.session.document)) == undoable(end)


TestSessionMachine = SessionMachine.TestCase
TestSessionMachine.settings = settings(
    max_examples=300 if settings().max_examples >= 300 else 60,  # the profile of planted bugs looks longer
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
