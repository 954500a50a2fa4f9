"""Reads a captured answer through the drivers' own decoders, and says what it comes to in the wire's words (D3, D4).

For people with a strange endpoint: it shows what Talkfield makes of a stream, before any of it is shown, priced or run.
Owns the words for what a turn does next; how a stream is read is the decoders' alone. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from talkfield.core.messages import Finish
from talkfield.core.provider_api import Api
from talkfield.errors import ProviderCut, ProviderError
from talkfield.providers.anthropic_decoder import AnthropicDecoder
from talkfield.providers.body import TOO_DEEP
from talkfield.providers.finish_reason import finish_of
from talkfield.providers.json_body import spelled_out
from talkfield.providers.openai_decoder import OpenAiDecoder
from talkfield.providers.tool_call import finished_arguments
from talkfield.providers.usage import count, openai_usage
from talkfield.runtime.ports import Chunk, FinishChunk, RestartChunk, TextChunk, ThinkingChunk

STOP_OF: dict[Finish, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filter",
    "refusal": "refusal",
}
KEPT_STOPS = frozenset({"stop_sequence", "pause_turn", "refusal"})
"""Ends that say more than what they are like."""


class CallReading(msgspec.Struct, frozen=True):
    """A tool call: its id as on the wire, and its arguments as the text that the model wrote (nothing is `{}`)."""

    id: str
    name: str
    arguments: str


class UsageReading(msgspec.Struct, frozen=True):
    """Tokens as the service itself states them, null where it does not: on Anthropic's wire `input` is without what
    was cached, on OpenAI's with it. Talkfield's own counts are made of these (M5)."""

    input: int | None = None
    output: int | None = None
    cached_input: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


class AnswerReading(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer comes to. `finish_reason` is the wire's own word; `effective_stop` is what the turn does next:

    `end_turn`, `stop_sequence`, `pause_turn`, `refusal`, `content_filter` and `max_tokens` end it; so does `missing`,
    where an answer is whole but gives no reason; `tool_use` goes on with the calls; `error` and `interrupted` (the
    stream was cut, D4) fail it and run nothing. A whole answer's calls are all in `tool_calls`, also one that
    `max_tokens` cut off and that is therefore not run; an answer that failed has none.
    """

    api: Api
    model: str | None = None
    text: str = ""
    thinking: str = ""
    tool_calls: tuple[CallReading, ...] = ()
    finish_reason: str | None = None
    effective_stop: str
    usage: UsageReading | None = None
    error: str | None = None
    code: str | None = None
    hint: str = ""
    refusal: str = ""

    @property
    def failed(self) -> bool:
        return self.error is not None


def read_answer(reads: Iterable[bytes], api: Api | None = None) -> AnswerReading:
    """The reading of an answer's body. Without `api` it is read on the wire that it is in, as far as it shows."""
    if api is not None:
        return _read(READERS[api](), reads, api)
    kept = list(reads)
    first = _read(READERS["openai"](), kept, "openai")
    if first.code == "wrong_wire":
        second = _read(READERS["anthropic"](), kept, "anthropic")
        return first if second.code == "wrong_wire" else second
    return first


def failed_reading(api: Api, error: ProviderError) -> AnswerReading:
    """The reading of a call that got an error instead of an answer."""
    return AnswerReading(api=api, effective_stop="error", error=error.message, code=error.code, hint=error.hint)


class OpenAiReader(OpenAiDecoder):
    """The decoder, and what it holds beside its chunks. `stated` is the service's own report of usage."""

    stated: Mapping[str, Any] | None = None

    @property
    def finish_reason(self) -> str:
        return self._finish

    @property
    def calls(self) -> tuple[CallReading, ...]:
        return tuple(
            CallReading(draft.id, draft.name, finished_arguments(draft.arguments)) for draft in self._calls.drafts
        )

    @property
    def usage(self) -> UsageReading | None:
        return None if self.stated is None else _openai_usage(self.stated)

    def _keep_usage(self, usage: Any) -> None:
        super()._keep_usage(usage)
        if isinstance(usage, Mapping) and (self.stated is None or openai_usage(usage) is not None):
            self.stated = usage


class AnthropicReader(AnthropicDecoder):
    """The decoder, and what it holds beside its chunks."""

    @property
    def finish_reason(self) -> str:
        return self._stop

    @property
    def calls(self) -> tuple[CallReading, ...]:
        found = []
        for block in self._in_order():
            if block.type != "tool_use":
                continue
            streamed = "".join(block.json)
            arguments = streamed if streamed.strip() else _written(block.fields.get("input"))
            found.append(CallReading(str(block.fields.get("id") or ""), str(block.fields.get("name") or ""), arguments))
        return tuple(found)

    @property
    def usage(self) -> UsageReading | None:
        return _anthropic_usage(self._usage) if self._usage else None


Reader = OpenAiReader | AnthropicReader
READERS: dict[Api, Callable[[], Reader]] = {"openai": OpenAiReader, "anthropic": AnthropicReader}
"""What makes a new reader of one answer, by its wire."""


def _read(reader: Reader, reads: Iterable[bytes], api: Api) -> AnswerReading:
    words = _Words()
    for data in reads:
        words.take(reader.feed(data))
    words.take(reader.rest())
    error: ProviderError | None = None
    try:
        words.take(reader.finish())
    except ProviderError as raised:
        error = raised
    calls = () if error is not None else reader.calls
    return AnswerReading(
        api=api,
        model=reader.model or None,
        text="".join(words.text),
        thinking="".join(words.thinking),
        tool_calls=calls,
        finish_reason=reader.finish_reason or None,
        effective_stop=_stop_of(reader.finish_reason, has_calls=bool(calls), error=error),
        usage=reader.usage,
        error=error.message if error is not None else None,
        code=error.code if error is not None else None,
        hint=error.hint if error is not None else "",
        refusal=words.refusal,
    )


class _Words:
    """Joins what is read; a restart makes void what was said before it."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.thinking: list[str] = []
        self.refusal = ""

    def take(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            if isinstance(chunk, TextChunk):
                self.text.append(chunk.text)
            elif isinstance(chunk, ThinkingChunk):
                self.thinking.append(chunk.text)
            elif isinstance(chunk, RestartChunk):
                self.text, self.thinking = [], []
            elif isinstance(chunk, FinishChunk):
                self.refusal = chunk.detail


def _stop_of(raw: str, *, has_calls: bool, error: ProviderError | None) -> str:
    if error is not None:
        return "interrupted" if isinstance(error, ProviderCut) else "error"
    word = raw.lower()
    if not word:
        stop = "missing"
    elif word in KEPT_STOPS:
        stop = word
    else:
        stop = STOP_OF[finish_of(word)]
    if stop in ("end_turn", "missing", "tool_use"):  # whether there are calls to run is decided by the calls (D4)
        return "tool_use" if has_calls else "end_turn" if stop == "tool_use" else stop
    return stop


def _openai_usage(raw: Mapping[str, Any]) -> UsageReading:
    into = _details(raw, "prompt_tokens_details", "input_tokens_details")
    out_of = _details(raw, "completion_tokens_details", "output_tokens_details")
    cached = _stated(into, "cached_tokens")
    written = _stated(into, "cache_write_tokens", "cache_creation_tokens")
    reasoning = _stated(out_of, "reasoning_tokens")
    if cached is None:
        cached = _stated(raw, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
    return UsageReading(
        input=_stated(raw, "prompt_tokens", "input_tokens"),
        output=_stated(raw, "completion_tokens", "output_tokens"),
        cached_input=cached,
        cache_write=_stated(raw, "cache_creation_input_tokens") if written is None else written,
        reasoning=_stated(raw, "reasoning_tokens") if reasoning is None else reasoning,
    )


def _anthropic_usage(raw: Mapping[str, Any]) -> UsageReading:
    return UsageReading(
        input=_stated(raw, "input_tokens"),
        output=_stated(raw, "output_tokens"),
        cached_input=_stated(raw, "cache_read_input_tokens"),
        cache_write=_stated(raw, "cache_creation_input_tokens"),
        reasoning=_stated(_details(raw, "output_tokens_details"), "reasoning_tokens"),
    )


def _stated(raw: Mapping[str, Any], *names: str) -> int | None:
    return next((count(value) for name in names if (value := raw.get(name)) is not None), None)


def _details(raw: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    return next((value for name in names if isinstance(value := raw.get(name), Mapping)), {})


def _written(value: Any) -> str:
    return spelled_out(value or {}) or TOO_DEEP
