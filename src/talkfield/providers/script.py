"""Scripts: what the scripted provider plays, as values, and how the text of a chat chooses one.

Owns the words a person or a test may type to get a certain behaviour (see `script_for`). Pure: a script is decided by
the request alone, so the same chat always plays the same reply. It never waits; who plays a script does
(`scripted.py`).
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import get_args

from talkfield.core.messages import Attachment, Finish, Message, Usage
from talkfield.errors import (
    ProviderCut,
    ProviderError,
    ProviderLimited,
    ProviderRefused,
    ProviderUnreachable,
)
from talkfield.runtime.ports import (
    CallChunk,
    Chunk,
    FinishChunk,
    ProviderRequest,
    RetryChunk,
    TextChunk,
    ThinkingChunk,
    UsageChunk,
)

words_per_s_default = 30.0
max_words = 100_000
usd_per_token = Decimal("0.000001")
"""`scripted-1` says itself what it costs; `scripted-2` does not, and nobody knows a price for it (P4)."""

MODELS = ("scripted-1", "scripted-2")


@dataclass(frozen=True)
class Pause:
    """Nothing comes for so long; time by the player's clock."""

    seconds: float


@dataclass(frozen=True)
class Fail:
    """The stream raises this."""

    error: ProviderError


class Hold:
    """Nothing comes until `release()`; a step that a test keeps at hand. Once released it lets everyone through."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._released = asyncio.Event()

    async def wait(self) -> None:
        self._reached.set()
        await self._released.wait()

    async def reached(self) -> None:
        """Returns when a stream has come to this step."""
        await self._reached.wait()

    def release(self) -> None:
        self._released.set()


Step = Chunk | Sequence[Chunk] | Pause | Fail | Hold
"""A sequence of chunks arrives at once, as from one read of a socket."""


@dataclass(frozen=True)
class Script:
    """One answer. It is complete when its last chunk is a `FinishChunk`, as from any driver."""

    steps: tuple[Step, ...]


# Choosing by the words of the chat -----------------------------------------------------------------------------------


def script_for(request: ProviderRequest) -> Script:
    """The script that the last user message asks for.

    Plain text comes back word by word, 30 a second: `echo: …`. A line that is one of these is played instead (in any
    case; several lines are played in order, and a line that is none of them is said):

    ==================================  ===============================================================================
    `stream N words [at R/s]`           `word-1 word-2 …`, R words a second
    `stream N words at once`            the same in one piece
    `think [at R/s] then answer`        thinking first, R words a second, then text
    `markdown`                          a sample with headings, a table, code, lists and a formula
    `recall`                            what the model was sent: system prompt, messages, tools
    `wait S s`                          silence for S seconds
    `slow`                              silence until stopped
    `call NAME {json}`                  one tool call; several such lines are calls of one reply
    `keep calling NAME {json}`          that call in every reply, for ever
    `fail STATUS`                       the error a service gives with this HTTP status
    `fail after N words`                N words, then the service reports an error
    `cut after N words`                 N words, then the connection breaks
    `retry N times [after S s]`         N attempts fail first, each shown with its waiting time
    `finish REASON`                     ends as `length`, `content_filter` or `refusal`
    ==================================  ===============================================================================

    After tool calls the next reply tells their results. Every whole answer ends with its usage, counted as about four
    characters a token; `scripted-1` also reports what it cost.
    """
    asked, since = last_user(request.messages)
    lines = [line.strip() for line in asked.splitlines() if line.strip()]
    directives = [_directive(line) for line in lines]
    player = _Player(request, asked)
    endless = [found for found in directives if found and found[0] is _Player.keep_calling]
    if endless and since:
        play, match = endless[0]
        play(player, match)
    elif since:
        player.say(_results(since))
    elif not any(directives):
        player.say("echo: " + asked if asked else "echo")
    else:
        for line, directive in zip(lines, directives, strict=True):
            if directive is None:
                player.say(line)
            else:
                play, match = directive
                play(player, match)
            if player.over:
                break
    return player.script()


def last_user(messages: Sequence[Message]) -> tuple[str, tuple[Message, ...]]:
    """What was asked, and what the assistant did about it since: replies with tool calls."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role == "user":
            since = tuple(message for message in messages[at + 1 :] if message.tool_calls)
            return messages[at].content.strip(), since
    return "", ()


def _results(since: Sequence[Message]) -> str:
    calls = since[-1].tool_calls
    return "\n\n".join(f"{call.name} {'failed' if call.is_error else 'said'}: {call.result or ''}" for call in calls)


class _Player:
    """Collects the steps of one answer and counts what it says."""

    def __init__(self, request: ProviderRequest, asked: str) -> None:
        self._request = request
        self._asked = asked
        self._steps: list[Step] = []
        self._said = 0
        self._thought = 0
        self._calls = 0
        self._finish: Finish = "stop"
        self.over = False

    def script(self) -> Script:
        if not self.over:
            usage = self._usage()
            usd = (usage.input_tokens + usage.output_tokens) * usd_per_token
            priced = self._request.model == MODELS[0]
            self._steps.append(UsageChunk(usage, model=self._request.model, usd=usd if priced else None))
            finish: Finish = "tool_calls" if self._calls and self._finish == "stop" else self._finish
            self._steps.append(FinishChunk(finish, raw=finish))
        return Script(tuple(self._steps))

    def say(self, text: str, words_per_s: float = words_per_s_default) -> None:
        if self._said:
            text = "\n\n" + text
        self._said += len(text)
        self._steps.extend(paced(text, words_per_s, TextChunk))

    def stream(self, match: re.Match[str]) -> None:
        text = _numbered(int(match[1]))
        if match[3]:
            self._said += len(text)
            self._steps.append(TextChunk(text))
        else:
            self.say(text, float(match[2] or words_per_s_default))

    def think(self, match: re.Match[str]) -> None:
        thought = f"Let me think about what was asked. The message has {len(self._asked.split())} words."
        self._thought += len(thought)
        self._steps.extend(paced(thought, float(match[1] or words_per_s_default), ThinkingChunk))
        self.say("I thought about it, and this is the answer.")

    def markdown(self, _match: re.Match[str]) -> None:
        self.say(markdown_sample, 200)

    def recall(self, _match: re.Match[str]) -> None:
        request = self._request
        told = [f"system: {request.system}"] if request.system else []
        for message in request.messages:
            told.append(f"{message.role}: {message.content}")
            told.extend(f"call {call.name} {call.args_json} → {call.result}" for call in message.tool_calls)
            told.extend(self._of_file(file) for file in message.attachments)
        if request.tools:
            told.append("tools: " + ", ".join(tool.name for tool in request.tools))
        chosen = request.parameters
        told.extend(
            f"{name}: {value}"
            for name, value in (
                ("temperature", chosen.temperature),
                ("top p", chosen.top_p),
                ("effort", chosen.reasoning_effort),
                ("most output tokens", chosen.max_output_tokens),
                ("stop at", " | ".join(chosen.stop_sequences) or None),
                ("seed", chosen.seed),
            )
            if value is not None
        )
        self.say("\n\n".join(told), 300)

    def _of_file(self, file: Attachment) -> str:
        data = self._request.files.get(file.digest)
        size = f", {len(data)} bytes" if data is not None else ""
        return f"file {file.name} ({file.media_type}{size})"

    def wait(self, match: re.Match[str]) -> None:
        self._steps.append(Pause(float(match[1])))

    def slow(self, _match: re.Match[str]) -> None:
        self._steps.append(Hold())
        self.over = True

    def call(self, match: re.Match[str]) -> None:
        self._calls += 1
        self._steps.append(CallChunk(wire_id=f"call_{self._calls}", name=match[1], args_json=match[2] or "{}"))

    def keep_calling(self, match: re.Match[str]) -> None:
        self.call(match)

    def fail(self, match: re.Match[str]) -> None:
        self._end(error_for(int(match[1])))

    def fail_after(self, match: re.Match[str]) -> None:
        self.say(_numbered(int(match[1])))
        self._end(error_for(500))

    def cut_after(self, match: re.Match[str]) -> None:
        self.say(_numbered(int(match[1])))
        self._end(ProviderCut("the answer broke off before its end", provider="scripted", retryable=True))

    def retry(self, match: re.Match[str]) -> None:
        wait_s = float(match[2] or 2)
        for attempt in range(2, int(match[1]) + 2):
            self._steps += [RetryChunk(attempt, wait_s, "the scripted service is overloaded"), Pause(wait_s)]
        self.say("answered at last")

    def finish(self, match: re.Match[str]) -> None:
        for finish in get_args(Finish):
            if finish == match[1].lower():
                self._finish = finish

    def _end(self, error: ProviderError) -> None:
        self._steps.append(Fail(error))
        self.over = True

    def _usage(self) -> Usage:
        sent = len(self._request.system) + sum(len(message.content) for message in self._request.messages)
        reasoning = math.ceil(self._thought / 4)
        return Usage(
            input_tokens=max(1, math.ceil(sent / 4)),
            output_tokens=max(1, math.ceil(self._said / 4) + reasoning),
            reasoning_tokens=reasoning,
        )


_Play = Callable[[_Player, re.Match[str]], None]
_number = r"(\d{1,9}(?:\.\d{1,6})?)"
_directives: tuple[tuple[re.Pattern[str], _Play], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), play)
    for pattern, play in (
        (rf"stream (\d{{1,9}}) words?(?: at (?:{_number} ?/ ?s|(once)))?", _Player.stream),
        (rf"think(?: at {_number} ?/ ?s)? then answer", _Player.think),
        (r"markdown", _Player.markdown),
        (r"recall", _Player.recall),
        (rf"wait {_number} ?s", _Player.wait),
        (r"slow", _Player.slow),
        (r"call ([\w.:/-]+)(?: (.*))?", _Player.call),
        (r"keep calling ([\w.:/-]+)(?: (.*))?", _Player.keep_calling),
        (r"fail ([45]\d\d)", _Player.fail),
        (r"fail after (\d{1,9}) words?", _Player.fail_after),
        (r"cut after (\d{1,9}) words?", _Player.cut_after),
        (rf"retry (\d{{1,2}}) times?(?: after {_number} ?s)?", _Player.retry),
        (r"finish (length|content_filter|refusal)", _Player.finish),
    )
)


def _directive(line: str) -> tuple[_Play, re.Match[str]] | None:
    for pattern, play in _directives:
        match = pattern.fullmatch(line)
        if match:
            return play, match
    return None


def _numbered(count: int) -> str:
    return " ".join(f"word-{number}" for number in range(1, min(count, max_words) + 1))


def paced(text: str, words_per_s: float, chunk: Callable[[str], Chunk]) -> Iterator[Step]:
    """The text word by word; above a hundred words a second several at a time, since clocks are no finer."""
    words = re.findall(r"\s*\S+|\s+$", text)
    words_per_s = max(words_per_s, 0.01)
    group = max(1, round(words_per_s / 100))
    pause = Pause(group / words_per_s)
    for start in range(0, len(words), group):
        if start:
            yield pause
        yield chunk("".join(words[start : start + group]))


def error_for(status: int, message: str = "") -> ProviderError:
    """The error a driver raises for an HTTP status, in the scripted provider's words."""
    text = message or f"the scripted service answered {status}"
    if status in {402, 429, 503, 529}:
        return ProviderLimited(text, provider="scripted", status=status, retryable=status != 402)
    if status < 500:
        return ProviderRefused(text, provider="scripted", status=status, retryable=status in {408, 409})
    return ProviderUnreachable(text, provider="scripted", status=status, retryable=True)


markdown_sample = """\
# A heading

A paragraph with **bold**, *italic*, `inline code` and a [link](https://example.org/).

## A table

| model | tokens | usd |
|---|---:|---:|
| scripted-1 | 120 | 0.00012 |
| scripted-2 | 240 | n/a |

## Code

```python
def greet(name: str) -> str:
    return f"Hello, {name}"
```

## Lists

1. one
2. two
   - nested
- [x] done
- [ ] open

> A quotation.

A formula: $E = mc^2$.
"""
