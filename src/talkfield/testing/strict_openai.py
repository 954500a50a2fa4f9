"""A `/chat/completions` that is as strict as the strictest of its dialects, as a pure check of request bodies.

It asks for what one service or another has refused: order, pairing and alternation, nothing empty, ids and names in
form, arguments that are JSON objects. What passes here is taken everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
FIELDS = frozenset(
    {"model", "messages", "stream", "stream_options", "tools", "parallel_tool_calls", "temperature"}
    | {"top_p", "stop", "seed"}
    | {"max_tokens", "max_completion_tokens", "reasoning_effort", "reasoning", "thinking", "enable_thinking"}
    | {"chat_template_kwargs"}
)
MAX_STOPS = 4
MESSAGE_FIELDS: dict[str, frozenset[str]] = {
    "system": frozenset({"role", "content"}),
    "developer": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
    "assistant": frozenset(
        {"role", "content", "tool_calls", "reasoning_content", "reasoning", "reasoning_details", "extra_content"}
    ),
}
PART_FIELD = {"text": "text", "image_url": "image_url", "file": "file", "input_audio": "input_audio"}


def problems_in(data: bytes, *, max_id_characters: int = 40) -> list[str]:
    """What a strict server would refuse in this request; empty when it would take it."""
    try:
        body = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        return [f"not JSON: {error}"]
    return [*_top(body), *_sequence(body["messages"]), *_messages(body["messages"], max_id_characters)]


def _top(body: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"unknown field {name}" for name in body.keys() - FIELDS)
    if not body.get("model"):
        yield "no model"
    if body.get("stream") is not True:
        yield "not streamed"
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "two limits"
    stops = body.get("stop")
    if stops is not None and not (1 <= len(stops) <= MAX_STOPS and all(stops)):
        yield f"stop {stops!r}"
    tools = body.get("tools")
    if tools is not None:
        if not tools:
            yield "empty list of tools"
        names = [tool["function"]["name"] for tool in tools]
        if len(set(names)) != len(names):
            yield "a tool's name twice"
        yield from (f"tool name {name!r}" for name in names if not NAME.fullmatch(name))
        yield from (
            f"schema of {tool['function']['name']} is no object"
            for tool in tools
            if tool["function"]["parameters"].get("type") != "object"
        )


def _sequence(messages: list[dict[str, Any]]) -> Iterator[str]:
    if not messages:
        yield "no messages"
    expected: set[str] = set()
    before = ""
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in expected:
                yield f"messages[{place}]: a result without its call"
            expected.discard(message["tool_call_id"])
        else:
            if expected:
                yield f"messages[{place}]: calls without results: {sorted(expected)}"
            expected = {call["id"] for call in message.get("tool_calls", [])}
            if role == before:
                yield f"messages[{place}]: {role} after {role}"
        if role in ("system", "developer") and place > 0:
            yield f"messages[{place}]: {role} is not first"
        before = role
    if expected:
        yield f"at the end: calls without results: {sorted(expected)}"
    if all(message["role"] in ("system", "developer") for message in messages):
        yield "nothing but a system message"


def _messages(messages: list[dict[str, Any]], max_id_characters: int) -> Iterator[str]:
    for place, message in enumerate(messages):
        role = message["role"]
        if role not in MESSAGE_FIELDS:
            yield f"messages[{place}]: role {role!r}"
            continue
        unknown = message.keys() - MESSAGE_FIELDS[role]
        found = [*(f"unknown field {name}" for name in unknown), *_content(message)]
        if "tool_calls" in message:
            found += _calls(message["tool_calls"], max_id_characters)
        yield from (f"messages[{place}]: {problem}" for problem in found)


def _content(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if content is None:
        if not message.get("tool_calls"):
            yield "no content"
    elif isinstance(content, str):
        if not content.strip():
            yield "blank content"
        if "\x00" in content:
            yield "NUL"
    elif message["role"] != "user":
        yield "parts outside a user message"
    else:
        if not content:
            yield "no parts"
        for part in content:
            if PART_FIELD.get(part["type"]) not in part:
                yield f"part {part['type']!r}"
            if part["type"] == "text" and not part["text"].strip():
                yield "blank text part"


def _calls(calls: list[dict[str, Any]], max_id_characters: int) -> Iterator[str]:
    if not calls:
        yield "empty list of calls"
    ids = [call["id"] for call in calls]
    if len(set(ids)) != len(ids):
        yield "a call's id twice"
    for call in calls:
        if not call["id"] or len(call["id"]) > max_id_characters:
            yield f"call id {call['id']!r}"
        if call["type"] != "function":
            yield f"call type {call['type']!r}"
        if not NAME.fullmatch(call["function"]["name"]):
            yield f"call name {call['function']['name']!r}"
        try:
            arguments = msgspec.json.decode(call["function"]["arguments"])
        except msgspec.DecodeError:
            arguments = None
        if not isinstance(arguments, dict):
            yield f"arguments {call['function']['arguments']!r}"
