"""The runtime in a thread of its own, for a program whose main thread reads from a terminal.

What a turn says comes through `inbox`, in order, its result last. Everything else is asked from any thread and done on
the runtime's loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar

from talkfield.core.events import ChatEvent
from talkfield.core.ids import NodeId
from talkfield.errors import CommandRejected
from talkfield.library import Audit, Library, RulesFor, ToolsFor, library_runtime
from talkfield.runtime.ports import SendRequest, SendResult

NewLoop = Callable[[], asyncio.AbstractEventLoop] | None
"""Makes the loop to run on; None: the usual one."""

Value = TypeVar("Value")


class RuntimeThread:
    """A `library_runtime`, open between `with` and the end of its block."""

    def __init__(
        self,
        environment: Mapping[str, str],
        new_loop: NewLoop,
        *,
        tools_for: ToolsFor,
        audit: Audit,
        rules_for: RulesFor,
    ) -> None:
        self.inbox: SimpleQueue[tuple[ChatEvent, ...] | SendResult] = SimpleQueue()
        self._environment = environment
        self._tools_for = tools_for
        self._audit = audit
        self._rules_for = rules_for
        self._new_loop = new_loop
        self._opened: Future[Library] = Future()
        self._loop: asyncio.AbstractEventLoop
        self._end: asyncio.Event
        self._failure: BaseException | None = None
        # A daemon: whoever presses Ctrl-C before it is open does not wait for it.
        self._thread = threading.Thread(target=self._work, name="talkfield-runtime", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.library = self._opened.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Do this on the loop, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def call(self, work: Callable[[], Value]) -> Value:
        """Call this on the loop, and wait for what it says."""

        async def done() -> Value:
            return work()

        return self.run(done())

    def begin(self, request: SendRequest, *, resuming: bool = False) -> None:
        """Start a turn. Its events and then its result come through the inbox, also when it is refused."""
        self._loop.call_soon_threadsafe(self._begin, request, resuming)

    def stop(self, node: NodeId) -> None:
        """Ask the turn to end; returns at once, and may be called by a signal's handler."""
        self._loop.call_soon_threadsafe(self.library.runtime.stop, node)

    def _begin(self, request: SendRequest, resuming: bool) -> None:
        runtime = self.library.runtime
        try:
            turn = runtime.resume(request) if resuming else runtime.start(request)
        except CommandRejected as error:
            self.inbox.put(SendResult(ok=False, code=error.code, error=error.message, hint=error.hint))
        else:
            turn.add_done_callback(lambda ended: self.inbox.put(ended.result()))

    def _work(self) -> None:
        try:
            with asyncio.Runner(loop_factory=self._new_loop) as runner:
                runner.run(self._serve())
        except BaseException as error:
            if self._opened.done():
                self._failure = error
            else:
                self._opened.set_exception(error)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with library_runtime(
            self._environment,
            lambda _node, events: self.inbox.put(events),
            tools_for=self._tools_for,
            audit=self._audit,
            rules_for=self._rules_for,
        ) as library:
            self._opened.set_result(library)
            await self._end.wait()
