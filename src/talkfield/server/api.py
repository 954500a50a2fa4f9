"""The bodies and answers of the HTTP API, as scripts see them. `openapi.py` describes them; `http.py` fills them."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import msgspec

from talkfield.core.ids import CallId, NodeId, ProjectId, ProviderId
from talkfield.core.messages import DoneReason, Message, MessageError
from talkfield.core.records import NodeRecord, ProjectRecord
from talkfield.server.error import ErrorBody
from talkfield.server.visibility import visible_message
from talkfield.wire.client import Remember, WhenFull
from talkfield.workspace.base import KeptEntry, NodeView


class Body(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """Base of what scripts send: strict, so that a misspelt field is told and not ignored (X5)."""


class NewProject(Body, frozen=True, kw_only=True):
    """A project to start. `folder` is where its file is kept and its tools may work; it has to exist.

    With a folder and no title: the project that the folder has already, or a new one named after it.
    """

    title: str = ""
    folder: str | None = None


class NewNode(Body, frozen=True, kw_only=True):
    """A chat to put on the canvas. Without a place it stands to the right of everything else."""

    kind: Literal["chat"] = "chat"
    title: str = ""
    provider: ProviderId | None = None
    model: str | None = None
    system: str = ""
    x: float | None = None
    y: float | None = None


class NewMessage(Body, frozen=True, kw_only=True):
    """What to say in a chat. A slash command is run on the spot instead.

    `when_full`: what becomes of a chat that is more than the model can take in (C7). `ask`: it is refused as
    `context_full` and nothing has changed; `trim`: the oldest turns are left out this time; `send`: all of it goes.
    """

    text: str
    when_full: WhenFull = "ask"


class Decision(Body, frozen=True, kw_only=True):
    """What a person decided about one awaiting tool call (T5, T6), and what to remember of it (T7)."""

    call: CallId
    decision: Literal["approve", "deny"]
    args_json: str | None = None
    reason: str = ""
    digest: str | None = None
    remember: Remember | None = None


class Nothing(Body, frozen=True, kw_only=True):
    """An empty object: there is nothing to say but that it is asked."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of what scripts are told."""


class Health(Answer, frozen=True, kw_only=True):
    """The server is there."""

    ok: bool
    version: str


class Project(Answer, frozen=True, kw_only=True):
    """A project of this data folder."""

    id: ProjectId
    title: str
    folder: str | None = None


class ProjectList(Answer, frozen=True, kw_only=True):
    """All projects, the one opened last first."""

    projects: tuple[Project, ...]


class ProjectDetail(Answer, frozen=True, kw_only=True):
    """A project and the nodes on its canvas. `seq` is the number of its last change."""

    project: Project
    nodes: tuple[NodeRecord, ...]
    seq: int


class ConversationUsage(Answer, frozen=True, kw_only=True):
    """Tokens of a whole conversation. `context_tokens` is what its last provider call took up."""

    input_tokens: int
    output_tokens: int
    context_tokens: int = 0
    context_limit: int | None = None
    estimated: bool = False


class ConversationCost(Answer, frozen=True, kw_only=True):
    """What a whole conversation cost (P5). `label` says it in words; `usd` is exact."""

    usd: Decimal
    label: str
    unpriced: int = 0
    estimated: bool = False


class NodeDetail(Answer, frozen=True, kw_only=True):
    """A node with its conversation. `usage` and `cost` are there once something was asked."""

    project: ProjectId
    node: NodeRecord
    messages: tuple[Message, ...]
    running: bool
    usage: ConversationUsage | None = None
    cost: ConversationCost | None = None


class TurnAnswer(Answer, frozen=True, kw_only=True):
    """How a turn ended, and its messages. `ok` is false when it ran and failed; `error` then says why."""

    ok: bool
    messages: tuple[Message, ...]
    stop_reason: DoneReason
    error: ErrorBody | None = None


class Completed(Answer, frozen=True, kw_only=True):
    """It is done; `seq` is the number of the change that includes it."""

    ok: bool
    seq: int


class ShelfEntry(Answer, frozen=True, kw_only=True):
    """Something that was taken out of a project and can be brought back (W14). `messages` is their count."""

    id: str
    node: NodeId
    title: str
    why: str
    taken_at: int
    messages: int
    snippet: str


class ShelfList(Answer, frozen=True, kw_only=True):
    """What was taken out of a project, newest first."""

    items: tuple[ShelfEntry, ...]


class Launch(Answer, frozen=True, kw_only=True):
    """A link that opens the web UI, once."""

    url: str


def project_of(record: ProjectRecord) -> Project:
    return Project(id=record.project, title=record.title, folder=record.folder)


def error_of(error: MessageError) -> ErrorBody:
    return ErrorBody(code=error.code, message=error.message, hint=error.hint)


def node_detail(view: NodeView) -> NodeDetail:
    totals = view.totals
    return NodeDetail(
        project=view.project,
        node=view.node,
        messages=tuple(visible_message(message) for message in view.messages),
        running=view.running,
        usage=None
        if totals is None
        else ConversationUsage(
            input_tokens=totals.input_tokens,
            output_tokens=totals.output_tokens,
            context_tokens=totals.context_tokens,
            context_limit=totals.context_limit,
            estimated=totals.tokens_estimated,
        ),
        cost=None
        if totals is None
        else ConversationCost(usd=totals.usd, label=totals.label, unpriced=totals.unpriced, estimated=totals.estimated),
    )


def shelf_entry_of(entry: KeptEntry) -> ShelfEntry:
    return ShelfEntry(
        id=entry.id,
        node=entry.node,
        title=entry.title,
        why=entry.why,
        taken_at=entry.taken_at,
        messages=entry.messages,
        snippet=entry.snippet,
    )
