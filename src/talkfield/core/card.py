"""What a person is shown before a tool call runs (T6, T7): made of the parsed arguments, never of a model's words.

Pure. Every value is shown so that all of it can be seen or is counted: what is invisible is written out, what is long
loses its middle and says how much. The whole arguments stay on the call's record for who wants to read them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from talkfield.core.concern import Concern
from talkfield.core.diff import shortened
from talkfield.core.ids import CallId
from talkfield.core.rule import RuleOffer
from talkfield.core.visible import visible_line, visible_text

MAX_FIELDS = 30
HEAD_LINES = 120
TAIL_LINES = 40
HEAD_CHARS = 6000
TAIL_CHARS = 2000
LINE_HEAD_CHARS = 1500
LINE_TAIL_CHARS = 500


class CardField(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One argument. `text` is what to draw, as it is; `size_bytes` that of the whole value.

    `shortened`: the middle is left out, and `text` says so where it was. `altered`: something in it could not be seen,
    and is written out.
    """

    name: str
    text: str
    size_bytes: int
    shortened: bool = False
    altered: bool = False


class Card(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a call would do. Everything in it is visible text, to be drawn without any markup.

    `digest` names exactly this call with exactly these arguments; a decision gives it back. `loud`: why it deserves
    more attention than most; such a call is always asked about. `cut`: the diff or the command is not all of it; the
    call's arguments are. `ready`: nothing more comes (a diff, say). `offers`: what may be remembered from this card.
    `source`: where the tool comes from, if it is not Talkfield's own.
    """

    digest: str
    fields: tuple[CardField, ...] = ()
    loud: str = ""
    source: str = ""
    command: str = ""
    folder: str = ""
    diff: str = ""
    added: int = 0
    removed: int = 0
    cut: bool = False
    note: str = ""
    ready: bool = False
    offers: tuple[RuleOffer, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a call would do, as far as its tool can tell before: shown on its card (T9).

    `arguments` are the names of those that it shows better than a plain field would. `basis` comes back to the tool
    when the call runs, so that it can see whether what was shown still holds.
    """

    diff: str | None = None
    added: int = 0
    removed: int = 0
    cut: bool = False
    command: str | None = None
    folder: str | None = None
    note: str = ""
    arguments: tuple[str, ...] = ()
    basis: str = ""


def card_of(
    call: CallId,
    name: str,
    args_json: str,
    arguments: Mapping[str, Any],
    *,
    concern: Concern | None = None,
    offers: Sequence[RuleOffer] = (),
    source: str = "",
) -> Card:
    """The card of a call before its preview is there."""
    return Card(
        digest=digest_of(call, name, args_json),
        fields=fields_of(arguments),
        loud=concern.why if concern is not None else "",
        offers=() if concern is not None else tuple(offers),
        source=visible_line(source),
    )


def with_preview(card: Card, preview: Preview) -> Card:
    """The card with what the tool says that the call would do."""
    return replace(
        card,
        fields=tuple(field for field in card.fields if field.name not in preview.arguments),
        command=preview.command or "",
        folder=preview.folder or "",
        diff=preview.diff or "",
        added=preview.added,
        removed=preview.removed,
        cut=preview.cut,
        note=preview.note,
        ready=True,
    )


def digest_of(call: CallId, name: str, args_json: str) -> str:
    """Names a call with its exact arguments: another call, tool or byte of the arguments has another digest."""
    parts = [call, name, args_json]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def fields_of(arguments: Mapping[str, Any]) -> tuple[CardField, ...]:
    """The arguments in the order the model gave them."""
    items = list(arguments.items())
    fields = [field_of(name, value) for name, value in items[:MAX_FIELDS]]
    if len(items) > MAX_FIELDS:
        fields.append(field_of(f"{len(items) - MAX_FIELDS} more arguments", dict(items[MAX_FIELDS:])))
    return tuple(fields)


def field_of(name: str, value: Any) -> CardField:
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    seen = visible_text(plain)
    text = _shortened(seen)
    return CardField(
        name=visible_line(name)[:200],
        text=text,
        size_bytes=len(plain.encode("utf-8", "replace")),
        shortened=text != seen,
        altered=seen != plain,
    )


def _shortened(text: str) -> str:
    lines = text.split("\n")
    if len(lines) > HEAD_LINES + TAIL_LINES:
        left_out = len(lines) - HEAD_LINES - TAIL_LINES
        lines = [*lines[:HEAD_LINES], f"⟨{left_out} lines are not shown here⟩", *lines[-TAIL_LINES:]]
    text = "\n".join(shortened(line, LINE_HEAD_CHARS, LINE_TAIL_CHARS) for line in lines)
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    left_out = len(text) - HEAD_CHARS - TAIL_CHARS
    return f"{text[:HEAD_CHARS]}\n⟨{left_out} characters are not shown here⟩\n{text[-TAIL_CHARS:]}"
