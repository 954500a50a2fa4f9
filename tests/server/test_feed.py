"""What is joined on the way to browsers says the same (CH6); outboxes and command lines keep their bounds."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.server_doubles import Mirror, ScriptedSession, chat, message, settled
from talkfield.core.changes import Append, Frame, Put, Remove
from talkfield.core.ids import RecordId
from talkfield.errors import NothingToDo
from talkfield.server.command_line import CommandLine
from talkfield.server.feed import merged
from talkfield.server.subscriber import Subscriber, clipped
from talkfield.wire.client import Command, Do, Undo
from talkfield.wire.server import Ack, Rejected
from talkfield.workspace.base import Outcome


def append(text: str, record: str = "m1", field: Any = "content") -> Append:
    return Append(RecordId(record), field, text)


appends = st.builds(
    append, st.text(max_size=3), st.sampled_from(["m1", "m2"]), st.sampled_from(["content", "thinking"])
)
others = st.one_of(
    st.builds(lambda text: Put(message("m1", text)), st.text(max_size=3)),
    st.builds(lambda title: Put(chat(title=title)), st.text(max_size=3)),
    st.just(Remove(RecordId("node-1"))),
)
frames_strategy = st.lists(
    st.one_of(st.lists(appends, min_size=1, max_size=2), st.lists(appends | others, max_size=3)), max_size=40
).map(lambda commits: [Frame(7 + n, f"cause-{n}", tuple(changes)) for n, changes in enumerate(commits, 1)])


def mirror_after(frames: Any) -> tuple[int, dict[str, Any]]:
    mirror = Mirror(seq=7, records={"m1": message("m1", "so far "), "m2": message("m2"), "node-1": chat()})
    mirror.apply(frames)
    return mirror.seq, mirror.state()


@given(frames_strategy)
def test_CH6_joined_frames_say_the_same(frames: list[Frame]) -> None:
    assert mirror_after(merged(frames)) == mirror_after(frames)


@given(frames_strategy, st.integers(0, 40))
def test_CH6_joined_frames_may_be_joined_again(frames: list[Frame], cut: int) -> None:
    cut %= len(frames) + 1
    twice = merged((*merged(frames[:cut]), *merged(frames[cut:])))
    assert twice == merged(frames)


def test_CH6_only_runs_of_appends_are_joined() -> None:
    named = Put(chat(title="t"))
    assert merged(
        [
            Frame(1, "delta", (append("a"),)),
            Frame(2, "delta", (append("b", "m2"), append("c"))),
            Frame(3, "thinking", (append("d", field="thinking"),)),
            Frame(4, "renameNode", (named,)),
            Frame(5, "usage", (append("e"), named)),
            Frame(6, "delta", (append("f"),)),
            Frame(7, "nothing", ()),
        ]
    ) == (
        Frame(3, "thinking", (append("ac"), append("b", "m2"), append("d", field="thinking")), first=1),
        Frame(4, "renameNode", (named,)),
        Frame(5, "usage", (append("e"), named)),
        Frame(6, "delta", (append("f"),)),
        Frame(7, "nothing", ()),
    )


# Outboxes


def outbox() -> Subscriber:
    return Subscriber(max_frames=10, max_bytes=100, overflow_grace_s=60)


class Socket:
    """A browser's end: keeps what it is sent, and reads nothing while `reading` is not set."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.closed: tuple[int, str] | None = None
        self.reading = asyncio.Event()
        self.reading.set()

    async def send_text(self, text: str) -> None:
        await self.reading.wait()
        self.sent.append(text)

    async def close(self, code: int, reason: str) -> None:
        await self.reading.wait()
        self.closed = (code, reason)


async def test_CH7_what_fits_is_sent_and_then_the_end() -> None:
    subscriber, socket = outbox(), Socket()
    subscriber.reply("welcome")
    subscriber.offer_frames("frames", 10, 100)
    subscriber.finish(1001, "bye", 60)
    subscriber.reply("too late")
    subscriber.offer_frames("too late", 1, 1)
    await subscriber.deliver(socket)  # type: ignore[arg-type]
    assert (socket.sent, socket.closed) == (["welcome", "frames"], (1001, "bye"))


@pytest.mark.parametrize(("frames", "size_bytes"), [(6, 1), (1, 60)])
async def test_CH7_past_its_bounds_an_outbox_is_emptied_and_ended(frames: int, size_bytes: int) -> None:
    subscriber, socket = outbox(), Socket()
    subscriber.offer_frames("first", frames, size_bytes)
    subscriber.reply("answer")
    subscriber.offer_frames("second", frames, size_bytes)
    await subscriber.deliver(socket)  # type: ignore[arg-type]
    assert (socket.sent, socket.closed) == ([], (4008, "The browser fell behind; it can resume."))


async def test_CH7_one_batch_of_any_size_is_always_taken() -> None:
    subscriber, socket = outbox(), Socket()
    subscriber.reply("x" * 1000)
    subscriber.offer_frames("large", 1000, 10_000)
    subscriber.finish(1001, "bye", 60)
    await subscriber.deliver(socket)  # type: ignore[arg-type]
    assert socket.sent[1:] == ["large"]


async def test_W6_frames_of_the_project_before_are_not_sent() -> None:
    subscriber, socket = outbox(), Socket()
    subscriber.reply("answer")
    subscriber.offer_frames("of the project before", 10, 100)
    subscriber.drop_frames()
    subscriber.offer_frames("of the next", 10, 100)
    subscriber.finish(1001, "bye", 60)
    await subscriber.deliver(socket)  # type: ignore[arg-type]
    assert socket.sent == ["answer", "of the next"]


async def test_CH7_a_browser_that_never_reads_is_dropped_after_a_while() -> None:
    subscriber, socket = outbox(), Socket()
    socket.reading.clear()
    subscriber.offer_frames("first", 1, 1)
    delivery = asyncio.create_task(subscriber.deliver(socket))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    subscriber.finish(4008, "behind", 0)
    await delivery
    assert (socket.sent, socket.closed) == ([], None)


async def test_CH7_a_server_that_cancels_is_obeyed() -> None:
    subscriber, socket = outbox(), Socket()
    delivery = asyncio.create_task(subscriber.deliver(socket))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    delivery.cancel()
    with pytest.raises(asyncio.CancelledError):
        await delivery


async def test_X5_who_asks_without_reading_answers_is_not_read_from() -> None:
    subscriber, socket = outbox(), Socket()
    for number in range(300):
        subscriber.reply(str(number))
    waiting = asyncio.create_task(subscriber.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    subscriber.finish(1001, "bye", 60)
    await subscriber.deliver(socket)  # type: ignore[arg-type]
    await waiting
    assert len(socket.sent) == 300


def test_CH7_close_reasons_fit_their_frame() -> None:
    assert clipped("ä" * 100) == "ä" * 61
    assert clipped("short") == "short"


# Command lines


async def test_CH9_answers_are_remembered_up_to_a_number() -> None:

    async def count(session: ScriptedSession, command: Command) -> Outcome:
        return Outcome(seq=len(session.handled))

    session = ScriptedSession(handler=count)
    line = CommandLine(max_remembered=3)
    answers: list[Ack | Rejected] = []

    async def ask(*ids: str) -> list[int]:
        answers.clear()
        for id in ids:
            line.ask(session, Do(id=id, command=Undo()), answers.append)
        await settled(lambda: len(answers) == len(ids))
        return [answer.seq for answer in answers if isinstance(answer, Ack)]

    assert await ask("a", "b", "c", "d") == [1, 2, 3, 4]
    assert await ask("b", "c", "d") == [2, 3, 4]
    assert await ask("a") == [5]

    assert not line.busy


async def test_CH9_a_refusal_is_remembered_too() -> None:
    async def refuse(session: ScriptedSession, command: Command) -> Outcome:
        raise NothingToDo("nothing to undo")

    session = ScriptedSession(handler=refuse)
    line = CommandLine()
    answers: list[Ack | Rejected] = []
    for _ in range(2):
        line.ask(session, Do(id="a", command=Undo()), answers.append)
    await settled(lambda: len(answers) == 2)
    assert answers == [Rejected(id="a", code="nothing_to_do", message="nothing to undo")] * 2
    assert len(session.handled) == 1


async def test_CH9_a_line_that_closes_lets_what_has_begun_end() -> None:
    began, release = asyncio.Event(), asyncio.Event()

    async def held(session: ScriptedSession, command: Command) -> Outcome:
        began.set()
        await release.wait()
        return Outcome(seq=1)

    session = ScriptedSession(handler=held)
    line = CommandLine()
    answers: list[Ack | Rejected] = []
    for id in ("begun", "waiting"):
        line.ask(session, Do(id=id, command=Undo()), answers.append)
    await began.wait()
    asyncio.get_running_loop().call_soon(release.set)
    await line.close(grace_s=60)
    assert answers == [Ack(id="begun", seq=1)]
    assert len(session.handled) == 1
