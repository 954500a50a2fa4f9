"""What is kept with a reply besides its text: what it was asked with, and how long it took.

Both become part of the commit that ends a provider call, so they cost no frame of their own. Lives on the event loop,
one for each session; holds nothing of a call that is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec import json
from msgspec.structs import replace

from talkfield.core.changes import Change, Put
from talkfield.core.events import ChatEvent, Delta, Done, MessageFinished, ThinkingDelta, ToolCalled, UsageReported
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.messages import FileKind, Message, Receipt, Timing
from talkfield.core.receipt import receipt_of
from talkfield.core.records import MessageRecord, ProviderRecord
from talkfield.runtime.config import ProviderDirectory
from talkfield.runtime.ports import Clock, ProviderRequest


@dataclass
class Call:
    """One provider call. Times are the clock's seconds, None where that has not happened."""

    node: NodeId
    receipt: Receipt
    asked_s: float
    first_s: float | None = None
    thought_s: float | None = None
    answered_s: float | None = None


class ReplyAccounts:
    """See the module. `asked` is a runtime's port; the session passes each batch through `watch`, then `stamped`.

    `whole` gives a chat's messages, those included that were left out of what the runtime was handed.
    """

    def __init__(
        self, directory: ProviderDirectory, clock: Clock, whole: Callable[[NodeId], tuple[Message, ...]]
    ) -> None:
        self._whole = whole
        self._directory = directory
        self._clock = clock
        self._calls: dict[MessageId, Call] = {}

    def asked(
        self, node: NodeId, message: MessageId, conversation: tuple[Message, ...], request: ProviderRequest
    ) -> None:
        record = next((each for each in self._directory.records() if each.provider == request.provider.id), None)
        parameters = request.parameters
        known = {each.id for each in conversation}
        left_out = [each for each in self._whole(node) if each.id not in known and each.id != message]
        receipt = receipt_of(
            (*left_out, *conversation),
            request.messages,
            system=request.system,
            tools=[
                (tool.name, f"{tool.name} {tool.description} {json.encode(tool.schema).decode()}")
                for tool in request.tools
            ],
            takes=_taken(record, request.model),
            provider=request.provider.name,
            temperature=parameters.temperature,
            top_p=parameters.top_p,
            effort=parameters.reasoning_effort,
            max_output_tokens=parameters.max_output_tokens,
            stop_sequences=parameters.stop_sequences,
            seed=parameters.seed,
        )
        self._calls[message] = Call(node=node, receipt=receipt, asked_s=self._clock.monotonic_s())

    def watch(self, events: Iterable[ChatEvent]) -> None:
        """Notice when a reply begins to think and to answer."""
        for event in events:
            if not isinstance(event, Delta | ThinkingDelta | ToolCalled | UsageReported | MessageFinished):
                continue
            call = self._calls.get(event.message)
            if call is None:
                continue
            now_s = self._clock.monotonic_s()
            if isinstance(event, Delta | ThinkingDelta) and call.first_s is None:
                call.first_s = now_s
            if isinstance(event, ThinkingDelta):
                call.thought_s = now_s if call.thought_s is None else call.thought_s
            elif call.answered_s is None:
                call.answered_s = now_s

    def stamped(self, node: NodeId, events: tuple[ChatEvent, ...], changes: list[Change]) -> list[Change]:
        """The changes, with receipt and times on the replies whose provider call these events end."""
        ended = {event.message for event in events if isinstance(event, UsageReported | MessageFinished)}
        over = {event.message for event in events if isinstance(event, MessageFinished)}
        if isinstance(events[-1], Done):
            over |= {message for message, call in self._calls.items() if call.node == node}
        calls = {message: self._calls[message] for message in ended | over if message in self._calls}
        for message in over:
            self._calls.pop(message, None)
        return [self._with_account(change, calls) for change in changes] if calls else changes

    def _with_account(self, change: Change, calls: dict[MessageId, Call]) -> Change:
        if not isinstance(change, Put) or not isinstance(change.value, MessageRecord):
            return change
        call = calls.get(change.value.id)
        if call is None:
            return change
        return Put(replace(change.value, receipt=call.receipt, timing=self._timing(call)))

    def _timing(self, call: Call) -> Timing:
        now_s = self._clock.monotonic_s()
        thinking_s = None if call.thought_s is None else (call.answered_s or now_s) - call.thought_s
        return Timing(
            total_ms=_ms(now_s - call.asked_s),
            first_ms=None if call.first_s is None else _ms(call.first_s - call.asked_s),
            thinking_ms=None if thinking_s is None else _ms(thinking_s),
        )


def _taken(record: ProviderRecord | None, model: str) -> tuple[FileKind, ...]:
    """The kinds of files that are taken: what a provider says of the model counts more than what its dialect has."""
    if record is None:
        return ("text",)
    told = next((info.takes for info in record.models if info.id == model), None)
    return record.takes if told is None else told


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
