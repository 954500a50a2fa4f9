"""D5, D7, D15: what aiohttp raises in plain words, and which road a request takes."""

from __future__ import annotations

import asyncio
import ssl

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey

from providers.listening import Listener, asked, good
from providers.provider_doubles import HandClock
from providers.raw_server import Peer, serving, until
from talkfield.errors import ProviderError, ProviderGarbled, ProviderRefused, ProviderUnreachable
from talkfield.providers.connection_failure import unreachable
from talkfield.providers.openai import OpenAiDriver
from talkfield.providers.transport import proxy_for

KEY = ConnectionKey("api.example.com", 443, True, True, None, None, None)
ORIGIN = "https://api.example.com:443"


def refused() -> OSError:
    return ConnectionRefusedError(111, "Connection refused")


UNKNOWN = aiohttp.ClientConnectorDNSError(KEY, OSError(-2, "?"))


@pytest.mark.parametrize(
    ("error", "kind", "code", "retryable", "words"),
    [
        (aiohttp.ClientConnectorError(KEY, refused()), ProviderUnreachable, "provider_unreachable", True, "refused"),
        (
            aiohttp.ClientConnectorDNSError(KEY, OSError(-2, "?")),
            ProviderUnreachable,
            "provider_unreachable",
            True,
            "named",
        ),
        (
            aiohttp.ClientConnectorCertificateError(KEY, ssl.SSLCertVerificationError("self-signed")),
            ProviderUnreachable,
            "bad_certificate",
            False,
            "self-signed",
        ),
        (
            aiohttp.ClientConnectorSSLError(KEY, ssl.SSLError(1, "wrong version")),
            ProviderUnreachable,
            "no_tls",
            False,
            "wrong version",
        ),
        (aiohttp.ServerDisconnectedError(), ProviderUnreachable, "provider_unreachable", True, "broke before"),
        (aiohttp.InvalidURL("x"), ProviderRefused, "bad_address", False, "can be called"),
        (aiohttp.ClientPayloadError("x"), ProviderGarbled, "provider_garbled", True, "proper HTTP"),
    ],
)
def test_D5_no_connection_is_told_in_words(
    error: Exception, kind: type[ProviderError], code: str, retryable: bool, words: str
) -> None:
    told = unreachable(error, ORIGIN)
    assert (type(told), told.code, told.retryable) == (kind, code, retryable)
    assert words in told.message


async def test_D5_tls_where_there_is_none_is_told_and_not_tried_again() -> None:
    driver = OpenAiDriver(HandClock())

    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 plain HTTP here\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with server:
        listener = Listener(driver, asked(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
        await asyncio.wait_for(listener.task, 60)
    await driver.close()
    assert listener.error is not None
    assert (listener.error.code, listener.waits) == ("no_tls", [])


async def test_D7_no_connection_within_15_s_is_tried_again() -> None:
    clock = HandClock()
    driver = OpenAiDriver(clock, jitter=lambda: 0.5)

    async def proxy(peer: Peer) -> None:
        await peer.gone()  # a proxy that never builds the tunnel: the connection is not there yet

    async with serving(proxy) as server:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("https_proxy", server.url)
            listener = Listener(driver, asked("https://provider.test/v1"))
            await until(lambda: server.received)
            await clock.advance(16)
            await until(lambda: listener.waits)
            listener.task.cancel()
    await driver.close()
    assert server.received[0].method == "CONNECT"
    assert listener.waits == [1.0]


async def test_D15_a_proxy_of_the_environment_is_used() -> None:
    driver = OpenAiDriver(HandClock())
    async with serving(good) as server:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("http_proxy", server.url)
            listener = Listener(driver, asked("http://provider.test/v1"))
            await listener.task
    await driver.close()
    assert listener.finish == "stop"
    assert server.received[0].path == "http://provider.test/v1/chat/completions"


@pytest.mark.parametrize(
    ("url", "settings", "proxy"),
    [
        ("https://a.com/v1", {}, None),
        ("https://a.com/v1", {"https_proxy": "http://p:1"}, "http://p:1"),
        ("http://a.com/v1", {"https_proxy": "http://p:1"}, None),
        ("https://a.com/v1", {"https_proxy": "http://p:1", "no_proxy": "a.com"}, None),
        ("http://127.0.0.1:1/v1", {"http_proxy": "http://p:1"}, None),
        ("http://localhost:1/v1", {"http_proxy": "http://p:1"}, None),
        ("http://[::1]:1/v1", {"http_proxy": "http://p:1"}, None),
    ],
)
def test_D15_this_machine_is_never_asked_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch, url: str, settings: dict[str, str], proxy: str | None
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(url) == proxy
