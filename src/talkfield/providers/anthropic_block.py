"""The content blocks of an Anthropic answer, put together from their deltas, to be shown and to be sent back (D11).

Owns the joining of deltas into whole blocks, also of kinds that are not known: what is sent back later must be what the
provider said. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from talkfield.providers.body import TOO_DEEP
from talkfield.providers.json_body import encode_opaque
from talkfield.providers.tool_call import is_object

CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


class BlockDraft:
    """One block as far as it has come. `stopped` says that the provider has ended it."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.type = str(start.get("type") or "")
        self.fields: dict[str, Any] = dict(start)
        self.json: list[str] = []
        self._words = bytearray()  # a list of the pieces of a long answer takes several times its memory
        self.stopped = False
        self._growing: dict[str, list[Any]] = {}

    def write(self, words: str) -> None:
        """More of its text or thinking; halves of a character may come one by one."""
        self._words += words.encode("utf-8", "surrogatepass")

    def add(self, delta: Mapping[str, Any]) -> None:
        """A delta of a kind that the fast reading doesn't handle: strings grow, lists grow, the rest is set."""
        kind = delta.get("type")
        if kind == "citations_delta":
            if not isinstance(self.fields.get("citations"), list):
                self.fields["citations"] = []
            self._grow("citations", [delta.get("citation")])
            return
        for name, value in delta.items():
            if name == "type" or value is None:
                continue
            if isinstance(value, str | list) and type(self.fields.get(name)) is type(value):
                self._grow(name, value)
            else:
                self._growing.pop(name, None)
                self.fields[name] = value

    def _grow(self, name: str, value: Any) -> None:
        self._growing.setdefault(name, [self.fields[name]]).append(value)

    @property
    def args_json(self) -> str:
        """The input of a call as JSON text: as it was streamed, else as the block began with it."""
        streamed = "".join(self.json)
        if streamed.strip():
            return streamed
        return encode_opaque(self.fields.get("input") or {}) or TOO_DEEP

    @property
    def is_whole(self) -> bool:
        """Whether a call is complete without its block's end to prove it."""
        return is_object("".join(self.json)) if self.json else bool(self.fields.get("input"))

    def packed(self) -> dict[str, Any] | None:
        """The block as it is sent back; None where it can't be: it was cut off."""
        packed = dict(self.fields)
        for grown, parts in self._growing.items():
            joined: Any = "".join(parts) if isinstance(parts[0], str) else [item for part in parts for item in part]
            packed[grown] = joined
        name = {"text": "text", "thinking": "thinking"}.get(self.type)
        if name is not None:
            packed[name] = str(packed.get(name) or "") + self._words.decode("utf-8", "surrogatepass")
        if self.type in CALLS:
            args = self.args_json
            if not is_object(args):
                return None
            packed["input"] = msgspec.Raw(args.encode())
        return packed
