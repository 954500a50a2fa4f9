"""The only writer of a project's document (architecture law 2).

`commit` applies changes, records them for undo, derives what follows from them, and publishes all of it as one frame.
It is synchronous: between two commits the document never changes, and everyone who listens is told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from talkfield.core.changes import Append, Change, Changes, Frame, Put, Transition
from talkfield.core.document import Document
from talkfield.core.history import Entry, History, Scope, Undo
from talkfield.core.ids import RecordId
from talkfield.core.records import HISTORY_ID, HistoryRecord, Record
from talkfield.workspace.frame_log import FrameLog

Derive = Callable[[Document, list[Transition]], Changes]
"""Session records that follow from what changed: totals, for one."""

Listener = Callable[[Frame, list[Transition]], None]


class Workspace:
    """Document, history and frames of one project. `epoch` names this life of it (CH4)."""

    def __init__(
        self, epoch: str, records: Iterable[Record] | Document, derive: Derive = lambda _document, _transitions: ()
    ) -> None:
        """A `Document` is taken as it is, with what follows from its records already in it."""
        self.document = records if isinstance(records, Document) else Document(records)
        self.history = History()
        self.log = FrameLog(epoch)
        self._derive = derive
        self._listeners: list[tuple[Listener, bool]] = []
        self._labels = self.history.labels
        if not isinstance(records, Document):
            created: list[Transition] = [(None, record) for record in self.document]
            self.document.apply(self._derive(self.document, created))
        self.document.apply((Put(self._history_record()),))

    @property
    def seq(self) -> int:
        return self.log.seq

    def listen(self, listener: Listener, *, growth: bool = True) -> Callable[[], None]:
        """Call `listener` with each frame and the transitions behind it, in order; the result ends that.

        Without `growth`, not with frames in which text only grew: on the road of every token each look counts.
        """
        heard = (listener, growth)
        self._listeners.append(heard)
        return lambda: self._listeners.remove(heard)

    def snapshot(self) -> tuple[Record, ...]:
        return tuple(self.document)

    def commit(
        self, changes: Iterable[Change], cause: str, undo: Undo = "own", *, label: str = "", close: Scope | None = None
    ) -> Frame | None:
        """Apply all changes or none; None when nothing changed. `close` ends a scope in the same frame.

        Raises `InvalidChange`, and `TurnRunning` where another turn holds what would change (UN5).
        """
        changes = tuple(changes)
        self.history.check(changes, undo)
        transitions = self.document.apply(changes)
        self.history.record(transitions, undo, label or cause)
        if close is not None:
            self.history.close(close)
        return self._publish(changes if transitions else (), transitions, cause)

    def open_scope(
        self, scope: Scope, label: str, *, joins: Scope | None = None, holds: Iterable[RecordId] = ()
    ) -> None:
        """Start a turn: its commits, recorded under `scope`, become one undo entry, or part of the one it `joins`."""
        self.history.open(scope, label, joins=joins, holds=holds)

    def undo(self) -> Entry:
        """Take back the last entry; returns it. Raises `NothingToDo`, `TurnRunning`."""
        undone = self.history.next_undo
        changes = self.history.undo_changes(self.document)
        transitions = self.document.apply(changes)
        self.history.undone(transitions)
        self._publish(changes, transitions, "undo")
        assert undone is not None
        return undone

    def redo(self) -> Entry:
        """Bring back what was undone last; returns it, to be undone again. Raises `NothingToDo`, `TurnRunning`."""
        changes = self.history.redo_changes(self.document)
        transitions = self.document.apply(changes)
        self.history.redone(transitions)
        redone = self.history.next_undo
        self._publish(changes, transitions, "redo")
        assert redone is not None
        return redone

    def _publish(self, changes: Changes, transitions: list[Transition], cause: str) -> Frame | None:
        derived = [*self._derive(self.document, transitions)]
        if self.history.labels != self._labels:
            derived.append(Put(self._history_record()))
        if derived:
            transitions = [*transitions, *self.document.apply(derived)]
        if not transitions:
            return None
        frame = Frame(self.log.seq + 1, cause, (*changes, *derived))
        self.log.add(frame)
        grew = all(isinstance(change, Append) for change in frame.changes)
        for listener, growth in list(self._listeners):
            if growth or not grew:
                listener(frame, transitions)
        return frame

    def _history_record(self) -> HistoryRecord:
        self._labels = undo, redo = self.history.labels
        return HistoryRecord(id=HISTORY_ID, undo=undo, redo=redo)
