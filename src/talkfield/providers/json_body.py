"""JSON as it goes out, so that every service can read it, and as it comes in, however it was written. Pure."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import Any

import msgspec

UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
MANY_BRACKETS = 300
MARGIN = 50
"""What could be read may be nested too deeply to be written into a request, which has some levels of its own."""

MOST_DIGITS = 1000
"""Longer ones Python refuses to read as a whole number at some length, which a machine's settings may change."""

encoder = msgspec.json.Encoder(decimal_format="number")


def encode_body(body: Any) -> bytes:
    """JSON of `body`. NUL and lone surrogates, which file tools may have read, become U+FFFD: services refuse the one
    and JSON can't carry the other."""
    try:
        data = encoder.encode(body)
    except UnicodeEncodeError:
        return encoder.encode(_clean(body))
    return encoder.encode(_clean(body)) if b"\\u0000" in data else data


def encode_opaque(value: Any) -> str | None:
    """What a provider wants back (D11), as it came. None where it is nested too deeply to be written."""
    try:
        try:
            return encoder.encode(value).decode()
        except UnicodeEncodeError:
            return encode_body(value).decode()
    except RecursionError:
        return None


def dumped(value: Any) -> bytes:
    """A part of what `loads` gave, as JSON that can be read again."""
    return json.dumps(value, default=nearest_number).encode()


def spelled_out(value: Any) -> str | None:
    """JSON of a value that a service sent where JSON text belongs. None where it is nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=False, default=nearest_number)
    except RecursionError:
        return None


def object_of(args_json: str) -> dict[str, Any]:
    """A call's arguments as the object that wires demand; text that is none is shown to the model as what it wrote."""
    try:
        value = msgspec.json.decode(args_json) if args_json.strip() else {}
        if args_json.count("{") + args_json.count("[") > MANY_BRACKETS:
            encode_body(reduce(lambda inner, _: [inner], range(MARGIN), value))
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"invalid_arguments": args_json}


def loads(data: bytes) -> Any:
    """JSON as leniently as browsers and Python read it: `NaN`, lone surrogates, bytes that are not UTF-8 (which become
    U+FFFD, as the standard for event streams says). Raises `ValueError`."""
    text = data.decode("utf-8", errors="replace")
    return json.loads(text, parse_float=exact_number, parse_int=_whole_number)


def exact_number(digits: str) -> Decimal | float:
    """A number with a fraction or an exponent as it was written; NaN where its exponent is beyond all numbers."""
    try:
        return Decimal(digits)
    except InvalidOperation:
        return math.nan


def nearest_number(number: Decimal) -> float | str:
    """What `json` can write of a number that was kept as it stood; a string where it is beyond all floats."""
    nearest = float(number)
    return nearest if math.isfinite(nearest) else str(number)


def _whole_number(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= MOST_DIGITS else Decimal(digits)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return UNSENDABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, msgspec.Raw):
        return msgspec.Raw(bytes(value).replace(b"\\u0000", b"\\ufffd"))
    return value
