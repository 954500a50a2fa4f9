"""Undo and redo, for two turns at once and any number of clients (UN1 to UN6).

Every document has one history. A turn opens a scope; all its commits fold into one diff, and the closed scope is one
entry. Any other commit is an entry of its own, or none where it is skipped. A record that an open scope has touched is
locked to it: without that, undoing everything would not lead back to the start. Nodes and edges that the scope itself
made may be changed meanwhile; that becomes part of its entry.

Why not marks on one pending diff: two nodes stream at the same time, and each turn is to be one entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from talkfield.core.changes import Changes, Diff, Put, RecordSource, Transition
from talkfield.core.ids import RecordId
from talkfield.core.records import BudgetRecord, EdgeRecord, NodeRecord, in_document
from talkfield.errors import NothingToDo, TurnRunning

DEPTH = 200

Own = Literal["own"]
Skip = Literal["skip"]


class Scope(msgspec.Struct, frozen=True):
    """What the commits of one turn are recorded under."""

    name: str


Undo = Own | Skip | Scope
"""How a commit is recorded: as an entry of its own, not at all, or as part of a scope."""


@dataclass(frozen=True)
class Entry:
    """One thing that undo takes back: what it was, in a word for people, its net change, and the scope it was."""

    label: str
    diff: Diff
    scope: Scope | None = None


class History:
    """Two stacks of entries, the open scopes, and who holds which record."""

    def __init__(self, depth: int = DEPTH) -> None:
        self._depth = depth
        self._undo: list[Entry] = []
        self._redo: list[Entry] = []
        self._scopes: dict[Scope, tuple[str, Diff]] = {}
        self._joins: dict[Scope, Scope] = {}
        self._locks: dict[RecordId, Scope] = {}

    @property
    def next_undo(self) -> Entry | None:
        return self._undo[-1] if self._undo else None

    @property
    def next_redo(self) -> Entry | None:
        return self._redo[-1] if self._redo else None

    @property
    def labels(self) -> tuple[str | None, str | None]:
        """What undo and redo would do next, in words; None where there is nothing."""
        undo, redo = self.next_undo, self.next_redo
        return undo.label if undo else None, redo.label if redo else None

    def open(self, scope: Scope, label: str, *, joins: Scope | None = None, holds: Iterable[RecordId] = ()) -> None:
        """Start to fold commits under `scope`, which holds some records from the beginning.

        At its end it becomes part of the entry that the scope `joins` has left, if that can still be undone: what
        several turns do together is taken back together.
        """
        self._scopes[scope] = (label, Diff())
        if joins is not None:
            self._joins[scope] = joins
        self._locks.update(dict.fromkeys(holds, scope))

    def is_open(self, scope: Scope) -> bool:
        return scope in self._scopes

    def close(self, scope: Scope) -> None:
        """The scope becomes one entry, or none without a net effect (UN1); its records are free again."""
        label, diff = self._scopes.pop(scope)
        self._locks = {record: holder for record, holder in self._locks.items() if holder != scope}
        joins = self._joins.pop(scope, None)
        joined = next((entry for entry in self._undo if joins is not None and entry.scope == joins), None)
        if joined is None:
            self._push(Entry(label, diff, scope))
        elif diff:
            joined.diff.absorb(diff)
            self._redo.clear()

    def check(self, changes: Iterable[Any], undo: Undo) -> None:
        """Raises `TurnRunning` when a change touches what another open scope holds (UN5)."""
        if not self._locks:
            return
        for change in changes:
            touched = RecordId(change.value.id) if isinstance(change, Put) else change.id
            holder = self._locks.get(touched)
            if holder is not None and holder != undo and not self._adopts(holder, change):
                raise TurnRunning("a running reply holds what this would change")

    def record(self, transitions: Iterable[Transition], undo: Undo, label: str) -> None:
        """Take note of a commit."""
        if undo == "skip":
            return
        own = [transition for transition in transitions if not self._is_adopted(transition, undo)]
        if isinstance(undo, Scope):
            _, diff = self._scopes[undo]
            for record_id in fold_into(diff, own):
                self._locks[record_id] = undo
            return
        diff = Diff()
        fold_into(diff, own)
        self._push(Entry(label, diff))

    def _is_adopted(self, transition: Transition, undo: Undo) -> bool:
        """Whether the change is part of what another open scope does; then it is folded into that one's entry."""
        before, after = transition
        if not isinstance(after, NodeRecord | EdgeRecord):
            return False
        holder = self._locks.get(RecordId(after.id))
        if holder is None or holder == undo:
            return False
        fold_into(self._scopes[holder][1], [(before, after)])
        return True

    def _adopts(self, holder: Scope, change: Any) -> bool:
        """Whether a change of another is part of what an open scope does: a node that a turn made may be moved, renamed
        and written in while the turn runs. It comes and goes with the turn's entry, so nothing is left of it.
        """
        if not isinstance(change, Put) or not isinstance(change.value, NodeRecord | EdgeRecord):
            return False
        return RecordId(change.value.id) in self._scopes[holder][1].added

    def undo_changes(self, document: RecordSource) -> Changes:
        """What undo would do now. Raises `NothingToDo`, `TurnRunning`; changes nothing."""
        return self._swap_changes(self._undo, "undo", document)

    def redo_changes(self, document: RecordSource) -> Changes:
        """What redo would do now. Raises `NothingToDo`, `TurnRunning`; changes nothing."""
        return self._swap_changes(self._redo, "redo", document)

    def undone(self, transitions: Iterable[Transition]) -> Entry:
        """The changes of `undo_changes` were applied: what they really did is what redo restores (UN4)."""
        return self._swapped(self._undo, self._redo, transitions)

    def redone(self, transitions: Iterable[Transition]) -> Entry:
        """The changes of `redo_changes` were applied."""
        return self._swapped(self._redo, self._undo, transitions)

    def _push(self, entry: Entry) -> None:
        if not entry.diff:
            return
        self._undo.append(entry)
        del self._undo[: -self._depth]
        self._redo.clear()

    def _swap_changes(self, stack: list[Entry], word: str, document: RecordSource) -> Changes:
        if not stack:
            raise NothingToDo(f"nothing to {word}")
        changes = stack[-1].diff.inverse(document)
        self.check(changes, "own")
        return changes

    def _swapped(self, source: list[Entry], target: list[Entry], transitions: Iterable[Transition]) -> Entry:
        entry = source.pop()
        diff = Diff()
        fold_into(diff, transitions)
        target.append(Entry(entry.label, diff, entry.scope))
        return entry


def fold_into(diff: Diff, transitions: Iterable[Transition]) -> list[RecordId]:
    """Fold the transitions of saved records; returns the ids of those records."""
    touched: list[RecordId] = []
    for before, after in transitions:
        record: Any = after if after is not None else before
        # What was spent stays spent, also when undo takes away what it was spent on.
        if record is not None and in_document(record) and not isinstance(record, BudgetRecord):
            diff.fold(before, after)  # type: ignore[arg-type]
            touched.append(RecordId(record.id))
    return touched
