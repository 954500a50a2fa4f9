"""One tool server: started, spoken to, started again when it fails, and ended (T10).

A task of its own holds the connection from its beginning to its end; calls come from the tasks of turns. A server that
is slow, silent or gone costs its callers a bounded wait and nothing else. After a failure the next start waits, longer
each time, until someone needs the server again.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Literal

from talkfield.core.tool_server import ToolServer
from talkfield.errors import ToolError
from talkfield.runtime.ports import Clock, Tool, ToolContext
from talkfield.tools.mcp import naming
from talkfield.tools.mcp.result import pictures_of, text_of
from talkfield.tools.mcp.stderr_tail import StderrTail, stderr_tail

State = Literal["idle", "starting", "ready", "failed"]

START_LIMIT_S = 30.0
LIST_LIMIT_S = 15.0
CALL_LIMIT_S = 600.0
PING_AFTER_S = 30.0
PING_LIMIT_S = 2.0
FIRST_PAUSE_S = 2.0
MOST_PAUSE_S = 120.0
METHOD_NOT_FOUND = -32601
MAX_TOOLS = 128
MAX_PAGES = 20


class Connection:
    """See the module. `changed` is called when state, message or tools are others than before."""

    def __init__(
        self,
        server: ToolServer,
        folder: str | None,
        clock: Clock,
        changed: Callable[[], None],
        log: Callable[[str], None],
    ) -> None:
        self.server = server
        self.folder = folder
        self.state: State = "idle"
        self.message = ""
        self.tools: tuple[Tool, ...] = ()
        self._clock = clock
        self._changed = changed
        self._log = log
        self._client: Any = None
        self._task: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        self._end = asyncio.Event()
        self._news = asyncio.Event()
        self._pause_s = FIRST_PAUSE_S
        self._not_before_s = 0.0
        self._heard_s = 0.0

    def need(self) -> None:
        """Start it if it does not run and has not failed a moment ago. Returns at once."""
        if self._task is not None or self._end.is_set():
            return
        if self.state == "failed" and self._clock.monotonic_s() < self._not_before_s:
            return
        self._settled.clear()
        self._set("starting")
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def settled(self) -> None:
        """Return when a start that is under way has come to something. A quiet server is asked for a sign of life."""
        if self._task is not None:
            await self._settled.wait()
        if self.state == "ready" and self._clock.monotonic_s() - self._heard_s > PING_AFTER_S:
            await self._ping()

    def restart(self) -> None:
        """Forget that it failed; a running one is ended and started anew."""
        self._not_before_s, self._pause_s = 0.0, FIRST_PAUSE_S
        if self._task is None:
            self.need()
        else:
            self._task.cancel()
            self._task.add_done_callback(lambda _task: self.need())

    async def close(self, limit_s: float) -> None:
        """End it; what does not end in time is left to the system."""
        self._end.set()
        self._news.set()
        if self._task is not None:
            if self.state == "starting":
                self._task.cancel()
            _, late = await asyncio.wait([self._task], timeout=limit_s)
            for task in late:
                task.cancel()
                await asyncio.wait([task], timeout=limit_s)

    async def call(self, tool: str, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Call one of its tools. Raises `ToolError`."""
        client = self._client
        if client is None:
            self.need()
            raise ToolError(f"the tool server {self.server.name} does not run: {self.message or 'it is being started'}")

        async def progress(done: float, total: float | None, message: str | None) -> None:
            context.report(progress_line(done, total, message))

        try:
            async with asyncio.timeout(CALL_LIMIT_S):
                result = await client.call_tool(tool, dict(arguments), progress_callback=progress)
        except TimeoutError:
            raise ToolError(f"{self.server.name} did not answer within {CALL_LIMIT_S:.0f} s") from None
        except Exception as error:
            await self._look_after(client)
            raise ToolError(f"{self.server.name}: {_words(error)}") from error
        self._heard_s = self._clock.monotonic_s()
        for name, media_type, data in pictures_of(result):
            await context.show(name, media_type, data)
        text, is_error = text_of(result)
        if is_error:
            raise ToolError(text)
        return text

    # The task that holds the connection -------------------------------------------------------------------------------

    async def _run(self) -> None:
        tail: StderrTail | None = None
        failure = ""
        try:
            async with (
                stderr_tail() as (tail, errors),
                asyncio.timeout(START_LIMIT_S) as limit,
                self._connected(errors) as client,
            ):
                errors.close()
                self._client = client
                await self._list()
                limit.reschedule(None)
                self._heard_s = self._clock.monotonic_s()
                self._pause_s = FIRST_PAUSE_S
                self._set("ready")
                self._settled.set()
                await self._serve()
        except asyncio.CancelledError:
            failure = "restarted"
        except TimeoutError:
            failure = f"it did not answer within {START_LIMIT_S:.0f} s"
        except BaseExceptionGroup as errors_together:
            failure = _words(_first(errors_together))
        except Exception as error:
            failure = _words(error)
        finally:
            self._over(failure, tail)

    async def _serve(self) -> None:
        """Keep the connection until it is no longer wanted; look at the list of tools again when the server says so."""
        while not self._end.is_set():
            await self._news.wait()
            self._news.clear()
            if self._client is None:
                raise ToolError("it ended")
            if not self._end.is_set():
                await self._list()
                self._changed()

    def _over(self, failure: str, tail: StderrTail | None) -> None:
        self._client = None
        self._task = None
        self.tools = ()
        if self._end.is_set() or failure == "restarted":
            self._set("idle")
        else:
            self._not_before_s = self._clock.monotonic_s() + self._pause_s
            self._pause_s = min(self._pause_s * 2, MOST_PAUSE_S)
            said = f" It said: {tail.text}" if tail is not None and tail.text else ""
            self._log(f"tool server {self.server.name} failed")
            self._set("failed", f"{failure or 'it ended'}.{said}")
        self._settled.set()

    @contextlib.asynccontextmanager
    async def _connected(self, errors: Any) -> AsyncIterator[Any]:
        """A client that has said hello. The SDK takes its time to load: in a thread, with what it needs later."""
        mcp = await asyncio.to_thread(importlib.import_module, "mcp")
        await asyncio.to_thread(importlib.import_module, "jsonschema")
        async with contextlib.AsyncExitStack() as stack:
            transport = await self._transport(errors, stack)
            yield await stack.enter_async_context(mcp.Client(transport, message_handler=self._heard, cache=None))

    async def _transport(self, errors: Any, stack: contextlib.AsyncExitStack) -> Any:
        if self.server.url:
            http = await asyncio.to_thread(importlib.import_module, "mcp.client.streamable_http")
            client = await asyncio.to_thread(http.create_mcp_http_client, headers=dict(self.server.headers))
            await stack.enter_async_context(client)
            return http.streamable_http_client(self.server.url, http_client=client)
        stdio = await asyncio.to_thread(importlib.import_module, "mcp.client.stdio")
        program, *words = self.server.command
        parameters = stdio.StdioServerParameters(
            command=program,
            args=words,
            env=dict(self.server.env),
            cwd=self.folder,
            encoding_error_handler="replace",
        )
        return stdio.stdio_client(parameters, errlog=errors)

    async def _heard(self, message: Any) -> None:
        self._heard_s = self._clock.monotonic_s()
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self._news.set()

    async def _list(self) -> None:
        """Ask what tools there are, page by page."""
        found: list[Any] = []
        cursor: str | None = None
        async with asyncio.timeout(LIST_LIMIT_S):
            for _ in range(MAX_PAGES):
                page = await self._client.list_tools(cursor=cursor)
                found += page.tools
                cursor = page.next_cursor
                if not cursor or len(found) > MAX_TOOLS:
                    break
        taken: set[str] = set()
        tools = [tool for described in found[:MAX_TOOLS] if (tool := self._tool(described, taken)) is not None]
        self.tools = tuple(tools)
        left_out = len(found) - len(tools)
        self.message = f"{left_out} of its tools cannot be used" if left_out > 0 else ""

    def _tool(self, described: Any, taken: set[str]) -> Tool | None:
        schema = naming.schema(described.input_schema)
        name = naming.tool_name(self.server.name, described.name, taken)
        if schema is None or name in taken:
            return None
        taken.add(name)

        async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
            return await self.call(described.name, arguments, context)

        return Tool(
            name=name,
            description=naming.description(described.description),
            schema=schema,
            run=run,
            source=self.server.name,
            reads_by_its_word=getattr(described.annotations, "read_only_hint", None) is True,
        )

    async def _ping(self) -> None:
        client = self._client
        if client is None:
            return
        try:
            async with asyncio.timeout(PING_LIMIT_S):
                await client.send_ping()
            self._heard_s = self._clock.monotonic_s()
        except TimeoutError:
            pass  # slow is not gone
        except Exception:
            await self._look_after(client)

    async def _look_after(self, client: Any) -> None:
        """After a failed request: is the server still there? If not, the connection is given up."""
        try:
            async with asyncio.timeout(PING_LIMIT_S):
                await client.send_ping()
        except TimeoutError:
            return
        except Exception as error:
            answered = getattr(error, "code", None) == METHOD_NOT_FOUND  # newer servers know no ping, and said so
            if not answered and self._client is client:
                self._client = None
                self._news.set()

    def _set(self, state: State, message: str = "") -> None:
        self.state = state
        if message or state in ("starting", "idle"):
            self.message = message
        self._changed()


def progress_line(done: float, total: float | None, message: str | None) -> str:
    """A sign of progress as a line of live output, as in `2 of 3: the second bed`."""
    return ": ".join(filter(None, [f"{done:g} of {total:g}" if total else f"{done:g}", message])) + "\n"


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


def _words(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:300]
