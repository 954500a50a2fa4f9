"""Records: everything a client can see, as flat values with an id.

A record of scope *document* is saved and undoable. A record of scope *session* is sent to every client and lives only
as long as the process: it is derived, or about this moment (architecture, sections 6 and 7).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import msgspec

from talkfield.core.budget_record import BudgetRecord as BudgetRecord
from talkfield.core.budget_record import budget_id as budget_id
from talkfield.core.card import Card
from talkfield.core.file_state import FileStateRecord as FileStateRecord
from talkfield.core.file_state import file_state_id as file_state_id
from talkfield.core.ids import CallId, EdgeId, MessageId, NodeId, ProjectId, ProviderId, RecordId, TurnId
from talkfield.core.link_record import LinkMemoryRecord as LinkMemoryRecord
from talkfield.core.link_record import LinkState as LinkState
from talkfield.core.link_record import LinkStatusRecord as LinkStatusRecord
from talkfield.core.link_record import link_memory_id as link_memory_id
from talkfield.core.link_record import link_status_id as link_status_id
from talkfield.core.links import LinkBehavior
from talkfield.core.messages import Attachment, CallStatus, FileKind, MessageBody, ModelInfo
from talkfield.core.nodes import FileData, NodeData
from talkfield.core.rule import Rule


class NodeRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="node"
):
    """A thing on the canvas. Place and size are canvas pixels.

    An empty title is filled from the first message (U15).
    """

    id: NodeId
    x: float
    y: float
    width: float
    height: float
    data: NodeData
    title: str = ""
    extra: dict[str, Any] = {}


EdgeKind = Literal["link", "lineage"]


class EdgeRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="edge"
):
    """A directed edge between two nodes; at most one per ordered pair.

    `lineage`: the target went on from the source's conversation; it carries nothing. A link carries what `behavior`
    says, None: nothing. `automatic`: when its source goes quiet. `pinned`: what it delivered stays as it is (L3).
    """

    id: EdgeId
    source: NodeId
    target: NodeId
    title: str = ""
    kind: EdgeKind = "link"
    behavior: LinkBehavior | None = None
    automatic: bool = False
    pinned: bool = False
    extra: dict[str, Any] = {}


class MessageRecord(MessageBody, frozen=True, kw_only=True, tag_field="record", tag="message"):
    """One message of one node. `index` orders the node's messages; gaps are allowed."""

    node_id: NodeId
    index: int


class ToolCallRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="toolCall"
):
    """One tool call of one message. `index` orders the calls of the message.

    `card` is what a person was shown to decide on; `output` what the tool said while it ran (T6), `files` what it gave
    to show besides its result (T10).
    """

    id: CallId
    node_id: NodeId
    message_id: MessageId
    index: int
    name: str
    args_json: str
    status: CallStatus
    wire_id: str = ""
    result: str | None = None
    is_error: bool = False
    card: Card | None = None
    output: str = ""
    files: tuple[Attachment, ...] = ()
    extra: dict[str, Any] = {}


class RuleRecord(Rule, frozen=True, kw_only=True, tag_field="record", tag="rule"):
    """A remembered decision about tool calls (T7). It is saved with its project, but no part of what undo takes back,
    and it never goes into the project's file: nobody's rules come with a pull.
    """


class QueuedRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="queued"
):
    """Something said while the chat was busy; it is sent when the turns before it are over (W12)."""

    id: MessageId
    node_id: NodeId
    index: int
    text: str
    ts: int
    attachments: tuple[Attachment, ...] = ()
    extra: dict[str, Any] = {}


RunPhase = Literal["waiting", "streaming", "awaiting", "tool", "retrying", "stopping"]
"""`waiting`: asked, nothing came yet. `awaiting`: a card is open. `retrying`: until `retry_at` (epoch ms)."""


class RunRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="run"
):
    """A node's live run; there is none when the node is idle (W5). `id` is `run:<node>`."""

    id: RecordId
    node_id: NodeId
    turn: TurnId
    phase: RunPhase
    started_at: int
    retry_at: int | None = None
    detail: str = ""


class TotalsRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="totals"
):
    """What a node's conversation used and cost so far (P5). `id` is `totals:<node>`.

    `label` is the cost in words: `$0.0123`, `n/a`, `at least $0.42 + 2 unpriced`. `context_tokens` is what the last
    provider call took up, `context_limit` the model's window where known.
    """

    id: RecordId
    node_id: NodeId
    input_tokens: int
    output_tokens: int
    usd: Decimal
    label: str
    unpriced: int = 0
    estimated: bool = False
    tokens_estimated: bool = False
    context_tokens: int = 0
    context_limit: int | None = None


class HistoryRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="history"
):
    """What undo and redo would do next, in words; None when there is nothing. `id` is `history`."""

    id: RecordId
    undo: str | None = None
    redo: str | None = None


class SaveRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="save"
):
    """Whether what is on screen is on disk (W9). `id` is `save`; `message` says what stands in the way."""

    id: RecordId
    state: Literal["saved", "failed"]
    message: str = ""


class PriceOverride(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The user's own price for models whose id starts with `prefix`, in USD per million tokens."""

    prefix: str
    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None


class NamedModel(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A model of a provider, by their ids."""

    provider: ProviderId
    model: str


class SettingsRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="settings"
):
    """The user's settings, the same in every project (W15). `id` is `settings`.

    `python_tools` names the entry points of installed packages whose tools chats may use. `hidden_models` are offered
    nowhere, but answer where they are named. Providers come in `provider_order`, those that it does not name after it.
    """

    id: RecordId
    theme: Literal["system", "light", "dark"] = "system"
    enter_behavior: Literal["queue", "send", "prompt"] = "queue"
    default_provider: ProviderId | None = None
    default_model: str | None = None
    max_provider_calls: int = 10
    python_tools: tuple[str, ...] = ()
    price_overrides: tuple[PriceOverride, ...] = ()
    hidden_models: tuple[NamedModel, ...] = ()
    provider_order: tuple[ProviderId, ...] = ()


ProviderOrigin = Literal["settings", "environment", "local", "discovered", "scripted"]

ProviderStatus = Literal["ready", "idle", "starting", "missing", "failed", "unknown"]
"""`idle`: starts when first used. `missing`: has to be installed first. `unknown`: not asked yet."""


class ProviderRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="provider"
):
    """A configured endpoint, without its key (X2). `id` is `provider:<provider>`.

    `key_hint` is at most the key's last four characters. `message` says what is wrong or what to do about `status`.
    `is_default`: it answers where a chat names no provider. `takes`: kinds of files that can be sent to it.
    `place`: its place among all, from 0.
    """

    id: RecordId
    provider: ProviderId
    name: str
    api: str
    base_url: str
    origin: ProviderOrigin
    status: ProviderStatus
    model: str | None = None
    models: tuple[ModelInfo, ...] = ()
    takes: tuple[FileKind, ...] = ("text",)
    key_hint: str = ""
    message: str = ""
    is_default: bool = False
    place: int = 0


ProjectState = Literal["active", "archived", "binned"]
"""`archived`: out of the way. `binned`: out of use, to be destroyed some day."""


class ProjectRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="project"
):
    """A project this process owns. `id` is `project:<project>`; `folder` is where its file is, None without one.

    `live` of its chats answer, `waiting` cards wait for a person: what other projects are told of this one. In its own
    document both are 0, for there its runs and calls say so; and nothing goes on in one that nobody has opened.
    """

    id: RecordId
    project: ProjectId
    title: str
    folder: str | None = None
    state: ProjectState = "active"
    live: int = 0
    waiting: int = 0


ToolServerStatus = Literal["asking", "refused", "off", "idle", "starting", "ready", "failed"]
"""`asking`: a project's file names it, and nobody has said yet whether it may start. `idle`: starts when needed."""


class ToolServerRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="toolServer"
):
    """A server of tools, without what may be secret about it (T10). `id` is `toolServer:<origin>:<name>`.

    Tools of an installed Python package have a record here, too: `origin` is then `python`. `what` is the server's
    command line or address as visible text, `names` those of its environment variables and headers. `read_only` are
    the tools that the server says only read, which decides nothing.
    `digest` is what a decision about a project's file has to name. `message` says what is wrong, or what was left out.
    """

    id: RecordId
    name: str
    origin: Literal["settings", "project", "python"]
    status: ToolServerStatus
    what: str
    names: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    message: str = ""
    digest: str = ""


class VisitorCallRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="visitorCall"
):
    """Something that a program outside wants to do on this canvas, while it waits for a person (T10).

    It is decided like a tool call. `node_id` is the chat it is about, empty where it is about none.
    """

    id: CallId
    node_id: NodeId
    name: str
    args_json: str
    card: Card
    at: int


class WorkRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="work"
):
    """Something that takes a while, while it does, for everyone to see: `done` of `total`, which is 0 while unknown."""

    id: RecordId
    what: str
    done: int = 0
    total: int = 0


DocumentRecord = (
    NodeRecord
    | EdgeRecord
    | LinkMemoryRecord
    | MessageRecord
    | ToolCallRecord
    | QueuedRecord
    | RuleRecord
    | BudgetRecord
)
SessionRecord = (
    RunRecord
    | TotalsRecord
    | LinkStatusRecord
    | FileStateRecord
    | HistoryRecord
    | SaveRecord
    | SettingsRecord
    | ProviderRecord
    | ToolServerRecord
    | ProjectRecord
    | VisitorCallRecord
    | WorkRecord
)
Record = DocumentRecord | SessionRecord

DOCUMENT_TYPES: frozenset[type[Any]] = frozenset(
    {NodeRecord, EdgeRecord, LinkMemoryRecord, MessageRecord, ToolCallRecord, QueuedRecord, RuleRecord, BudgetRecord}
)


def in_document(record: Record) -> bool:
    """Whether the record is saved and undoable."""
    return type(record) in DOCUMENT_TYPES


def node_name(node: NodeRecord) -> str:
    """What a node is called: its title, or the path of a file that has none; empty where it has no name."""
    return node.title or (node.data.path if isinstance(node.data, FileData) else "")


def run_id(node: NodeId) -> RecordId:
    return RecordId(f"run:{node}")


def totals_id(node: NodeId) -> RecordId:
    return RecordId(f"totals:{node}")


def provider_record_id(provider: ProviderId) -> RecordId:
    return RecordId(f"provider:{provider}")


def tool_server_record_id(origin: str, name: str) -> RecordId:
    return RecordId(f"toolServer:{origin}:{name}")


def project_record_id(project: ProjectId) -> RecordId:
    return RecordId(f"project:{project}")


HISTORY_ID = RecordId("history")
SAVE_ID = RecordId("save")
SETTINGS_ID = RecordId("settings")
