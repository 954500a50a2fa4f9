"""A conversation as text, and back (C8).

Writes `{"v":1,"id":…,"createdAt":…,"messages":[…]}`; reads that and the older form without `id` and `createdAt`. What
was written is read back equal, unknown fields included. Bad input of any kind raises `ConversationFormatError` and
nothing else. Pure functions; makes up no ids and no times.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Protocol

from msgspec.structs import replace

from talkfield.core.ids import CallId
from talkfield.core.message_format import (
    MAX_DEPTH,
    MAX_INTEGER,
    Json,
    decode_message,
    encode_json,
    encode_message,
    type_name,
    unknown_fields,
)
from talkfield.core.messages import Message, ToolCall
from talkfield.core.window import cap_conversation_messages
from talkfield.errors import ConversationFormatError

VERSION = 1
ENVELOPE_FIELDS = frozenset({"v", "id", "createdAt", "messages"})


@dataclass(frozen=True, kw_only=True)
class ConversationData:
    """A conversation as a value. `created_at` is epoch milliseconds; `extra` holds a file's unknown fields."""

    id: str
    created_at: int
    messages: tuple[Message, ...] = ()
    extra: Json = field(default_factory=dict)


class ConversationLike(Protocol):
    """What can be written: a `ConversationData`, or the library's `Conversation`."""

    @property
    def id(self) -> str: ...

    @property
    def created_at(self) -> int: ...

    @property
    def messages(self) -> tuple[Message, ...]: ...

    @property
    def extra(self) -> Json: ...


def serialize_conversation(conversation: ConversationLike, max_bytes: int | None = None) -> str:
    """The conversation as one line of compact JSON.

    With `max_bytes`, the oldest turns are left out so that the text has at most that many bytes in UTF-8, as far as
    whole turns allow it (C7). A lone surrogate is written as its escape, so the text can always be encoded.
    """
    head = encode_json({"v": VERSION, "id": conversation.id, "createdAt": conversation.created_at})
    unknown = {name: value for name, value in conversation.extra.items() if name not in ENVELOPE_FIELDS}
    before = head[:-1] + b',"messages":['
    after = b"]," + encode_json(unknown)[1:] if unknown else b"]}"
    messages = conversation.messages
    if max_bytes is not None:
        envelope_bytes = len(before) + len(after)
        messages = cap_conversation_messages(messages, max_bytes, envelope_bytes=envelope_bytes).messages
    return (before + b",".join([encode_message(message) for message in messages]) + after).decode()


def deserialize_conversation(text: str | bytes, *, id: str = "", created_at: int = 0) -> ConversationData:
    """Read a conversation. `id` and `created_at` are for a text of the older form, which has none.

    A call id that came before in the text (older files have the providers' own, which repeat) is replaced by one made
    of the message's id and the call's place, and stays as `wireId`. Raises `ConversationFormatError`.
    """
    value = parse(text)
    if not isinstance(value, dict):
        raise ConversationFormatError(f"expected an object, got {type_name(value)}")
    check_version(value.get("v"))
    items = value.get("messages")
    if not isinstance(items, list):
        raise ConversationFormatError(f"expected a list, got {type_name(items)}", place="messages")
    conversation_id = value.get("id")
    if conversation_id is not None and not isinstance(conversation_id, str):
        raise ConversationFormatError(f"expected a string, got {type_name(conversation_id)}", place="id")
    own_created_at = value.get("createdAt")
    if own_created_at is not None:
        check_time(own_created_at)
    extra = unknown_fields(value, ENVELOPE_FIELDS, "")
    messages = [decode_message(item, f"messages[{index}]") for index, item in enumerate(items)]
    return ConversationData(
        id=id if conversation_id is None else conversation_id,
        created_at=created_at if own_created_at is None else own_created_at,
        messages=with_unique_ids(messages),
        extra=extra,
    )


def check_version(version: object) -> None:
    if isinstance(version, bool) or not isinstance(version, int):
        raise ConversationFormatError("this is not a Talkfield conversation", place="v")
    if version != VERSION:
        raise ConversationFormatError(
            f"version {version} is not known", place="v", hint="Update Talkfield to read this conversation."
        )


def check_time(created_at: object) -> None:
    if isinstance(created_at, bool) or not isinstance(created_at, int):
        raise ConversationFormatError(f"expected a whole number, got {type_name(created_at)}", place="createdAt")
    if abs(created_at) > MAX_INTEGER:
        raise ConversationFormatError("the number is out of bounds", place="createdAt")


class RepeatedField(dict[str, Any]):
    """A JSON object in which a field, `name`, occurs twice: one of its values would be lost without a word."""

    name = ""


def parse(text: str | bytes) -> Any:
    """The JSON value of a text. Raises `ConversationFormatError` for what is not plain JSON, or loses something."""
    flawed = False

    def object_of(pairs: list[tuple[str, Any]]) -> Json:
        nonlocal flawed
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        flawed = True
        names = [name for name, _ in pairs]
        repeated = RepeatedField(value)
        repeated.name = next(name for name in names if names.count(name) > 1)
        return repeated

    def number_of(digits: str) -> float:
        nonlocal flawed
        number = float(digits)
        flawed = flawed or not isfinite(number)
        return number

    try:
        # `utf-8-sig`: editors on Windows put a byte order mark before the text.
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        value = json.loads(decoded, object_pairs_hook=object_of, parse_float=number_of, parse_constant=number_of)
    except RecursionError:
        raise ConversationFormatError("nested too deep") from None
    except ValueError as error:
        raise ConversationFormatError(f"not valid JSON: {error}") from None
    if flawed:
        refuse_flaw(value, "", 0)
    return value


def refuse_flaw(value: object, place: str, depth: int) -> None:
    """Find what `parse` saw, and raise with its place."""
    if depth > 2 * MAX_DEPTH:
        raise ConversationFormatError("nested too deep", place=place)
    if isinstance(value, RepeatedField):
        raise ConversationFormatError("this field occurs twice", place=f"{place}.{value.name}".lstrip("."))
    if isinstance(value, dict):
        for name, item in value.items():
            refuse_flaw(item, f"{place}.{name}".lstrip("."), depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            refuse_flaw(item, f"{place}[{index}]", depth + 1)
    elif isinstance(value, float) and not isfinite(value):
        raise ConversationFormatError("not a number that JSON can hold", place=place)


def with_unique_ids(messages: list[Message]) -> tuple[Message, ...]:
    """The messages, with calls renamed whose id was taken. Raises where two messages have the same id."""
    places: dict[str, int] = {}
    for index, message in enumerate(messages):
        first = places.setdefault(message.id, index)
        if first != index:
            raise ConversationFormatError(f"the same id as messages[{first}]", place=f"messages[{index}].id")
    taken: set[str] = set(places)
    return tuple(with_unique_calls(message, taken) for message in messages)


def with_unique_calls(message: Message, taken: set[str]) -> Message:
    calls: list[ToolCall] = []
    for index, call in enumerate(message.tool_calls):
        call_id: str = call.id
        if call_id in taken:
            call_id = f"{message.id}:{index}"
            while call_id in taken:
                call_id += "'"
            call = replace(call, id=CallId(call_id), wire_id=call.wire_id or call.id)
        taken.add(call_id)
        calls.append(call)
    return message if tuple(calls) == message.tool_calls else replace(message, tool_calls=tuple(calls))
