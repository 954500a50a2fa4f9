"""What a message may contain (M1, M2, M3, M5). Values only: who stores them and where is no concern of this module.

Python names are snake_case; JSON names are camelCase. Fields at their default are left out of the JSON, so a message
without tool calls has no `toolCalls` (M1).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, TypeGuard, get_args

import msgspec

from talkfield.core.ids import CallId, EdgeId, MessageId, NodeId, TurnId

Role = Literal["user", "assistant", "system", "tool", "note"]
"""`note` is for the reader only: it persists, is shown, and is never sent to a provider (C4)."""

ROLES: frozenset[Role] = frozenset(get_args(Role))

Finish = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "cut"]
"""How one provider call ended. `cut`: it broke off (network, stop of the process); the partial text is kept (D4)."""

CallStatus = Literal["awaiting", "running", "done", "error", "denied", "cancelled"]
"""`awaiting`: a person has to decide. `running`: accepted, no result yet. The other four are final."""

FINAL_STATUSES: frozenset[CallStatus] = frozenset({"done", "error", "denied", "cancelled"})

DoneReason = Literal["end_turn", "stopped", "error", "max_iterations"]
"""How a turn ended (M6, R11)."""


def is_valid_role(role: object) -> TypeGuard[Role]:
    """Whether this is a role a message may have: the one test for it, so a new role is added in one place."""
    return isinstance(role, str) and role in ROLES


class Usage(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Tokens of one provider call, in one meaning for every provider (M5).

    `input_tokens` is all input, cached included; `cache_read_tokens` and `cache_write_tokens` are parts of it.
    `output_tokens` is all output, reasoning included; `reasoning_tokens` is a part of it. `estimated`: the provider
    reported nothing and we counted.
    """

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


class MessageCost(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What one provider call cost, stamped when its usage arrived (P7). `usd` is exact, a decimal string in JSON.

    `source`: `provider` (it reported the cost itself, P6), `table` (the built-in prices), `override` (the user's
    price), `unpriced` (no price known: `usd` is 0 and means nothing).
    """

    usd: Decimal
    source: Literal["provider", "table", "override", "unpriced"]
    price_id: str | None = None


class MessageError(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Why a reply is not whole: a stable code, words for the reader, and whether trying again makes sense."""

    code: str
    message: str
    retryable: bool = False
    hint: str = ""


class Attachment(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A file that goes with a message. The bytes are stored by `digest` (SHA-256, hex); `size_bytes` is their count."""

    id: str
    name: str
    media_type: str
    size_bytes: int
    digest: str


class ProviderState(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a provider wants back unchanged with its own message (D11): signatures, redacted thinking, reasoning items.

    `data` is JSON text kept byte for byte. It may be sent only to the `provider` and `model` that made it, and, where
    `prefix` is set, only after exactly the history whose digest that is.
    """

    provider: str
    model: str
    data: str
    prefix: str = ""


class Source(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Where injected context came from (L2).

    Of several that were merged (L4), `number` is how a reply may cite it, and `message` which one it was.
    """

    node: NodeId
    link: EdgeId | None = None
    number: int | None = None
    message: MessageId | None = None


ReceiptSource = Literal["system", "you", "replies", "tools", "links", "files", "toolList"]
"""Where a part of a request came from: `tools` are calls and results, `toolList` what the model was told of tools."""


class ReceiptPart(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How much of a request came from one source. `tokens` is our estimate, None where nobody can tell.

    `names` are those of files, the nodes that links come from, or tools.
    """

    source: ReceiptSource
    count: int
    tokens: int | None = None
    names: tuple[str, ...] = ()


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What stands in the chat and was not sent, and why, in words for the reader."""

    what: str
    why: str
    count: int = 1


class Receipt(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What one provider call was sent: its parts by source, and what was left out. `turns` counts what a person said.

    The parameters are those a person had set; None, and no stop sequence, where it was the provider's choice.
    """

    turns: int
    parts: tuple[ReceiptPart, ...]
    left_out: tuple[LeftOut, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    effort: str | None = None
    max_output_tokens: int | None = None
    stop_sequences: tuple[str, ...] = ()
    seed: int | None = None


class Timing(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How long one provider call took, in milliseconds: until its first word or thought, thinking, and in all."""

    total_ms: int
    first_ms: int | None = None
    thinking_ms: int | None = None


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One call a model asked for (M3).

    `id` is ours, unique in the project, and the only key that cards and decisions go by; `wire_id` is the provider's
    own, which some services repeat in every turn. `args_json` is what runs: the model's arguments, or what a person
    edited them to (T6).
    """

    id: CallId
    name: str
    args_json: str
    status: CallStatus
    wire_id: str = ""
    result: str | None = None
    is_error: bool = False


class MessageBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What every form of a message has: `id`, `role`, `content`, `ts` (epoch milliseconds), and the optional rest."""

    id: MessageId
    role: Role
    content: str
    ts: int
    turn: TurnId | None = None
    thinking: str = ""
    usage: Usage | None = None
    model: str | None = None
    provider: str | None = None
    stopped: bool = False
    finish: Finish | None = None
    error: MessageError | None = None
    cost: MessageCost | None = None
    attachments: tuple[Attachment, ...] = ()
    provider_state: ProviderState | None = None
    source: Source | None = None
    receipt: Receipt | None = None
    timing: Timing | None = None
    copied_from: MessageId | None = None
    """What this is a copy of: its money was spent there, and is counted there (P5)."""
    extra: dict[str, Any] = {}
    """Fields of a file that this version does not know; written back as they were (C8)."""


class Message(MessageBody, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One message of a conversation with its tool calls: the form of the library, of files and of the HTTP API."""

    tool_calls: tuple[ToolCall, ...] = ()


FileKind = Literal["text", "image", "document", "audio"]


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A model a provider offers. `context_tokens` is its window, the prices are USD per million tokens, where known.

    `takes`: the kinds of files it can be sent, where its provider says so of the model itself.
    """

    id: str
    name: str = ""
    context_tokens: int | None = None
    input_usd: Decimal | None = None
    output_usd: Decimal | None = None
    takes: tuple[FileKind, ...] | None = None
