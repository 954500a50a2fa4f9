"""What a browser may say. Decoded strictly: an unknown field or type is refused (X5).

A `Do` carries one command; every command is one struct here and one function in `workspace/handlers.py`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.ids import MessageId, NodeId, ProjectId, ProviderId
from talkfield.core.messages import Attachment
from talkfield.core.nodes import NodeColor
from talkfield.core.nodes.chat import ChatParameters
from talkfield.core.provider_api import Api
from talkfield.core.records import NamedModel, PriceOverride
from talkfield.wire.branch_command import BranchChat as BranchChat
from talkfield.wire.branch_command import FanOut as FanOut
from talkfield.wire.branch_command import MergeNodes as MergeNodes
from talkfield.wire.branch_command import Recipient as Recipient
from talkfield.wire.branch_command import WhenFull as WhenFull
from talkfield.wire.budget_command import SetBudget as SetBudget
from talkfield.wire.canvas_command import DuplicateNodes as DuplicateNodes
from talkfield.wire.canvas_command import EditGroup as EditGroup
from talkfield.wire.canvas_command import FoldChats as FoldChats
from talkfield.wire.command import CommandBase
from talkfield.wire.link_command import AddEdge as AddEdge
from talkfield.wire.link_command import EditLink as EditLink
from talkfield.wire.link_command import RemoveEdges as RemoveEdges
from talkfield.wire.link_command import RunLink as RunLink
from talkfield.wire.link_command import SummarizeLink as SummarizeLink
from talkfield.wire.project_command import CancelWork as CancelWork
from talkfield.wire.project_command import DeleteProject as DeleteProject
from talkfield.wire.project_command import DuplicateProject as DuplicateProject
from talkfield.wire.project_command import ImportConversations as ImportConversations
from talkfield.wire.project_command import MoveProject as MoveProject
from talkfield.wire.tool_command import DecideCall as DecideCall
from talkfield.wire.tool_command import DecideToolServers as DecideToolServers
from talkfield.wire.tool_command import EnableToolServer as EnableToolServer
from talkfield.wire.tool_command import Remember as Remember
from talkfield.wire.tool_command import RemoveRule as RemoveRule
from talkfield.wire.tool_command import RemoveToolServer as RemoveToolServer
from talkfield.wire.tool_command import RestartToolServer as RestartToolServer
from talkfield.wire.tool_command import SaveRule as SaveRule
from talkfield.wire.tool_command import SaveToolServer as SaveToolServer
from talkfield.wire.tool_command import SwitchTools as SwitchTools


class AddNode(CommandBase, frozen=True, kw_only=True, tag="addNode"):
    """Put a new node on the canvas with its top left corner at (x, y). The ack's `made` holds its id."""

    kind: Literal["chat", "sticky", "group", "file"]
    x: float
    y: float
    width: float | None = None
    height: float | None = None
    title: str = ""
    provider: ProviderId | None = None
    model: str | None = None
    system: str = ""
    text: str = ""
    path: str = ""
    """Of a file: where it is, below the project's folder."""


class NodePlace(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Where a node is now; width and height only when they changed."""

    id: NodeId
    x: float
    y: float
    width: float | None = None
    height: float | None = None


class PlaceNodes(CommandBase, frozen=True, kw_only=True, tag="placeNodes"):
    """Move or resize nodes, at the end of the gesture: one undo entry for all of them. `why` names it for people."""

    places: tuple[NodePlace, ...]
    why: Literal["move", "tidy"] = "move"


class RenameNode(CommandBase, frozen=True, kw_only=True, tag="renameNode"):
    """Set a node's title; empty lets the first message name it."""

    node: NodeId
    title: str


class RemoveNodes(CommandBase, frozen=True, kw_only=True, tag="removeNodes"):
    """Close nodes; their edges go with them, and a running reply is stopped first (UN5)."""

    nodes: tuple[NodeId, ...]


class ConfigureChat(CommandBase, frozen=True, kw_only=True, tag="configureChat"):
    """Set what a chat asks with. None leaves a value as it is; an empty string resets it to the default."""

    node: NodeId
    provider: str | None = None
    model: str | None = None
    system: str | None = None
    parameters: ChatParameters | None = None
    """All of them at once."""


class SaveDraft(CommandBase, frozen=True, kw_only=True, tag="saveDraft"):
    """Remember what stands unsent in a chat's composer (U10). No undo entry."""

    node: NodeId
    text: str
    attachments: tuple[Attachment, ...] = ()


class EditSticky(CommandBase, frozen=True, kw_only=True, tag="editSticky"):
    """Set a sticky note's text or colour; None leaves it as it is."""

    node: NodeId
    text: str | None = None
    color: NodeColor | None = None


class EditFile(CommandBase, frozen=True, kw_only=True, tag="editFile"):
    """Let a file node show another file of the project."""

    node: NodeId
    path: str


class SendMessage(CommandBase, frozen=True, kw_only=True, tag="sendMessage"):
    """Say something in a chat. A slash command is run on the spot instead (C5, C10).

    `when_busy` says what happens while a reply runs, None: what Settings say (W12). `queue`: it is sent when the
    turns before it are over; `send`: the reply is stopped, then it is sent; `prompt`: it is refused. `attachments` are
    files that were uploaded before; with one of them, the text may be empty (U11).
    """

    node: NodeId
    text: str
    attachments: tuple[Attachment, ...] = ()
    when_busy: Literal["queue", "send", "prompt"] | None = None
    when_full: WhenFull | Literal["branch"] = "ask"
    """What happens where the chat is more than the model can take in (C7). `branch`: it is said in a new chat beside
    this one, which goes on from the newest turns that fit; the ack's `made` holds that chat.
    """


class EditQueued(CommandBase, frozen=True, kw_only=True, tag="editQueued"):
    """Change what waits to be sent: its text, or its place in the queue (from 0); None leaves it as it is (W12)."""

    queued: MessageId
    text: str | None = None
    place: int | None = None


class RemoveQueued(CommandBase, frozen=True, kw_only=True, tag="removeQueued"):
    """Take something out of the queue; the ack hands its text back to the composer (W12)."""

    queued: MessageId


class SendQueued(CommandBase, frozen=True, kw_only=True, tag="sendQueued"):
    """Send what waits first in a chat now; it waits by itself only while a reply runs (W12)."""

    node: NodeId


class StopTurn(CommandBase, frozen=True, kw_only=True, tag="stopTurn"):
    """End the chat's running reply; what came is kept (R10). Nothing runs: nothing happens.

    What was queued goes back to the composer: the ack's `text` (W12).
    """

    node: NodeId


class RetryTurn(CommandBase, frozen=True, kw_only=True, tag="retryTurn"):
    """Ask again for the last user message; a failed attempt is replaced, a whole reply kept as a branch (W13).

    `when_full`: as in `SendMessage`.
    """

    node: NodeId
    when_full: WhenFull = "ask"


class RegenerateReply(CommandBase, frozen=True, kw_only=True, tag="regenerateReply"):
    """Ask anew for what `message` answers; it and all after it is kept as a branch beside the chat (W13).

    The ack's `made` holds the branch's node, where there was something to keep. `when_full`: as in `SendMessage`.
    """

    message: MessageId
    when_full: WhenFull = "ask"


class EditMessage(CommandBase, frozen=True, kw_only=True, tag="editMessage"):
    """Say something else in place of a message of one's own, and ask with it; what it replaces is kept as a branch
    beside the chat (W13). The ack's `made` holds the branch's node, where there was something to keep.
    `when_full`: as in `SendMessage`.
    """

    message: MessageId
    text: str
    when_full: WhenFull = "ask"


class ContinueTurn(CommandBase, frozen=True, kw_only=True, tag="continueTurn"):
    """Go on with an interrupted turn, or one that reached a limit, from where it stands (R14, T2, P8).

    `trim`: without its oldest turns, so that it fits into the limits on spending.
    """

    node: NodeId
    trim: bool = False


class RemoveMessage(CommandBase, frozen=True, kw_only=True, tag="removeMessage"):
    """Take one message out of a chat, its tool calls with it."""

    message: MessageId


class RestoreShelved(CommandBase, frozen=True, kw_only=True, tag="restoreShelved"):
    """Bring back what was taken away, as a new chat beside where it was (W14). The ack's `made` holds its id."""

    item: str


class DiscardShelved(CommandBase, frozen=True, kw_only=True, tag="discardShelved"):
    """Destroy something on the shelf for good."""

    item: str


class Undo(CommandBase, frozen=True, kw_only=True, tag="undo"):
    """Take back the last recorded change, for every client at once (W4)."""


class Redo(CommandBase, frozen=True, kw_only=True, tag="redo"):
    """Bring back what was undone last."""


class SaveProvider(CommandBase, frozen=True, kw_only=True, tag="saveProvider"):
    """Add a provider, or change the one named. `key` None keeps the stored one, empty removes it."""

    name: str
    api: Api
    base_url: str
    provider: ProviderId | None = None
    model: str | None = None
    key: str | None = None


class RemoveProvider(CommandBase, frozen=True, kw_only=True, tag="removeProvider"):
    """Forget a provider and its key."""

    provider: ProviderId


class RefreshProvider(CommandBase, frozen=True, kw_only=True, tag="refreshProvider"):
    """Ask a provider for its models again; also its test: the outcome shows in its record."""

    provider: ProviderId


class ChangeSettings(CommandBase, frozen=True, kw_only=True, tag="changeSettings"):
    """Change settings; None leaves a value as it is, an empty string resets it."""

    theme: Literal["system", "light", "dark"] | None = None
    enter_behavior: Literal["queue", "send", "prompt"] | None = None
    default_provider: str | None = None
    default_model: str | None = None
    price_overrides: tuple[PriceOverride, ...] | None = None
    python_tools: tuple[str, ...] | None = None
    hidden_models: tuple[NamedModel, ...] | None = None
    provider_order: tuple[ProviderId, ...] | None = None


class AddProject(CommandBase, frozen=True, kw_only=True, tag="addProject"):
    """Start a new, empty project. The ack's `made` holds its id."""

    title: str


class RenameProject(CommandBase, frozen=True, kw_only=True, tag="renameProject"):
    """Set a project's title."""

    project: ProjectId
    title: str


Command = (
    AddNode
    | PlaceNodes
    | DuplicateNodes
    | FoldChats
    | EditGroup
    | RenameNode
    | RemoveNodes
    | ConfigureChat
    | SaveDraft
    | EditSticky
    | EditFile
    | SendMessage
    | EditQueued
    | RemoveQueued
    | SendQueued
    | StopTurn
    | RetryTurn
    | RegenerateReply
    | EditMessage
    | ContinueTurn
    | BranchChat
    | FanOut
    | MergeNodes
    | DecideCall
    | SaveRule
    | RemoveRule
    | RemoveMessage
    | RestoreShelved
    | DiscardShelved
    | AddEdge
    | EditLink
    | RunLink
    | SummarizeLink
    | RemoveEdges
    | SetBudget
    | Undo
    | Redo
    | SaveProvider
    | RemoveProvider
    | RefreshProvider
    | SwitchTools
    | SaveToolServer
    | EnableToolServer
    | RemoveToolServer
    | DecideToolServers
    | RestartToolServer
    | ChangeSettings
    | AddProject
    | RenameProject
    | MoveProject
    | DuplicateProject
    | DeleteProject
    | ImportConversations
    | CancelWork
)


class Hello(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="type",
    tag="hello",
):
    """First message of a connection (CH1), and again to change project. With `epoch` and `seq`: go on from there.

    `client` names the page for as long as it is loaded, over all its connections: answers to its commands are
    remembered under it (CH9). Made up anew at each load, never stored: two tabs may not share one.
    """

    protocol: int
    project: ProjectId | None = None
    epoch: str | None = None
    seq: int | None = None
    client: str | None = None


class Do(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="type",
    tag="do",
):
    """Ask for something. `id` is unique for the tab: the same id again is answered again, not done again (CH9)."""

    id: str
    command: Command


class Ping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="ping"):
    """Are you there? (CH10)"""


ClientMessage = Hello | Do | Ping
