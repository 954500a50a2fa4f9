"""D1, D4, D5, D15, R10: the HTTP driver against a server that misbehaves, over real sockets."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator

import msgspec
import pytest

from providers.listening import DONE, KEY, Listener, asked, event, good, listening, refusing, whole
from providers.provider_doubles import HandClock
from providers.raw_server import Peer, serving, until
from talkfield.errors import (
    ProviderCut,
    ProviderGarbled,
    ProviderRefused,
    ProviderUnreachable,
)
from talkfield.providers.answer import AT_ONCE_BYTES
from talkfield.providers.openai import OpenAiDriver
from talkfield.runtime.ports import (
    FinishChunk,
    TextChunk,
)


@pytest.fixture
async def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def driver(clock: HandClock) -> AsyncIterator[OpenAiDriver]:
    made = OpenAiDriver(clock, jitter=lambda: 0.5)
    yield made
    await made.close()


async def test_D1_a_good_answer_is_given_out_as_it_comes(driver: OpenAiDriver) -> None:
    server, listener = await whole(driver, good)
    assert listener.chunks == [TextChunk("Hi there"), FinishChunk("stop", "stop")]
    sent = server.received[0]
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.json() == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["accept-encoding"] == "identity"


async def test_D1_a_connection_is_used_again_after_a_whole_answer(driver: OpenAiDriver) -> None:
    async with serving(good) as server:
        for _ in range(3):
            listener = Listener(driver, asked(server.url))
            await listener.task
            assert listener.finish == "stop"
    assert server.connections == 1


async def test_D1_a_kept_connection_that_its_server_has_given_up_is_not_seen(driver: OpenAiDriver) -> None:
    async def leaves(peer: Peer) -> None:
        pass

    async with serving(good, leaves, good) as server:
        for _ in range(2):
            listener = Listener(driver, asked(server.url))
            await listener.task
            assert listener.chunks == [TextChunk("Hi there"), FinishChunk("stop", "stop")]
    assert [received.connection for received in server.received] == [1, 1, 2]


async def test_D1_a_server_that_stays_open_after_the_end_does_not_hold_the_answer(driver: OpenAiDriver) -> None:
    async def stays(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi", "stop") + DONE)
        await peer.gone()

    _, listener = await whole(driver, stays)
    assert listener.finish == "stop"


async def test_D7_compressed_answers_are_read_as_they_come(driver: OpenAiDriver) -> None:
    body = event("Hi") + event(" there") + event("", "stop") + DONE

    async def compressed(peer: Peer) -> None:
        await peer.head(200, content_encoding="gzip", transfer_encoding="chunked")
        data = gzip.compress(body)
        await peer.chunk(data[:20])
        await peer.chunk(data[20:])
        await peer.last_chunk()

    _, listener = await whole(driver, compressed)
    assert (listener.text, listener.finish) == ("Hi there", "stop")


async def test_check_08_D7_a_bomb_is_cut_off(clock: HandClock) -> None:
    driver = OpenAiDriver(clock, max_answer_bytes=1_000_000)
    body = event("x" * 1000) * 3000

    async def bomb(peer: Peer) -> None:
        await peer.head(200, content_encoding="gzip", transfer_encoding="chunked")
        await peer.chunk(gzip.compress(body))
        await peer.gone()

    _, listener = await whole(driver, bomb)
    await driver.close()
    assert listener.error is not None
    assert (type(listener.error), listener.error.code) == (ProviderGarbled, "too_large")


async def test_check_08_D7_a_large_compressed_answer_leaves_all_others_their_turns(driver: OpenAiDriver) -> None:
    """Decompressed, it comes in pieces of many megabytes, or piece by piece without a wait."""
    body = event("x" * 10) * 80_000 + event("", "stop") + DONE
    turns = 0

    async def large(peer: Peer) -> None:
        await peer.head(200, content_encoding="gzip", transfer_encoding="chunked")
        await peer.chunk(gzip.compress(body))
        await peer.last_chunk()

    async with listening(driver, large) as (_, listener):
        while not listener.task.done():
            await asyncio.sleep(0)
            turns += bool(listener.text)
        await listener.task
    assert (len(listener.text), listener.finish) == (800_000, "stop")
    assert turns >= len(body) // AT_ONCE_BYTES // 2


async def test_D7_an_encoding_that_cannot_be_read_is_a_clear_error(driver: OpenAiDriver) -> None:
    async def damaged(peer: Peer) -> None:
        await peer.head(200, content_encoding="gzip", transfer_encoding="chunked")
        await peer.chunk(b"this is not gzip")
        await peer.last_chunk()

    async with listening(driver, damaged) as (_, listener):
        await until(lambda: listener.error or listener.waits)
        assert listener.text == ""


async def test_D4_a_reset_in_mid_answer_keeps_what_came_and_is_not_tried_again(driver: OpenAiDriver) -> None:
    async def resets(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi") + event(" there"))
        await peer.reset()

    server, listener = await whole(driver, resets)
    assert (listener.text, listener.waits, len(server.received)) == ("Hi there", [], 1)
    assert listener.error is not None
    assert (type(listener.error), listener.error.code, listener.error.retryable) == (ProviderCut, "cut", True)
    assert listener.error.provider == "Service"


async def test_D4_what_arrived_before_the_break_is_kept_although_nobody_had_read_it(driver: OpenAiDriver) -> None:
    read_first, broken = asyncio.Event(), asyncio.Event()

    async def breaks(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi"))
        await read_first.wait()
        await peer.chunk(event(" there"))
        await peer.reset()
        broken.set()

    async with serving(breaks) as server:
        stream = driver.stream(asked(server.url))
        assert await anext(stream) == [TextChunk("Hi")]
        read_first.set()
        await broken.wait()
        await asyncio.sleep(0.02)
        assert await anext(stream) == [TextChunk(" there")]
        with pytest.raises(ProviderCut):
            await anext(stream)


async def test_D4_a_break_after_the_proof_is_a_whole_answer(driver: OpenAiDriver) -> None:
    async def breaks(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi", "stop"))
        await peer.reset()

    _, listener = await whole(driver, breaks)
    assert (listener.text, listener.finish, listener.error) == ("Hi", "stop", None)


async def test_D4_a_body_shorter_than_its_length_is_a_cut(driver: OpenAiDriver) -> None:
    async def short(peer: Peer) -> None:
        await peer.head(200, content_length="5000")
        await peer.send(event("Hi"))

    _, listener = await whole(driver, short)
    assert listener.text == "Hi"
    assert isinstance(listener.error, ProviderCut)


async def test_D4_an_error_inside_the_answer_ends_it(driver: OpenAiDriver) -> None:
    async def fails(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi") + b'data: {"error": {"message": "upstream gone", "code": 502}}\n\n' + DONE)
        await peer.last_chunk()

    server, listener = await whole(driver, fails)
    assert (listener.text, len(server.received)) == ("Hi", 1)
    assert listener.error is not None
    assert (listener.error.message, listener.error.status) == ("upstream gone", 502)


async def test_check_07_D5_a_web_page_is_reduced_to_its_title(driver: OpenAiDriver, clock: HandClock) -> None:
    page = b"<html><head><title>502 Bad Gateway</title></head><body>x</body></html>"
    async with listening(driver, refusing(502, page, content_type="text/html")) as (_, listener):
        for wait in (1.0, 2.0):
            await until(lambda wait=wait: wait in listener.waits)  # type: ignore[misc]
            await clock.advance(wait)
        await listener.task
    assert listener.error is not None
    assert (type(listener.error), listener.error.message) == (ProviderUnreachable, "502 Bad Gateway")


async def test_check_07_D5_a_web_page_with_status_200_is_no_answer(driver: OpenAiDriver) -> None:
    _, listener = await whole(driver, refusing(200, b"<!DOCTYPE html><title>Sign in to Wi-Fi</title>"))
    assert (listener.text, listener.error and listener.error.code) == ("", "web_page")
    assert listener.error is not None
    assert "Sign in to Wi-Fi" in listener.error.message


async def test_D5_json_under_any_content_type_is_read(driver: OpenAiDriver) -> None:
    body = msgspec.json.encode({"choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]})
    _, listener = await whole(driver, refusing(200, body, content_type="application/octet-stream"))
    assert (listener.text, listener.finish) == ("Hi", "stop")


@pytest.mark.parametrize("when", ["before the head", "in mid answer"])
async def test_check_06_R10_a_stop_closes_the_connection_at_once(driver: OpenAiDriver, when: str) -> None:
    gone = asyncio.Event()

    async def watches(peer: Peer) -> None:
        if when == "in mid answer":
            await peer.events()
            await peer.chunk(event("Hi"))
        await peer.gone()
        gone.set()

    async with listening(driver, watches) as (server, listener):
        await until(lambda: listener.text if when == "in mid answer" else server.received)
        listener.task.cancel()
        await asyncio.wait_for(gone.wait(), 60)


async def test_R10_closing_the_iterator_closes_the_connection(driver: OpenAiDriver) -> None:
    gone = asyncio.Event()

    async def watches(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi"))
        await peer.gone()
        gone.set()

    async with serving(watches) as server:
        stream = driver.stream(asked(server.url))
        assert await anext(stream) == [TextChunk("Hi")]
        await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(gone.wait(), 60)


async def test_check_09_D15_redirects_are_not_followed(driver: OpenAiDriver) -> None:
    async with serving(good) as elsewhere:
        server, listener = await whole(driver, refusing(307, location=f"{elsewhere.url}/v1/chat/completions"))
        assert elsewhere.received == []
    assert listener.error is not None
    assert (type(listener.error), listener.error.code) == (ProviderRefused, "redirected")
    assert elsewhere.url in listener.error.message
    assert f"{server.url}/v1/chat/completions" in listener.error.hint


@pytest.mark.parametrize("inside", [False, True])
async def test_D15_no_key_is_in_an_error(driver: OpenAiDriver, inside: bool) -> None:
    body = msgspec.json.encode({"error": {"message": f"bad key {KEY}, {KEY[:9]}****{KEY[-4:]}", "code": 401}})

    async def echoes(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(b"data: " + body + b"\n\n")
        await peer.last_chunk()

    _, listener = await whole(driver, echoes if inside else refusing(401, body))
    assert listener.error is not None
    assert listener.error.message == "bad key [key], [key]"
    assert KEY[:9] not in repr(listener.error)
    assert listener.error.__cause__ is None
    assert listener.error.__context__ is None


async def test_D15_a_key_that_cannot_be_a_header_is_told(driver: OpenAiDriver) -> None:
    _, listener = await whole(driver, good, key="sk-line\nbreak-in-the-key")
    assert listener.error is not None
    assert listener.error.code == "bad_key"
    assert "line" not in listener.error.message


async def test_D14_a_wrong_address_is_told_before_anything_is_sent(driver: OpenAiDriver) -> None:
    listener = Listener(driver, asked("ftp://example.com"))
    await listener.task
    assert listener.error is not None
    assert listener.error.code == "bad_address"


async def test_D1_long_headers_are_no_obstacle(driver: OpenAiDriver) -> None:
    _, listener = await whole(driver, refusing(200, event("Hi", "stop") + DONE, x_policy="p" * 20_000))
    assert (listener.text, listener.finish) == ("Hi", "stop")
