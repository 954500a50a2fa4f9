"""The parts of an Anthropic event that come in numbers, typed: everything else in an event is skipped by the parser
without being built, and rare events are read untyped. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Delta(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None
    signature: str | None = None


class Event(msgspec.Struct, gc=False):
    type: str = ""
    index: int | None = None
    delta: Delta | None = None
    error: Any = None


WORDS = ("text", "thinking", "partial_json")

decode_event = msgspec.json.Decoder(Event).decode


def tolerant_delta(value: Mapping[str, Any]) -> Delta:
    """The words of a delta whose other fields have shapes that the typed reading refuses."""
    words = {name: text for name in WORDS if isinstance(text := value.get(name), str)}
    return Delta(**words)


def index_of(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0
