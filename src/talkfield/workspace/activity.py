"""What goes on in each open project, counted as it changes, so that pages that show another one can say so (U8).

A count costs what changed. It is told a moment after the commit that moved it, never from within one: telling is a
commit itself, and its frame must not overtake the one that it is about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from talkfield.core.changes import Frame, Transition
from talkfield.core.ids import ProjectId
from talkfield.core.records import Record, RunRecord, ToolCallRecord, VisitorCallRecord
from talkfield.workspace.workspace import Workspace


class Activity:
    """Chats that answer (`live`) and cards that wait for a person (`waiting`) in one project."""

    def __init__(self, records: Iterable[Record], tell: Callable[[int, int], None]) -> None:
        self.live = self.waiting = 0
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._told = (0, 0)
        self._telling: asyncio.Handle | None = None
        self(None, [(None, record) for record in records])

    def __call__(self, _frame: Frame | None, transitions: list[Transition]) -> None:
        for before, after in transitions:
            self.live += is_live(after) - is_live(before)
            self.waiting += waits(after) - waits(before)
        if (self.live, self.waiting) != self._told and self._telling is None:
            self._telling = self._loop.call_soon(self._say)

    def _say(self) -> None:
        self._telling = None
        self._told = (self.live, self.waiting)
        self._tell(*self._told)


def watch_activity(project: ProjectId, workspace: Workspace, tell: Callable[[ProjectId, int, int], None]) -> None:
    """Call `tell` with a project's counts whenever they differ from those it was told last; at first they are 0."""
    activity = Activity(workspace.document, lambda live, waiting: tell(project, live, waiting))
    workspace.listen(activity, growth=False)


def is_live(record: Record | None) -> bool:
    return isinstance(record, RunRecord)


def waits(record: Record | None) -> bool:
    return isinstance(record, VisitorCallRecord) or (isinstance(record, ToolCallRecord) and record.status == "awaiting")
