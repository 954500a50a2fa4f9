"""Doubles for the server's tests: an owner that does what a test says, a running server, and a browser.

The owner honours the contract of `workspace.base` with a real document and a real frame log; only what a command does
is scripted. The server is the real one, on a real socket of this machine. The browser keeps a mirror by the rules of
the channel and trusts nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from datetime import tzinfo
from typing import Any

import aiohttp
import msgspec
from msgspec.structs import replace

from talkfield import wire
from talkfield.core.audit import AuditQuery
from talkfield.core.changes import Append, Change, Frame, Put, Remove
from talkfield.core.document import Document
from talkfield.core.events import ChatEvent
from talkfield.core.exporting import FORMATS
from talkfield.core.ids import CallId, EdgeId, NodeId, ProjectId
from talkfield.core.messages import Attachment
from talkfield.core.nodes import ChatData
from talkfield.core.records import (
    MessageRecord,
    NodeRecord,
    ProjectRecord,
    Record,
    project_record_id,
    run_id,
    totals_id,
)
from talkfield.core.shelf import ShelfItem
from talkfield.errors import CommandRejected, InvalidArgument, SaveFailed, UnknownThing
from talkfield.server.app import TalkfieldApp, create_app
from talkfield.server.config import ServerConfig
from talkfield.server.serve import Server, address_of, bind
from talkfield.storage.base import UsageRow
from talkfield.storage.blobs import MemoryBlobs
from talkfield.storage.search import shelf_entry
from talkfield.wire.client import AddNode, ClientMessage, Command, Do, Hello, Ping, SaveRule
from talkfield.wire.server import Ack, Frames, Pong, Rejected, ServerMessage, Welcome
from talkfield.workspace.base import (
    FoundMessage,
    ImportPreview,
    KeptEntry,
    LinkView,
    LoggedCall,
    NodeView,
    Outcome,
    RuleTrial,
    TriedCall,
    Visit,
)
from talkfield.workspace.frame_log import FrameLog

TOKEN = "bearer-token-of-these-tests"
PROJECT = ProjectId("project-1")
NODE = NodeId("node-1")

Handler = Callable[["ScriptedSession", Command], Awaitable[Outcome]]


def chat(node: str = NODE, *, title: str = "") -> NodeRecord:
    return NodeRecord(id=NodeId(node), x=0, y=0, width=460, height=520, title=title, data=ChatData())


def message(id: str, content: str = "", **rest: Any) -> MessageRecord:
    given: dict[str, Any] = {"role": "assistant", "node_id": NODE, "index": 0, "ts": 0, **rest}
    return MessageRecord(id=id, content=content, **given)  # type: ignore[arg-type]


async def add_nodes(session: ScriptedSession, command: Command) -> Outcome:
    """What sessions do unless a test says otherwise: nodes are added, all else changes nothing."""
    if not isinstance(command, AddNode):
        return Outcome(seq=session.seq)
    if command.title == "refuse me":
        raise InvalidArgument("is not to be refused", place="title")
    made = f"made-{len(session.handled)}"
    session.commit(Put(replace(chat(made, title=command.title), x=command.x, y=command.y)), cause="addNode")
    return Outcome(seq=session.seq, made=(made,))


class ScriptedSession:
    """One project. `handler` does what commands ask; a test may also `commit` and `tell` by itself."""

    def __init__(
        self,
        *records: Record,
        project: ProjectId = PROJECT,
        epoch: str = "epoch-1",
        handler: Handler = add_nodes,
        max_frames: int = 10_000,
    ) -> None:
        self.project = project
        self.epoch = epoch
        self.handler = handler
        self.handled: list[Command] = []
        self.full = False
        self.shelved_items: list[ShelfItem] = []
        self.audited: list[LoggedCall] = []
        self.audit_queries: list[AuditQuery] = []
        self.visits: list[tuple[str, Mapping[str, Any], NodeId, float]] = []
        self.document = Document(records)
        self.log = FrameLog(epoch, max_frames=max_frames)
        self.subscribers: list[Callable[[Frame], None]] = []
        self.listeners: list[Callable[[ChatEvent], None]] = []

    @property
    def seq(self) -> int:
        return self.log.seq

    def snapshot(self) -> tuple[Record, ...]:
        return tuple(self.document)

    def since(self, epoch: str, seq: int) -> tuple[Frame, ...] | None:
        return self.log.since(epoch, seq)

    def subscribe(self, listener: Callable[[Frame], None]) -> Callable[[], None]:
        self.subscribers.append(listener)
        return lambda: self.subscribers.remove(listener)

    def listen(self, node: NodeId, listener: Callable[[ChatEvent], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    async def handle(self, command: Command) -> Outcome:
        self.handled.append(command)
        return await self.handler(self, command)

    def node(self, node: NodeId) -> NodeView:
        record = self.document.node(node)
        if record is None:
            raise UnknownThing(f"there is no node {node}")
        totals: Any = self.document.get(totals_id(node))
        return NodeView(
            project=self.project,
            node=record,
            messages=self.document.conversation(node),
            totals=totals,
            running=self.is_busy(node),
        )

    def nodes(self) -> tuple[NodeRecord, ...]:
        return self.document.nodes()

    def link_views(self) -> tuple[LinkView, ...]:
        return ()

    def link_view(self, edge: EdgeId) -> LinkView:
        raise UnknownThing(f"there is no link {edge}")

    def link_diff(self, edge: EdgeId) -> str:
        raise UnknownThing(f"there is no link {edge}")

    def is_busy(self, node: NodeId) -> bool:
        return run_id(node) in self.document

    async def durable(self) -> None:
        if self.full:
            raise SaveFailed("the disk is full")

    def export(self, format: str, nodes: Collection[NodeId], title: str) -> bytes:
        return FORMATS[format].write(self.document, nodes, title)

    async def audit(self, after: int = 0, limit: int = 1000) -> tuple[LoggedCall, ...]:
        return tuple(line for line in self.audited if line.row > after)[:limit]

    async def recent_audit(self, query: AuditQuery) -> tuple[LoggedCall, ...]:
        self.audit_queries.append(query)
        newest_first = reversed(self.audited)
        older = [line for line in newest_first if query.before is None or line.row < query.before]
        return tuple(older[: query.limit])

    async def ask_visitor(self, tool: str, arguments: Mapping[str, Any], node: NodeId, limit_s: float) -> Visit:
        self.visits.append((tool, arguments, node, limit_s))
        if arguments.get("text") == "wait":
            await asyncio.Event().wait()
        allowed = arguments.get("text") != "no"
        return Visit(allowed=allowed, args_json=json.dumps(arguments), why="" if allowed else "denied by user")

    async def project_files(self, like: str) -> tuple[str, ...]:
        return tuple(path for path in ("docs/plan.md", "notes.txt") if like in path)

    async def try_rule(self, rule: SaveRule, call: CallId | None = None) -> RuleTrial:
        tried = TriedCall(call=CallId("c1"), node=NODE, at=1, status="done", matched=True, summary=rule.pattern)
        calls = (tried, dataclass_replace(tried, asked=True))
        return RuleTrial(
            words=f"{rule.action} {rule.pattern}", calls=calls, fits=None if call is None else call == "c1"
        )

    async def shelf(self, text: str = "") -> tuple[KeptEntry, ...]:
        return tuple(shelf_entry(item, text.split()) for item in self.shelved_items if text in item.text)

    async def shelved(self, item: str) -> ShelfItem:
        for each in self.shelved_items:
            if each.id == item:
                return each
        raise UnknownThing("this is no longer on the shelf")

    def commit(self, *changes: Change, cause: str = "test") -> Frame:
        self.document.apply(changes)
        frame = Frame(self.seq + 1, cause, changes)
        self.log.add(frame)
        for subscriber in tuple(self.subscribers):
            subscriber(frame)
        return frame

    def tell(self, *events: ChatEvent) -> None:
        for event in events:
            for listener in tuple(self.listeners):
                listener(msgspec.structs.replace(event, seq=self.seq))


class Nothing:
    """The data of a studio that keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        raise CommandRejected("This canvas keeps nothing on the disk.")


class ScriptedStudio:
    """The projects of one data folder: the sessions it is given, the first the one opened last."""

    def __init__(self, *sessions: ScriptedSession) -> None:
        self.sessions = {session.project: session for session in sessions}
        self.folders: dict[ProjectId, str | None] = dict.fromkeys(self.sessions)
        self.closed = False
        self.blobs = MemoryBlobs()
        self.data = Nothing()
        self.saves = asyncio.Event()
        self.saves.set()

    def projects(self) -> tuple[ProjectRecord, ...]:
        return tuple(
            ProjectRecord(id=project_record_id(each), project=each, title=f"Title of {each}", folder=self.folders[each])
            for each in self.sessions
        )

    async def session(self, project: ProjectId | None = None) -> ScriptedSession:
        if project is None:
            return next(iter(self.sessions.values()))
        if project not in self.sessions:
            raise UnknownThing(f"there is no project {project}")
        return self.sessions[project]

    async def session_of(self, node: NodeId) -> ScriptedSession:
        for session in self.sessions.values():
            if node in session.document:
                return session
        raise UnknownThing(f"there is no node {node}")

    async def add_project(self, title: str, folder: str | None = None) -> ProjectRecord:
        if not title:
            raise InvalidArgument("must not be empty", place="title")
        project = ProjectId(f"project-{len(self.sessions) + 1}")
        self.sessions[project] = ScriptedSession(project=project)
        self.folders[project] = folder
        return ProjectRecord(id=project_record_id(project), project=project, title=title, folder=folder)

    async def open_folder(self, folder: str) -> ProjectRecord:
        known = next((project for project, each in self.folders.items() if each == folder), None)
        if known is None:
            return await self.add_project(folder.rpartition("/")[2], folder)
        return next(record for record in self.projects() if record.project == known)

    async def search(self, text: str, project: ProjectId | None = None, limit: int = 50) -> tuple[FoundMessage, ...]:
        if project is not None:
            await self.session(project)
        return tuple(
            FoundMessage(project=session.project, node=record.node_id, message=record.id, snippet=record.content)
            for session in self.sessions.values()
            if project in (None, session.project)
            for record in session.document
            if isinstance(record, MessageRecord) and text and text in record.content
        )[:limit]

    async def usage(self, *, since: int, zone: tzinfo) -> tuple[UsageRow, ...]:
        return ()

    async def preview_import(self, data: bytes) -> ImportPreview:
        return ImportPreview(id="file-1", source="ChatGPT", conversations=(), left_out=0)

    async def keep_file(self, name: str, media_type: str, data: bytes) -> Attachment:
        digest = self.blobs.put(data)
        return Attachment(id="file-1", name=name, media_type=media_type, size_bytes=len(data), digest=digest)

    async def file(self, digest: str) -> bytes:
        return self.blobs.get(digest)

    async def unsaved(self) -> str:
        return "" if self.saves.is_set() else "1 change could not be saved: the disk is full."

    async def saved(self) -> None:
        await self.saves.wait()

    async def close(self) -> None:
        self.closed = True


async def settled(condition: Callable[[], bool], within_s: float = 60) -> None:
    """Wait for what the outside world (a kernel buffer, a closed socket) brings about by itself."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@dataclass
class Running:
    """A server that runs, and a client for it. `http` sends the bearer token unless told otherwise."""

    app: TalkfieldApp
    server: Server
    address: str
    http: aiohttp.ClientSession

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def stop(self) -> None:
        self.server.stop()

    @contextlib.asynccontextmanager
    async def browser(self, **how: Any) -> AsyncIterator[Browser]:
        async with self.http.ws_connect(f"{self.url}/api/channel", max_msg_size=0, **how) as socket:
            yield Browser(socket)


@contextlib.asynccontextmanager
async def running(studio: Any, *, port: int = 0, **config: Any) -> AsyncIterator[Running]:
    """The real server over a studio, on a port that was free unless one is named."""
    listener = bind("127.0.0.1", port)
    app = create_app(studio, ServerConfig(port=listener.getsockname()[1], bearer_token=TOKEN, **config))
    is_ready = asyncio.Event()
    server = Server(app, ready=is_ready.set, signals=False)
    address = address_of(listener)
    serving = asyncio.create_task(server.serve([listener]))
    try:
        await is_ready.wait()
        async with aiohttp.ClientSession(headers={"authorization": f"Bearer {TOKEN}"}) as http:
            yield Running(app, server, address, http)
    finally:
        server.stop()
        await serving


class Gap(AssertionError):
    """A frame that does not follow the one before (CH5)."""


@dataclass
class Mirror:
    """What a browser has: records by id, as of `seq` of `epoch`."""

    project: ProjectId | None = None
    epoch: str | None = None
    seq: int = 0
    records: dict[str, Record] = field(default_factory=dict)

    def load(self, welcome: Welcome) -> None:
        if welcome.resumed:
            assert (welcome.project, welcome.epoch) == (self.project, self.epoch)
            return
        assert welcome.records is not None
        self.project, self.epoch, self.seq = welcome.project, welcome.epoch, welcome.seq
        self.records = {record.id: record for record in welcome.records}

    def apply(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            if (frame.first or frame.seq) != self.seq + 1:
                raise Gap(f"{frame.first or frame.seq} to {frame.seq} after {self.seq}")
            for change in frame.changes:
                self._change(change)
            self.seq = frame.seq

    def _change(self, change: Change) -> None:
        match change:
            case Put(value):
                self.records[value.id] = value
            case Append(id, name, text):
                record: Any = self.records[id]
                self.records[id] = replace(record, **{name: (getattr(record, name) or "") + text})
            case Remove(id):
                self.records.pop(id, None)

    def state(self) -> dict[str, Record]:
        return dict(sorted(self.records.items()))


def state_of(session: ScriptedSession) -> dict[str, Record]:
    """What a browser's mirror must come to."""
    return {record.id: record for record in sorted(session.document, key=lambda record: record.id)}


class Browser:
    """One WebSocket, and the mirror it keeps."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, mirror: Mirror | None = None) -> None:
        self.socket = socket
        self.mirror = mirror or Mirror()
        self.batches = 0

    async def say(self, message: ClientMessage) -> None:
        await self.socket.send_str(wire.encode(message).decode())

    async def hello(self, project: str | None = None, client: str | None = None, *, resume: bool = True) -> Welcome:
        """Say hello, from where the mirror is; returns the welcome, with the mirror loaded."""
        await self.say(
            Hello(
                protocol=wire.PROTOCOL_VERSION,
                project=None if project is None else ProjectId(project),
                epoch=self.mirror.epoch if resume else None,
                seq=self.mirror.seq if resume else None,
                client=client,
            )
        )
        welcome: Welcome = await self.until(Welcome, ignore=(Frames,))
        self.mirror.load(welcome)
        return welcome

    async def do(self, id: str, command: Command) -> None:
        await self.say(Do(id=id, command=command))

    async def hear(self) -> ServerMessage | aiohttp.WSMessage:
        """The next message; frames are applied to the mirror. At the end, the message that says so."""
        message = await asyncio.wait_for(self.socket.receive(), 60)
        if message.type is not aiohttp.WSMsgType.TEXT:
            return message
        return wire.decode_server(message.data)

    async def until(self, kind: type[Any], *, ignore: tuple[type[Any], ...] = ()) -> Any:
        """The next message of a kind; frames before it are applied."""
        while True:
            heard = await self.hear()
            if isinstance(heard, kind):
                return heard
            if isinstance(heard, Frames) and Frames not in ignore:
                self.batches += 1
                self.mirror.apply(heard.frames)
            elif not isinstance(heard, ignore):
                raise AssertionError(f"unexpected: {heard!r}")

    async def answers(self, count: int) -> list[Ack | Rejected]:
        return [await self.until((Ack, Rejected)) for _ in range(count)]  # type: ignore[arg-type]

    async def catch_up(self) -> None:
        """Apply everything that was sent until now."""
        await self.say(Ping())
        await self.until(Pong)

    async def follow(self, seq: int) -> None:
        """Apply frames until `seq`."""
        while self.mirror.seq < seq:
            frames: Frames = await self.until(Frames)
            self.batches += 1
            self.mirror.apply(frames.frames)

    async def end(self) -> int | None:
        """Wait for the end of the connection; its close code."""
        while True:
            heard = await self.hear()
            if isinstance(heard, aiohttp.WSMessage):
                return self.socket.close_code
            if isinstance(heard, Frames):
                self.mirror.apply(heard.frames)
