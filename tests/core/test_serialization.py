"""Conversations as text: equal after a round trip, unknown fields kept, bad input named (C8)."""

from __future__ import annotations

import dataclasses
import json
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from builders import assistant, call, note, usage, user
from talkfield.core.conversation import Conversation
from talkfield.core.ids import CallId, MessageId, NodeId
from talkfield.core.message_format import MAX_DEPTH, MAX_INTEGER, decode_message, encode_message
from talkfield.core.messages import (
    ROLES,
    Attachment,
    Message,
    MessageCost,
    MessageError,
    ProviderState,
    Source,
    is_valid_role,
)
from talkfield.core.serialization import ConversationData, deserialize_conversation, serialize_conversation
from talkfield.errors import ConversationFormatError

PLAIN = {"id": "m", "role": "user", "content": "hi", "ts": 1}

FULL = assistant(
    "an answer",
    thinking="hm",
    turn="t1",
    usage=usage(10, 5, cache_read_tokens=2, cache_write_tokens=1, reasoning_tokens=3, estimated=True),
    model="gpt-4o",
    provider="openai",
    stopped=True,
    finish="cut",
    error=MessageError(code="cut", message="broke off", retryable=True, hint="Retry."),
    cost=MessageCost(usd=Decimal("0.0055649"), source="table", price_id="openai:gpt-4o"),
    attachments=(Attachment(id="f", name="a.png", media_type="image/png", size_bytes=3, digest="00"),),
    provider_state=ProviderState(provider="p", model="m", data='{"signature": "a\\u0000"}', prefix="x"),
    source=Source(node=NodeId("n")),
    tool_calls=(call(), call("c2", status="denied", result="denied by user", is_error=True, wire_id="call_0")),
)


def text_of(*messages: Any, **fields: Any) -> str:
    """A serialised conversation, from plain values."""
    return json.dumps({"v": 1, "messages": list(messages), **fields})


def conversation(*messages: Message, **fields: Any) -> ConversationData:
    return ConversationData(**{"id": "c", "created_at": 7, "messages": messages, **fields})


def round_trip(value: ConversationData) -> ConversationData:
    return deserialize_conversation(serialize_conversation(value))


def replace_messages(value: ConversationData, count: int) -> ConversationData:
    """The conversation with its newest messages alone."""
    return dataclasses.replace(value, messages=value.messages[len(value.messages) - count :])


def refusal(text: str | bytes) -> str:
    with pytest.raises(ConversationFormatError) as caught:
        deserialize_conversation(text)
    assert caught.value.place == "" or caught.value.message.startswith(caught.value.place)
    return caught.value.message


# Writing


def test_C8_the_written_form() -> None:
    assert serialize_conversation(conversation(user(), note())) == (
        '{"v":1,"id":"c","createdAt":7,"messages":['
        '{"id":"u1","role":"user","content":"hi","ts":1},'
        '{"id":"note1","role":"note","content":"a note","ts":3}]}'
    )


def test_M1_M2_names_are_camel_case_and_defaults_are_left_out() -> None:
    assert json.loads(encode_message(FULL)) == {
        "id": "a1",
        "role": "assistant",
        "content": "an answer",
        "ts": 2,
        "turn": "t1",
        "thinking": "hm",
        "usage": {
            "inputTokens": 10,
            "outputTokens": 5,
            "cacheReadTokens": 2,
            "cacheWriteTokens": 1,
            "reasoningTokens": 3,
            "estimated": True,
        },
        "model": "gpt-4o",
        "provider": "openai",
        "stopped": True,
        "finish": "cut",
        "error": {"code": "cut", "message": "broke off", "retryable": True, "hint": "Retry."},
        "cost": {"usd": "0.0055649", "source": "table", "priceId": "openai:gpt-4o"},
        "attachments": [{"id": "f", "name": "a.png", "mediaType": "image/png", "sizeBytes": 3, "digest": "00"}],
        "providerState": {"provider": "p", "model": "m", "data": '{"signature": "a\\u0000"}', "prefix": "x"},
        "source": {"node": "n"},
        "toolCalls": [
            {"id": "c1", "name": "look", "argsJson": "{}", "status": "done", "result": "ok"},
            {
                "id": "c2",
                "name": "look",
                "argsJson": "{}",
                "status": "denied",
                "wireId": "call_0",
                "result": "denied by user",
                "isError": True,
            },
        ],
    }


def test_M2_C8_a_full_message_comes_back_equal() -> None:
    value = conversation(user(), FULL)
    assert round_trip(value) == value


@pytest.mark.parametrize("content", ["", "汉字", "👩‍👩‍👧‍👦", "\ud83d", "a\udc00b", "\x00\x1f\x7f\u2028", '"\\'])
def test_C8_any_text_comes_back_equal(content: str) -> None:
    value = conversation(user(content), assistant(tool_calls=(call(args_json=content),)))
    assert round_trip(value) == value


def test_C8_a_lone_surrogate_is_written_as_its_escape() -> None:
    text = serialize_conversation(conversation(user("\ud83d汉")))
    assert '"content":"\\ud83d汉"' in text
    assert text.encode()


def test_C7_serialising_within_a_budget_keeps_to_it() -> None:
    value = conversation(*[user("汉" * 50, message=f"u{number}") for number in range(20)], extra={"kept": "yes"})
    for max_bytes in range(300, 1300, 13):
        text = serialize_conversation(value, max_bytes)
        assert len(text.encode()) <= max_bytes
        again = deserialize_conversation(text)
        assert again == replace_messages(value, len(again.messages))
        longer = serialize_conversation(replace_messages(value, len(again.messages) + 1))
        assert len(longer.encode()) > max_bytes


def test_C8_the_librarys_conversation_is_written_and_read_too() -> None:
    value = conversation(user(), FULL, extra={"theme": "dark"})
    again = Conversation.from_data(value)
    assert again.messages == value.messages
    assert serialize_conversation(again) == serialize_conversation(value)


# Reading


def test_C8_reads_the_form_of_the_seeds() -> None:
    text = text_of(PLAIN)
    message = Message(id=MessageId("m"), role="user", content="hi", ts=1)
    assert deserialize_conversation(text, id="fresh", created_at=9) == ConversationData(
        id="fresh", created_at=9, messages=(message,)
    )
    assert deserialize_conversation(text) == ConversationData(id="", created_at=0, messages=(message,))


def test_seed_a_round_trip_keeps_the_id_and_the_time_which_the_original_lost() -> None:
    value = conversation(user())
    assert deserialize_conversation(serialize_conversation(value), id="fresh", created_at=9) == value


def test_C8_unknown_fields_are_kept_at_every_level() -> None:
    written = {
        "v": 1,
        "id": "c",
        "createdAt": 7,
        "messages": [
            {
                **PLAIN,
                "role": "assistant",
                "usage": {
                    "inputTokens": 1,
                    "outputTokens": 2,
                    "serviceTier": "flex",
                    "deep": {"list": [1, {"x": 1.5}]},
                },
                "error": {"code": "x", "message": "y", "trace": None},
                "cost": {"usd": "1", "source": "table", "currency": "USD"},
                "attachments": [
                    {"id": "f", "name": "a", "mediaType": "b", "sizeBytes": 1, "digest": "c", "alt": "picture"}
                ],
                "providerState": {"provider": "p", "model": "m", "data": "{}", "new": True},
                "source": {"node": "n", "version": 3},
                "receipt": {
                    "turns": 1,
                    "parts": [{"source": "you", "count": 1}, {"source": "you", "count": 2, "exact": True}],
                    "leftOut": [{"what": "turns", "why": "no room", "since": 4}],
                    "region": "eu",
                },
                "timing": {"totalMs": 5, "queueMs": 1},
                "toolCalls": [
                    {"id": "c1", "name": "a", "argsJson": "{}", "status": "done"},
                    {"id": "c2", "name": "a", "argsJson": "{}", "status": "done", "startedAt": 5},
                ],
                "extra": {"not": "ours"},
                "rating": 5,
            }
        ],
        "theme": {"color": "red"},
        "nothing": None,
    }
    value = deserialize_conversation(json.dumps(written))
    assert json.loads(serialize_conversation(value)) == written
    assert round_trip(value) == value
    assert value.extra == {"theme": {"color": "red"}, "nothing": None}
    assert value.messages[0].extra["toolCalls"] == {"1": {"startedAt": 5}}


def test_C8_unknown_fields_never_overwrite_known_ones() -> None:
    sly = user(extra={"content": "other", "usage": {"inputTokens": 9}, "toolCalls": {"0": {"x": 1}}, "more": 1})
    assert json.loads(encode_message(sly)) == {"id": "u1", "role": "user", "content": "hi", "ts": 1, "more": 1}
    envelope = conversation(extra={"v": 9, "id": "x", "messages": [], "more": 1})
    assert json.loads(serialize_conversation(envelope)) == {
        "v": 1,
        "id": "c",
        "createdAt": 7,
        "messages": [],
        "more": 1,
    }


def test_C8_unknown_fields_of_a_part_that_is_gone_go_with_it() -> None:
    value = decode_message({**PLAIN, "usage": {"inputTokens": 1, "outputTokens": 2, "tier": 1}}, "m")
    assert json.loads(encode_message(replace(value, usage=None))) == PLAIN
    assert json.loads(encode_message(replace(value, usage=usage(3, 4))))["usage"] == {
        "inputTokens": 3,
        "outputTokens": 4,
        "tier": 1,
    }


def test_C8_null_for_an_optional_field_is_none() -> None:
    optional = ("thinking", "usage", "model", "toolCalls", "stopped", "attachments", "cost", "finish")
    text = text_of({**PLAIN, **dict.fromkeys(optional)}, id=None, createdAt=None)
    assert deserialize_conversation(text, id="c", created_at=7) == conversation(
        Message(id=MessageId("m"), role="user", content="hi", ts=1)
    )


def test_C8_bytes_and_a_byte_order_mark_are_read() -> None:
    text = serialize_conversation(conversation(user("汉")))
    expected = conversation(user("汉"))
    assert deserialize_conversation(text.encode()) == expected
    assert deserialize_conversation(b"\xef\xbb\xbf" + text.encode()) == expected
    assert deserialize_conversation("\ufeff" + text) == expected


def test_C8_a_cost_may_be_a_number() -> None:
    value = decode_message({**PLAIN, "cost": {"usd": 0.42, "source": "table"}}, "m")
    assert value.cost == MessageCost(usd=Decimal("0.42"), source="table")


def test_M3_call_ids_that_repeat_as_providers_ids_do_become_unique() -> None:
    def reply(message: str, *calls: Any) -> Any:
        return {"id": message, "role": "assistant", "content": "", "ts": 1, "toolCalls": list(calls)}

    theirs = {"id": "call_0", "name": "look", "argsJson": "{}", "status": "done", "result": "ok"}
    value = deserialize_conversation(
        text_of(
            reply("a1", theirs), reply("a2", theirs, theirs), reply("a2:0", {**theirs, "wireId": "w"}), reply("call_1")
        )
    )
    assert [[(made.id, made.wire_id) for made in message.tool_calls] for message in value.messages] == [
        [("call_0", "")],
        [("a2:0'", "call_0"), ("a2:1", "call_0")],
        [("a2:0:0", "w")],
        [],
    ]
    assert round_trip(value) == value


def test_M3_a_call_id_that_is_a_messages_id_becomes_another() -> None:
    value = conversation(assistant(message="x", tool_calls=(call("x"),)))
    assert round_trip(value).messages[0].tool_calls == (call(CallId("x:0"), wire_id="x"),)


def test_seed_note_is_a_role_and_one_test_decides_on_roles() -> None:
    assert [is_valid_role(role) for role in ("user", "assistant", "system", "tool", "note")] == [True] * 5
    assert [is_valid_role(role) for role in ("bot", "", "User", None, 1, ["user"])] == [False] * 6
    for role in ROLES:
        assert decode_message({**PLAIN, "role": role}, "m").role == role


# Refusing


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (1, "messages[0]: expected an object, got a number"),
        (True, "messages[0]: expected an object, got a boolean"),
        ([], "messages[0]: expected an object, got a list"),
        (None, "messages[0]: expected an object, got null"),
        ({}, "messages[0].id: is missing"),
        ({"id": "m"}, "messages[0].role: is missing"),
        ({**PLAIN, "id": ""}, "messages[0].id: must not be empty"),
        ({**PLAIN, "id": None}, "messages[0].id: expected `str`, got `null`"),
        ({**PLAIN, "role": "bot"}, "messages[0].role: expected one of assistant, note, system, tool, user"),
        ({**PLAIN, "role": []}, "messages[0].role: expected one of assistant, note, system, tool, user"),
        ({**PLAIN, "content": None}, "messages[0].content: expected `str`, got `null`"),
        ({**PLAIN, "ts": "1"}, "messages[0].ts: expected `int`, got `str`"),
        ({**PLAIN, "ts": 1.5}, "messages[0].ts: expected `int`, got `float`"),
        ({**PLAIN, "ts": True}, "messages[0].ts: expected `int`, got `bool`"),
        ({**PLAIN, "ts": MAX_INTEGER + 1}, "messages[0].ts: the number is out of bounds"),
        ({**PLAIN, "usage": 1}, "messages[0].usage: expected an object, got a number"),
        ({**PLAIN, "usage": {"inputTokens": 1}}, "messages[0].usage.outputTokens: is missing"),
        (
            {**PLAIN, "usage": {"inputTokens": "1", "outputTokens": 1}},
            "messages[0].usage.inputTokens: expected `int`, got `str`",
        ),
        (
            {**PLAIN, "usage": {"inputTokens": 1, "outputTokens": -(10**30)}},
            "messages[0].usage.outputTokens: the number is out of bounds",
        ),
        ({**PLAIN, "toolCalls": {}}, "messages[0].toolCalls: expected a list, got an object"),
        ({**PLAIN, "toolCalls": ["x"]}, "messages[0].toolCalls[0]: expected an object, got a string"),
        (
            {**PLAIN, "toolCalls": [{"id": "c", "name": "n", "argsJson": "{}", "status": "gone"}]},
            "messages[0].toolCalls[0].status: invalid enum value 'gone'",
        ),
        (
            {**PLAIN, "toolCalls": [{"id": "", "name": "n", "argsJson": "{}", "status": "done"}]},
            "messages[0].toolCalls[0].id: must not be empty",
        ),
        (
            {**PLAIN, "toolCalls": [{"id": "c", "name": "n", "argsJson": "{}", "status": "done", "result": 5}]},
            "messages[0].toolCalls[0].result: expected `str | null`, got `int`",
        ),
        (
            {
                **PLAIN,
                "attachments": [{"id": "f", "name": "a", "mediaType": "b", "sizeBytes": 10**20, "digest": "c"}],
            },
            "messages[0].attachments[0].sizeBytes: the number is out of bounds",
        ),
        ({**PLAIN, "cost": {"usd": "NaN", "source": "table"}}, "messages[0].cost.usd: not an amount"),
        (
            {**PLAIN, "cost": {"usd": "much", "source": "table"}},
            "messages[0].cost.usd: invalid decimal string",
        ),
        ({**PLAIN, "finish": "maybe"}, "messages[0].finish: invalid enum value 'maybe'"),
    ],
)
def test_C8_a_message_that_is_none_is_named(message: Any, complaint: str) -> None:
    assert refusal(text_of(message)) == complaint


def test_C8_the_place_counts_messages() -> None:
    bad = {**PLAIN, "id": "d", "usage": {"inputTokens": [], "outputTokens": 1}}
    good = [{**PLAIN, "id": name} for name in "abc"]
    assert refusal(text_of(*good, bad)) == "messages[3].usage.inputTokens: expected `int`, got `array`"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not valid JSON: "),
        ("{", "not valid JSON: "),
        ('{"v":1,"messages":[]} x', "not valid JSON: "),
        (b"\xff\xfe", "not valid JSON: "),
        ("null", "expected an object, got null"),
        ("[]", "expected an object, got a list"),
        ('"text"', "expected an object, got a string"),
        ("{}", "v: this is not a Talkfield conversation"),
        ('{"v":true,"messages":[]}', "v: this is not a Talkfield conversation"),
        ('{"v":"1","messages":[]}', "v: this is not a Talkfield conversation"),
        ('{"v":2,"messages":[]}', "v: version 2 is not known"),
        ('{"v":1}', "messages: expected a list, got null"),
        ('{"v":1,"messages":{}}', "messages: expected a list, got an object"),
        ('{"v":1,"id":5,"messages":[]}', "id: expected a string, got a number"),
        ('{"v":1,"createdAt":"x","messages":[]}', "createdAt: expected a whole number, got a string"),
        ('{"v":1,"createdAt":true,"messages":[]}', "createdAt: expected a whole number, got a boolean"),
        ('{"v":1,"createdAt":1e400,"messages":[]}', "createdAt: not a number that JSON can hold"),
        ('{"v":1,"createdAt":1.5,"messages":[]}', "createdAt: expected a whole number, got a decimal number"),
        ('{"v":1,"messages":[],"x":' + "[" * 200 + "NaN" + "]" * 200 + "}", "x" + "[0]" * 128 + ": nested too deep"),
        ('{"v":1,"createdAt":123456789012345678,"messages":[]}', "createdAt: the number is out of bounds"),
        ('{"v":1,"messages":[],"x":NaN}', "x: not a number that JSON can hold"),
        ('{"v":1,"messages":[],"x":[{"y":1},NaN]}', "x[1]: not a number that JSON can hold"),
        ('{"v":1,"messages":[],"x":[0,{"y":-Infinity}]}', "x[1].y: not a number that JSON can hold"),
        ('{"v":1,"messages":[],"x":1e400}', "x: not a number that JSON can hold"),
        ('{"v":1,"v":1,"messages":[]}', "v: this field occurs twice"),
        ("[" * 100_000, "nested too deep"),
        ('{"v":1,"messages":' + "[" * 100_000, "nested too deep"),
        ('{"v":1,"messages":[],"x":' + "9" * 5000 + "}", "not valid JSON: "),
    ],
)
def test_C8_text_that_is_no_conversation_is_refused(text: str | bytes, complaint: str) -> None:
    assert refusal(text).startswith(complaint)


def test_C8_a_field_twice_is_refused_wherever_it_is() -> None:
    text = '{"v":1,"messages":[{"id":"a","role":"user","content":"x","content":"y","ts":1}]}'
    assert refusal(text) == "messages[0].content: this field occurs twice"


def test_C8_a_newer_version_says_what_to_do() -> None:
    with pytest.raises(ConversationFormatError) as caught:
        deserialize_conversation('{"v":2}')
    assert caught.value.hint == "Update Talkfield to read this conversation."


def test_C8_two_messages_with_one_id_are_refused() -> None:
    assert refusal(text_of(PLAIN, {**PLAIN, "id": "n"}, PLAIN)) == "messages[2].id: the same id as messages[0]"


def test_C8_unknown_values_may_be_deep_but_not_bottomless() -> None:
    def nested(depth: int) -> Any:
        return [nested(depth - 1)] if depth else 1

    deep = text_of({**PLAIN, "x": nested(MAX_DEPTH - 1)})
    assert round_trip(deserialize_conversation(deep)) == deserialize_conversation(deep)
    place = "messages[0].x" + "[0]" * MAX_DEPTH
    assert refusal(text_of({**PLAIN, "x": nested(MAX_DEPTH)})) == f"{place}: nested more than 64 deep"


def test_C8_a_message_parsed_by_others_is_checked_too() -> None:
    with pytest.raises(ConversationFormatError) as caught:
        decode_message({**PLAIN, "x": [float("nan")]}, "nodes.n1.messages[4]")
    assert caught.value.place == "nodes.n1.messages[4].x[0]"


def test_C8_numbers_of_unknown_fields_keep_their_digits() -> None:
    text = text_of(PLAIN, big=12345678901234567890123, exact=0.1, tiny=5e-324)
    assert json.loads(serialize_conversation(deserialize_conversation(text)))["big"] == 12345678901234567890123
    value = deserialize_conversation(text)
    assert round_trip(value) == value
