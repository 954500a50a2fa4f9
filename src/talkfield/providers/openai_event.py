"""The parts of a `/chat/completions` event that Talkfield reads, typed, and the tolerant reading of odd ones.

Everything else in an event is skipped by the parser without being built. A field whose shape differs between services
is `Any`; an event that is odd in another way is read untyped and coerced (`tolerant_event`). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from talkfield.providers.body import TOO_DEEP
from talkfield.providers.json_body import dumped, exact_number, spelled_out

LARGEST_INDEX = 2**31


class FunctionDelta(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: Any = None


class CallDelta(msgspec.Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None
    extra_content: Any = None


class MessageDelta(msgspec.Struct, gc=False):
    """A `delta`, or the `message` of an answer that was not streamed."""

    content: Any = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[Any] | None = None
    cot_summary: str | None = None
    thinking: str | None = None
    refusal: str | None = None
    tool_calls: list[CallDelta] | None = None
    function_call: FunctionDelta | None = None
    extra_content: Any = None


class Choice(msgspec.Struct, gc=False):
    index: int | None = None
    delta: MessageDelta | None = None
    message: msgspec.Raw = msgspec.Raw()
    finish_reason: str | None = None
    usage: Any = None


class Event(msgspec.Struct, gc=False):
    choices: list[Choice] | None = None
    usage: Any = None
    error: Any = None
    model: Any = None
    x_groq: Any = None


decode_event = msgspec.json.Decoder(Event, float_hook=exact_number).decode
decode_message = msgspec.json.Decoder(MessageDelta, float_hook=exact_number).decode


def tolerant_event(value: Mapping[str, Any]) -> Event:
    """An event whose fields have shapes that the typed reading refuses."""
    choices = value.get("choices")
    if isinstance(choices, dict):
        choices = [choices]
    return Event(
        choices=[_choice(choice) for choice in choices if isinstance(choice, dict)]
        if isinstance(choices, list)
        else None,
        usage=value.get("usage"),
        error=value.get("error"),
        model=value.get("model"),
        x_groq=value.get("x_groq"),
    )


def tolerant_message(value: Mapping[str, Any]) -> MessageDelta:
    calls = value.get("tool_calls")
    if isinstance(calls, dict):
        calls = [calls]
    details = value.get("reasoning_details")
    return MessageDelta(
        content=value.get("content"),
        reasoning_content=_string(value.get("reasoning_content")),
        reasoning=_string(value.get("reasoning")),
        reasoning_details=details if isinstance(details, list) else None,
        cot_summary=_string(value.get("cot_summary")),
        thinking=_string(value.get("thinking")),
        refusal=_string(value.get("refusal")),
        tool_calls=[_call(call) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else None,
        function_call=_function(value.get("function_call")),
        extra_content=value.get("extra_content"),
    )


def content_parts(content: Any) -> tuple[str, str]:
    """(thinking, text) of `content` that is a list of parts, as Mistral sends it."""
    thinking: list[str] = []
    text: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, dict):
            into = thinking if part.get("type") in ("thinking", "reasoning") else text
            into.append(_part_text(part))
    return "".join(thinking), "".join(text)


def details_text(details: list[Any]) -> str:
    """What can be shown of `reasoning_details`."""
    found = []
    for detail in details:
        if isinstance(detail, dict):
            found += [value for key in ("text", "summary") if isinstance(value := detail.get(key), str)]
    return "".join(found)


def arguments_text(arguments: Any) -> str:
    """Call arguments as JSON text, also where a service sends them as a value already."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return spelled_out(arguments) or TOO_DEEP  # which is no JSON, so the model is told


def _choice(value: Mapping[str, Any]) -> Choice:
    delta, message = value.get("delta"), value.get("message")
    return Choice(
        index=_index(value.get("index")),
        delta=tolerant_message(delta) if isinstance(delta, dict) else None,
        message=msgspec.Raw(dumped(message)) if isinstance(message, dict) else msgspec.Raw(),
        finish_reason=_string(value.get("finish_reason")),
        usage=value.get("usage"),
    )


def _call(value: Mapping[str, Any]) -> CallDelta:
    call_id = value.get("id")
    return CallDelta(
        index=_index(value.get("index")),
        id=str(call_id) if isinstance(call_id, str | int) else None,
        function=_function(value.get("function")) or _function(value),
        extra_content=value.get("extra_content"),
    )


def _function(value: Any) -> FunctionDelta | None:
    if not isinstance(value, dict):
        return None
    return FunctionDelta(name=_string(value.get("name")), arguments=value.get("arguments"))


def _part_text(part: Mapping[str, Any]) -> str:
    for key in ("text", "thinking", "reasoning"):
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "".join(_part_text(inner) if isinstance(inner, dict) else str(inner) for inner in value)
    return ""


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _index(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        value = exact_number(value)
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool) or value != value:
        return None
    # An index is a key and counts nothing; written out, one with a huge exponent would fill the memory.
    return int(max(-LARGEST_INDEX, min(value, LARGEST_INDEX)))
