"""The request half of the OpenAI wire: a history as `/chat/completions` and its dialects take it (D12, D13).

Owns roles, order, pairing, alternation and emptiness of what is sent. Safe for any history: what a wire refuses is
merged, replaced or left out, never sent. Pure: the same request and corrections give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from talkfield.core.messages import Attachment, Message, ToolCall
from talkfield.providers.attachment import as_text, base64_of, in_words, kind_of, sound_format
from talkfield.providers.base_url import chat_completions_url
from talkfield.providers.history_text import FILLER, nothing_to_send, result_text, system_text
from talkfield.providers.http_request import HttpRequest, headers_of
from talkfield.providers.json_body import encode_body, object_of
from talkfield.providers.json_schema import without_keywords
from talkfield.providers.profile import Profile, profile_of
from talkfield.providers.wire_name import WireNames, made_by, wire_ids
from talkfield.runtime.ports import ProviderRequest, ToolSpec


def request_for(request: ProviderRequest, corrections: Mapping[str, Any] | None = None) -> HttpRequest:
    """The request to send. `corrections` are learned profile fields, stronger than the provider's own profile.

    Raises `ProviderRefused` where there is nothing to send, or no address to send it to.
    """
    provider = request.provider
    profile = profile_of(provider.profile, corrections or {})
    names = WireNames(tool.name for tool in request.tools)
    body: dict[str, Any] = {
        "model": request.model,
        "messages": _History(request, profile, names).wire_messages(),
        "stream": True,
    }
    if profile.stream_usage:
        body["stream_options"] = {"include_usage": True}
    if request.tools and profile.tools:
        body["tools"] = [_tool(tool, names, profile) for tool in request.tools]
        if profile.parallel_tool_calls is not None:
            body["parallel_tool_calls"] = profile.parallel_tool_calls
    _set_parameters(body, request, profile)
    body.update(profile.extra_body)
    headers = headers_of(provider, key_header=profile.key_header or "authorization")
    return HttpRequest(chat_completions_url(provider.base_url), headers, encode_body(body), "", names.changed())


def _set_parameters(body: dict[str, Any], request: ProviderRequest, profile: Profile) -> None:
    parameters = request.parameters
    if parameters.temperature is not None and profile.temperature:
        body["temperature"] = parameters.temperature
    if parameters.top_p is not None and profile.top_p:
        body["top_p"] = parameters.top_p
    if parameters.stop_sequences and profile.stop:
        body["stop"] = list(parameters.stop_sequences)
    if parameters.seed is not None and profile.seed_field:
        body[profile.seed_field] = parameters.seed
    if parameters.max_output_tokens is not None:
        limit = profile.max_output_limit or parameters.max_output_tokens
        body[profile.max_tokens_field] = min(parameters.max_output_tokens, limit)
    effort = parameters.reasoning_effort
    if effort is None:
        return
    match profile.reasoning_parameter:
        case None | "reasoning_effort":
            body["reasoning_effort"] = effort
        case "reasoning":
            body["reasoning"] = {"enabled": False} if effort == "none" else {"effort": effort}
        case "thinking" | "adaptive":
            body["thinking"] = {"type": "disabled" if effort == "none" else "enabled"}
        case "enable_thinking":
            body["enable_thinking"] = effort != "none"
        case "chat_template_kwargs":
            body["chat_template_kwargs"] = {"enable_thinking": effort != "none"}


def _tool(tool: ToolSpec, names: WireNames, profile: Profile) -> dict[str, Any]:
    schema = without_keywords(tool.schema, profile.schema_drop) if profile.schema_drop else dict(tool.schema)
    schema.setdefault("type", "object")
    schema.setdefault("properties", {})
    function = {"name": names.to_wire(tool.name), "description": tool.description, "parameters": schema}
    return {"type": "function", "function": function}


class _History:
    """Builds the list of wire messages, one of ours after the other."""

    def __init__(self, request: ProviderRequest, profile: Profile, names: WireNames) -> None:
        self._request = request
        self._profile = profile
        self._names = names
        self._messages: list[dict[str, Any]] = []

    def wire_messages(self) -> list[dict[str, Any]]:
        messages = self._request.messages
        last_user = max((place for place, message in enumerate(messages) if message.role == "user"), default=-1)
        for place, message in enumerate(messages):
            if message.role == "user":
                self._add_user(message)
            elif message.role == "assistant":
                self._add_assistant(message, in_tool_loop=place > last_user)
        if not self._messages:
            raise nothing_to_send(self._request.provider)
        if self._profile.user_first and self._messages[0]["role"] != "user":
            self._messages.insert(0, {"role": "user", "content": FILLER})
        self._place_system()
        return self._messages

    def _place_system(self) -> None:
        system = system_text(self._request)
        if not system:
            return
        first = self._messages[0]
        if self._profile.system_role != "user":
            self._messages.insert(0, {"role": self._profile.system_role, "content": system})
        elif first["role"] == "user":
            first["content"] = _joined(system, first["content"])
        else:
            self._messages.insert(0, {"role": "user", "content": system})

    def _add_user(self, message: Message) -> None:
        parts = [self._part(attachment) for attachment in message.attachments]
        text = message.content if message.content.strip() else ""
        if not text and not parts:
            return
        words = [part["text"] for part in parts if part["type"] == "text"]
        files = [part for part in parts if part["type"] != "text"]
        text = "\n\n".join(filter(None, [*words, text]))
        content: Any = text if not files else [*files, {"type": "text", "text": text}] if text else files
        last = self._messages[-1] if self._messages else None
        if last is not None and last["role"] == "user":
            last["content"] = _joined(last["content"], content)
            return
        if last is not None and last["role"] == "tool" and self._profile.assistant_after_tool:
            self._messages.append({"role": "assistant", "content": FILLER})
        self._messages.append({"role": "user", "content": content})

    def _add_assistant(self, message: Message, *, in_tool_loop: bool) -> None:
        state = self._state_of(message)
        content = message.content if message.content.strip() else ""
        fields: dict[str, Any] = {}
        replay = self._profile.reasoning_replay
        if message.thinking and (replay == "always" or (replay == "tool_loop" and in_tool_loop)):
            tag, field = state.get("tag"), state.get("reasoning_field")
            if tag:
                content = f"{state.get('before', '')}<{tag}>{message.thinking}</{tag}>{message.content}"
            elif field or replay == "always":
                fields[field or "reasoning_content"] = message.thinking
        for name in ("reasoning_details", "extra_content"):
            if state.get(name) is not None:
                fields[name] = state[name]
        if not message.tool_calls and not content:
            return
        ids = wire_ids(
            message, verbatim=made_by(message, self._request.provider.id, (self._request.model,)), taken=set()
        )
        extras = state.get("calls") or {}
        calls = [
            self._call(call, wire_id, extras.get(str(place), self._profile.call_extra if place == 0 else None))
            for place, (call, wire_id) in enumerate(zip(message.tool_calls, ids, strict=True))
        ]
        self._merge_assistant(content, fields, calls)
        self._messages += [
            {"role": "tool", "tool_call_id": wire_id, "content": result_text(call)}
            for call, wire_id in zip(message.tool_calls, ids, strict=True)
        ]

    def _merge_assistant(self, content: str, fields: dict[str, Any], calls: list[dict[str, Any]]) -> None:
        last = self._messages[-1] if self._messages else None
        if last is not None and last["role"] == "assistant":
            before = last.pop("content", None) or ""
            content = "\n\n".join(filter(None, (before, content)))
            for name, value in fields.items():
                last[name] = last[name] + value if isinstance(last.get(name), list | str) else value
            target = last
        else:
            target = {"role": "assistant", **fields}
            self._messages.append(target)
        if content or not calls or self._profile.empty_content == "empty":
            target["content"] = content
        elif self._profile.empty_content == "null":
            target["content"] = None
        if calls:
            target["tool_calls"] = calls

    def _call(self, call: ToolCall, wire_id: str, extra: Any) -> dict[str, Any]:
        arguments = call.args_json if _is_sendable(call.args_json) else encode_body(object_of(call.args_json)).decode()
        wire: dict[str, Any] = {
            "id": wire_id,
            "type": "function",
            "function": {"name": self._names.to_wire(call.name), "arguments": arguments},
        }
        if isinstance(extra, dict):
            wire.update(extra)
        return wire

    def _state_of(self, message: Message) -> dict[str, Any]:
        """What this provider and model want back with their own message; nothing for anyone else (D11)."""
        state = message.provider_state
        if state is None or (state.provider, state.model) != (self._request.provider.id, self._request.model):
            return {}
        try:
            value = msgspec.json.decode(state.data)
        except msgspec.DecodeError:
            return {}
        return value if isinstance(value, dict) else {}

    def _part(self, attachment: Attachment) -> dict[str, Any]:
        data = self._request.files.get(attachment.digest)
        kind = kind_of(attachment, data)
        if data is None:
            return _text_part(in_words(attachment, "its content is not at hand"))
        if kind == "text":
            return _text_part(as_text(attachment, data))
        if kind == "image" and self._profile.images:
            url = f"data:{attachment.media_type};base64,{base64_of(data)}"
            return {"type": "image_url", "image_url": {"url": url}}
        if kind == "document" and self._profile.documents:
            file = {"filename": attachment.name, "file_data": f"data:application/pdf;base64,{base64_of(data)}"}
            return {"type": "file", "file": file}
        if kind == "audio" and self._profile.audio:
            return {"type": "input_audio", "input_audio": {"data": base64_of(data), "format": sound_format(attachment)}}
        return _text_part(in_words(attachment, "this provider does not take such files"))


def _is_sendable(args_json: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(args_json), dict)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _joined(first: Any, second: Any) -> Any:
    """Two contents as one: text with a blank line between, else the parts of both."""
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    parts: list[Any] = []
    for content in (first, second):
        parts += [_text_part(content)] if isinstance(content, str) else content
    return parts
