"""A `/v1/messages` that is as strict as Anthropic's, as a pure check of request bodies.

It also binds thinking to its prefix, as newer accounts do: `signature_for` signs the thinking of an answer to a
request, and `problems_in` refuses a thinking block whose prefix is another one by now.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_-]+")
FIELDS = frozenset(
    {"model", "max_tokens", "stream", "system", "messages", "tools", "temperature", "thinking", "output_config"}
    | {"top_p", "stop_sequences"}
)
USER_BLOCKS = frozenset({"text", "image", "document", "tool_result"})
THINKING = frozenset({"thinking", "redacted_thinking"})
MAX_MARKS = 4

Flat = list[tuple[int, str, dict[str, Any]]]


def signature_for(data: bytes) -> str:
    """Signs the thinking of the answer to this request: whatever comes before it later must be this."""
    body = msgspec.json.decode(data)
    return _digest(body, [(role, block) for _, role, block in _flat(body["messages"])])


def problems_in(data: bytes, *, bound: bool = True) -> list[str]:
    """What the API would refuse in this request; empty when it would take it. `bound`: thinking is checked as well."""
    try:
        body = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        return [f"not JSON: {error}"]
    messages = body["messages"]
    found = [*_top(body), *_alternation(messages), *_pairing(messages), *_blocks(messages), *_marks(body)]
    return [*found, *_binding(body)] if bound else found


def _top(body: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"unknown field {name}" for name in body.keys() - FIELDS)
    if not body.get("model"):
        yield "no model"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield f"max_tokens {body.get('max_tokens')!r}"
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled" and not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
        yield "thinking budget"
    if thinking.get("type") in ("enabled", "adaptive") and body.get("temperature") not in (None, 1):
        yield "temperature with thinking"
    if "top_p" in body and ("temperature" in body or thinking.get("type") in ("enabled", "adaptive")):
        yield "top_p with temperature or thinking"
    if not all(stop.strip() for stop in body.get("stop_sequences", ["a"])):
        yield "blank stop sequence"
    system = body.get("system")
    if system is not None and not all(block["text"].strip() for block in system):
        yield "blank system"
    names = [tool["name"] for tool in body.get("tools", [])]
    if len(set(names)) != len(names) or not all(NAME.fullmatch(name) for name in names):
        yield f"tool names {names}"
    if any(tool["input_schema"].get("type") != "object" for tool in body.get("tools", [])):
        yield "a tool's schema is no object"


def _alternation(messages: list[dict[str, Any]]) -> Iterator[str]:
    if not messages:
        yield "no messages"
    for place, message in enumerate(messages):
        if message["role"] != ("user" if place % 2 == 0 else "assistant"):
            yield f"messages[{place}]: {message['role']} out of turn"
        if not message["content"]:
            yield f"messages[{place}]: no content"


def _pairing(messages: list[dict[str, Any]]) -> Iterator[str]:
    open_calls: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(messages):
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if sorted(results) != sorted(open_calls):
            yield f"messages[{place}]: results {results} for calls {open_calls}"
        kinds = [block["type"] == "tool_result" for block in message["content"]]
        if kinds != sorted(kinds, reverse=True):
            yield f"messages[{place}]: results are not first"
        open_calls = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        for call_id in open_calls:
            if call_id in seen:
                yield f"messages[{place}]: id {call_id} twice"
            seen.add(call_id)
        if place < len(messages) - 1:
            yield from _own_tools(place, message)
    if open_calls:
        yield f"at the end: calls without results: {open_calls}"


def _own_tools(place: int, message: dict[str, Any]) -> Iterator[str]:
    """What the API ran itself has its result in the same message, unless it is the last."""
    answered = {block.get("tool_use_id") for block in message["content"]}
    for block in message["content"]:
        if block["type"] in ("server_tool_use", "mcp_tool_use") and block["id"] not in answered:
            yield f"messages[{place}]: {block['type']} {block['id']} without its result"


def _blocks(messages: list[dict[str, Any]]) -> Iterator[str]:
    for place, message in enumerate(messages):
        for block in message["content"]:
            found = list(_block(block))
            if message["role"] == "user" and block["type"] not in USER_BLOCKS:
                found.append(f"{block['type']} in a user message")
            if block is message["content"][-1] and block["type"] in THINKING:
                found.append("ends in thinking")
            yield from (f"messages[{place}]: {problem}" for problem in found)
    if messages and messages[-1]["role"] == "assistant" and messages[-1]["content"]:
        words = str(messages[-1]["content"][-1].get("text", ""))
        if words != words.rstrip():
            yield "the last message ends in white space"


def _block(block: dict[str, Any]) -> Iterator[str]:
    match block["type"]:
        case "text":
            if not block["text"].strip():
                yield "blank text"
            if "\x00" in block["text"]:
                yield "NUL"
        case "tool_use":
            if not ID.fullmatch(block["id"]):
                yield f"id {block['id']!r}"
            if not NAME.fullmatch(block["name"]):
                yield f"name {block['name']!r}"
            if not isinstance(block["input"], dict):
                yield "input is no object"
        case "tool_result":
            if not block["content"]:
                yield "empty result"
        case "thinking":
            if not block.get("signature"):
                yield "thinking without signature"
        case _:
            pass


def _marks(body: Mapping[str, Any]) -> Iterator[str]:
    places = [*body.get("system", []), *body.get("tools", []), *(block for _, _, block in _flat(body["messages"]))]
    marked = [place for place in places if "cache_control" in place]
    if len(marked) > MAX_MARKS:
        yield f"{len(marked)} cache marks"
    if any(place.get("type") in THINKING for place in marked):
        yield "a cache mark on thinking"


def _binding(body: Mapping[str, Any]) -> Iterator[str]:
    flat = _flat(body["messages"])
    for place, (number, _, block) in enumerate(flat):
        if block["type"] != "thinking":
            continue
        starts = [start for start in range(place + 1) if flat[start][0] == number]
        prefixes = [_digest(body, [(role, other) for _, role, other in flat[:start]]) for start in starts]
        if block.get("signature") not in prefixes:
            yield f"messages[{number}]: thinking whose prefix has changed"


def _flat(messages: list[dict[str, Any]]) -> Flat:
    return [(number, message["role"], block) for number, message in enumerate(messages) for block in message["content"]]


def _digest(body: Mapping[str, Any], before: list[tuple[str, dict[str, Any]]]) -> str:
    unmarked = [
        (role, {key: value for key, value in block.items() if key != "cache_control"}) for role, block in before
    ]
    fixed = [
        [{key: value for key, value in item.items() if key != "cache_control"} for item in body.get(name, [])]
        for name in ("system", "tools")
    ]
    return hashlib.sha256(msgspec.json.encode([fixed, unmarked])).hexdigest()
