"""HTTP over aiohttp: connections, their one deadline each, and reading what comes (D7, D15, R10).

Owns the client session and everything that aiohttp raises: what leaves here is bytes or a `ProviderError`. Redirects
are not followed, cookies not kept, and a proxy is used only where the environment names one. Any number of exchanges
run at once on one event loop.

aiohttp is imported when a transport is made, not with this module: who imports Talkfield as a library may never need
it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

from talkfield.errors import ProviderCut, ProviderError, ProviderUnreachable
from talkfield.providers.base_url import origin_of
from talkfield.providers.connection_failure import unreachable
from talkfield.providers.deadline import Deadline
from talkfield.runtime.ports import Clock

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

MAX_HEADER_BYTES = 64 * 1024
DRAIN_S = 0.05
"""How long a finished answer's connection is given to say that it is free for the next request."""


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """Seconds (D7). `first_event_s` runs until the first words, `no_progress_s` between any two; keep-alives don't
    count. `closing_s` is for what may follow a finish reason, `list_s` for lists and errors. There is no limit on the
    whole."""

    connect_s: float = 15.0
    first_event_s: float = 600.0
    no_progress_s: float = 300.0
    closing_s: float = 15.0
    list_s: float = 30.0


class Witness(Protocol):
    """Is told what one exchange gets, as it comes; it neither raises nor waits. `closed` ends it: `ended` says how,
    empty for an answer that came to its own end."""

    def opened(self, status: int, headers: Mapping[str, str]) -> None: ...

    def received(self, data: bytes) -> None: ...

    def closed(self, ended: str) -> None: ...


class Observer(Protocol):
    """Is told of each exchange. `headers` have the key in them."""

    def begin(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Witness | None: ...

    async def settled(self) -> None:
        """Returns when all that it was told is kept."""
        ...


class Transport:
    """Makes exchanges; keeps connections for the next one. `resolver` looks names up in the system's place."""

    def __init__(
        self,
        clock: Clock,
        timeouts: Timeouts,
        observer: Observer | None = None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        import aiohttp  # noqa: F401 - paid for here, not on the event loop by the first request

        self.clock = clock
        self.timeouts = timeouts
        self.observer = observer
        self._resolver = resolver
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()
        if self.observer is not None:
            await self.observer.settled()

    @property
    def session(self) -> aiohttp.ClientSession:
        """Made when first used: it belongs to the running event loop."""
        if self._session is None:
            import aiohttp

            from talkfield.providers.name_lookup import NameLookup

            trace = aiohttp.TraceConfig()
            trace.on_request_headers_sent.append(_on_connected)
            trace.on_connection_reuseconn.append(_on_reused)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0, resolver=NameLookup(self._resolver)),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                trace_configs=[trace],
                max_line_size=MAX_HEADER_BYTES,
                max_field_size=MAX_HEADER_BYTES,
            )
        return self._session


class Exchange:
    """One request and its answer. `broken` is what ended the answer before its end, if anything did.

    `words_given` decides what a time-out means: an answer cut off, or none.
    """

    def __init__(
        self, transport: Transport, method: str, url: str, headers: dict[str, str], body: bytes | None
    ) -> None:
        self.url = url
        self.deadline = Deadline(transport.clock)
        self.timeouts = transport.timeouts
        self.reused = False
        self.words_given = False
        self.broken: Exception | None = None
        self._transport = transport
        self._method = method
        self._headers = headers
        self._body = body
        self._response: aiohttp.ClientResponse | None = None
        self._failure = ""
        observer = transport.observer
        self._witness = observer.begin(method, url, headers, body) if observer is not None else None

    @property
    def status(self) -> int:
        return self._opened().status

    @property
    def headers(self) -> dict[str, str]:
        """The answer's headers, their names in lower case."""
        return {name.lower(): value for name, value in self._opened().headers.items()}

    async def open(self) -> None:
        """Send the request and wait for the head of the answer. Raises `ProviderError`."""
        try:
            await self._open_fresh()
        except ProviderError as error:
            self._failure = error.message
            raise
        if self._witness is not None:
            self._witness.opened(self.status, self.headers)

    async def read(self) -> bytes:
        """What has come; empty at the end, also at a broken one (see `broken`)."""
        content = self._opened().content
        try:
            data = await content.readany()
        except Exception as error:
            self.broken = error
            data = _left_in(content)
        if self._witness is not None:
            self._witness.received(data)
        return data

    def progressed(self, *, words: bool, closing: bool) -> None:
        """Something came that is no mere keep-alive: the deadline moves (D7)."""
        self.words_given = self.words_given or words
        if closing:
            self.deadline.move(self.timeouts.closing_s, "the end of the answer")
        elif self.words_given:
            self.deadline.move(self.timeouts.no_progress_s, "more of the answer")

    async def read_some(self, max_bytes: int) -> bytes:
        """At most so much of the body; what came, where it breaks off."""
        parts: list[bytes] = []
        size = 0
        while size < max_bytes and (data := await self.read()):
            parts.append(data)
            size += len(data)
        return b"".join(parts)[:max_bytes]

    async def drain(self) -> None:
        """Read the formal end of a whole answer, so that its connection can be used again."""
        response = self._opened()
        if self.broken is not None or response.content.at_eof():
            return
        timer = asyncio.get_running_loop().call_later(DRAIN_S, response.close)
        try:
            while await self.read():
                pass
        finally:
            timer.cancel()

    def close(self) -> None:
        """End it at once, whatever state it is in."""
        if self._witness is not None:
            self._witness.closed(self._ended())
            self._witness = None
        self.deadline.stop()
        if self._response is not None:
            self._response.close()

    def timed_out(self) -> ProviderError:
        """The error for a deadline that has passed."""
        message = f"waited in vain for {self.deadline.phase}"
        if self.words_given:
            return ProviderCut(f"the answer stopped: {message}", retryable=True)
        code = ProviderUnreachable.code if self.deadline.phase == CONNECTING else "timed_out"
        return ProviderUnreachable(f"{message} from {origin_of(self.url)}", code=code, retryable=True)

    def _ended(self) -> str:
        """How it ended, for the record; empty for an answer that came to its own end."""
        if self._response is None:
            return self._failure or "stopped before an answer began"
        if self.deadline.expired:
            return self.timed_out().message
        if self.broken is not None:
            return f"the connection broke: {type(self.broken).__name__}"
        return "" if self._response.content.at_eof() else "stopped before its end"

    def _opened(self) -> aiohttp.ClientResponse:
        assert self._response is not None, "not opened"
        return self._response

    async def _open_fresh(self) -> None:
        try:
            await self._open_once()
        except ProviderUnreachable as error:
            if not (self.reused and error.code == ProviderUnreachable.code):
                raise
        else:
            return
        # A kept connection that its other end had closed meanwhile: nothing was asked yet, so a new one is used.
        self.reused = False
        await self._open_once()

    async def _open_once(self) -> None:
        opening = asyncio.get_running_loop().create_task(self._respond())
        self.deadline.on_expiry = opening.cancel
        self.deadline.move(self.timeouts.connect_s, CONNECTING)
        failed: ProviderError
        try:
            self._response = await opening
        except asyncio.CancelledError:
            if not self.deadline.expired:
                raise
            failed = self.timed_out()
        except Exception as error:
            failed = unreachable(error, origin_of(self.url))
        else:
            self.deadline.on_expiry = self._response.close
            return
        raise failed

    async def _respond(self) -> aiohttp.ClientResponse:
        return await self._transport.session.request(
            self._method,
            self.url,
            data=self._body,
            headers=self._headers,
            allow_redirects=False,
            proxy=proxy_for(self.url),
            trace_request_ctx=SimpleNamespace(exchange=self),
        )


CONNECTING = "a connection"


async def _on_connected(_session: object, context: Any, _parameters: object) -> None:
    exchange: Exchange = context.trace_request_ctx.exchange
    exchange.deadline.move(exchange.timeouts.first_event_s, "the first words of an answer")


async def _on_reused(_session: object, context: Any, _parameters: object) -> None:
    context.trace_request_ctx.exchange.reused = True


def _left_in(content: Any) -> bytes:
    """What had arrived before a connection broke. aiohttp gives no way to it once it has set an exception."""
    buffer = getattr(content, "_buffer", None)
    if not buffer:
        return b""
    left = b"".join(buffer)[getattr(content, "_buffer_offset", 0) :]
    buffer.clear()
    return left


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address; none for this machine."""
    from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    if host.startswith(("localhost", "127.", "[::1]")):
        return None
    proxies = getproxies_environment()
    proxy = proxies.get(scheme)
    if not proxy or proxy_bypass_environment(host, proxies):
        return None
    return str(proxy)
