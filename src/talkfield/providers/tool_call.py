"""Puts tool calls together from the deltas of real servers (D8).

Owns the question which call a delta belongs to: servers leave out the index, give every call index 0, repeat ids and
names in each delta, or send empty ones. Calls keep the order in which they first appeared; the index is only a key.
Nothing is repaired: arguments that are not JSON stay as the model wrote them, and the gate answers the model.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

MAX_GUESSED_CHARACTERS = 64 * 1024
"""Longer arguments are one call's: looking through them again with each delta would take for ever."""


class CallDraft:
    """A call as far as it has come. `extra` is what its provider wants back with it (D11), as JSON values."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.characters = 0
        self.pieces: list[str] = []
        self.extra: dict[str, Any] = {}

    @property
    def arguments(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


class CallAssembler:
    """Feed it deltas in order; `drafts` are the calls so far."""

    def __init__(self) -> None:
        self.drafts: list[CallDraft] = []
        self._by_index: dict[int, CallDraft] = {}
        self._by_id: dict[str, CallDraft] = {}

    def add(self, index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> CallDraft:
        draft = self._draft_for(index, call_id or "", name or "", arguments or "")
        if call_id and not draft.id:
            draft.id = call_id
            self._by_id.setdefault(call_id, draft)
        if name and not draft.name:
            draft.name = name
        if arguments:
            draft.pieces.append(arguments)
            draft.characters += len(arguments)
        return draft

    def _draft_for(self, index: int | None, call_id: str, name: str, arguments: str) -> CallDraft:
        last = self.drafts[-1] if self.drafts else None
        current = last if index is None else self._by_index.get(index)
        if current is None:
            current = self._begin()
        elif call_id and current.id:
            if call_id != current.id:
                current = self._other(call_id, name, current, has_index=index is not None)
        elif name and current.name and _is_another(current, name, arguments):
            current = self._begin()
        if index is not None:
            self._by_index[index] = current
        return current

    def _begin(self) -> CallDraft:
        draft = CallDraft()
        self.drafts.append(draft)
        return draft

    def _other(self, call_id: str, name: str, current: CallDraft, *, has_index: bool) -> CallDraft:
        """The call that another id than the current one means: an earlier call, or a new one."""
        earlier = self._by_id.get(call_id)
        if earlier is not None:
            return earlier
        # Some servers make up a fresh id for every delta: with an index and without a name it is still the same call.
        return self._begin() if name or not has_index else current


def _is_another(current: CallDraft, name: str, arguments: str) -> bool:
    """Whether a delta that names a function, but has no id to go by, begins another call."""
    if name != current.name:
        return True
    return current.characters <= MAX_GUESSED_CHARACTERS and is_object(arguments) and is_object(current.arguments)


def is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False


def finished_arguments(text: str) -> str:
    """A call's arguments as JSON text: nothing means `{}`; an object written as a string inside a string is taken
    once; anything else stays as it is."""
    stripped = text.strip()
    if stripped in ("", "null"):
        return "{}"
    if stripped.startswith('"'):
        try:
            inner = json.loads(stripped)
        except (ValueError, RecursionError):
            return text
        if isinstance(inner, str) and is_object(inner):
            return inner
    return text
