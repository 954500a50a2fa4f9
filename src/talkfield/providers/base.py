"""What every HTTP provider shares: one request, its answer as chunks, and the tries before the first of them.

Owns connections, time-outs (D7), retries (D6), learned corrections (D9, D13), redaction (D15) and the end of a
connection when its reader stops (R10). Knows no wire: a subclass makes the request and decodes the answer, both pure.
One driver serves any number of streams at once; each stream has its own connection and one timer.

aiohttp is imported when a driver is made, not with this module: who imports Talkfield as a library may never need it.
"""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from talkfield import __version__
from talkfield.core.messages import ModelInfo
from talkfield.errors import ProviderCut, ProviderError, ProviderGarbled, ProviderRefused, ProviderUnreachable
from talkfield.providers.base_url import origin_of
from talkfield.providers.connection_failure import unreachable
from talkfield.providers.deadline import Deadline
from talkfield.providers.failure import PASSING, failure, read_body, statement_of
from talkfield.providers.model_list import models_in
from talkfield.providers.profile import correction_for
from talkfield.providers.redaction import redact, secrets_of
from talkfield.runtime.ports import Chunk, Clock, ProviderConfig, ProviderRequest, RetryChunk, UsageChunk

if TYPE_CHECKING:
    import aiohttp

MAX_ANSWER_BYTES = 64 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
MAX_LIST_BYTES = 16 * 1024 * 1024
MAX_TRIES = 3
MAX_CORRECTIONS = 4
LONGEST_WAIT_S = 60.0
"""A provider that asks for a longer wait than this is waited for by a person, not by the program (D6)."""
DRAIN_S = 0.05
"""How long a finished answer's connection is given to say that it is free for the next request."""


class HttpRequest(NamedTuple):
    """A request as it goes out. `prefix` stands for the history in it, `tool_names` translates names back."""

    url: str
    headers: dict[str, str]
    body: bytes
    prefix: str = ""
    tool_names: Mapping[str, str] = {}


class Decoder(Protocol):
    """Reads an answer's body; pure. See `OpenAiDecoder`."""

    done: bool
    progress: int

    @property
    def closing(self) -> bool: ...

    def feed(self, data: bytes) -> list[Chunk]: ...

    def rest(self) -> list[Chunk]: ...

    def finish(self) -> list[Chunk]: ...


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """Seconds (D7). `first_event_s` runs until the first words, `no_progress_s` between any two; keep-alives don't
    count. `closing_s` is for what may follow a finish reason. There is no limit on the whole."""

    connect_s: float = 15.0
    first_event_s: float = 600.0
    no_progress_s: float = 300.0
    closing_s: float = 15.0
    list_s: float = 30.0


@dataclass
class Connection:
    """What is known of the connection an answer comes over."""

    deadline: Deadline
    timeouts: Timeouts
    reused: bool = False
    broken: Exception | None = None
    chunks_given: bool = field(default=False)


class Refused(Exception):
    """An HTTP error, with all its words: they may teach a correction."""

    def __init__(self, error: ProviderError, words: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.words = words


def headers_of(provider: ProviderConfig, *, key_header: str) -> dict[str, str]:
    """The headers of any call: the key in its header, and the provider's own headers over all others."""
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": f"Talkfield/{__version__}",
    }
    key = provider.key.strip()
    if key:
        headers[key_header.lower()] = f"Bearer {key}" if key_header.lower() == "authorization" else key
    headers.update({name.lower(): value for name, value in provider.headers.items()})
    for name, value in headers.items():
        if not (name.isascii() and value.isascii() and value.isprintable()):
            what = "the key" if value.endswith(key) and key else f"the header {name!r}"
            raise ProviderRefused(
                f"{what} has characters that can't be sent",
                provider=provider.name,
                code="bad_key",
                hint="Paste it again in Settings; keys have only letters, digits and signs.",
            )
    return headers


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
    ) -> None:
        import aiohttp  # noqa: F401 - paid for here, not on the event loop by the first send

        self._clock = clock
        self._learned = learned if learned is not None else {}
        self._on_learned = on_learned
        self._timeouts = timeouts or Timeouts()
        self._max_answer_bytes = max_answer_bytes
        self._jitter = jitter
        self._session: aiohttp.ClientSession | None = None

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
        while True:
            given = False
            refused = ""
            try:
                key = f"{self.call_url(request.provider)}|{request.model}"
                corrections = self._learned.get(key, {})
                sent = self.request_for(request, corrections)
                async with aclosing(self._answer(request, sent, corrections)) as answer:
                    async for chunks in answer:
                        given = given or any(type(chunk) is not UsageChunk for chunk in chunks)
                        yield chunks
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
            return found
        except Refused as refusal:
            error = refusal.error
        except ProviderError as raised:
            error = raised
        raise self._told(error, provider)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    # One answer -------------------------------------------------------------------------------------------------------

    async def _answer(
        self, request: ProviderRequest, sent: HttpRequest, corrections: Mapping[str, Any]
    ) -> AsyncGenerator[list[Chunk], None]:
        connection = Connection(Deadline(self._clock), self._timeouts)
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._open("POST", sent.url, sent.headers, sent.body, connection)
            if response.status >= 300:
                raise await self._refusal(response, sent.url, connection)
            decoder = self.decoder_for(request, sent, corrections)
            async for chunks in self._chunks(response, decoder, connection):
                yield chunks
            rest = decoder.rest()
            if rest:
                connection.chunks_given = True
                yield rest
            yield self._end(decoder, connection, origin_of(sent.url))
            if connection.broken is None and not response.content.at_eof():
                await _drain(response)
        finally:
            connection.deadline.stop()
            if response is not None:
                response.close()

    async def _chunks(
        self, response: aiohttp.ClientResponse, decoder: Decoder, connection: Connection
    ) -> AsyncGenerator[list[Chunk], None]:
        """The hot road: nothing here is awaited, queued or timed per event."""
        deadline, timeouts = connection.deadline, self._timeouts
        content = response.content
        received = progress = 0
        while not decoder.done:
            try:
                data = await content.readany()
            except Exception as error:
                connection.broken = error
                data = _left_in(content)
            if not data:
                return
            received += len(data)
            if received > self._max_answer_bytes:
                raise ProviderGarbled(
                    f"the answer is larger than {self._max_answer_bytes} bytes and was cut off", code="too_large"
                )
            chunks = decoder.feed(data)
            if decoder.progress != progress:
                progress = decoder.progress
                if chunks:
                    connection.chunks_given = True
                if decoder.closing:
                    deadline.move(timeouts.closing_s, "the end of the answer")
                elif connection.chunks_given:
                    deadline.move(timeouts.no_progress_s, "more of the answer")
            if chunks:
                yield chunks

    def _end(self, decoder: Decoder, connection: Connection, origin: str) -> list[Chunk]:
        """The last chunks of a complete answer; of any other, why it is not complete (D4)."""
        try:
            return decoder.finish()
        except ProviderCut as cut:
            error = cut
        deadline = connection.deadline
        if deadline.expired:
            raise self._timed_out(deadline, connection.chunks_given)
        if connection.broken is not None:
            raise ProviderCut(f"the connection to {origin} broke in the middle of the answer", retryable=True)
        raise error

    async def _open(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None, connection: Connection
    ) -> aiohttp.ClientResponse:
        """Send the request and wait for the answer's head. Raises `ProviderError`."""
        try:
            return await self._open_once(method, url, headers, body, connection)
        except ProviderUnreachable as error:
            if not (connection.reused and error.code == ProviderUnreachable.code):
                raise
        # A kept connection that its other end had closed meanwhile: nothing was asked yet, so a new one is used.
        connection.reused = False
        return await self._open_once(method, url, headers, body, connection)

    async def _open_once(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None, connection: Connection
    ) -> aiohttp.ClientResponse:
        session = self._session_in_use()
        deadline = connection.deadline
        opening = asyncio.get_running_loop().create_task(
            _response(session, method, url, headers, body, SimpleNamespace(connection=connection))
        )
        deadline.on_expiry = opening.cancel
        deadline.move(self._timeouts.connect_s, "a connection")
        failed: ProviderError
        try:
            response = await opening
        except asyncio.CancelledError:
            if not deadline.expired:
                raise
            failed = self._timed_out(deadline, chunks_given=False)
        except Exception as error:
            failed = unreachable(error, origin_of(url))
        else:
            deadline.on_expiry = response.close
            return response
        raise failed

    def _session_in_use(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp

            trace = aiohttp.TraceConfig()
            trace.on_request_headers_sent.append(_on_connected)
            trace.on_connection_reuseconn.append(_on_reused)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                trace_configs=[trace],
            )
        return self._session

    async def _refusal(self, response: aiohttp.ClientResponse, url: str, connection: Connection) -> Refused:
        headers = {name.lower(): value for name, value in response.headers.items()}
        if response.status < 400:
            target = headers.get("location", "another address")
            payload: Any = f"the address redirects to {target}; redirects are not followed"
        else:
            connection.deadline.move(self._timeouts.list_s, "the rest of an error")
            payload = read_body(await _read_some(response, MAX_ERROR_BYTES))
        error = failure(payload, status=response.status, headers=headers, now_ms=self._clock.now_ms(), url=url)
        return Refused(error, statement_of(payload).all_words)

    async def _list(self, url: str, headers: dict[str, str]) -> Any:
        connection = Connection(Deadline(self._clock), self._timeouts)
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._open("GET", url, {**headers, "accept": "application/json"}, None, connection)
            if response.status >= 300:
                raise await self._refusal(response, url, connection)
            connection.deadline.move(self._timeouts.list_s, "a list of models")
            body = await _read_some(response, MAX_LIST_BYTES)
            if connection.deadline.expired:
                raise self._timed_out(connection.deadline, chunks_given=False)
            return read_body(body)
        finally:
            connection.deadline.stop()
            if response is not None:
                response.close()

    # Failures ---------------------------------------------------------------------------------------------------------

    def _timed_out(self, deadline: Deadline, chunks_given: bool) -> ProviderError:
        message = f"waited in vain for {deadline.phase}"
        if chunks_given:
            return ProviderCut(f"the answer stopped: {message}", code="cut", retryable=True)
        code = "provider_unreachable" if deadline.phase == "a connection" else "timed_out"
        return ProviderUnreachable(message, code=code, retryable=True)

    def _told(self, error: ProviderError, provider: ProviderConfig) -> ProviderError:
        """The error as a person may see it: no key in it, and its provider named."""
        secrets = secrets_of(provider)
        error.message = redact(error.message, secrets)
        error.hint = redact(error.hint, secrets)
        error.args = (error.message,)
        error.provider = provider.name
        error.__cause__ = error.__context__ = None
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


async def _response(
    session: aiohttp.ClientSession, method: str, url: str, headers: dict[str, str], body: bytes | None, context: Any
) -> aiohttp.ClientResponse:
    return await session.request(
        method,
        url,
        data=body,
        headers=headers,
        allow_redirects=False,
        proxy=_proxy_for(url),
        trace_request_ctx=context,
    )


async def _on_connected(_session: object, context: Any, _parameters: object) -> None:
    connection: Connection = context.trace_request_ctx.connection
    connection.deadline.move(connection.timeouts.first_event_s, "the first words of an answer")


async def _on_reused(_session: object, context: Any, _parameters: object) -> None:
    context.trace_request_ctx.connection.reused = True


async def _drain(response: aiohttp.ClientResponse) -> None:
    """Read the formal end of a body, so that its connection can be used again."""
    timer = asyncio.get_running_loop().call_later(DRAIN_S, response.close)
    try:
        while await response.content.readany():
            pass
    except Exception:  # noqa: S110 - the answer is whole; only the connection is lost
        pass
    finally:
        timer.cancel()


async def _read_some(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    """At most so much of a body; what came, where it breaks off."""
    parts: list[bytes] = []
    size = 0
    try:
        while size < max_bytes and (data := await response.content.readany()):
            parts.append(data)
            size += len(data)
    except Exception:  # noqa: S110 - an error that is cut short still says something
        pass
    return b"".join(parts)[:max_bytes]


def _left_in(content: Any) -> bytes:
    """What had arrived before a connection broke. aiohttp gives no way to it once it has set an exception."""
    buffer = getattr(content, "_buffer", None)
    if not buffer:
        return b""
    offset = getattr(content, "_buffer_offset", 0)
    left = b"".join(buffer)[offset:]
    buffer.clear()
    return left


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address; none for this machine."""
    from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

    proxies = getproxies_environment()
    scheme, _, rest = url.partition("://")
    if not proxies or scheme not in proxies:
        return None
    host = rest.partition("/")[0]
    if host.startswith(("localhost", "127.", "[::1]")) or proxy_bypass_environment(host, proxies):
        return None
    return proxies[scheme]
