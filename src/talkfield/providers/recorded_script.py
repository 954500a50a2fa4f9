"""Plays recorded calls as scripts: the same chunks, from the same bytes, with the pauses that the endpoint made.

Owns which record answers which request; how its bytes are read is the decoders' alone. A folder of records plays a
conversation again: a record answers the words that it was asked, at the place in its turn that it had. One record by
itself answers anything. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talkfield.errors import ProviderCut, ProviderError
from talkfield.providers.recorded_call import RecordedCall, failure_of, reads_of
from talkfield.providers.script import Fail, Pause, Script, Step, last_user
from talkfield.runtime.ports import ProviderRequest

LEAST_PAUSE_S = 0.005


@dataclass(frozen=True)
class RecordedRule:
    """A record as a rule of the scripted provider. `asked` None: it answers whatever was said."""

    record: RecordedCall
    asked: str | None = None
    round: int | None = None

    def fits(self, request: ProviderRequest) -> bool:
        asked, since = last_user(request.messages)
        if self.asked is None:
            return not since
        return asked == self.asked and len(since) == self.round


def recorded_rules(records: Sequence[RecordedCall]) -> tuple[RecordedRule, ...]:
    """Rules for the records of one folder, in their order; or for one record alone."""
    if len(records) == 1:
        return (RecordedRule(records[0]),)
    rules = []
    for record in records:
        asked, round_ = asked_in(record.request.body)
        rules.append(RecordedRule(record, asked, round_))
    return tuple(rules)


def asked_in(body: Any) -> tuple[str, int]:
    """The last words of the user in a request of either wire, and how many replies with calls the turn had by then."""
    messages = body.get("messages") if isinstance(body, Mapping) else None
    round_ = 0
    for message in reversed(messages if isinstance(messages, list) else []):
        if not isinstance(message, Mapping):
            continue
        if message.get("role") == "assistant":
            round_ += _has_calls(message)
        elif message.get("role") == "user" and (text := _text_of(message.get("content"))):
            return text.strip(), round_
    return "", round_


def script_of(record: RecordedCall) -> Script:
    """The record as steps."""
    failed = failure_of(record)
    if failed is not None:
        return Script((Fail(failed),))
    assert record.response is not None  # else there were an error
    # Here, because a wire is loaded when it is first used.
    from talkfield.providers.answer_reading import READERS

    reader = READERS[record.api]()
    steps: list[Step] = []
    before_ms = 0
    for at_ms, data in reads_of(record.response):
        if (pause_s := (at_ms - before_ms) / 1000) >= LEAST_PAUSE_S:
            steps.append(Pause(pause_s))
            before_ms = at_ms
        if chunks := reader.feed(data):
            steps.append(chunks)
    if rest := reader.rest():
        steps.append(rest)
    try:
        steps.append(reader.finish())
    except ProviderError as error:
        if isinstance(error, ProviderCut) and record.ended:
            error = ProviderCut(f"{error.message}: {record.ended}", retryable=error.retryable)
        steps.append(Fail(error))
    return Script(tuple(steps))


def _has_calls(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return bool(message.get("tool_calls")) or any(
        isinstance(block, Mapping) and block.get("type") == "tool_use" for block in blocks
    )


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    return "\n\n".join(text for text in texts if isinstance(text, str))
