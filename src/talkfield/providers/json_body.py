"""Request bodies as JSON that every service can read. Pure."""

from __future__ import annotations

import re
from typing import Any

import msgspec

UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
encoder = msgspec.json.Encoder(decimal_format="number")


def encode_body(body: Any) -> bytes:
    """JSON of `body`. NUL and lone surrogates, which file tools may have read, become U+FFFD: services refuse the one
    and JSON can't carry the other."""
    try:
        data = encoder.encode(body)
    except UnicodeEncodeError:
        return encoder.encode(_clean(body))
    return encoder.encode(_clean(body)) if b"\\u0000" in data else data


def object_of(args_json: str) -> dict[str, Any]:
    """A call's arguments as the object that wires demand; text that is none is shown to the model as what it wrote."""
    try:
        value = msgspec.json.decode(args_json) if args_json.strip() else {}
    except (msgspec.DecodeError, UnicodeEncodeError):
        value = None
    return value if isinstance(value, dict) else {"invalid_arguments": args_json}


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
