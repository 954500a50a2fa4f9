"""Changes: the only three ways a document moves, and the only thing that crosses the wire to a browser.

`Diff` folds what really happened into a net change per field and can say what would take it back (UN2, UN3). Diffs are
per field because several actors write different fields of one record: undoing a move must not undo a rename that came
after it.

Changes and frames are trees of frozen values, so the garbage collector is told to leave them alone (`gc=False`): ten
thousand of them wait in a project's log, and to look through them holds the loop up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import msgspec
from msgspec.structs import replace

from talkfield.core.ids import RecordId
from talkfield.core.messages import FINAL_STATUSES
from talkfield.core.records import (
    DocumentRecord,
    EdgeRecord,
    FileStateRecord,
    LinkMemoryRecord,
    LinkStatusRecord,
    MessageRecord,
    NodeRecord,
    QueuedRecord,
    Record,
    RuleRecord,
    RunRecord,
    ToolCallRecord,
    TotalsRecord,
)

AppendField = Literal["content", "thinking", "result", "output"]


class Put(msgspec.Struct, frozen=True, gc=False, rename="camel", tag_field="op", tag="put"):
    """Create or replace one record."""

    value: Record


class Append(msgspec.Struct, frozen=True, gc=False, rename="camel", tag_field="op", tag="append"):
    """Grow one text field. Frames are contiguous by `seq`, so no offset is needed."""

    id: RecordId
    field: AppendField
    text: str


class Remove(msgspec.Struct, frozen=True, gc=False, rename="camel", tag_field="op", tag="remove"):
    """Delete one record. Removing what is not there is nothing."""

    id: RecordId


Change = Put | Append | Remove
Changes = tuple[Change, ...]


class Frame(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """One commit: `seq` counts from 1 without gaps; `cause` is the command or event kind behind it.

    On its way to a browser a frame may stand for several commits that only appended text: those from `first` to `seq`
    (CH6). Without `first` it is the commit `seq` alone, and `first || seq` must be the browser's last `seq` plus one.
    """

    seq: int
    cause: str
    changes: Changes
    first: int = 0


Transition = tuple[Record | None, Record | None]
"""A record before and after: None before is a creation, None after a removal."""


class RecordSource(Protocol):
    """Where records can be looked up: a document, or one with changes staged over it."""

    def get(self, record_id: str) -> Record | None: ...

    def dependents(self, record_id: str) -> Iterable[RecordId]:
        """Ids of records that cannot be without this one: messages and edges of a node, calls of a message."""
        ...


class Diff:
    """The net change of some transitions: whole records added or removed, and fields updated (before, after)."""

    def __init__(self) -> None:
        self.added: dict[RecordId, DocumentRecord] = {}
        self.removed: dict[RecordId, DocumentRecord] = {}
        self.updated: dict[RecordId, dict[str, tuple[Any, Any]]] = {}

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.updated)

    def ids(self) -> set[RecordId]:
        return {*self.added, *self.removed, *self.updated}

    def fold(self, before: DocumentRecord | None, after: DocumentRecord | None) -> None:
        """Add one transition to what is already folded."""
        if before is None and after is not None:
            self._fold_creation(after)
        elif before is not None and after is None:
            self._fold_removal(before)
        elif before is not None and after is not None:
            self._fold_update(before, after)

    def _fold_creation(self, after: DocumentRecord) -> None:
        record_id = RecordId(after.id)
        if record_id not in self.removed:
            self.added[record_id] = after
            return
        original = self.removed.pop(record_id)
        changed = changed_fields(original, after)
        if changed:
            self.updated[record_id] = changed

    def _fold_removal(self, before: DocumentRecord) -> None:
        record_id = RecordId(before.id)
        if self.added.pop(record_id, None) is not None:
            return
        earlier = self.updated.pop(record_id, {})
        self.removed[record_id] = with_fields(before, {name: value for name, (value, _) in earlier.items()})

    def absorb(self, later: Diff) -> None:
        """Add what came after it, so that both are one."""
        for record in later.added.values():
            self._fold_creation(record)
        for record in later.removed.values():
            self._fold_removal(record)
        for record_id, fields in later.updated.items():
            if record_id in self.added:
                values = {name: new for name, (_, new) in fields.items()}
                self.added[record_id] = with_fields(self.added[record_id], values)
            else:
                self._fold_fields(record_id, fields)

    def _fold_update(self, before: DocumentRecord, after: DocumentRecord) -> None:
        record_id = RecordId(after.id)
        if record_id in self.added:
            self.added[record_id] = after
            return
        self._fold_fields(record_id, changed_fields(before, after))

    def _fold_fields(self, record_id: RecordId, fields: Mapping[str, tuple[Any, Any]]) -> None:
        folded = self.updated.setdefault(record_id, {})
        for name, (old, new) in fields.items():
            original = folded[name][0] if name in folded else old
            if original == new:
                folded.pop(name, None)
            else:
                folded[name] = (original, new)
        if not folded:
            del self.updated[record_id]

    def inverse(self, document: RecordSource) -> Changes:
        """Changes that take this diff back on the document as it is now (UN3).

        What is gone is skipped, and so is what would hang on something that is gone. What still hangs on a record that
        this diff added goes with it.
        """
        changes: list[Change] = []
        going: set[RecordId] = set()
        for record_id in self.added:
            if document.get(record_id) is not None:
                self._remove_with_dependents(document, record_id, going, changes)
        coming = {record_id for record_id in self.removed if document.get(record_id) is None}
        # Calls stand on messages, messages on nodes: what loses its ground takes along what stands on it.
        while lost := {each for each in coming if not self._can_stand(self.removed[each], document, coming, going)}:
            coming -= lost
        changes.extend(Put(self.removed[record_id]) for record_id in self.removed if record_id in coming)
        for record_id, fields in self.updated.items():
            current = document.get(record_id)
            if current is not None and record_id not in going:
                back = with_fields(current, {name: before for name, (before, _) in fields.items()})
                if not _opens_again(current, back):
                    changes.append(Put(back))
        return tuple(changes)

    def _remove_with_dependents(
        self, document: RecordSource, record_id: RecordId, going: set[RecordId], changes: list[Change]
    ) -> None:
        if record_id in going:
            return
        going.add(record_id)
        for dependent in document.dependents(record_id):
            self._remove_with_dependents(document, dependent, going, changes)
        changes.append(Remove(record_id))

    def _can_stand(
        self, record: DocumentRecord, document: RecordSource, coming: set[RecordId], going: set[RecordId]
    ) -> bool:
        return all(
            ground in coming or (document.get(ground) is not None and ground not in going)
            for ground in grounds_of(record)
        )


def _opens_again(current: Record, back: Record) -> bool:
    """Whether a tool call that is over would wait again: it may have run, and no tool runs twice (R14)."""
    if not isinstance(current, ToolCallRecord) or not isinstance(back, ToolCallRecord):
        return False
    return current.status in FINAL_STATUSES and back.status not in FINAL_STATUSES


def grounds_of(record: Record) -> tuple[RecordId, ...]:
    """Ids of the records that must exist for this one to exist."""
    if isinstance(record, MessageRecord):
        return (RecordId(record.node_id),)
    if isinstance(record, ToolCallRecord):
        return (RecordId(record.node_id), RecordId(record.message_id))
    if isinstance(record, EdgeRecord):
        return (RecordId(record.source), RecordId(record.target))
    if isinstance(record, QueuedRecord | RunRecord | TotalsRecord | FileStateRecord):
        return (RecordId(record.node_id),)
    if isinstance(record, LinkMemoryRecord | LinkStatusRecord):
        return (RecordId(record.edge_id),)
    if isinstance(record, RuleRecord) and record.node_id is not None:
        return (RecordId(record.node_id),)
    return ()


def changed_fields(before: Record, after: Record) -> dict[str, tuple[Any, Any]]:
    """Fields that differ, with both values; a node's data is compared field by field, as `data.model`."""
    changed: dict[str, tuple[Any, Any]] = {}
    for name in before.__struct_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        if name == "data" and type(old) is type(new):
            for inner in old.__struct_fields__:
                old_inner, new_inner = getattr(old, inner), getattr(new, inner)
                if old_inner != new_inner:
                    changed[f"data.{inner}"] = (old_inner, new_inner)
        else:
            changed[name] = (old, new)
    return changed


def with_fields(record: Any, values: Mapping[str, Any]) -> Any:
    """The record with some fields set; names as `changed_fields` gives them."""
    if not values:
        return record
    own = {name: value for name, value in values.items() if not name.startswith("data.")}
    inner = {name.removeprefix("data."): value for name, value in values.items() if name.startswith("data.")}
    if inner and isinstance(record, NodeRecord):
        own["data"] = replace(own.get("data", record.data), **inner)
    return replace(record, **own)
