"""The seams of the runtime: what a driver yields, what a tool is, what the runtime is given.

Drivers yield *lists* of chunks, one list for each read of the socket: on the hot road nothing is awaited, queued or
timed per chunk (architecture, section 16).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol

import msgspec

from talkfield.core.audit import AuditEntry
from talkfield.core.card import Preview
from talkfield.core.concern import Concern
from talkfield.core.events import ChatEvent
from talkfield.core.ids import CallId, Ids, MessageId, NodeId, ProjectId, ProviderId, TurnId
from talkfield.core.messages import Attachment, Finish, Message, MessageCost, ModelInfo, ProviderState, Usage
from talkfield.core.rule import Rule

# What a driver yields ------------------------------------------------------------------------------------------------


class TextChunk(msgspec.Struct, frozen=True, gc=False):
    """Some text of the reply."""

    text: str


class ThinkingChunk(msgspec.Struct, frozen=True, gc=False):
    """Some text of the reply's thinking (D10)."""

    text: str


class CallChunk(msgspec.Struct, frozen=True, gc=False):
    """One whole tool call (D8). Yielded once it is complete; a call that was cut off is never yielded (D4).

    `args_json` is the model's text; nothing and `""` have become `{}`. It may still be broken JSON: the gate answers
    the model then.
    """

    wire_id: str
    name: str
    args_json: str


class UsageChunk(msgspec.Struct, frozen=True, gc=False):
    """Tokens so far, in Talkfield's meaning (M5); a later one replaces an earlier one (D9).

    `usd` is set where the provider itself says what the call cost (P6).
    """

    usage: Usage
    model: str | None = None
    usd: Decimal | None = None


class FinishChunk(msgspec.Struct, frozen=True, gc=False):
    """The answer is complete, on proof (D4). `raw` is the provider's own word for why; last chunk of a stream.

    `detail` is what a provider says to the reader about a refusal; it is no part of the answer's text.
    """

    finish: Finish
    raw: str = ""
    provider_state: ProviderState | None = None
    detail: str = ""


class RestartChunk(msgspec.Struct, frozen=True, gc=False):
    """The answer began again from nothing: the text and thinking of this provider call so far are void.

    Rare: something between us and the model asked a second time within one answer.
    """


class RetryChunk(msgspec.Struct, frozen=True, gc=False):
    """The request failed before its first event; attempt number `attempt` starts after `wait_s` seconds (D6)."""

    attempt: int
    wait_s: float
    reason: str


Chunk = TextChunk | ThinkingChunk | CallChunk | UsageChunk | FinishChunk | RestartChunk | RetryChunk

# Providers -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ProviderConfig:
    """A provider, resolved and ready to ask: environment over settings (R2). The key never shows in `repr`."""

    id: ProviderId
    name: str
    api: str
    base_url: str
    key: str = field(default="", repr=False)
    model: str | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    """What its dialect accepts (D13), as in `providers/vendors.toml`."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What a person may set for an answer; None leaves it to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None = None
    stop_sequences: tuple[str, ...] = ()
    """Where one of them would come, the answer ends."""
    seed: int | None = None
    """Asks for the same answer to the same request; a wire that knows none is not told of it."""


@dataclass(frozen=True, kw_only=True)
class ToolSpec:
    """What a model is told of a tool. `schema` is a JSON Schema object for its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ProviderRequest:
    """One provider call. `messages` are already what a provider may see (C4, T11): no notes, every call answered."""

    provider: ProviderConfig
    model: str
    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    parameters: Parameters = Parameters()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Bytes of the messages' attachments, by digest."""
    max_output_known: int | None = None
    """The most output tokens the model can give, where known: Anthropic's wire demands a limit."""


class Driver(Protocol):
    """Turns one provider's wire into chunks (D1)."""

    def stream(self, request: ProviderRequest) -> AsyncIterator[list[Chunk]]:
        """Ask, and yield lists of chunks; the last chunk of a complete answer is a `FinishChunk`.

        Raises only `ProviderError`. When the iterator is closed or its task cancelled, the connection is closed at
        once (R10).
        """
        ...

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        """The models this provider offers. Raises `ProviderError`."""
        ...

    async def close(self) -> None:
        """Give back connections and processes. The driver is not used afterwards."""
        ...


# Tools ---------------------------------------------------------------------------------------------------------------


async def no_place_to_show(_name: str, _media_type: str, _data: bytes) -> None:
    """What becomes of a file that a tool shows where nobody looks."""


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What a tool may know of where it runs. `folder` is the project's, None without one (T9).

    `closed_folders` are absolute paths that no tool enters: Talkfield's own data. `basis` is what the call's preview
    said it was based on; empty where nobody was asked.
    """

    node: NodeId
    folder: str | None = None
    project: ProjectId | None = None
    max_result_bytes: int = 12 * 1024
    report: Callable[[str], None] = lambda _text: None
    """Shows live output on the call's card."""
    show: Callable[[str, str, bytes], Awaitable[None]] = no_place_to_show
    """Shows a file on the call's card: its name, its media type, its bytes. The model is not sent it."""
    closed_folders: tuple[str, ...] = ()
    basis: str = ""
    allowed_path: str | None = None
    """Where a rule about paths let the call run: what it touches has to fit this pattern by its real path, too."""
    denied_paths: tuple[str, ...] = ()
    """Patterns that a rule keeps the tool from, however a path leads there."""


@dataclass(frozen=True, kw_only=True)
class RuleSubject:
    """What of a tool's calls a rule's pattern is about (T7): a path, or a command as a list of words."""

    kind: Literal["path", "command"]
    argument: str


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool a model may call (T3). `run` takes the parsed arguments; it may be cancelled at any await.

    What `run` raises becomes the call's error result (T4). `concern` judges a call by its arguments alone: one that it
    names is always asked about, or refused. `preview` says what a call would do, for its card; when it raises, the
    model is told at once and no person is asked. `source` says where the tool comes from, if it is not Talkfield's own.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[[Mapping[str, Any], ToolContext], Awaitable[str]]
    needs_approval: bool = True
    concern: Callable[[Mapping[str, Any]], Concern | None] = lambda _arguments: None
    preview: Callable[[Mapping[str, Any], ToolContext], Awaitable[Preview]] | None = None
    subject: RuleSubject | None = None
    source: str = ""
    reads_by_its_word: bool = False
    """It says of itself that it only reads. Shown as a suggestion; it decides nothing (T10)."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(name=self.name, description=self.description, schema=self.schema)


# The runtime's own ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SendRequest:
    """Ask for a turn. `messages` is the conversation so far and ends with what the user said; it is never changed (R5).

    `model` wins over the provider's (R4). `turn` and `reply` are made up when they are not given.
    """

    node: NodeId
    messages: Sequence[Message]
    provider: ProviderId | None = None
    model: str | None = None
    system: str = ""
    parameters: Parameters = Parameters()
    project: ProjectId | None = None
    folder: str | None = None
    tools_off: tuple[str, ...] = ()
    """Tools that are not wanted: their names, or those of the servers and packages they come from."""
    turn: TurnId | None = None
    reply: MessageId | None = None
    """Id for the first assistant message, where the caller has already put it on the screen."""


@dataclass(frozen=True, kw_only=True)
class SendResult:
    """How a turn ended, or why it never began (R1, R2, R4, R11)."""

    ok: bool
    stop_reason: str | None = None
    code: str | None = None
    error: str | None = None
    retryable: bool = False
    hint: str = ""


class Clock(Protocol):
    """The time, injected. `now_ms` is epoch milliseconds, `monotonic_s` for durations; `sleep_s` waits."""

    def now_ms(self) -> int: ...

    def monotonic_s(self) -> float: ...

    async def sleep_s(self, seconds: float) -> None: ...


Decision = Literal["approve", "deny"]


@dataclass(frozen=True, kw_only=True)
class RuntimePorts:
    """All that a `ChatRuntime` is given.

    `resolve_provider` returns None where nothing is configured. `broadcast` takes each batch of events, in order; the
    last batch of a turn ends with `done`. It may raise without harm (R13). `log` gets one line per run, never content
    or keys (R12). `price` says what one provider call cost, given its model, provider, usage, and the cost the
    provider itself reported. `check_arguments` says what is wrong with a call's arguments by its tool's schema, or
    None (T3). `before_tool` is awaited before a tool starts: whoever keeps the transcript makes the start durable
    there, so that no tool runs twice (W8). `files` gives attachments' bytes by digest. No tool enters `closed_folders`.
    `asked` is told what a provider call sends, just before: the reply it is for, the conversation, the request.
    `keep_file` keeps what a tool shows: name, media type, bytes; without it nothing is shown.
    `rules_for` gives the remembered decisions that count for a chat, as they are now (T7). `audit` is told what runs,
    before and after, and what was denied (T8). `prepare_tools` is awaited before each provider call, so that tools that
    have to be started are there; `tools_for` is asked after it. `reserve` is awaited before each provider call, once
    for all its tries; what it raises ends the turn, and nothing is asked (P8).
    """

    resolve_provider: Callable[[SendRequest], ProviderConfig | None]
    driver_for: Callable[[ProviderConfig], Driver]
    broadcast: Callable[[NodeId, tuple[ChatEvent, ...]], None]
    ids: Ids
    clock: Clock
    tools_for: Callable[[SendRequest], Sequence[Tool]] = lambda _request: ()
    log: Callable[[str], None] = lambda _line: None
    price: Callable[[str, ProviderConfig, Usage, Decimal | None], MessageCost | None] = lambda *_: None
    check_arguments: Callable[[Mapping[str, Any], Any], str | None] = lambda _schema, _arguments: None
    before_tool: Callable[[NodeId, CallId], Awaitable[None]] | None = None
    files: Callable[[Sequence[Message]], Awaitable[Mapping[str, bytes]]] | None = None
    max_provider_calls: Callable[[], int] = lambda: 10
    asked: Callable[[NodeId, MessageId, tuple[Message, ...], ProviderRequest], None] = lambda *_: None
    rules_for: Callable[[SendRequest], Sequence[Rule]] = lambda _request: ()
    audit: Callable[[AuditEntry], None] = lambda _entry: None
    prepare_tools: Callable[[SendRequest], Awaitable[None]] | None = None
    reserve: Callable[[NodeId, MessageId, ProviderRequest], Awaitable[None]] | None = None
    keep_file: Callable[[str, str, bytes], Awaitable[Attachment]] | None = None
    closed_folders: tuple[str, ...] = ()
