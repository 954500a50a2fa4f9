"""The parts of an Anthropic event that come in numbers, typed: everything else in an event is skipped by the parser
without being built, and rare events are read untyped. Pure.
"""

from __future__ import annotations

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


decode_event = msgspec.json.Decoder(Event).decode
