"""What the server may ask of the owner: the surface of `Studio` and `Session`, so that it can be read on one screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import PurePath
from typing import Any, Protocol

from talkfield.core.audit import AuditQuery
from talkfield.core.changes import Frame
from talkfield.core.events import ChatEvent
from talkfield.core.ids import CallId, EdgeId, NodeId, ProjectId
from talkfield.core.messages import Attachment, CallStatus, Message
from talkfield.core.records import (
    EdgeRecord,
    LinkMemoryRecord,
    LinkStatusRecord,
    NodeRecord,
    ProjectRecord,
    Record,
    TotalsRecord,
)
from talkfield.core.shelf import ShelfItem
from talkfield.storage.base import AuditLine, Backup, DataState, SearchHit, ShelfEntry, UsageRow
from talkfield.wire.client import Command, SaveRule

LoggedCall = AuditLine
"""An entry of the audit log and its place in it."""

KeptEntry = ShelfEntry
"""An item of the shelf in a list."""

FoundMessage = SearchHit
"""A message that matches a search, with a piece of it."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command did: ids it made, text it hands back to a composer, and the `seq` that includes its effects."""

    seq: int
    made: tuple[str, ...] = ()
    text: str | None = None
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NodeView:
    """One node as a script sees it: the record, its whole conversation, what it used and cost, whether it runs."""

    project: ProjectId
    node: NodeRecord
    messages: tuple[Message, ...]
    totals: TotalsRecord | None
    running: bool


@dataclass(frozen=True, kw_only=True)
class TriedCall:
    """A call that was made, and whether a rule would have decided it (T7).

    `asked`: the rule is about it, and a person would have been asked all the same. `summary` is the call's arguments
    as visible text; `at` is epoch milliseconds.
    """

    call: CallId
    node: NodeId
    at: int
    status: CallStatus
    matched: bool
    summary: str
    asked: bool = False


@dataclass(frozen=True, kw_only=True)
class RuleTrial:
    """A rule in words, and what it would have said to the last 100 calls of its tool, the newest first (T7).

    `fits`: whether it would answer for the call at hand, and so could be saved from its card; None: there is none.
    """

    words: str
    calls: tuple[TriedCall, ...]
    fits: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Whether a program outside may do what it asked for, with which arguments; `why` not (T10)."""

    allowed: bool
    args_json: str
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class LinkView:
    """One link with what is known of it; `memory` None before it first ran."""

    edge: EdgeRecord
    status: LinkStatusRecord
    memory: LinkMemoryRecord | None
    source_title: str
    target_title: str


@dataclass(frozen=True, kw_only=True)
class ConversationPreview:
    """A conversation of a file: how long its main path is, how many branches it has, and how many were too many."""

    title: str
    created_at: int
    messages: int
    branches: int
    left_out: int


@dataclass(frozen=True, kw_only=True)
class ImportPreview:
    """What a file of another chat tool holds (U13)."""

    id: str
    source: str
    conversations: tuple[ConversationPreview, ...]
    left_out: int


@dataclass(frozen=True, kw_only=True)
class Archive:
    """A file that was made and waits to be fetched."""

    id: str
    name: str


class DataLike(Protocol):
    """Everything as one file, out and in (ST10). All of it raises `CommandRejected` where nothing is kept."""

    async def state(self) -> DataState:
        """Where everything is, and how large."""
        ...

    async def back_up(self) -> Archive:
        """Make a backup of everything but keys. Raises `SaveFailed`, `WorkCancelled`."""
        ...

    async def export_all(self) -> Archive:
        """Every project as JSON and as Markdown. Raises `SaveFailed`, `WorkCancelled`."""
        ...

    def fetch(self, archive: str) -> PurePath:
        """Where the file is that was made last; whoever asks first has it. Raises `UnknownThing`."""
        ...

    async def take_in(self, data: AsyncIterator[bytes]) -> Backup:
        """Check a backup, and keep it until a person has decided. Raises `InvalidArgument`, `WorkCancelled`, …"""
        ...

    async def restore(self, backup: str) -> None:
        """Let it take the place of what is here when Talkfield next starts. Raises `NothingToDo`."""
        ...

    async def keep(self) -> None:
        """Restore nothing after all."""
        ...


class SessionLike(Protocol):
    """One open project: its document, its frames, its runs. Everything happens on the event loop, in order."""

    project: ProjectId
    epoch: str

    @property
    def seq(self) -> int:
        """Sequence number of the last frame; 0 before the first."""
        ...

    def snapshot(self) -> tuple[Record, ...]:
        """Every record as of `seq`."""
        ...

    def since(self, epoch: str, seq: int) -> tuple[Frame, ...] | None:
        """Frames after `seq` of `epoch`; None: take a snapshot (CH3)."""
        ...

    def subscribe(self, listener: Callable[[Frame], None]) -> Callable[[], None]:
        """Call `listener` with each new frame, synchronously at its commit; the result ends that (CH2)."""
        ...

    def listen(self, node: NodeId, listener: Callable[[ChatEvent], None]) -> Callable[[], None]:
        """Call `listener` with each chat event of a node, stamped with its `seq` (M7); the result ends that."""
        ...

    async def handle(self, command: Command) -> Outcome:
        """Do what a command asks. Raises a `TalkfieldError`; then nothing has changed."""
        ...

    def node(self, node: NodeId) -> NodeView:
        """One node with its conversation. Raises `UnknownThing`."""
        ...

    def nodes(self) -> tuple[NodeRecord, ...]:
        """All nodes of the project."""
        ...

    def link_views(self) -> tuple[LinkView, ...]:
        """The links of the project (L1)."""
        ...

    def link_view(self, edge: EdgeId) -> LinkView:
        """One link. Raises `UnknownThing`."""
        ...

    def link_diff(self, edge: EdgeId) -> str:
        """How what a link added differs from what it would add now (L3). Raises `UnknownThing`."""
        ...

    def is_busy(self, node: NodeId) -> bool:
        """Whether a run is live in this node."""
        ...

    async def durable(self) -> None:
        """Return when everything that has changed so far is on the disk. Raises `SaveFailed` (ST1)."""
        ...

    def export(self, format: str, nodes: Collection[NodeId], title: str) -> bytes:
        """Nodes as a file in one of `core.exporting.FORMATS`."""
        ...

    async def audit(self, after: int = 0, limit: int = 1000) -> tuple[LoggedCall, ...]:
        """Tool calls that ran or were denied, in order, from the one after place `after` on (T8)."""
        ...

    async def recent_audit(self, query: AuditQuery) -> tuple[LoggedCall, ...]:
        """Tool calls that ran or were denied and that fit, the newest first (T8)."""
        ...

    async def ask_visitor(self, tool: str, arguments: Mapping[str, Any], node: NodeId, limit_s: float) -> Visit:
        """Whether a program outside may do this: by a rule, else by a person. `node` is empty where it is about none.

        Cancelled, its card goes.
        """
        ...

    async def project_files(self, like: str) -> tuple[str, ...]:
        """Paths of files in the project's folder that hold `like`; none without a folder."""
        ...

    async def try_rule(self, rule: SaveRule, call: CallId | None = None) -> RuleTrial:
        """What a rule would have said to the last 100 calls of its tool. Raises `InvalidArgument`; keeps nothing."""
        ...

    async def shelf(self, text: str = "") -> tuple[KeptEntry, ...]:
        """What was taken out of this project, newest first; with `text`, what contains its words (W14)."""
        ...

    async def shelved(self, item: str) -> ShelfItem:
        """One item of the shelf, whole. Raises `UnknownThing`."""
        ...


class StudioLike(Protocol):
    """All projects of one data folder. A project is loaded when it is first asked for."""

    @property
    def data(self) -> DataLike:
        """Everything as one file."""
        ...

    def projects(self) -> tuple[ProjectRecord, ...]:
        """All projects, the one opened last first; there is always at least one."""
        ...

    async def session(self, project: ProjectId | None = None) -> SessionLike:
        """The open project, loaded if need be; None: the last opened. Raises `UnknownThing`, `ProjectUnreadable`."""
        ...

    async def session_of(self, node: NodeId) -> SessionLike:
        """The project that holds a node. Raises `UnknownThing`."""
        ...

    async def add_project(self, title: str, folder: str | None = None) -> ProjectRecord:
        """Start a new, empty project. Raises `InvalidArgument`."""
        ...

    async def open_folder(self, folder: str) -> ProjectRecord:
        """The project of a folder, made where there is none; it is the one opened last afterwards."""
        ...

    async def search(self, text: str, project: ProjectId | None = None, limit: int = 50) -> tuple[FoundMessage, ...]:
        """Messages with all words of `text`, best first, of one project or all; opens none (ST8).

        Raises `UnknownThing`, `ProjectUnreadable`.
        """
        ...

    async def usage(self, *, since: int, zone: tzinfo) -> tuple[UsageRow, ...]:
        """What was used since a moment (epoch ms), by days of `zone`, newest first (U12)."""
        ...

    async def preview_import(self, data: bytes) -> ImportPreview:
        """Read the file of another chat tool; nothing is added (U13). Raises `InvalidArgument`."""
        ...

    async def keep_file(self, name: str, media_type: str, data: bytes) -> Attachment:
        """Keep a file's bytes; the value that a message can carry. Raises `InvalidArgument`, `SaveFailed`."""
        ...

    async def file(self, digest: str) -> bytes:
        """The bytes of an attachment. Raises `UnknownThing`, `ProjectUnreadable`."""
        ...

    async def unsaved(self) -> str:
        """Try to save; what is not and why, in words for a person, empty when everything is saved (W9)."""
        ...

    async def saved(self) -> None:
        """Return once saving works again; it is tried again and again by itself."""
        ...

    async def close(self) -> None:
        """Stop every run, save everything, give back every resource; twice is once."""
        ...
