"""What holds for any conversation and for any text that may be none (C8, C9)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from strategies import strategy_for
from talkfield.core.message_format import encode_message
from talkfield.core.messages import Message
from talkfield.core.serialization import ConversationData, deserialize_conversation, serialize_conversation
from talkfield.errors import ConversationFormatError

# Halves of a pair next to each other would be read as the one character they are.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\ud800汉😀"), max_size=20)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
UNKNOWN = st.dictionaries(TEXTS.map(lambda name: f"x-{name}"), JSON_VALUES, max_size=2)


@st.composite
def messages(draw: st.DrawFn, index: int) -> Message:
    """A message with any of its fields set, unknown ones at each level included, and ids that are its own."""
    message: Message = draw(strategy_for(Message))
    calls = tuple(replace(call, id=f"c{index}-{place}") for place, call in enumerate(message.tool_calls))
    extra: dict[str, Any] = draw(UNKNOWN)
    for name in ("usage", "error", "cost", "provider_state", "source"):
        if getattr(message, name) is not None and (unknown := draw(UNKNOWN)):
            extra["providerState" if name == "provider_state" else name] = unknown
    for name, items in (("toolCalls", calls), ("attachments", message.attachments)):
        by_item = {str(place): unknown for place, _ in enumerate(items) if (unknown := draw(UNKNOWN))}
        if by_item:
            extra[name] = by_item
    return replace(message, id=f"m{index}", content=draw(TEXTS), tool_calls=calls, extra=extra)


@st.composite
def conversations(draw: st.DrawFn) -> ConversationData:
    return ConversationData(
        id=draw(TEXTS),
        created_at=draw(st.integers(-(2**53) + 1, 2**53 - 1)),
        messages=tuple(draw(messages(index)) for index in range(draw(st.integers(0, 3)))),
        extra=draw(UNKNOWN),
    )


@given(conversations())
def test_C9_what_was_written_is_read_back_equal(conversation: ConversationData) -> None:
    text = serialize_conversation(conversation)
    assert deserialize_conversation(text) == conversation
    assert serialize_conversation(deserialize_conversation(text)) == text


@given(conversations())
def test_C9_what_was_written_is_plain_json_in_utf8(conversation: ConversationData) -> None:
    text = serialize_conversation(conversation)
    assert "\n" not in text
    value = json.loads(text.encode())
    assert value["v"] == 1
    assert [json.loads(encode_message(message)) for message in conversation.messages] == value["messages"]


def is_refused_or_read(text: str | bytes) -> bool:
    try:
        value = deserialize_conversation(text)
    except ConversationFormatError:
        return False
    assert deserialize_conversation(serialize_conversation(value)) == value
    return True


@given(st.text() | st.binary())
def test_C8_any_text_is_read_or_refused(text: str | bytes) -> None:
    is_refused_or_read(text)


def paths_of(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The way to each value inside this one, itself first."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from paths_of(item, (*path, str(name)))


def mutate(value: Any, path: list[str], new: Any) -> Any:
    """The value with something else at a path, as far as the path goes."""
    if not path:
        return new
    step, *rest = path
    if isinstance(value, dict):
        return {**value, step: mutate(value.get(step), rest, new)}
    if isinstance(value, list) and value:
        place = int(step) % len(value) if step.isdigit() else 0
        return [*value[:place], mutate(value[place], rest, new), *value[place + 1 :]]
    return new


ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**53,
    10**400,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    [],
    [[[]]],
    {},
    {"v": 1},
)


@given(conversations(), st.data(), JSON_VALUES | st.sampled_from(ODD))
def test_C8_a_conversation_with_anything_anywhere_is_read_or_refused(
    conversation: ConversationData, data: st.DataObject, new: Any
) -> None:
    value = json.loads(serialize_conversation(conversation))
    path = data.draw(st.sampled_from(sorted(paths_of(value), key=len)))
    is_refused_or_read(json.dumps(mutate(value, list(path), new)))


def test_C8_a_whole_conversation_with_each_odd_value_at_each_place_is_read_or_refused() -> None:
    usage = {"inputTokens": 1, "outputTokens": 2, "cacheReadTokens": 1}
    call = {"id": "c", "name": "look", "argsJson": "{}", "status": "done", "result": "r"}
    message = {
        "id": "m",
        "role": "assistant",
        "content": "x",
        "ts": 1,
        "turn": "t",
        "usage": usage,
        "toolCalls": [call],
    }
    message |= {"cost": {"usd": "0.1", "source": "table"}, "error": {"code": "cut", "message": "gone"}}
    message |= {"source": {"node": "n"}, "providerState": {"provider": "p", "model": "m", "data": "d"}}
    message |= {"attachments": [{"id": "a", "name": "n", "mediaType": "t", "sizeBytes": 1, "digest": "d"}]}
    whole = {"v": 1, "id": "c", "createdAt": 1, "messages": [message], "more": [1]}
    assert is_refused_or_read(json.dumps(whole))
    outcomes = {
        is_refused_or_read(json.dumps(mutate(whole, list(path), odd))) for path in paths_of(whole) for odd in ODD
    }
    assert outcomes == {True, False}
    assert not any(is_refused_or_read(json.dumps(whole | {"v": odd})) for odd in ODD)


@settings(max_examples=30)
@given(conversations(), st.data())
def test_C8_a_text_cut_anywhere_is_refused(conversation: ConversationData, data: st.DataObject) -> None:
    text = serialize_conversation(conversation)
    assert not is_refused_or_read(text[: data.draw(st.integers(0, len(text) - 1))])
