"""What a provider's dialect accepts (D13): a profile is data that the two request halves obey.

Owns the profile's fields, how one is read from settings, and which error teaches which correction (B9 of the wire
notes: one retry with the correction, then it is remembered). Pure. No service's name occurs here: presets stand in
`vendors.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

ReasoningReplay = Literal["none", "tool_loop", "always"]


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What a dialect accepts. The comments at the top of `vendors.toml` explain each field to people."""

    key_header: str = ""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    max_output_limit: int | None = None
    temperature: bool = True
    top_p: bool = True
    stop: bool = True
    seed_field: Literal["seed", "random_seed", ""] = "seed"
    stream_usage: bool = True
    system_role: Literal["system", "developer", "user"] = "system"
    tools: bool = True
    parallel_tool_calls: bool | None = None
    schema_drop: tuple[str, ...] = ()
    images: bool = True
    documents: bool = True
    audio: bool = True
    reasoning_parameter: (
        Literal["reasoning_effort", "reasoning", "thinking", "enable_thinking", "chat_template_kwargs", "adaptive", ""]
        | None
    ) = None
    reasoning_replay: ReasoningReplay = "tool_loop"
    thinking_display: str = "summarized"
    thinking_starts_open: bool = False
    empty_content: Literal["null", "empty", "omit"] = "null"
    assistant_after_tool: bool = False
    user_first: bool = False
    cache_marks: bool = True
    call_extra: dict[str, Any] = {}
    extra_body: dict[str, Any] = {}
    models_url: str = ""


def profile_of(*layers: Mapping[str, Any]) -> Profile:
    """The profile of several layers, the later winning. A field that is unknown or of the wrong type is left out:
    settings written by another version must not make a provider unusable."""
    fields: dict[str, Any] = {}
    for layer in layers:
        fields.update({name: value for name, value in layer.items() if _fits(name, value)})
    return msgspec.convert(fields, Profile)


def _fits(name: str, value: Any) -> bool:
    if name not in Profile.__struct_fields__:
        return False
    try:
        msgspec.convert({name: value}, Profile)
    except msgspec.ValidationError:
        return False
    return True


# Corrections ----------------------------------------------------------------------------------------------------------

MAX_TOKENS_LIMIT = re.compile(
    r"max(?:imum)?[_ ](?:completion_|output_|new_)?tokens.{0,80}?(?:>|at most|maximum|less than or equal to|"
    r"up to|exceeds?)\D{0,60}?(\d{3,7})",
    re.IGNORECASE | re.DOTALL,
)

UNSUPPORTED = re.compile(
    r"unsupported|not supported|n't support|not support|unrecognized|unknown|unexpected|extra inputs|extra_forbidden|"
    r"not permitted|not allowed|deprecated|only the default|(?:may|can) only|cannot both|"
    r"invalid (?:parameter|argument|field|property|request argument)",
    re.IGNORECASE,
)


def correction_for(status: int | None, words: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The profile fields to change so that a refused request may be taken, or None where nothing is learned.

    `words` is all that the error says; `body` is the request as it was sent: only what was sent can be at fault.
    """
    if status not in (400, 404, 422):
        return None
    for attempt in (_output_limit, _tools_refused, _fields_refused, _messages_refused):
        correction = attempt(words, body)
        if correction:
            return correction
    return None


def _output_limit(words: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
    sent = body.get("max_tokens") or body.get("max_completion_tokens")
    found = MAX_TOKENS_LIMIT.search(words)
    if not isinstance(sent, int) or found is None:
        return None
    limit = int(found[1])
    if limit == sent:  # "max_tokens: 9000 > 8192": the first number is what was sent
        later = [int(number) for number in re.findall(r"\d{3,7}", words[found.end() :])]
        limit = later[0] if later else limit
    return {"max_output_limit": limit} if 0 < limit < sent else None


def _fields_refused(words: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
    if not UNSUPPORTED.search(words):
        return None
    for field, correction in (
        ("stream_options", {"stream_usage": False}),
        ("max_completion_tokens", {"max_tokens_field": "max_tokens"}),
        ("max_tokens", {"max_tokens_field": "max_completion_tokens"}),
        ("top_p", {"top_p": False}),  # also where it and the temperature are not taken together
        ("temperature", {"temperature": False}),
        ("stop", {"stop": False}),
        ("stop_sequences", {"stop": False}),
        ("seed", {"seed_field": ""}),
        ("random_seed", {"seed_field": ""}),
        ("parallel_tool_calls", {"parallel_tool_calls": None}),
        ("reasoning_effort", {"reasoning_parameter": ""}),
    ):
        if field in body and re.search(rf"\b{field}\b", words):
            return correction
    return _thinking_refused(words, body)


def _thinking_refused(words: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
    lowered = words.lower()
    if "thinking" in body or "output_config" in body:
        thinking = body.get("thinking")
        kind = thinking.get("type") if isinstance(thinking, Mapping) else None
        if isinstance(thinking, Mapping) and "display" in thinking and "display" in lowered:
            return {"thinking_display": ""}
        if kind == "adaptive" and ("adaptive" in lowered or "output_config" in lowered or "effort" in lowered):
            return {"reasoning_parameter": "thinking"}
        if kind == "enabled" and "adaptive" in lowered:
            return {"reasoning_parameter": "adaptive"}
        if "thinking" in lowered:
            return {"reasoning_parameter": ""}
    for field in ("reasoning", "enable_thinking", "chat_template_kwargs"):
        if field in body and re.search(rf"\b{field}\b", lowered):
            return {"reasoning_parameter": ""}
    if "cache_control" in lowered:
        return {"cache_marks": False}
    return None


def _tools_refused(words: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
    if "tools" not in body:
        return None
    if re.search(
        r"not support (?:tools?\b|function|tool[ _]use)|support tool use|tools? (?:is|are) not supported", words
    ):
        return {"tools": False}
    return None


def _messages_refused(words: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
    lowered = words.lower()
    roles = {message.get("role") for message in body.get("messages", ()) if isinstance(message, Mapping)}
    if "developer" in roles and "developer" in lowered:
        return {"system_role": "system"}
    if "system" in roles and re.search(
        r"(?:not support|unsupported|not supported|only).{0,60}\bsystem\b|\bsystem\b.{0,60}not support", lowered
    ):
        return {"system_role": "user"}
    if "tool" in roles and re.search(r"role ['\"]?user['\"]? after role ['\"]?tool", lowered):
        return {"assistant_after_tool": True}
    if "reasoning_content" in lowered:
        needed = re.search(r"must be (?:passed|sent)|missing|required", lowered)
        return {"reasoning_replay": "always" if needed else "none"}
    return None
