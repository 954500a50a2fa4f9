"""The request half of Anthropic's `/v1/messages`: a history as that wire takes it (D11, D12).

Owns what the wire is strict about: system at the top level, alternation, results right after their calls and first in
their message, nothing empty, and thinking blocks that go back unchanged or not at all. Safe for any history. Pure: the
same request and corrections give the same bytes.

Thinking blocks are bound to everything before them. Each message that has some carries the digest of the history it
was an answer to (`ProviderState.prefix`); they are sent only where the history that goes out has that very digest.
Marks for the cache are no part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from talkfield.core.messages import Attachment, Message, ToolCall
from talkfield.providers.anthropic_block import CALLS
from talkfield.providers.attachment import as_text, base64_of, in_words, kind_of
from talkfield.providers.base_url import messages_url
from talkfield.providers.history_text import FILLER, nothing_to_send, result_text, system_text
from talkfield.providers.http_request import HttpRequest, headers_of
from talkfield.providers.json_body import encode_body, object_of
from talkfield.providers.json_schema import without_keywords
from talkfield.providers.profile import Profile, profile_of
from talkfield.providers.wire_name import ID, WireNames, made_by, wire_ids
from talkfield.runtime.ports import ProviderRequest, ToolSpec

VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 16384
"""The wire demands a limit; a model that takes less says so, and that is learned."""
THINKING_BUDGET = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384}
EFFORT = {"minimal": "low", "low": "low", "medium": "medium", "high": "high"}
CACHE_FROM_CHARACTERS = 8000
"""Below this a history is shorter than the least that is cached."""
MARK = {"type": "ephemeral"}
UNMARKABLE = frozenset({"thinking", "redacted_thinking"})


def anthropic_headers(request_provider: Any, profile: Profile) -> dict[str, str]:
    headers = headers_of(request_provider, key_header=profile.key_header or "x-api-key")
    headers.setdefault("anthropic-version", VERSION)
    return headers


def request_for(request: ProviderRequest, corrections: Mapping[str, Any] | None = None) -> HttpRequest:
    """The request to send, with the digest that binds its answer's thinking. See `openai_request.request_for`."""
    provider = request.provider
    profile = profile_of(provider.profile, corrections or {})
    names = WireNames(tool.name for tool in request.tools)
    system = system_text(request)
    tools = [_tool(tool, names, profile) for tool in request.tools] if profile.tools else []
    history = _History(request, profile, names, system=system, tools=tools)
    messages = history.wire_messages()
    body: dict[str, Any] = {"model": request.model, "max_tokens": _max_tokens(request, profile), "stream": True}
    if system:
        body["system"] = [{"type": "text", "text": system}]
    if tools:
        body["tools"] = tools
    body["messages"] = messages
    _set_parameters(body, request, profile)
    if profile.cache_marks:
        _mark_for_cache(body)
    body.update(profile.extra_body)
    headers = anthropic_headers(provider, profile)
    return HttpRequest(messages_url(provider.base_url), headers, encode_body(body), history.prefix, names.changed())


def _max_tokens(request: ProviderRequest, profile: Profile) -> int:
    wanted = request.parameters.max_output_tokens or request.max_output_known or DEFAULT_MAX_TOKENS
    return max(1, min(wanted, profile.max_output_limit or wanted))


def _set_parameters(body: dict[str, Any], request: ProviderRequest, profile: Profile) -> None:
    parameters = request.parameters
    temperature, effort = parameters.temperature, parameters.reasoning_effort
    kind = profile.reasoning_parameter
    thinks = False
    if effort == "none" and kind != "":
        body["thinking"] = {"type": "disabled"}
    elif effort is not None and effort != "none" and kind == "thinking":
        budget = min(THINKING_BUDGET[effort], body["max_tokens"] - 1)
        if budget >= THINKING_BUDGET["minimal"]:
            body["thinking"] = {"type": "enabled", "budget_tokens": budget}
            thinks = True
    elif effort is not None and effort != "none" and kind != "":
        body["thinking"] = {"type": "adaptive"}
        if profile.thinking_display:
            body["thinking"]["display"] = profile.thinking_display
        body["output_config"] = {"effort": EFFORT[effort]}
        thinks = True
    if temperature is not None and profile.temperature and not thinks:
        body["temperature"] = temperature  # a model that thinks takes no other than its own
    elif parameters.top_p is not None and profile.top_p and not thinks:
        body["top_p"] = parameters.top_p  # newer models refuse it beside a temperature
    stops = [stop for stop in parameters.stop_sequences if stop.strip()]  # a blank one is refused
    if stops and profile.stop:
        body["stop_sequences"] = stops


def _tool(tool: ToolSpec, names: WireNames, profile: Profile) -> dict[str, Any]:
    schema = without_keywords(tool.schema, profile.schema_drop) if profile.schema_drop else dict(tool.schema)
    schema["type"] = "object"
    return {"name": names.to_wire(tool.name), "description": tool.description, "input_schema": schema}


def _mark_for_cache(body: dict[str, Any]) -> None:
    """Marks on a long chat: its fixed beginning, and its last message, which the next request repeats."""
    messages = body["messages"]
    if not any(message["role"] == "assistant" for message in messages):
        return
    if len(encode_body([body.get("system"), body.get("tools"), messages])) < CACHE_FROM_CHARACTERS:
        return
    if "system" in body:
        body["system"][-1] = {**body["system"][-1], "cache_control": MARK}
    elif "tools" in body:
        body["tools"][-1] = {**body["tools"][-1], "cache_control": MARK}
    users = [message for message in messages if message["role"] == "user"]
    for message in users[-2:]:
        last = message["content"][-1]
        if isinstance(last, dict) and last["type"] not in UNMARKABLE:
            message["content"][-1] = {**last, "cache_control": MARK}


class _History:
    """Builds the wire messages, one of ours after the other. `prefix` is the digest of all of them."""

    def __init__(
        self,
        request: ProviderRequest,
        profile: Profile,
        names: WireNames,
        *,
        system: str,
        tools: list[dict[str, Any]],
    ) -> None:
        self._request = request
        self._profile = profile
        self._names = names
        self._messages: list[dict[str, Any]] = []
        self._taken_ids: set[str] = set()
        self._digest = hashlib.sha256(encode_body([system, tools]))

    @property
    def prefix(self) -> str:
        return self._digest.hexdigest()

    def wire_messages(self) -> list[dict[str, Any]]:
        messages = self._request.messages
        spoken = [place for place, message in enumerate(messages) if message.role in ("user", "assistant")]
        for place in spoken:
            message = messages[place]
            if message.role == "user":
                self._add("user", self._user_blocks(message))
            else:
                self._add_assistant(message, is_last=place == spoken[-1] and not message.tool_calls)
        if not self._messages:
            raise nothing_to_send(self._request.provider)
        self._trim_prefill()
        return self._messages

    def _add(self, role: str, blocks: list[Any]) -> None:
        if not blocks:
            return
        if role == "assistant" and not self._messages:
            self._add("user", [_text(FILLER)])
        self._digest.update(encode_body([role, blocks]))
        last = self._messages[-1] if self._messages else None
        if last is not None and last["role"] == role:
            last["content"] += blocks
        else:
            self._messages.append({"role": role, "content": list(blocks)})

    def _trim_prefill(self) -> None:
        """The last message, where it is the model's own to go on with, may not end in white space."""
        content = self._messages[-1]["content"]
        last = content[-1]
        is_own = self._messages[-1]["role"] == "assistant" and isinstance(last, dict)
        if is_own and last.get("type") == "text" and "citations" not in last:
            trimmed = last["text"].rstrip()
            if trimmed != last["text"]:
                content[-1] = {**last, "text": trimmed}
                self._digest.update(b"trimmed")  # no later history will have it like this

    # Users ------------------------------------------------------------------------------------------------------------

    def _user_blocks(self, message: Message) -> list[Any]:
        blocks = [self._file_block(attachment) for attachment in message.attachments]
        if message.content.strip():
            blocks.append(_text(message.content))
        return blocks

    def _file_block(self, attachment: Attachment) -> dict[str, Any]:
        data = self._request.files.get(attachment.digest)
        if data is None:
            return _text(in_words(attachment, "its content is not at hand"))
        kind = kind_of(attachment, data)
        if kind == "text":
            return _text(as_text(attachment, data))
        if kind == "image" and self._profile.images:
            return {"type": "image", "source": _base64(attachment.media_type, data)}
        if kind == "document" and self._profile.documents:
            return {"type": "document", "source": _base64("application/pdf", data), "title": attachment.name}
        return _text(in_words(attachment, "this provider does not take such files"))

    # The model's own messages -----------------------------------------------------------------------------------------

    def _add_assistant(self, message: Message, *, is_last: bool) -> None:
        verbatim = made_by(message, self._request.provider.id, (self._request.model,))
        ids = wire_ids(message, verbatim=verbatim, taken=self._taken_ids, only=ID)
        blocks = self._own_blocks(message, ids, is_last=is_last)
        if blocks is None:
            blocks = [_text(message.content)] if message.content.strip() else []
            blocks += [self._call_block(call, wire_id) for call, wire_id in zip(message.tool_calls, ids, strict=True)]
        self._add("assistant", blocks)
        self._add("user", [_result(call, wire_id) for call, wire_id in zip(message.tool_calls, ids, strict=True)])

    def _call_block(self, call: ToolCall, wire_id: str) -> dict[str, Any]:
        name = self._names.to_wire(call.name)
        return {"type": "tool_use", "id": wire_id, "name": name, "input": object_of(call.args_json)}

    def _own_blocks(self, message: Message, ids: list[str], *, is_last: bool) -> list[Any] | None:
        """The blocks as the provider gave them, where they still stand for the message; None where they don't."""
        state = message.provider_state
        if state is None or state.provider != self._request.provider.id:
            return None
        try:
            blocks = msgspec.json.decode(state.data, type=list[dict[str, Any]])
            raws = msgspec.json.decode(state.data, type=list[msgspec.Raw])
        except msgspec.MsgspecError:
            return None
        calls = [block for block in blocks if block.get("type") == "tool_use"]
        said = "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
        if len(calls) != len(message.tool_calls) or said != message.content:
            return None  # edited since
        bound = state.model == self._request.model and state.prefix == self.prefix
        answered = {block.get("tool_use_id") for block in blocks}
        kept: list[Any] = []
        place = 0
        for block, raw in zip(blocks, raws, strict=True):
            kind = block.get("type")
            unbound = kind in UNMARKABLE and not bound
            blank = kind == "text" and not str(block.get("text") or "").strip()
            # What the provider's own tools never answered, they never will: it may stand at the very end alone.
            unanswered = kind in CALLS and not is_last and block.get("id") not in answered
            if kind == "tool_use":
                kept.append(self._own_call(block, raw, message.tool_calls[place], ids[place]))
                place += 1
            elif not (unbound or blank or unanswered):
                kept.append(raw if kind in UNMARKABLE else block)
        while kept and isinstance(kept[-1], msgspec.Raw) and msgspec.json.decode(kept[-1])["type"] in UNMARKABLE:
            kept.pop()  # no message may end in thinking
        return kept

    def _own_call(self, block: dict[str, Any], raw: msgspec.Raw, call: ToolCall, wire_id: str) -> Any:
        arguments = object_of(call.args_json)
        name = self._names.to_wire(call.name)
        if (block.get("id"), block.get("name"), block.get("input")) == (wire_id, name, arguments):
            return raw
        return {**block, "id": wire_id, "name": name, "input": arguments}


def _result(call: ToolCall, wire_id: str) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": wire_id, "content": result_text(call)}
    if call.is_error or call.status in ("error", "denied", "cancelled", "awaiting", "running"):
        block["is_error"] = True
    return block


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _base64(media_type: str, data: bytes) -> dict[str, Any]:
    return {"type": "base64", "media_type": media_type, "data": base64_of(data)}
