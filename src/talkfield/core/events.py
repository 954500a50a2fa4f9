"""What a turn says while it runs (M6, M7). The kinds and their fields are those of the seeds, plus six of our own:
`note`, `finish`, `restart`, `retry`, `toolCard` and `toolOutput`.

Every event names its node, and its message where it is about one. `seq` is 0 as it leaves the runtime; the owner of
the transcript stamps the project's sequence number on it before any client sees it.
"""

from __future__ import annotations

import msgspec

from talkfield.core.card import Card
from talkfield.core.ids import CallId, MessageId, NodeId, TurnId
from talkfield.core.messages import (
    Attachment,
    CallStatus,
    DoneReason,
    Finish,
    Message,
    MessageCost,
    MessageError,
    ProviderState,
    ToolCall,
    Usage,
)


class Delta(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="delta"
):
    """Text was added to the reply."""

    node: NodeId
    message: MessageId
    text: str
    turn: TurnId | None = None
    seq: int = 0


class ThinkingDelta(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="thinking"
):
    """Text was added to the reply's thinking."""

    node: NodeId
    message: MessageId
    text: str
    turn: TurnId | None = None
    seq: int = 0


class UsageReported(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="usage"
):
    """The tokens of a provider call are known, and what they cost; `model` is the one that answered."""

    node: NodeId
    message: MessageId
    usage: Usage
    model: str | None = None
    provider: str | None = None
    cost: MessageCost | None = None
    turn: TurnId | None = None
    seq: int = 0


class ToolCalled(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="toolCall"
):
    """A call was asked for, or changed its state; the same `call.id` again updates one card (C3)."""

    node: NodeId
    message: MessageId
    call: ToolCall
    turn: TurnId | None = None
    seq: int = 0


class ToolReturned(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="toolResult"
):
    """A call has its final result; `status` is one of the four final ones."""

    node: NodeId
    message: MessageId
    call_id: CallId
    result: str
    status: CallStatus = "done"
    is_error: bool = False
    turn: TurnId | None = None
    seq: int = 0


class ToolCarded(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="toolCard"
):
    """What a person is shown of a call that waits for a decision; a later one replaces it (T6)."""

    node: NodeId
    message: MessageId
    call_id: CallId
    card: Card
    turn: TurnId | None = None
    seq: int = 0


class ToolSaid(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="toolOutput"
):
    """A running tool said more; it is no part of its result."""

    node: NodeId
    message: MessageId
    call_id: CallId
    text: str
    turn: TurnId | None = None
    seq: int = 0


class ToolShowed(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="toolFile"
):
    """A running tool gave a file to show, such as a picture; the model is not sent it (T10)."""

    node: NodeId
    message: MessageId
    call_id: CallId
    file: Attachment
    turn: TurnId | None = None
    seq: int = 0


class ContextAdded(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    tag_field="kind",
    tag="context-added",
):
    """A link put a message into the conversation (W2, L2)."""

    node: NodeId
    message: MessageId
    value: Message
    seq: int = 0


class NoteAdded(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="note"
):
    """The runtime tells the reader something (T2); it becomes a message of role `note`."""

    node: NodeId
    message: MessageId
    text: str
    turn: TurnId | None = None
    seq: int = 0


class MessageFinished(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="finish"
):
    """One provider call is over: how, and what its provider wants back with it (D11).

    `error` holds the provider's words for a refusal: the turn ends well, its reply does not.
    """

    node: NodeId
    message: MessageId
    finish: Finish | None = None
    error: MessageError | None = None
    provider_state: ProviderState | None = None
    turn: TurnId | None = None
    seq: int = 0


class MessageRestarted(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="restart"
):
    """The provider began its answer again from nothing: text and thinking of the message so far are void."""

    node: NodeId
    message: MessageId
    turn: TurnId | None = None
    seq: int = 0


class RetryWaiting(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="retry"
):
    """A provider call failed before its first event and is tried again at `retry_at`, epoch ms (D6)."""

    node: NodeId
    message: MessageId
    attempt: int
    retry_at: int
    reason: str
    turn: TurnId | None = None
    seq: int = 0


class Done(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="done"):
    """The turn is over and its node is free (R7). `error` says why when `reason` is `error`."""

    node: NodeId
    reason: DoneReason
    message: MessageId | None = None
    error: MessageError | None = None
    turn: TurnId | None = None
    seq: int = 0


ChatEvent = (
    Delta
    | ThinkingDelta
    | UsageReported
    | ToolCalled
    | ToolReturned
    | ToolCarded
    | ToolSaid
    | ToolShowed
    | ContextAdded
    | NoteAdded
    | MessageFinished
    | MessageRestarted
    | RetryWaiting
    | Done
)


def kind_of(event: ChatEvent) -> str:
    """The event's name on the wire."""
    return str(type(event).__struct_config__.tag)
