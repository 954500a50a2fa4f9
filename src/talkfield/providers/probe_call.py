"""One short call to an endpoint that is being probed: what it came to, whatever that is.

Uses the drivers' own halves, so that a probe sends what a chat would send and reads what a chat would read; but learns
nothing on the way and asks again only where the endpoint is busy. Every word of the endpoint that leaves here is
without keys (D15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from talkfield.core.messages import Message, ModelInfo, Usage
from talkfield.core.provider_api import Api
from talkfield.errors import ProviderError, ProviderGarbled
from talkfield.providers.answer import Decoder
from talkfield.providers.anthropic import AnthropicDriver
from talkfield.providers.base import HttpDriver
from talkfield.providers.failure import failure, read_body
from talkfield.providers.http_request import HttpRequest
from talkfield.providers.model_list import models_in
from talkfield.providers.openai import OpenAiDriver
from talkfield.providers.redaction import redact, secrets_of
from talkfield.providers.transport import Exchange, Observer, Timeouts, Transport
from talkfield.runtime.ports import (
    CallChunk,
    Chunk,
    Clock,
    FinishChunk,
    Parameters,
    ProviderConfig,
    ProviderRequest,
    TextChunk,
    ThinkingChunk,
    ToolSpec,
    UsageChunk,
)

DRIVERS: dict[Api, type[HttpDriver]] = {"openai": OpenAiDriver, "anthropic": AnthropicDriver}
PROBE_TIMEOUTS = Timeouts(connect_s=10.0, first_event_s=120.0, no_progress_s=60.0)
MAX_BODY_BYTES = 4 * 1024 * 1024
BUSY = frozenset({"rate_limited", "overloaded"})
NO_REFUSAL = BUSY | {"no_credit", "bad_key", "provider_unreachable", "timed_out", "cut"}
"""Codes of errors that say nothing of what was sent."""

BUSY_TRIES = 3
USUAL_LIMIT = 600
"""Tokens that an answer to a short question may take, thinking included."""
LONGEST_WAIT_S = 20.0


@dataclass(kw_only=True)
class Outcome:
    """What one call came to. `reads` counts the reads that brought words: more than one means that it streams."""

    status: int | None = None
    error: ProviderError | None = None
    text: str = ""
    thinking: str = ""
    calls: list[CallChunk] = field(default_factory=list)
    usage: Usage | None = None
    finish: FinishChunk | None = None
    events: int = 0
    first_words_s: float | None = None
    echoes_key: bool = False

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def refused(self) -> bool:
        """Whether the endpoint will not take what was sent, as far as its error shows."""
        return self.error is not None and self.error.code not in NO_REFUSAL

    @property
    def reason(self) -> str:
        if self.error is None:
            return ""
        status = f" (HTTP {self.status})" if self.status else ""
        return f"{self.error.message}{status}"


class Endpoint:
    """An endpoint and model under probe. `profile` is what has been found so far; every call obeys it, and
    `usual_limit`."""

    def __init__(
        self, provider: ProviderConfig, api: Api, model: str, clock: Clock, *, observer: Observer | None = None
    ) -> None:
        self.provider = replace(provider, api=api)
        self.api: Api = api
        self.model = model
        self.profile: dict[str, Any] = {}
        self.calls = 0
        # The one wire demands a limit; on the other it has to be found out how it is given.
        self.usual_limit = USUAL_LIMIT if api == "anthropic" else None
        self.driver = DRIVERS[api](clock)
        self._clock = clock
        self._transport = Transport(clock, PROBE_TIMEOUTS, observer)

    @property
    def key(self) -> str:
        """What the driver files its corrections under."""
        return f"{self.driver.call_url(self.provider)}|{self.model}"

    async def close(self) -> None:
        await self._transport.close()
        await self.driver.close()

    async def models(self) -> list[ModelInfo]:
        """The models that it lists. Raises `ProviderError`."""
        url, headers = self.driver.models_request_for(self.provider)
        exchange = Exchange(self._transport, "GET", url, headers, None)
        try:
            await exchange.open()
            exchange.deadline.move(exchange.timeouts.list_s, "the list of models")
            body = read_body(await exchange.read_some(MAX_BODY_BYTES))
            if exchange.status >= 300:
                raise failure(body, status=exchange.status, headers=exchange.headers, url=url)
            found = models_in(body)
            if found is None:
                raise ProviderGarbled(f"{url} does not answer with a list of models", code="no_model_list")
            return found
        except ProviderError as error:
            raise self._told(error) from None
        finally:
            exchange.close()

    async def ask(
        self,
        *messages: Message,
        system: str = "",
        tools: Sequence[ToolSpec] = (),
        parameters: Parameters | None = None,
        profile: Mapping[str, Any] | None = None,
        files: Mapping[str, bytes] | None = None,
        model: str = "",
        stop_early: bool = False,
    ) -> Outcome:
        """Ask once, or again where it is busy. `profile` is for this call; `stop_early` closes at the first words."""
        request = ProviderRequest(
            provider=self.provider,
            model=model or self.model,
            messages=messages,
            system=system,
            tools=tuple(tools),
            parameters=parameters or Parameters(max_output_tokens=self.usual_limit),
            files=files or {},
        )
        corrections = {**self.profile, **(profile or {})}
        outcome = Outcome()
        for attempt in range(BUSY_TRIES):
            self.calls += 1
            outcome = await self._once(request, corrections, stop_early=stop_early)
            if outcome.error is None or outcome.error.code not in BUSY or attempt == BUSY_TRIES - 1:
                break
            await self._clock.sleep_s(min(outcome.error.retry_after or 2.0, LONGEST_WAIT_S))
        return outcome

    async def _once(self, request: ProviderRequest, corrections: Mapping[str, Any], *, stop_early: bool) -> Outcome:
        outcome = Outcome()
        try:
            sent = self.driver.request_for(request, corrections)
            decoder = self.driver.decoder_for(request, sent, corrections)
            await self._answer(sent, decoder, outcome, stop_early=stop_early)
            outcome.events = decoder.progress
        except ProviderError as error:
            outcome.error = self._told(error)
        return outcome

    async def _answer(self, sent: HttpRequest, decoder: Decoder, outcome: Outcome, *, stop_early: bool) -> None:
        began_s = self._clock.monotonic_s()
        exchange = Exchange(self._transport, "POST", sent.url, sent.headers, sent.body)
        try:
            await exchange.open()
            outcome.status = exchange.status
            if exchange.status >= 300:
                raise await self._refusal(exchange, outcome)
            received = 0
            while not decoder.done and (data := await exchange.read()):
                received += len(data)
                if received > MAX_BODY_BYTES:
                    raise ProviderGarbled("the answer to a short question does not end", code="too_large")
                chunks = decoder.feed(data)
                exchange.progressed(words=bool(chunks), closing=decoder.closing)
                _take(chunks, outcome)
                if outcome.first_words_s is None and (outcome.text or outcome.thinking):
                    outcome.first_words_s = self._clock.monotonic_s() - began_s
                    if stop_early:
                        return
            _take(decoder.rest(), outcome)
            if exchange.deadline.expired:
                raise exchange.timed_out()
            _take(decoder.finish(), outcome)
            await exchange.drain()
        finally:
            exchange.close()

    async def _refusal(self, exchange: Exchange, outcome: Outcome) -> ProviderError:
        if exchange.status < 400:
            target = exchange.headers.get("location", "another address")
            return failure(f"the address redirects to {target}; redirects are not followed", status=exchange.status)
        exchange.deadline.move(exchange.timeouts.list_s, "the rest of an error")
        body = await exchange.read_some(64 * 1024)
        key = self.provider.key.encode()
        outcome.echoes_key = bool(key) and key in body
        return failure(
            read_body(body),
            status=exchange.status,
            headers=exchange.headers,
            now_ms=self._clock.now_ms(),
            url=exchange.url,
        )

    def _told(self, error: ProviderError) -> ProviderError:
        secrets = secrets_of(self.provider)
        error.message = redact(error.message, secrets)
        error.hint = redact(error.hint, secrets)
        error.args = (error.message,)
        return error


def reasoning_field(outcome: Outcome) -> str:
    """Where an answer's thinking came in: a field's name, a tag, a block; empty without thinking."""
    state = outcome.finish.provider_state if outcome.finish is not None else None
    try:
        value = msgspec.json.decode(state.data) if state is not None else None
    except msgspec.DecodeError:
        value = None
    if isinstance(value, dict):
        if value.get("tag"):
            return f"<{value['tag']}> in the text"
        if value.get("reasoning_field"):
            return str(value["reasoning_field"])
    return ("thinking blocks" if isinstance(value, list) else "some field") if outcome.thinking else ""


def _take(chunks: Sequence[Chunk], outcome: Outcome) -> None:
    for chunk in chunks:
        match chunk:
            case TextChunk(text):
                outcome.text += text
            case ThinkingChunk(text):
                outcome.thinking += text
            case CallChunk():
                outcome.calls.append(chunk)
            case UsageChunk(usage):
                outcome.usage = usage
            case FinishChunk():
                outcome.finish = chunk
