"""The feed of one project: its frames, encoded once for all browsers that look at it (CH6).

A project that was quiet is sent from at once, on the next turn of the loop; in a burst, frames are gathered for 16 ms.
Commits that follow each other and only append text go as one frame: appends to different fields commute, so one append
a field says the same. The feed never holds up a commit and never changes anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from talkfield import wire
from talkfield.core.changes import Append, Frame
from talkfield.server.subscriber import Subscriber
from talkfield.server.visibility import visible_frame
from talkfield.wire.server import Frames
from talkfield.workspace.base import SessionLike


class FrameFeed:
    """Listens to a session for as long as somebody listens to the feed."""

    def __init__(self, session: SessionLike, *, interval_s: float) -> None:
        self.session = session
        self.interval_s = interval_s
        self._loop = asyncio.get_running_loop()
        self._subscribers: list[Subscriber] = []
        self._pending: list[Frame] = []
        self._timer: asyncio.Handle | None = None
        self._last_flush_s = self._due_s = float("-inf")
        self._unsubscribe: Callable[[], None] | None = None

    def attach(self, subscriber: Subscriber) -> None:
        """From now on the subscriber gets each new frame; what others wait for is sent to them first (CH2)."""
        self.flush()
        if self._unsubscribe is None:
            self._unsubscribe = self.session.subscribe(self._gather)
        self._subscribers.append(subscriber)

    def detach(self, subscriber: Subscriber) -> None:
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)
        if not self._subscribers and self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
            self._pending.clear()
            self._cancel_timer()

    @property
    def idle(self) -> bool:
        return not self._subscribers

    def flush(self) -> None:
        """Send what was gathered."""
        self._cancel_timer()
        if not self._pending:
            return
        now_s = self._loop.time()
        # A timer that was late must not make the next one later still: gathering would add to what a busy loop costs.
        self._last_flush_s = self._due_s if 0 <= now_s - self._due_s < self.interval_s else now_s
        frames = merged(self._pending)
        self._pending.clear()
        text, size_bytes = encoded(frames)
        for subscriber in self._subscribers:
            subscriber.offer_frames(text, len(frames), size_bytes)

    def _gather(self, frame: Frame) -> None:
        self._pending.append(frame)
        if self._timer is None:
            due_s = self._last_flush_s + self.interval_s
            if due_s <= self._loop.time():
                self._due_s = self._loop.time()
                self._timer = self._loop.call_soon(self.flush)
            else:
                self._due_s = due_s
                self._timer = self._loop.call_at(due_s, self.flush)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def encoded(frames: tuple[Frame, ...]) -> tuple[str, int]:
    """The message for browsers, and its size in bytes."""
    data = wire.encode(Frames(frames=tuple(visible_frame(frame) for frame in frames)))
    return data.decode(), len(data)


def merged(frames: Iterable[Frame]) -> tuple[Frame, ...]:
    """The same changes in fewer frames: each run of frames that only append becomes one, `first` to `seq`."""
    out: list[Frame] = []
    run: list[Frame] = []
    for frame in frames:
        if frame.changes and all(isinstance(change, Append) for change in frame.changes):
            run.append(frame)
            continue
        if run:
            out.append(joined(run))
            run = []
        out.append(frame)
    if run:
        out.append(joined(run))
    return tuple(out)


def joined(run: list[Frame]) -> Frame:
    """One frame for a run of frames that only append; it carries the cause of the last."""
    if len(run) == 1:
        return run[0]
    pieces: dict[tuple[str, str], list[Append]] = {}
    for frame in run:
        for change in frame.changes:
            if isinstance(change, Append):
                pieces.setdefault((change.id, change.field), []).append(change)
    changes = tuple(
        Append(appends[0].id, appends[0].field, "".join(append.text for append in appends))
        for appends in pieces.values()
    )
    return Frame(seq=run[-1].seq, cause=run[-1].cause, changes=changes, first=run[0].first or run[0].seq)
