"""One message as JSON, and back (C8): the only place that knows how a message is written in a file.

Keeps what it does not know: a field of a newer version or of another program comes back out where it was. Unknown
fields of the message itself are the entries of `Message.extra`; those of a part of it are under that part's own name
(`extra["usage"]`, `extra["toolCalls"]["0"]`), which no unknown field can have. Pure functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from functools import cache
from math import isfinite
from typing import Any

import msgspec

from talkfield.core.messages import (
    ROLES,
    Attachment,
    LeftOut,
    Message,
    MessageCost,
    MessageError,
    ProviderState,
    Receipt,
    ReceiptPart,
    Source,
    Timing,
    ToolCall,
    Usage,
    is_valid_role,
)
from talkfield.errors import ConversationFormatError

Json = dict[str, Any]

PARTS: dict[type[msgspec.Struct], dict[str, type[msgspec.Struct]]] = {
    Message: {
        "usage": Usage,
        "error": MessageError,
        "cost": MessageCost,
        "providerState": ProviderState,
        "source": Source,
        "receipt": Receipt,
        "timing": Timing,
    }
}
"""Fields that hold an object."""

LISTS: dict[type[msgspec.Struct], dict[str, type[msgspec.Struct]]] = {
    Message: {"toolCalls": ToolCall, "attachments": Attachment},
    Receipt: {"parts": ReceiptPart, "leftOut": LeftOut},
}
"""Fields that hold a list of objects."""

MAX_DEPTH = 64
"""Deepest nesting of an unknown value: far below where Python itself gives up, so what was read can be written."""

MAX_INTEGER = 2**53
"""Beyond it, programs that keep numbers as floats, JavaScript among them, no longer count exactly."""

ENCODER = msgspec.json.Encoder(decimal_format="string")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


# Writing -------------------------------------------------------------------------------------------------------------


def encode_message(message: Message) -> bytes:
    """The message as compact JSON in UTF-8. Fields at their default are left out; unknown ones come last."""
    if not message.extra:
        return encode_json(message)
    value: Json = msgspec.to_builtins(message)
    add_unknown(value, value.pop("extra"), Message)
    return encode_json(value)


def add_unknown(value: Json, unknown: object, kind: type[msgspec.Struct]) -> None:
    """Put unknown fields beside the known ones, at every level; a known name is never overwritten."""
    if not isinstance(unknown, dict):
        return
    for name, part in PARTS.get(kind, {}).items():
        if isinstance(value.get(name), dict):
            add_unknown(value[name], unknown.get(name), part)
    for name, part in LISTS.get(kind, {}).items():
        of_items = unknown.get(name)
        if isinstance(of_items, dict):
            for index, item in enumerate(value.get(name, ())):
                add_unknown(item, of_items.get(str(index)), part)
    known = fields_of(kind)
    value.update({name: item for name, item in unknown.items() if name not in known})


def encode_json(value: object) -> bytes:
    """Compact JSON in UTF-8. A lone surrogate, which UTF-8 cannot hold, is written as its `\\udXXX` escape."""
    try:
        return ENCODER.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


# Reading -------------------------------------------------------------------------------------------------------------


def decode_message(value: object, place: str) -> Message:
    """The message that a parsed JSON value is. `place` says where it stands, as in `messages[3]`.

    Null for an optional field is the same as none. Raises `ConversationFormatError` that names the field.
    """
    known, extra = split(value, Message, place)
    if "role" in known and not is_valid_role(known["role"]):
        raise ConversationFormatError(f"expected one of {', '.join(sorted(ROLES))}", place=f"{place}.role")
    try:
        message = msgspec.convert(known, Message)
    except msgspec.ValidationError as error:
        raise format_error(error, place) from None
    check_values(message, place)
    return msgspec.structs.replace(message, extra=extra) if extra else message


@cache
def fields_of(kind: type[msgspec.Struct]) -> dict[str, bool]:
    """The JSON names of a struct's fields, and whether each is required. `extra` is ours, not a name in JSON."""
    return {field.encode_name: field.required for field in msgspec.structs.fields(kind) if field.name != "extra"}


def split(value: object, kind: type[msgspec.Struct], place: str) -> tuple[Json, Json]:
    """A JSON object's known fields, without nulls that mean nothing, and its unknown ones; so at every level."""
    if not isinstance(value, dict):
        raise ConversationFormatError(f"expected an object, got {type_name(value)}", place=place)
    fields = fields_of(kind)
    known: Json = {}
    unknown: Json = {}
    for name, item in value.items():
        required = fields.get(name)
        if required is None:
            check_unknown(item, f"{place}.{name}", 1)
            unknown[name] = item
        elif required or item is not None:
            known[name] = item
    for name, part in PARTS.get(kind, {}).items():
        if name in known:
            known[name], inner = split(known[name], part, f"{place}.{name}")
            if inner:
                unknown[name] = inner
    for name, part in LISTS.get(kind, {}).items():
        if name in known:
            known[name], inner = split_list(known[name], part, f"{place}.{name}")
            if inner:
                unknown[name] = inner
    return known, unknown


def split_list(value: object, kind: type[msgspec.Struct], place: str) -> tuple[list[Json], Json]:
    """The same for a list of objects; unknown fields are kept by the item's index."""
    if not isinstance(value, list):
        raise ConversationFormatError(f"expected a list, got {type_name(value)}", place=place)
    known: list[Json] = []
    unknown: Json = {}
    for index, item in enumerate(value):
        known_fields, unknown_fields = split(item, kind, f"{place}[{index}]")
        known.append(known_fields)
        if unknown_fields:
            unknown[str(index)] = unknown_fields
    return known, unknown


def unknown_fields(value: Json, known: Container[str], place: str) -> Json:
    """The fields of a JSON object that are not among the known ones, for an `extra`. Refuses what cannot be kept."""
    unknown = {name: item for name, item in value.items() if name not in known}
    for name, item in unknown.items():
        check_unknown(item, f"{place}.{name}".lstrip("."), 1)
    return unknown


def check_unknown(value: object, place: str, depth: int) -> None:
    """Refuse what could be read but not written again."""
    if depth > MAX_DEPTH:
        raise ConversationFormatError(f"nested more than {MAX_DEPTH} deep", place=place)
    if isinstance(value, dict):
        for name, item in value.items():
            check_unknown(item, f"{place}.{name}", depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            check_unknown(item, f"{place}[{index}]", depth + 1)
    elif isinstance(value, float) and not isfinite(value):
        raise ConversationFormatError("not a number that JSON can hold", place=place)


def check_values(message: Message, place: str) -> None:
    """Refuse what has the right type and still cannot be: an empty id, a number out of all bounds."""
    if not message.id:
        raise ConversationFormatError("must not be empty", place=f"{place}.id")
    integers = [("ts", message.ts)]
    if message.usage is not None:
        counts = msgspec.to_builtins(message.usage)
        integers += [(f"usage.{name}", count) for name, count in counts.items()]
    if message.timing is not None:
        durations = msgspec.to_builtins(message.timing)
        integers += [(f"timing.{name}", duration) for name, duration in durations.items()]
    if message.receipt is not None:
        integers.append(("receipt.turns", message.receipt.turns))
        for index, part in enumerate(message.receipt.parts):
            integers += [(f"receipt.parts[{index}]", number) for number in (part.count, part.tokens or 0)]
    integers += [(f"attachments[{index}].sizeBytes", item.size_bytes) for index, item in enumerate(message.attachments)]
    for name, integer in integers:
        if abs(integer) > MAX_INTEGER:
            raise ConversationFormatError("the number is out of bounds", place=f"{place}.{name}")
    for index, call in enumerate(message.tool_calls):
        if not call.id:
            raise ConversationFormatError("must not be empty", place=f"{place}.toolCalls[{index}].id")
    if message.cost is not None and not message.cost.usd.is_finite():
        raise ConversationFormatError("not an amount", place=f"{place}.cost.usd")


def format_error(error: msgspec.ValidationError, place: str) -> ConversationFormatError:
    """The same complaint with the place as this project writes it, a missing field being a place of its own."""
    what, _, path = str(error).partition(" - at `$")
    path = path.removesuffix("`")
    missing = re.fullmatch(r"Object missing required field `(.+)`", what)
    if missing:
        return ConversationFormatError("is missing", place=f"{place}{path}.{missing[1]}")
    return ConversationFormatError(what[:1].lower() + what[1:], place=f"{place}{path}")


def type_name(value: object) -> str:
    """What JSON calls the type of a parsed value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names: dict[type, str] = {str: "a string", int: "a number", float: "a decimal number", list: "a list"}
    return names.get(type(value), "an object")
