"""What every HTTP provider shares: one request, its answer as chunks, and the tries before the first of them.

Owns retries (D6), learned corrections (D9, D13) and the redaction of errors (D15). Knows no wire: a subclass makes the
request and decodes the answer, both pure. One driver serves any number of streams at once; when a stream's reader
stops, its connection is closed at once (R10).
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import msgspec

from talkfield.core.messages import ModelInfo
from talkfield.errors import ProviderError, ProviderGarbled
from talkfield.providers.answer import Answer, Decoder, has_words
from talkfield.providers.failure import PASSING, failure, read_body, statement_of
from talkfield.providers.http_request import HttpRequest
from talkfield.providers.model_list import models_in
from talkfield.providers.profile import correction_for
from talkfield.providers.redaction import KeyFilter, redact, secrets_of
from talkfield.providers.transport import Exchange, Observer, Timeouts, Transport
from talkfield.runtime.ports import Chunk, Clock, ProviderConfig, ProviderRequest, RetryChunk

MAX_ANSWER_BYTES = 64 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
MAX_LIST_BYTES = 16 * 1024 * 1024
MAX_TRIES = 3
MAX_CORRECTIONS = 4
LONGEST_WAIT_S = 60.0
"""A provider that asks for a longer wait than this is waited for by a person, not by the program (D6)."""


class Refused(Exception):
    """An HTTP error, with all its words: they may teach a correction."""

    def __init__(self, error: ProviderError, words: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.words = words


class HttpDriver(ABC):
    """A driver over HTTP (D1). `learned` holds corrections by endpoint and model; it is filled in place, and
    `on_learned` is told of each change, so that they can be kept."""

    def __init__(
        self,
        clock: Clock,
        *,
        learned: dict[str, dict[str, Any]] | None = None,
        on_learned: Callable[[str, dict[str, Any]], None] = lambda _key, _corrections: None,
        timeouts: Timeouts | None = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        jitter: Callable[[], float] = random.random,
        observer: Observer | None = None,
    ) -> None:
        self._clock = clock
        self._learned = learned if learned is not None else {}
        self._on_learned = on_learned
        self._max_answer_bytes = max_answer_bytes
        self._jitter = jitter
        self._transport = Transport(clock, timeouts or Timeouts(), observer)

    # The wire's part --------------------------------------------------------------------------------------------------

    @abstractmethod
    def call_url(self, provider: ProviderConfig) -> str:
        """The address that is called for an answer."""

    @abstractmethod
    def request_for(self, request: ProviderRequest, corrections: Mapping[str, Any]) -> HttpRequest: ...

    @abstractmethod
    def decoder_for(self, request: ProviderRequest, sent: HttpRequest, corrections: Mapping[str, Any]) -> Decoder: ...

    @abstractmethod
    def models_request_for(self, provider: ProviderConfig) -> tuple[str, dict[str, str]]: ...

    # The driver -------------------------------------------------------------------------------------------------------

    async def stream(self, request: ProviderRequest) -> AsyncIterator[list[Chunk]]:
        """See `runtime.ports.Driver`. Tries again only while nothing of an answer has been given out (D6)."""
        tries = corrected = 0
        keys = KeyFilter(secrets_of(request.provider))
        while True:
            given = False
            refused = ""
            try:
                key = f"{self.call_url(request.provider)}|{request.model}"
                corrections = self._learned.get(key, {})
                sent = self.request_for(request, corrections)
                exchange = Exchange(self._transport, "POST", sent.url, sent.headers, sent.body)
                try:
                    await self._open(exchange)
                    decoder = self.decoder_for(request, sent, corrections)
                    answer = Answer(exchange, decoder, max_bytes=self._max_answer_bytes)
                    while chunks := await answer.read():
                        given = given or has_words(chunks)
                        yield keys.clean(chunks)
                    if rest := answer.rest():
                        given = given or has_words(rest)
                        yield keys.clean(rest)
                    yield keys.clean(answer.end())
                    await exchange.drain()
                finally:
                    exchange.close()
                return
            except Refused as refusal:
                error, refused = refusal.error, refusal.words
            except ProviderError as raised:
                error = raised
            error = self._told(error, request.provider)
            if given:
                raise error
            correction = self._learn(key, sent, error, refused) if refused and corrected < MAX_CORRECTIONS else None
            if correction is not None:
                corrected += 1
                reason = (
                    f"it does not take this request as it is ({', '.join(correction)}); asking again in another form"
                )
                yield [RetryChunk(tries + corrected + 1, 0.0, reason)]
                continue
            tries += 1
            wait_s = self._wait_s(error, tries)
            if wait_s is None:
                raise error
            yield [RetryChunk(tries + corrected + 1, wait_s, error.message)]
            await self._clock.sleep_s(wait_s)

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        """See `runtime.ports.Driver`. One try: whoever asks shows the outcome."""
        try:
            url, headers = self.models_request_for(provider)
            answer = await self._list(url, headers)
            found = models_in(answer)
            if found is None:
                raise ProviderGarbled(f"{url} does not answer with a list of models", code="no_model_list")
            secrets = secrets_of(provider)
            return [
                msgspec.structs.replace(model, id=redact(model.id, secrets), name=redact(model.name, secrets))
                for model in found
            ]
        except Refused as refusal:
            error = refusal.error
        except ProviderError as raised:
            error = raised
        raise self._told(error, provider)

    async def close(self) -> None:
        await self._transport.close()

    # One exchange -----------------------------------------------------------------------------------------------------

    async def _open(self, exchange: Exchange) -> None:
        """Raises `Refused` for an answer that is an error."""
        await exchange.open()
        if exchange.status >= 300:
            raise await self._refusal(exchange)

    async def _refusal(self, exchange: Exchange) -> Refused:
        status, headers = exchange.status, exchange.headers
        if status < 400:
            target = headers.get("location", "another address")
            payload: Any = f"the address redirects to {target}; redirects are not followed"
        else:
            exchange.deadline.move(exchange.timeouts.list_s, "the rest of an error")
            payload = read_body(await exchange.read_some(MAX_ERROR_BYTES))
        error = failure(payload, status=status, headers=headers, now_ms=self._clock.now_ms(), url=exchange.url)
        return Refused(error, statement_of(payload).all_words)

    async def _list(self, url: str, headers: dict[str, str]) -> Any:
        exchange = Exchange(self._transport, "GET", url, {**headers, "accept": "application/json"}, None)
        try:
            await self._open(exchange)
            exchange.deadline.move(exchange.timeouts.list_s, "a list of models")
            body = await exchange.read_some(MAX_LIST_BYTES)
            if exchange.deadline.expired:
                raise exchange.timed_out()
            return read_body(body)
        finally:
            exchange.close()

    # Failures ---------------------------------------------------------------------------------------------------------

    def _told(self, error: ProviderError, provider: ProviderConfig) -> ProviderError:
        """The error as a person may see it: no key in it, and its provider named."""
        secrets = secrets_of(provider)
        error.message = redact(error.message, secrets)
        error.hint = redact(error.hint, secrets)
        error.args = (error.message,)
        error.provider = provider.name
        return error

    def _wait_s(self, error: ProviderError, tries: int) -> float | None:
        """Seconds before the next try; None where there is none (D6)."""
        passing = error.status in PASSING or (error.status is None and error.code in ("provider_unreachable", "cut"))
        if not error.retryable or not passing or tries >= MAX_TRIES:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= LONGEST_WAIT_S else None
        return 2.0 ** (tries - 1) * (0.75 + 0.5 * self._jitter())

    def _learn(self, key: str, sent: HttpRequest, error: ProviderError, words: str) -> dict[str, Any] | None:
        known = self._learned.get(key, {})
        correction = correction_for(error.status, words, msgspec.json.decode(sent.body))
        if correction is None or all(known.get(name, ...) == value for name, value in correction.items()):
            return None
        corrections = {**known, **correction}
        self._learned[key] = corrections
        self._on_learned(key, corrections)
        return correction
