"""The embedded model (Z2): a small language model of Talkfield's own, in a process of its own.

`LocalModel` decides about that process: it starts with the first chat that needs it (one start for all who wait), is
started anew after a crash, and ends with Talkfield, also with one that is killed (see `local_server.py`). `LocalDriver`
sends requests to it through an ordinary OpenAI-compatible driver. Neither loads the model into this process, and
neither ever downloads anything.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import msgspec

from talkfield.core.messages import Message, ModelInfo
from talkfield.core.records import ProviderStatus
from talkfield.errors import ProviderCut, ProviderError, ProviderUnreachable
from talkfield.providers.local_process import LocalAddress, LocalProcess, server_command
from talkfield.providers.sentence import sentences
from talkfield.providers.weights import missing_code, named_file, weights_file
from talkfield.runtime.ports import Chunk, Clock, Driver, ProviderConfig, ProviderRequest, RetryChunk

context_tokens = 4096
"""For each of `slots` replies at a time; further ones wait their turn."""
slots = 4
reply_tokens = 512
text_only: dict[str, bool | str] = {
    "tools": False,
    "images": False,
    "documents": False,
    "audio": False,
    "reasoning_parameter": "chat_template_kwargs",
}
"""Its profile (D13)."""
crash_notice_s = 0.5
"""A connection breaks a little before its process is known to be gone."""


def local_model(environment: Mapping[str, str]) -> ModelInfo:
    """The model that is served: the packaged one, or that of a person's file, which is called by its file's name."""
    named = Path(named_file(environment)).stem
    if named:
        return ModelInfo(id=named, context_tokens=context_tokens)
    return ModelInfo(id="smollm2-135m", name="SmolLM2 135M", context_tokens=context_tokens)


@dataclass(frozen=True)
class LocalStatus:
    """How it stands with the embedded model, in the words of a `ProviderRecord`."""

    status: ProviderStatus
    message: str = ""


class LocalModel:
    """The embedded model's process. `changed` is called with each new status; `status` holds the last.

    `command` is how the child is started and `weights` how its model is found, Talkfield's own ways by default.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        environment: Mapping[str, str],
        log: Callable[[str], None] = lambda _line: None,
        changed: Callable[[LocalStatus], None] = lambda _status: None,
        command: Sequence[str] = server_command,
        weights: Callable[[Mapping[str, str]], Path] = weights_file,
    ) -> None:
        self.status = LocalStatus("unknown")
        self.model = local_model(environment)
        self.changed = changed
        self._clock = clock
        self._environment = environment
        self._log = log
        self._command = command
        self._weights = weights
        self._start: asyncio.Task[LocalProcess] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def process_id(self) -> int | None:
        """The child's, while one runs."""
        child = self._running()
        return child.number if child else None

    def available(self) -> LocalStatus:
        """`idle` when it can be started, `missing` with what to install. Looks at files: call it off the event loop."""
        try:
            self._weights(self._environment)
        except ProviderError as error:
            return _status_of(error)
        return LocalStatus("idle")

    async def examine(self) -> None:
        """Look again whether it can be started, unless it already is."""
        status = await asyncio.to_thread(self.available)
        if self._start is None:
            self._say(status)

    async def address(self) -> LocalAddress:
        """Where it listens; starts it first if need be. Who waits may be cancelled: the start goes on for the others.

        Raises `ProviderError` when it cannot be started.
        """
        if self._closed:
            raise ProviderUnreachable("Talkfield is closing", provider="local", hint="")
        if self._start is None or (self._start.done() and not self._running()):
            self._start = asyncio.create_task(self._bring_up())
        return (await asyncio.shield(self._start)).address

    async def ended(self, address: LocalAddress) -> bool:
        """Whether the child behind an address is gone, or about to be."""
        child = self._running()
        return child is None or child.address != address or await child.ends(crash_notice_s)

    async def close(self) -> None:
        """End it. It is not started again."""
        self._closed = True
        if self._start is None:
            return
        if not self._start.done():
            self._start.cancel()
            await asyncio.wait({self._start})
        if child := self._running():
            await child.end()
        if self._watch:
            await self._watch

    async def _bring_up(self) -> LocalProcess:
        self._say(LocalStatus("starting", "Loading the model"))
        try:
            weights = await asyncio.to_thread(self._weights, self._environment)
            order = {
                "model": str(weights),
                "alias": self.model.id,
                "context_tokens": context_tokens,
                "slots": slots,
                "reply_tokens": reply_tokens,
                "threads": _threads(),
            }
            child = await LocalProcess.launch(
                order, command=self._command, environment=self._environment, clock=self._clock
            )
        except ProviderError as error:
            self._say(_status_of(error))
            raise
        self._log(f"local model: ready, process {child.number}")
        self._say(LocalStatus("ready"))
        self._watch = asyncio.create_task(self._watch_over(child))
        return child

    async def _watch_over(self, child: LocalProcess) -> None:
        how = await child.wait()
        if not self._closed:
            await child.end()
            self._log(f"local model: ended by itself, {how}")
            self._say(LocalStatus("failed", f"It ended by itself ({how}). The next message starts it again."))

    def _running(self) -> LocalProcess | None:
        if self._start is None or not self._start.done() or self._start.cancelled() or self._start.exception():
            return None
        child = self._start.result()
        return child if child.runs else None

    def _say(self, status: LocalStatus) -> None:
        if status != self.status and not self._closed:
            self.status = status
            self.changed(status)


class LocalDriver:
    """Asks the embedded model, starting it first. `inner` makes the OpenAI-compatible driver that speaks to it.

    The model reads plain text: tools are not offered to it, and what earlier calls gave is told in words. A reply is at
    most `reply_tokens` long unless the request says otherwise.
    """

    def __init__(self, model: LocalModel, inner: Callable[[], Driver]) -> None:
        self._model = model
        self._make_inner = inner
        self._inner: Driver | None = None

    async def stream(self, request: ProviderRequest) -> AsyncIterator[list[Chunk]]:
        address = await self._model.address()
        if self._inner is None:
            self._inner = self._make_inner()
        answer = cast("AsyncGenerator[list[Chunk]]", self._inner.stream(self._for_child(request, address)))
        began = False
        try:
            async with aclosing(answer):
                async for chunks in answer:
                    retries = any(isinstance(chunk, RetryChunk) for chunk in chunks)
                    if retries and await self._model.ended(address):
                        raise _crash(began)
                    began = began or not retries
                    yield chunks
        except (ProviderUnreachable, ProviderCut) as error:
            if await self._model.ended(address):
                raise _crash(began) from error
            raise

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        """Its one model, without starting it."""
        return [self._model.model]

    async def close(self) -> None:
        if self._inner is not None:
            await self._inner.close()
        await self._model.close()

    def _for_child(self, request: ProviderRequest, address: LocalAddress) -> ProviderRequest:
        parameters = request.parameters
        if parameters.max_output_tokens is None:
            parameters = replace(parameters, max_output_tokens=reply_tokens)
        return replace(
            request,
            provider=replace(
                request.provider, api="openai", base_url=address.base_url, key=address.key, profile=text_only
            ),
            model=self._model.model.id,
            messages=tuple(_as_text(message) for message in request.messages),
            tools=(),
            parameters=parameters,
        )


def _as_text(message: Message) -> Message:
    """Without calls, which the model's template cannot show: their results become part of the text."""
    told = [f"[{call.name}: {call.result or call.status}]" for call in message.tool_calls]
    if not told:
        return message
    content = "\n".join(part for part in (message.content, *told) if part)
    return msgspec.structs.replace(message, content=content, tool_calls=())


def _crash(began: bool) -> ProviderError:
    kind = ProviderCut if began else ProviderUnreachable
    return kind(
        "the built-in model stopped while it answered",
        provider="local",
        retryable=True,
        hint="Send again: it is started anew.",
    )


def _status_of(error: ProviderError) -> LocalStatus:
    return LocalStatus("missing" if error.code == missing_code else "failed", sentences(error))


def _threads() -> int:
    """One processor stays free, eight are enough.

    llama.cpp's threads wait for each other in a busy loop: where one shares its processor with anybody, all crawl.
    Measured on two processors: 115 tokens a second with two threads when idle, 5 when others worked; 76 with one,
    idle or not.
    """
    mine = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(mine - 1, 8))
