"""Histories of every kind, for properties of what is sent: all roles, statuses, ids, damaged state, odd text."""

from __future__ import annotations

import json
from typing import Any, get_args

from hypothesis import strategies as st

from talkfield.core.ids import CallId, MessageId, ProviderId
from talkfield.core.messages import Attachment, CallStatus, Message, ProviderState, Role, ToolCall
from talkfield.runtime.ports import Parameters, ProviderConfig, ProviderRequest, ToolSpec

FILES = {"img": b"\x89PNG", "txt": b"some text", "pdf": b"%PDF", "snd": b"RIFF", "bin": b"\x00\xff"}
TYPES = {
    "img": "image/png",
    "txt": "text/plain",
    "pdf": "application/pdf",
    "snd": "audio/wav",
    "bin": "application/zip",
}
ROLES: list[Role] = ["user", "user", "assistant", "assistant", "assistant", "system", "note", "tool"]
PROVIDERS = ("p", "q")
MODELS = ("m", "n")

texts = st.sampled_from(["", "  \n", "Hello", "Line\nbreak ", "NUL \x00", "half \ud800", "<think>x</think>", "é" * 5])
arguments = st.sampled_from(["{}", '{"a": 1}', '{"a":', "", "[]", "null", '"text"', '{"s": "\\u0000"}'])
wire_ids = st.sampled_from(["", "call_1", "call_1", "0", "functions.f:0", "x" * 40, "toolu_abc-1"])
tool_names = st.sampled_from(["f", "read_file", "mcp.server/tool", "mcp_server_tool", "ü" * 3, "t" * 70, ""])
providers = st.sampled_from([None, *PROVIDERS])
models = st.sampled_from([None, *MODELS])

attachments = st.sampled_from([*TYPES, "missing"]).map(
    lambda digest: Attachment(
        id=digest, name=f"{digest}.x", media_type=TYPES.get(digest, "image/png"), size_bytes=9, digest=digest
    )
)


@st.composite
def calls(draw: st.DrawFn, number: int, place: int) -> ToolCall:
    status = draw(st.sampled_from(get_args(CallStatus)))
    return ToolCall(
        id=CallId(f"c{number}-{place}"),
        name=draw(tool_names),
        args_json=draw(arguments),
        status=status,
        wire_id=draw(wire_ids),
        result=draw(st.sampled_from([None, "", " ", "result", "bad \ud800\x00"])),
        is_error=draw(st.booleans()),
    )


def _state(kind: str, content: str, made: list[ToolCall]) -> str:
    thinking = {"type": "thinking", "thinking": "Hm", "signature": "of-nothing-that-is-here"}
    own = [{"type": "tool_use", "id": c.wire_id or "i", "name": c.name, "input": {"a": 1}} for c in made]
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    states: dict[str, Any] = {
        "broken": "{",
        "openai": {"reasoning_field": "reasoning_content", "calls": {"0": {"extra_content": {"x": 1}}}},
        "tag": {"tag": "think", "before": "\n"},
        "blocks": [thinking, {"type": "text", "text": content}, *own],
        "pause": [search, {"type": "text", "text": content}, *own],
        "redacted": [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": content}, *own],
        "nonsense": [1, 2],
    }
    value = states[kind]
    return value if isinstance(value, str) else json.dumps(value)


@st.composite
def messages(draw: st.DrawFn, number: int) -> Message:
    role: Role = draw(st.sampled_from(ROLES))
    content = draw(texts)
    made = [draw(calls(number, place)) for place in range(draw(st.integers(0, 3)))] if role == "assistant" else []
    provider, model = (draw(providers), draw(models)) if role == "assistant" else (None, None)
    state = None
    if role == "assistant" and provider and draw(st.booleans()):
        kinds = ["broken", "openai", "tag", "blocks", "pause", "redacted", "nonsense"]
        data = _state(draw(st.sampled_from(kinds)), content, made)
        state = ProviderState(provider=provider, model=model or "m", data=data, prefix="of another history")
    return Message(
        id=MessageId(f"m{number}"),
        role=role,
        content=content,
        ts=0,
        thinking=draw(st.sampled_from(["", "Hm."])) if role == "assistant" else "",
        provider=provider,
        model=model,
        provider_state=state,
        attachments=tuple(draw(st.lists(attachments, max_size=2))) if role == "user" else (),
        tool_calls=tuple(made),
    )


@st.composite
def requests(draw: st.DrawFn, api: str) -> ProviderRequest:
    history = tuple(draw(messages(number)) for number in range(draw(st.integers(0, 7))))
    names = draw(st.lists(tool_names.filter(bool), max_size=3, unique=True))
    return ProviderRequest(
        provider=ProviderConfig(id=ProviderId("p"), name="P", api=api, base_url="https://example.com", key="k"),
        model=draw(st.sampled_from(MODELS)),
        messages=history,
        system=draw(texts),
        tools=tuple(ToolSpec(name=name, description="d", schema={}) for name in names),
        parameters=Parameters(
            temperature=draw(st.sampled_from([None, 0.5])),
            max_output_tokens=draw(st.sampled_from([None, 1, 5000])),
            reasoning_effort=draw(st.sampled_from([None, "none", "minimal", "high"])),
            top_p=draw(st.sampled_from([None, 0.9])),
            stop_sequences=draw(st.sampled_from([(), ("END",), ("\n\n", "END")])),
            seed=draw(st.sampled_from([None, 7])),
        ),
        files=FILES,
    )
