"""`talkfield ask`: one question, answered in the terminal by the same runtime as the canvas (Z4).

Text goes to standard output as it comes; everything about it (retries, what went wrong) to standard error. Nothing is
kept. With `--json` one object is printed at the end, also when there is no answer.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from typing import Any, TextIO

import msgspec

from talkfield.cli import FAILED, say
from talkfield.core.conversation import Conversation
from talkfield.core.cost import conversation_cost
from talkfield.core.events import ChatEvent, Delta, RetryWaiting
from talkfield.core.ids import MessageId, NodeId, ProviderId
from talkfield.core.messages import Message
from talkfield.errors import InvalidArgument
from talkfield.library import Library, library_runtime
from talkfield.runtime.ports import SendRequest, SendResult
from talkfield.system import SystemClock
from talkfield.terminal.screen import PIPE_CLOSED, fall_silent, printable

NODE = NodeId("ask")
LOOKING_LIMIT_S = 3.0
"""How long to wait for a provider to be found on this machine when none is known yet."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a person asked. Without a provider and a model: those of Settings."""

    text: str
    provider: str | None = None
    model: str | None = None
    system: str = ""
    as_json: bool = False


def question_text(prompt: str | None, stdin: TextIO | None) -> str:
    """The prompt with what was piped after it, or either of them. Raises `InvalidArgument` where there is neither."""
    piped = ""
    if stdin is not None and not stdin.isatty():
        piped = stdin.buffer.read().decode(errors="replace").strip("\n")
    text = "\n\n".join(part for part in (prompt or "", piped) if part.strip())
    if not text:
        raise InvalidArgument("There is nothing to ask.", hint='Try: talkfield ask "Why is the sky blue?"')
    return text


class Printer:
    """Takes in the turn's events and prints text as it comes. Ends the turn when nobody reads it any more."""

    def __init__(self, out: TextIO, *, silent: bool) -> None:
        self.conversation = Conversation(NODE, 0)
        self.library: Library | None = None
        self.pipe_closed = False
        self._out = out
        self._silent = silent
        self._plain = out.isatty()
        self._clock = SystemClock()
        self._last = "\n"

    def take(self, _node: NodeId, events: tuple[ChatEvent, ...]) -> None:
        self.conversation.apply(*events, at=self._clock.now_ms())
        for event in events:
            if isinstance(event, Delta) and not self._silent:
                self._write(event.text)
            elif isinstance(event, RetryWaiting):
                wait_s = max(0, event.retry_at - self._clock.now_ms()) / 1000
                say(f"{event.reason}; trying again in {wait_s:.0f} s")

    def finish(self) -> None:
        """End the last line."""
        if self._last != "\n" and not self._silent:
            self._write("\n")

    def _write(self, text: str) -> None:
        if self.pipe_closed or not text:
            return
        self._last = text[-1]
        try:
            self._out.write(printable(text) if self._plain else text)
            self._out.flush()
        except BrokenPipeError:
            self.pipe_closed = True
            fall_silent(self._out)
            if self.library is not None:
                self.library.runtime.stop(NODE)


async def ask(question: Question) -> int:
    """Ask, print, and return the exit status: 0 only for an answer that came to its end."""
    clock = SystemClock()
    printer = Printer(sys.stdout, silent=question.as_json)
    asked = Message(id=MessageId("question"), role="user", content=question.text, ts=clock.now_ms())
    provider = None if question.provider is None else ProviderId(question.provider)
    async with library_runtime(os.environ, printer.take) as library:
        printer.library = library
        await look_around(library, provider)
        result = await library.runtime.send(
            SendRequest(
                node=NODE,
                messages=(asked,),
                provider=provider,
                # The default model belongs to the default provider: to another it would mean nothing.
                model=question.model or (library.settings.default_model if provider is None else None),
                system=question.system,
            )
        )
    printer.finish()
    if printer.pipe_closed:
        return PIPE_CLOSED
    if question.as_json:
        print(msgspec.json.encode(summary(printer.conversation, result)).decode())
    elif not result.ok:
        say(f"{result.error or 'there was no answer'} {result.hint}")
    return 0 if result.ok else FAILED


async def look_around(library: Library, provider: ProviderId | None) -> None:
    """Give servers on this machine a moment to be found, where there is nothing else to ask."""
    changed = asyncio.Event()
    unwatch = library.directory.watch(changed.set)
    try:
        async with asyncio.timeout(LOOKING_LIMIT_S):
            while library.directory.resolve(provider) is None:
                await changed.wait()
                changed.clear()
    except TimeoutError:
        pass
    finally:
        unwatch()


def summary(conversation: Conversation, result: SendResult) -> dict[str, Any]:
    """The answer as one object."""
    replies = [message for message in conversation.messages if message.role == "assistant"]
    last = replies[-1] if replies else None
    report = conversation_cost(replies)
    out: dict[str, Any] = {
        "ok": result.ok,
        "text": "".join(message.content for message in replies),
        "provider": last.provider if last else None,
        "model": last.model if last else None,
        "usage": last.usage if last else None,
        "cost": {"usd": str(report.usd), "label": report.label, "estimated": report.estimated},
        "stopReason": result.stop_reason,
    }
    thinking = "".join(message.thinking for message in replies)
    if thinking:
        out["thinking"] = thinking
    if not result.ok:
        out["error"] = {"code": result.code or "error", "message": result.error or "", "hint": result.hint}
    return out
