"""D9, D11, D12, D13: how a history goes out on the OpenAI wire."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from talkfield.core.ids import CallId, MessageId, ProviderId
from talkfield.core.messages import Attachment, CallStatus, Message, ProviderState, ToolCall
from talkfield.errors import ProviderRefused
from talkfield.providers.openai import OpenAiDecoder, request_for
from talkfield.runtime.ports import CallChunk, FinishChunk, Parameters, ProviderConfig, ProviderRequest, ToolSpec


def user(text: str, *attachments: Attachment) -> Message:
    return Message(id=MessageId("u"), role="user", content=text, ts=0, attachments=attachments)


def system(text: str) -> Message:
    return Message(id=MessageId("s"), role="system", content=text, ts=0)


def assistant(text: str = "", *calls: ToolCall, **fields: Any) -> Message:
    fields = {"provider": "p", "model": "m", "id": MessageId("a"), **fields}
    return Message(role="assistant", content=text, ts=0, tool_calls=calls, **fields)


def call(
    wire_id: str,
    name: str = "f",
    args: str = "{}",
    *,
    status: CallStatus = "done",
    result: str | None = "r",
    own: str = "",
) -> ToolCall:
    return ToolCall(
        id=CallId(own or f"own-{wire_id}-{name}"),
        name=name,
        args_json=args,
        status=status,
        wire_id=wire_id,
        result=result,
    )


def state(**data: Any) -> ProviderState:
    return ProviderState(provider="p", model="m", data=json.dumps(data))


def request(
    *messages: Message, profile: dict[str, Any] | None = None, model: str = "m", **fields: Any
) -> ProviderRequest:
    provider = ProviderConfig(
        id=ProviderId("p"),
        name="P",
        api="openai",
        base_url="https://example.com",
        key="secret-key",
        profile=profile or {},
        headers=fields.pop("headers", {}),
    )
    return ProviderRequest(provider=provider, model=model, messages=messages, **fields)


def body_of(*messages: Message, **fields: Any) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.json.decode(request_for(request(*messages, **fields)).body)
    return body


def messages_of(*messages: Message, **fields: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(*messages, **fields)["messages"]
    return found


def wire_call(wire_id: str, name: str = "f", arguments: str = "{}") -> dict[str, Any]:
    return {"id": wire_id, "type": "function", "function": {"name": name, "arguments": arguments}}


# Order and roles ------------------------------------------------------------------------------------------------------


def test_D12_system_text_is_one_message_and_first() -> None:
    sent = messages_of(user("Hi"), assistant("Hello"), system("Late."), user("So?"), system="Early.")
    assert sent == [
        {"role": "system", "content": "Early.\n\nLate."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "So?"},
    ]


@pytest.mark.parametrize(
    ("role", "first"),
    [
        ("developer", [{"role": "developer", "content": "S"}, {"role": "user", "content": "Hi"}]),
        ("user", [{"role": "user", "content": "S\n\nHi"}]),
    ],
)
def test_D13_the_system_role_is_the_one_that_is_taken(role: str, first: list[dict[str, Any]]) -> None:
    assert messages_of(user("Hi"), system="S", profile={"system_role": role}) == first


def test_D12_neighbours_of_one_role_become_one() -> None:
    sent = messages_of(user("A"), user("B"), assistant("C"), assistant("D", call("1")), user("E"))
    assert sent == [
        {"role": "user", "content": "A\n\nB"},
        {"role": "assistant", "content": "C\n\nD", "tool_calls": [wire_call("1")]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
        {"role": "user", "content": "E"},
    ]


def test_D13_a_filler_stands_where_a_dialect_demands_one() -> None:
    profile = {"assistant_after_tool": True, "user_first": True}
    sent = messages_of(assistant("", call("1")), user("E"), profile=profile)
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "assistant", "user"]


def test_D12_nothing_to_send_is_told() -> None:
    with pytest.raises(ProviderRefused) as raised:
        request_for(request(user("  "), system="S"))
    assert raised.value.code == "empty_request"


# Calls and results ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "content"),
    [
        (call("1", result=""), "(no output)"),
        (call("1", result=None, status="denied"), "denied by user"),
        (call("1", result="denied by user: too risky", status="denied"), "denied by user: too risky"),
        (call("1", result=None, status="running"), "interrupted: this call was never answered"),
        (call("1", result=None, status="cancelled"), "interrupted: this call was never answered"),
    ],
)
def test_D12_every_call_has_a_result_right_after_it(made: ToolCall, content: str) -> None:
    assert messages_of(user("A"), assistant("", made), user("B"))[2] == {
        "role": "tool",
        "tool_call_id": "1",
        "content": content,
    }


def test_D12_a_message_of_calls_alone_has_null_for_content() -> None:
    assert messages_of(user("A"), assistant("", call("1")))[1]["content"] is None
    assert messages_of(user("A"), assistant("", call("1")), profile={"empty_content": "empty"})[1]["content"] == ""
    assert "content" not in messages_of(user("A"), assistant("", call("1")), profile={"empty_content": "omit"})[1]


def test_D12_its_own_ids_go_back_unchanged_although_they_repeat() -> None:
    own_ids = {"provider_state": state(own_ids=True), "model": "m-as-reported"}
    turn = assistant("", call("functions.f:0"), **own_ids)
    sent = messages_of(user("A"), turn, user("B"), turn)
    assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == ["functions.f:0"] * 2


def test_D12_ids_of_another_provider_become_nine_letters_and_digits() -> None:
    turn = assistant("", call("functions.f:0", own="c1"), call("functions.f:0", own="c2"), provider="q")
    sent = messages_of(user("A"), turn)
    ids = [made["id"] for made in sent[1]["tool_calls"]]
    assert all(len(made) == 9 and made.isalnum() and made.isascii() for made in ids)
    assert [message["tool_call_id"] for message in sent[2:]] == ids
    assert len(set(ids)) == 2
    assert messages_of(user("A"), turn) == sent


def test_D12_one_id_twice_in_a_message_is_made_unique() -> None:
    sent = messages_of(user("A"), assistant("", call("0", own="c1"), call("0", own="c2", result="second")))
    ids = [made["id"] for made in sent[1]["tool_calls"]]
    assert ids[0] == "0"
    assert ids[1] not in ("0", "")
    assert sent[3] == {"role": "tool", "tool_call_id": ids[1], "content": "second"}


def test_D8_broken_arguments_go_back_as_an_object_that_shows_them() -> None:
    sent = messages_of(user("A"), assistant("", call("1", args='{"a":')))
    assert json.loads(sent[1]["tool_calls"][0]["function"]["arguments"]) == {"invalid_arguments": '{"a":'}


def test_D12_tool_names_are_translated_there_and_back() -> None:
    tools = tuple(
        ToolSpec(name=name, description="d", schema={}) for name in ("ok", "files.read/all", "files_read_all")
    )
    sent = request_for(request(user("A"), assistant("", call("1", "files.read/all")), tools=tools))
    body = msgspec.json.decode(sent.body)
    names = [tool["function"]["name"] for tool in body["tools"]]
    assert names[0] == "ok"
    assert len(set(names)) == 3
    assert body["messages"][1]["tool_calls"][0]["function"]["name"] == names[1]
    decoder = OpenAiDecoder(tool_names=sent.tool_names)
    delta = {"tool_calls": [{"index": 0, "id": "1", "function": {"name": names[1], "arguments": "{}"}}]}
    decoder.feed(b"data: " + msgspec.json.encode({"choices": [{"index": 0, "delta": delta}]}) + b"\n\n")
    decoder.feed(b"data: [DONE]\n\n")
    assert decoder.finish()[0] == CallChunk("1", "files.read/all", "{}")


def test_D13_schemas_lose_what_a_dialect_refuses() -> None:
    schema = {
        "$schema": "x",
        "properties": {"const": {"const": 1, "type": "string"}, "list": {"items": [{"$schema": "y"}]}},
        "additionalProperties": False,
    }
    tool = ToolSpec(name="f", description="d", schema=schema)
    profile = {"schema_drop": ["$schema", "additionalProperties", "const"]}
    sent = body_of(user("A"), tools=(tool,), profile=profile)["tools"][0]["function"]["parameters"]
    assert sent == {"properties": {"const": {"type": "string"}, "list": {"items": [{}]}}, "type": "object"}


# Opaque state ---------------------------------------------------------------------------------------------------------


def thought(**fields: Any) -> Message:
    return assistant("", call("1"), thinking="Hm.", provider_state=state(reasoning_field="reasoning_content"), **fields)


def test_D11_thinking_goes_back_within_its_tool_loop_alone() -> None:
    assert messages_of(user("A"), thought())[1]["reasoning_content"] == "Hm."
    assert "reasoning_content" not in messages_of(user("A"), thought(), user("B"))[1]
    assert messages_of(user("A"), thought(), user("B"), profile={"reasoning_replay": "always"})[1]["reasoning_content"]
    assert "reasoning_content" not in messages_of(user("A"), thought(), profile={"reasoning_replay": "none"})[1]


def test_check_29_D11_thinking_of_another_model_does_not_go_out() -> None:
    assert "reasoning_content" not in messages_of(user("A"), thought(), model="n")[1]
    foreign = thought(provider="q")
    foreign = msgspec.structs.replace(
        foreign, provider_state=ProviderState(provider="q", model="m", data='{"reasoning_field": "reasoning_content"}')
    )
    assert "reasoning_content" not in messages_of(user("A"), foreign)[1]


def test_D11_inline_thinking_goes_back_as_it_was_written() -> None:
    turn = assistant("Yes.", call("1"), thinking="Hm.", provider_state=state(tag="think", before="\n"))
    assert messages_of(user("A"), turn)[1]["content"] == "\n<think>Hm.</think>Yes."
    assert messages_of(user("A"), turn, user("B"))[1]["content"] == "Yes."


def test_D11_signatures_and_reasoning_items_go_back() -> None:
    details = [{"type": "reasoning.encrypted", "data": "x"}]
    extra = {"google": {"thought_signature": "c2ln"}}
    turn = assistant(
        "Yes.",
        call("1"),
        call("2"),
        provider_state=state(reasoning_details=details, calls={"0": {"extra_content": extra}}),
    )
    sent = messages_of(user("A"), turn, user("B"))[1]
    assert sent["reasoning_details"] == details
    assert sent["tool_calls"] == [{**wire_call("1"), "extra_content": extra}, wire_call("2")]


def test_D13_calls_of_others_get_what_a_dialect_wants_on_the_first_of_them() -> None:
    profile = {"call_extra": {"extra_content": {"x": "skip"}}}
    sent = messages_of(user("A"), assistant("", call("1"), call("2"), provider="q"), profile=profile)[1]
    assert ["extra_content" in made for made in sent["tool_calls"]] == [True, False]


def test_D11_what_the_decoder_keeps_is_what_goes_back() -> None:
    details = [{"type": "reasoning.text", "text": "Hm", "signature": None, "index": 0, "x": 1.50}]
    decoder = OpenAiDecoder(provider="p", model="m")
    delta = {"reasoning_details": details, "tool_calls": [{"index": 0, "id": "1", "function": {"name": "f"}}]}
    event = msgspec.json.encode({"choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]})
    decoder.feed(b"data: " + event.replace(b"1.5", b"1.50") + b"\n\n")
    finish = decoder.finish()[-1]
    assert isinstance(finish, FinishChunk)
    turn = assistant("", call("1"), thinking="Hm", provider_state=finish.provider_state)
    sent = request_for(request(user("A"), turn))
    assert msgspec.json.decode(sent.body)["messages"][1]["reasoning_details"] == details


# Files ----------------------------------------------------------------------------------------------------------------


def file(digest: str, media_type: str, name: str = "file") -> Attachment:
    return Attachment(id=digest, name=name, media_type=media_type, size_bytes=3, digest=digest)


FILES = {"png": b"PNG", "pdf": b"PDF", "wav": b"WAV", "txt": b"words", "zip": b"\x00\x01"}


def test_D12_files_go_in_the_form_the_wire_has_for_them() -> None:
    attached = (
        file("png", "image/png"),
        file("pdf", "application/pdf", "a.pdf"),
        file("wav", "audio/wav"),
        file("txt", "text/plain", "a.txt"),
        file("zip", "application/zip", "a.zip"),
        file("gone", "image/png", "gone.png"),
    )
    content = messages_of(user("Look.", *attached), files=FILES)[0]["content"]
    assert content == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,UERG"}},
        {"type": "input_audio", "input_audio": {"data": "V0FW", "format": "wav"}},
        {
            "type": "text",
            "text": '<file name="a.txt">\nwords\n</file>\n\n'
            "[attached file 'a.zip' (application/zip, 3 bytes) not included: this provider does not take such files]"
            "\n\n"
            "[attached file 'gone.png' (image/png, 3 bytes) not included: its content is not at hand]\n\nLook.",
        },
    ]


def test_D13_files_that_a_dialect_does_not_take_are_described() -> None:
    profile = {"images": False, "documents": False, "audio": False}
    attached = (file("png", "image/png"), file("pdf", "application/pdf"), file("wav", "audio/wav"))
    content = messages_of(user("Look.", *attached), files=FILES, profile=profile)[0]["content"]
    assert content.count("this provider does not take such files") == 3


# Parameters and headers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "sent"),
    [
        (
            {},
            {"stream_options": {"include_usage": True}, "temperature": 0.5, "max_tokens": 9, "reasoning_effort": "low"},
        ),
        (
            {"stream_usage": False, "temperature": False, "max_tokens_field": "max_completion_tokens"},
            {"max_completion_tokens": 9, "reasoning_effort": "low"},
        ),
        (
            {"max_output_limit": 5, "reasoning_parameter": "reasoning", "stream_usage": False, "temperature": False},
            {"max_tokens": 5, "reasoning": {"effort": "low"}},
        ),
        (
            {"reasoning_parameter": "thinking", "stream_usage": False, "temperature": False, "extra_body": {"x": 1}},
            {"max_tokens": 9, "thinking": {"type": "enabled"}, "x": 1},
        ),
        (
            {"reasoning_parameter": "enable_thinking", "stream_usage": False, "temperature": False},
            {"max_tokens": 9, "enable_thinking": True},
        ),
        (
            {"reasoning_parameter": "chat_template_kwargs", "stream_usage": False, "temperature": False},
            {"max_tokens": 9, "chat_template_kwargs": {"enable_thinking": True}},
        ),
        ({"reasoning_parameter": "", "stream_usage": False, "temperature": False}, {"max_tokens": 9}),
    ],
)
def test_D13_parameters_go_out_as_the_profile_says(profile: dict[str, Any], sent: dict[str, Any]) -> None:
    parameters = Parameters(temperature=0.5, max_output_tokens=9, reasoning_effort="low")
    body = body_of(user("A"), profile=profile, parameters=parameters)
    assert {name: value for name, value in body.items() if name not in ("model", "messages", "stream")} == sent


@pytest.mark.parametrize(
    ("way", "sent"),
    [
        ("reasoning_effort", {"reasoning_effort": "none"}),
        ("reasoning", {"reasoning": {"enabled": False}}),
        ("thinking", {"thinking": {"type": "disabled"}}),
        ("enable_thinking", {"enable_thinking": False}),
        ("chat_template_kwargs", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("", {}),
    ],
)
def test_D13_thinking_is_turned_off_as_the_profile_says(way: str, sent: dict[str, Any]) -> None:
    profile = {"reasoning_parameter": way, "stream_usage": False}
    body = body_of(user("A"), profile=profile, parameters=Parameters(reasoning_effort="none"))
    assert {name: value for name, value in body.items() if name not in ("model", "messages", "stream")} == sent


@pytest.mark.parametrize(
    ("profile", "sent"),
    [
        ({}, {"top_p": 0.9, "stop": ["END", "\n\n"], "seed": 7}),
        ({"seed_field": "random_seed"}, {"top_p": 0.9, "stop": ["END", "\n\n"], "random_seed": 7}),
        ({"top_p": False, "stop": False, "seed_field": ""}, {}),
    ],
)
def test_D13_top_p_stop_sequences_and_a_seed_go_out_as_the_profile_says(
    profile: dict[str, Any], sent: dict[str, Any]
) -> None:
    parameters = Parameters(top_p=0.9, stop_sequences=("END", "\n\n"), seed=7)
    body = body_of(user("A"), profile={"stream_usage": False, **profile}, parameters=parameters)
    assert {name: value for name, value in body.items() if name not in ("model", "messages", "stream")} == sent


def test_D9_corrections_are_stronger_than_the_profile() -> None:
    asked = request(user("A"), profile={"stream_usage": True})
    assert "stream_options" not in msgspec.json.decode(request_for(asked, {"stream_usage": False}).body)


def test_D15_the_key_is_in_its_header_alone() -> None:
    sent = request_for(request(user("A"), headers={"X-Title": "mine", "Accept": "*/*"}))
    assert sent.headers["authorization"] == "Bearer secret-key"
    assert (sent.headers["x-title"], sent.headers["accept"]) == ("mine", "*/*")
    assert "secret-key" not in repr(sent.url) + repr(sent.body)
    azure = request_for(request(user("A"), profile={"key_header": "api-key"}))
    assert azure.headers["api-key"] == "secret-key"
    assert "authorization" not in azure.headers


def test_D12_what_json_cannot_carry_is_replaced() -> None:
    sent = messages_of(user("a\ud800b\x00c"), assistant("", call("1", result="\udfff", args='{"x": "\\u0000"}')))
    assert sent[0]["content"] == "a\ufffdb\ufffdc"
    assert sent[2]["content"] == "\ufffd"
