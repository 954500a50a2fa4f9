"""Changes: the only three ways a document moves, and the only thing that crosses the wire to a browser.

`Diff` folds what really happened into a net change per field and can say what would take it back (UN2, UN3).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.ids import RecordId
from talkfield.core.records import Record

AppendField = Literal["content", "thinking", "result"]


class Put(msgspec.Struct, frozen=True, rename="camel", tag_field="op", tag="put"):
    """Create or replace one record."""

    value: Record


class Append(msgspec.Struct, frozen=True, rename="camel", tag_field="op", tag="append"):
    """Grow one text field. Frames are contiguous by `seq`, so no offset is needed."""

    id: RecordId
    field: AppendField
    text: str


class Remove(msgspec.Struct, frozen=True, rename="camel", tag_field="op", tag="remove"):
    """Delete one record. Removing what is not there is nothing."""

    id: RecordId


Change = Put | Append | Remove
Changes = tuple[Change, ...]


class Frame(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One commit: `seq` counts from 1 without gaps; `cause` is the command or event kind behind it.

    On its way to a browser a frame may stand for several commits that only appended text: those from `first` to `seq`
    (CH6). Without `first` it is the commit `seq` alone, and `first || seq` must be the browser's last `seq` plus one.
    """

    seq: int
    cause: str
    changes: Changes
    first: int = 0
