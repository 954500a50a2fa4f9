"""D11, D12, D13: how a history goes out on the Anthropic wire."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from talkfield.core.ids import CallId, MessageId, ProviderId
from talkfield.core.messages import Attachment, CallStatus, Message, ToolCall
from talkfield.providers.anthropic import request_for
from talkfield.runtime.ports import Parameters, ProviderConfig, ProviderRequest, ToolSpec


def message(role: Any, text: str = "", *calls: ToolCall, **fields: Any) -> Message:
    return Message(id=MessageId("m"), role=role, content=text, ts=0, tool_calls=calls, **fields)


def call(wire_id: str, *, status: CallStatus = "done", result: str | None = "r", args: str = "{}") -> ToolCall:
    return ToolCall(
        id=CallId(f"own-{wire_id}"), name="f", args_json=args, status=status, wire_id=wire_id, result=result
    )


def body_of(*messages: Message, profile: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    provider = ProviderConfig(
        id=ProviderId("p"), name="P", api="anthropic", base_url="https://a.com", key="k", profile=profile or {}
    )
    asked = ProviderRequest(provider=provider, model="m", messages=messages, **fields)
    body: dict[str, Any] = msgspec.json.decode(request_for(asked).body)
    return body


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def test_D12_the_whole_of_a_plain_request() -> None:
    tool = ToolSpec(name="f", description="Does f.", schema={"properties": {"a": {"type": "string"}}})
    provider = ProviderConfig(id=ProviderId("p"), name="P", api="anthropic", base_url="https://a.com", key="k")
    asked = ProviderRequest(
        provider=provider,
        model="m",
        messages=(message("user", "Hi"), message("system", "Late.")),
        system="Early.",
        tools=(tool,),
        parameters=Parameters(temperature=0.5),
    )
    sent = request_for(asked)
    assert sent.url == "https://a.com/v1/messages"
    assert (sent.headers["x-api-key"], sent.headers["anthropic-version"]) == ("k", "2023-06-01")
    assert "authorization" not in sent.headers
    assert msgspec.json.decode(sent.body) == {
        "model": "m",
        "max_tokens": 16384,
        "stream": True,
        "system": [text("Early.\n\nLate.")],
        "tools": [
            {
                "name": "f",
                "description": "Does f.",
                "input_schema": {"properties": {"a": {"type": "string"}}, "type": "object"},
            }
        ],
        "messages": [{"role": "user", "content": [text("Hi")]}],
        "temperature": 0.5,
    }


def test_D12_results_come_first_in_the_next_message_and_alternation_holds() -> None:
    calls = (call("toolu_1"), call("toolu_2", status="denied", result="denied by user"))
    sent = body_of(message("assistant", "Look.", *calls, provider="p", model="m"), message("user", "So?"))["messages"]
    assert [entry["role"] for entry in sent] == ["user", "assistant", "user"]
    assert sent[1]["content"] == [
        text("Look."),
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
        {"type": "tool_use", "id": "toolu_2", "name": "f", "input": {}},
    ]
    assert sent[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": "denied by user", "is_error": True},
        text("So?"),
    ]


def test_D12_an_id_that_was_used_before_is_made_unique() -> None:
    turn = message("assistant", "", call("toolu_1"), provider="p", model="m")
    second = message("assistant", "", call("toolu_1"), provider="p", model="m")
    sent = body_of(message("user", "A"), turn, message("user", "B"), second)["messages"]
    ids = [block["id"] for entry in sent for block in entry["content"] if block["type"] == "tool_use"]
    assert ids[0] == "toolu_1"
    assert len(set(ids)) == 2


def test_D8_broken_arguments_go_back_as_an_object_that_shows_them() -> None:
    sent = body_of(message("user", "A"), message("assistant", "", call("t", args='{"a":')))["messages"]
    assert sent[1]["content"][0]["input"] == {"invalid_arguments": '{"a":'}


@pytest.mark.parametrize(
    ("fields", "profile", "limit"),
    [
        ({}, {}, 16384),
        ({"max_output_known": 64000}, {}, 64000),
        ({"parameters": Parameters(max_output_tokens=50)}, {}, 50),
        ({"max_output_known": 64000}, {"max_output_limit": 8192}, 8192),
    ],
)
def test_D12_a_limit_is_always_sent(fields: dict[str, Any], profile: dict[str, Any], limit: int) -> None:
    assert body_of(message("user", "A"), profile=profile, **fields)["max_tokens"] == limit


@pytest.mark.parametrize(
    ("effort", "profile", "thinking"),
    [
        (None, {}, None),
        ("none", {}, {"type": "disabled"}),
        ("high", {}, {"type": "adaptive", "display": "summarized"}),
        ("high", {"thinking_display": ""}, {"type": "adaptive"}),
        ("high", {"reasoning_parameter": "thinking"}, {"type": "enabled", "budget_tokens": 16383}),
        ("low", {"reasoning_parameter": "thinking"}, {"type": "enabled", "budget_tokens": 2048}),
        ("low", {"reasoning_parameter": "thinking", "max_output_limit": 1000}, None),
        ("high", {"reasoning_parameter": ""}, None),
    ],
)
def test_D13_thinking_is_asked_for_as_the_model_takes_it(effort: Any, profile: dict[str, Any], thinking: Any) -> None:
    body = body_of(
        message("user", "A"), profile=profile, parameters=Parameters(reasoning_effort=effort, temperature=0.5)
    )
    assert body.get("thinking") == thinking
    thinks = thinking is not None and thinking["type"] != "disabled"
    assert ("temperature" in body) is not thinks
    assert ("output_config" in body) is (thinks and thinking["type"] == "adaptive")


@pytest.mark.parametrize(
    ("chosen", "profile", "sent"),
    [
        ({"top_p": 0.9}, {}, {"top_p": 0.9}),
        ({"top_p": 0.9, "temperature": 0.5}, {}, {"temperature": 0.5}),
        ({"top_p": 0.9, "temperature": 0.5}, {"temperature": False}, {"top_p": 0.9}),
        ({"top_p": 0.9, "reasoning_effort": "high"}, {}, {}),
        ({"top_p": 0.9}, {"top_p": False}, {}),
        ({"stop_sequences": ("END", "\n\n")}, {}, {"stop_sequences": ["END"]}),
        ({"stop_sequences": ("\n\n",)}, {}, {}),
        ({"stop_sequences": ("END",)}, {"stop": False}, {}),
        ({"seed": 7}, {}, {}),
    ],
)
def test_D13_what_this_wire_would_refuse_of_top_p_stop_sequences_and_seed_stays_away(
    chosen: dict[str, Any], profile: dict[str, Any], sent: dict[str, Any]
) -> None:
    body = body_of(message("user", "A"), profile=profile, parameters=Parameters(**chosen))
    names = ("temperature", "top_p", "stop_sequences", "stop", "seed", "random_seed")
    assert {name: body[name] for name in names if name in body} == sent


def test_D12_files_go_in_the_form_the_wire_has_for_them() -> None:
    def file(digest: str, media_type: str) -> Attachment:
        return Attachment(id=digest, name=digest, media_type=media_type, size_bytes=3, digest=digest)

    attached = (
        file("png", "image/png"),
        file("pdf", "application/pdf"),
        file("txt", "text/plain"),
        file("wav", "audio/wav"),
    )
    files = {"png": b"PNG", "pdf": b"PDF", "txt": b"words", "wav": b"WAV"}
    sent = body_of(message("user", "Look.", attachments=attached), files=files)["messages"][0]["content"]
    assert sent == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "UE5H"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "UERG"},
            "title": "pdf",
        },
        text('<file name="txt">\nwords\n</file>'),
        text("[attached file 'wav' (audio/wav, 3 bytes) not included: this provider does not take such files]"),
        text("Look."),
    ]


def test_D12_a_short_chat_has_no_marks_for_the_cache() -> None:
    body = body_of(message("user", "A"), message("assistant", "B"), message("user", "C"), system="S")
    assert b"cache_control" not in msgspec.json.encode(body)


def test_D13_marks_for_the_cache_can_be_refused() -> None:
    chat = (message("user", "A" * 9000), message("assistant", "B"), message("user", "C"))
    assert b"cache_control" in msgspec.json.encode(body_of(*chat))
    assert b"cache_control" not in msgspec.json.encode(body_of(*chat, profile={"cache_marks": False}))


def test_D12_the_last_message_does_not_end_in_white_space() -> None:
    sent = body_of(message("user", "A"), message("assistant", "Once upon \n"))["messages"]
    assert sent[-1] == {"role": "assistant", "content": [text("Once upon")]}
