"""The last frames of one project, so that a browser that was away gets just what it missed (CH3)."""

from __future__ import annotations

from collections import deque

from talkfield.core.changes import Append, Frame, Put
from talkfield.core.records import MessageRecord, ToolCallRecord

MAX_FRAMES = 10_000
MAX_BYTES = 16 * 1024 * 1024
FRAME_BYTES = 96
"""What a frame takes up apart from its texts; the bound is about memory, so an estimate will do."""


class FrameLog:
    """A ring of frames, bounded by count and by bytes. Frames are contiguous; the newest is the current state."""

    def __init__(self, epoch: str, *, max_frames: int = MAX_FRAMES, max_bytes: int = MAX_BYTES) -> None:
        self.epoch = epoch
        self.seq = 0
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self._max_frames = max_frames
        self._max_bytes = max_bytes

    def add(self, frame: Frame) -> None:
        self.seq = frame.seq
        self._frames.append(frame)
        self._bytes += size_of(frame)
        while len(self._frames) > self._max_frames or (self._bytes > self._max_bytes and self._frames):
            self._bytes -= size_of(self._frames.popleft())

    def since(self, epoch: str, seq: int) -> tuple[Frame, ...] | None:
        """Frames after `seq`; None when that is another life, the future, or further back than the ring (CH3, CH4)."""
        if epoch != self.epoch or not 0 <= seq <= self.seq:
            return None
        missing = self.seq - seq
        if missing > len(self._frames):
            return None
        return tuple(self._frames[index] for index in range(len(self._frames) - missing, len(self._frames)))


def size_of(frame: Frame) -> int:
    """Roughly the bytes a frame holds on to."""
    size = FRAME_BYTES
    for change in frame.changes:
        size += FRAME_BYTES
        match change:
            case Append():
                size += len(change.text)
            case Put(MessageRecord() as message):
                size += len(message.content) + len(message.thinking)
            case Put(ToolCallRecord() as call):
                size += len(call.args_json) + len(call.result or "") + len(call.output)
                size += len(call.card.diff) if call.card is not None else 0
            case _:
                pass
    return size
