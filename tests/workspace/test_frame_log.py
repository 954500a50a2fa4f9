"""The ring of frames behind resuming (CH3, CH4)."""

from __future__ import annotations

from builders import call_record, chat, message_record
from talkfield.core.changes import Append, Change, Frame, Put, Remove
from talkfield.core.ids import RecordId
from talkfield.workspace.frame_log import FRAME_BYTES, FrameLog, size_of


def filled(count: int, *, text: str = "x", max_frames: int = 100, max_bytes: int = 10**6) -> FrameLog:
    log = FrameLog("e", max_frames=max_frames, max_bytes=max_bytes)
    for seq in range(1, count + 1):
        log.add(Frame(seq, "test", (Append(RecordId("m"), "content", text),)))
    return log


def seqs(log: FrameLog, seq: int, epoch: str = "e") -> list[int] | None:
    frames = log.since(epoch, seq)
    return None if frames is None else [frame.seq for frame in frames]


def test_CH3_frames_after_a_seq_come_in_order() -> None:
    assert seqs(filled(5), 2) == [3, 4, 5]
    assert seqs(filled(5), 5) == []
    assert seqs(filled(0), 0) == []


def test_CH4_another_epoch_the_future_and_the_forgotten_past_need_a_snapshot() -> None:
    log = filled(5, max_frames=2)
    assert seqs(log, 3) == [4, 5]
    assert seqs(log, 2) is None
    assert seqs(log, 6) is None
    assert seqs(log, -1) is None
    assert seqs(log, 5, epoch="other") is None


def test_CH7_the_ring_is_bounded_in_bytes() -> None:
    log = filled(10, text="x" * 1000, max_bytes=3500)
    assert seqs(log, 8) == [9, 10]
    assert seqs(log, 5) is None


def test_CH7_every_text_counts() -> None:
    changes: tuple[Change, ...] = (
        Put(message_record(content="abc", thinking="de")),
        Put(call_record(result="fgh")),
        Put(chat()),
        Remove(RecordId("x")),
    )
    assert size_of(Frame(1, "c", changes)) == 5 * FRAME_BYTES + 5 + len("{}") + 3
