"""The commands of one browser: done in the order they came, each once, each answered exactly once (CH8, CH9).

A line outlives its connections. A command that was accepted is carried out whether or not the browser is still there;
when it comes back and asks the same again, under the same id, it gets the answer and nothing is done twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from talkfield.errors import TalkfieldError
from talkfield.wire.client import Do
from talkfield.wire.server import Ack, Rejected
from talkfield.workspace.base import SessionLike

Answer = Ack | Rejected

MAX_REMEMBERED = 1000
MAX_WAITING = 256
"""Past this, the browser's own messages are not read until some of its commands are done."""

logger = logging.getLogger(__name__)


class CommandLine:
    """One browser's queue of commands and its memory of answers."""

    def __init__(self, *, max_remembered: int = MAX_REMEMBERED) -> None:
        self.max_remembered = max_remembered
        self._answers: dict[str, asyncio.Future[Answer]] = {}
        self._waiting: deque[tuple[SessionLike, Do, asyncio.Future[Answer]]] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._room.set()

    def ask(self, session: SessionLike, do: Do, answer: Callable[[Answer], None]) -> None:
        """Have a command done after those before it; `answer` is called once, with what became of it."""
        future = self._answers.get(do.id)
        if future is None:
            future = asyncio.get_running_loop().create_future()
            self._answers[do.id] = future
            self._waiting.append((session, do, future))
            if len(self._waiting) > MAX_WAITING:
                self._room.clear()
            if self._worker is None:
                self._worker = asyncio.create_task(self._work(), name="talkfield-commands")
        future.add_done_callback(lambda done: None if done.cancelled() else answer(done.result()))

    @property
    def busy(self) -> bool:
        return self._worker is not None

    async def room(self) -> None:
        """Wait until few enough commands have not begun."""
        await self._room.wait()

    async def close(self, grace_s: float) -> None:
        """Begin nothing more; let what has begun end, for a while."""
        self._room.set()
        while self._waiting:
            _, do, future = self._waiting.popleft()
            future.cancel()
            del self._answers[do.id]
        if self._worker is not None:
            worker = self._worker
            await asyncio.wait({worker}, timeout=grace_s)
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)

    async def _work(self) -> None:
        try:
            while self._waiting:
                session, do, future = self._waiting.popleft()
                if len(self._waiting) <= MAX_WAITING // 2:
                    self._room.set()
                answer = await carry_out(session, do)
                if not future.cancelled():
                    future.set_result(answer)
                self._forget()
        finally:
            self._worker = None

    def _forget(self) -> None:
        while len(self._answers) > self.max_remembered:
            oldest = next(iter(self._answers))
            if not self._answers[oldest].done():
                return
            del self._answers[oldest]


async def carry_out(session: SessionLike, do: Do) -> Answer:
    """Do one command. Whatever happens, there is an answer."""
    try:
        outcome = await session.handle(do.command)
    except TalkfieldError as error:
        return Rejected(id=do.id, code=error.code, message=error.message, hint=error.hint)
    except Exception:
        logger.exception("a command failed: %s", type(do.command).__name__)
        return Rejected(
            id=do.id,
            code="internal",
            message="Something went wrong inside Talkfield; nothing is lost.",
            hint="The terminal Talkfield runs in shows the details.",
        )
    return Ack(id=do.id, seq=outcome.seq, made=outcome.made, text=outcome.text, attachments=outcome.attachments)
