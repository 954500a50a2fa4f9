"""Ids and tool names as the wires allow them (D12). Pure and deterministic: the same chat gives the same request."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

from talkfield.core.messages import Message, ToolCall

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_CHARACTERS = 9
"""Exactly nine letters and digits is what the strictest service takes; every other takes that too."""


class WireNames:
    """Tool names as a wire takes them: `to_wire` on the way out, `own` on the way back."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.own: dict[str, str] = {}
        self._to_wire: dict[str, str] = {}
        for name in names:
            self.to_wire(name)

    def to_wire(self, name: str) -> str:
        """The name itself where it fits; else one like it that no other tool has."""
        known = self._to_wire.get(name)
        if known is None:
            known = name if NAME.fullmatch(name) else re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unnamed"
            if self.own.get(known, name) != name:
                known = f"{known[:54]}_{hashed_id(name)}"
            self._to_wire[name] = known
            self.own[known] = name
        return known

    def changed(self) -> Mapping[str, str]:
        """Wire name to own name, of those that differ."""
        return {wire: own for wire, own in self.own.items() if wire != own}


def hashed_id(seed: str) -> str:
    number = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:12])
    letters = []
    for _ in range(ID_CHARACTERS):
        number, digit = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[digit])
    return "".join(letters)


def wire_ids(message: Message, *, verbatim: bool, taken: set[str], only: re.Pattern[str] | None = None) -> list[str]:
    """An id for each call of a message, to be used in the call and in its result; adds them to `taken`.

    `verbatim`: the receiver made these calls and wants its own ids back. Any other gets ids made from ours. An id that
    is taken, or that `only` does not allow, is replaced as well.
    """
    return [_wire_id(message, place, call, verbatim, taken, only) for place, call in enumerate(message.tool_calls)]


def made_by(message: Message, provider: str, models: Sequence[str]) -> bool:
    """Whether this provider, with this model, made the message (by its provider state or its own stamp)."""
    if message.provider != provider:
        return False
    state = message.provider_state
    made_with = state.model if state is not None and state.provider == provider else message.model
    return made_with in models or all(ID.fullmatch(call.wire_id) for call in message.tool_calls)


def _wire_id(
    message: Message, place: int, call: ToolCall, verbatim: bool, taken: set[str], only: re.Pattern[str] | None
) -> str:
    own = call.wire_id
    if not verbatim or not own or own in taken or (only is not None and not only.fullmatch(own)):
        seed = call.id or f"{message.id}:{place}"
        own = hashed_id(seed)
        while own in taken:
            seed += "+"
            own = hashed_id(seed)
    taken.add(own)
    return own
