"""D6, D9, D13: what is tried again, when, and in which form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest

from providers.listening import Listener, asked, event, good, listening, refusing, whole
from providers.provider_doubles import HandClock
from providers.raw_server import Answer, Peer, serving, until
from talkfield.core.messages import Usage
from talkfield.errors import (
    ProviderLimited,
    ProviderUnreachable,
)
from talkfield.providers.anthropic import AnthropicDriver
from talkfield.providers.openai import OpenAiDriver
from talkfield.runtime.ports import (
    RetryChunk,
    UsageChunk,
)


@pytest.fixture
async def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def driver(clock: HandClock) -> AsyncIterator[OpenAiDriver]:
    made = OpenAiDriver(clock, jitter=lambda: 0.5)
    yield made
    await made.close()


async def test_check_04_D6_a_limit_is_waited_for_as_long_as_asked(driver: OpenAiDriver, clock: HandClock) -> None:
    limited = refusing(429, b'{"error": {"message": "slow down"}}', retry_after="7")
    async with listening(driver, limited, good) as (server, listener):
        await until(lambda: listener.waits == [7.0])
        assert listener.chunks == [RetryChunk(2, 7.0, "slow down")]
        await clock.advance(6.9)
        await asyncio.sleep(0.02)
        assert len(server.received) == 1
        await clock.advance(0.2)
        await listener.task
    assert (listener.text, listener.finish, len(server.received)) == ("Hi there", "stop", 2)


async def test_check_05_D6_after_three_tries_it_is_an_error(driver: OpenAiDriver, clock: HandClock) -> None:
    async with listening(driver, refusing(503, b'{"error": "no capacity"}')) as (server, listener):
        for wait in (1.0, 2.0):
            await until(lambda wait=wait: wait in listener.waits)  # type: ignore[misc]
            await clock.advance(wait)
        await listener.task
    assert (listener.waits, len(server.received)) == ([1.0, 2.0], 3)
    assert listener.error is not None
    assert (type(listener.error), listener.error.message) == (ProviderLimited, "no capacity")


@pytest.mark.parametrize(
    ("status", "body", "headers", "code"),
    [
        (401, b'{"error": {"message": "bad key"}}', {}, "bad_key"),
        (402, b'{"error": {"message": "pay first"}}', {}, "no_credit"),
        (
            429,
            b'{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}',
            {},
            "no_credit",
        ),
        (429, b'{"error": {"message": "come back"}}', {"retry_after": "3600"}, "rate_limited"),
        (400, b'{"error": {"message": "prompt is too long"}}', {}, "context_too_long"),
        (500, b"{}", {"x_should_retry": "false"}, "server_error"),
        (501, b"{}", {}, "server_error"),
    ],
)
async def test_check_04_D6_what_does_not_pass_by_itself_is_asked_once(
    driver: OpenAiDriver, status: int, body: bytes, headers: dict[str, str], code: str
) -> None:
    server, listener = await whole(driver, refusing(status, body, **headers))
    assert (len(server.received), listener.waits) == (1, [])
    assert listener.error is not None
    assert (listener.error.code, listener.error.status) == (code, status)
    assert listener.error.retry_after == (3600.0 if code == "rate_limited" else None)


async def test_D6_a_connection_that_breaks_before_the_answer_is_tried_again(
    driver: OpenAiDriver, clock: HandClock
) -> None:
    async def resets(peer: Peer) -> None:
        await peer.reset()

    async with listening(driver, resets, good) as (_, listener):
        await until(lambda: listener.waits)
        await clock.advance(1)
        await listener.task
    assert (listener.waits, listener.text) == ([1.0], "Hi there")


async def test_D6_an_answer_that_breaks_before_its_first_words_is_tried_again(
    driver: OpenAiDriver, clock: HandClock
) -> None:
    async def empty(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(b": keep-alive\n\n" + event())
        await peer.reset()

    async with listening(driver, empty, good) as (_, listener):
        await until(lambda: listener.waits)
        await clock.advance(1)
        await listener.task
    assert (listener.waits, listener.text) == ([1.0], "Hi there")


async def test_check_05_D6_an_overload_inside_an_answer_without_words_is_tried_again(clock: HandClock) -> None:
    driver = AnthropicDriver(clock, jitter=lambda: 0.5)
    start = {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 9, "output_tokens": 1}}}

    async def overloaded(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(b"event: message_start\ndata: " + msgspec.json.encode(start) + b"\n\n")
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "Full"}}
        await peer.chunk(b"event: error\ndata: " + msgspec.json.encode(error) + b"\n\n")
        await peer.last_chunk()

    async with listening(driver, overloaded) as (server, listener):
        await until(lambda: listener.waits)
        assert len(server.received) == 1
    await driver.close()
    assert listener.chunks[:2] == [
        UsageChunk(Usage(input_tokens=9, output_tokens=1)),
        RetryChunk(2, 1.0, "Full"),
    ]


async def test_D6_nobody_listening_is_told_with_the_address(driver: OpenAiDriver, clock: HandClock) -> None:
    async with serving(good) as server:
        url = server.url
    listener = Listener(driver, asked(url))
    for wait in (1.0, 2.0):
        await until(lambda wait=wait: wait in listener.waits)  # type: ignore[misc]
        await clock.advance(wait)
    await listener.task
    assert listener.error is not None
    assert type(listener.error) is ProviderUnreachable
    assert url in listener.error.message


async def test_D6_a_wait_can_be_stopped(driver: OpenAiDriver) -> None:
    async with listening(driver, refusing(503)) as (server, listener):
        await until(lambda: listener.waits)
        listener.task.cancel()
        await asyncio.wait([listener.task])
    assert len(server.received) == 1


def unless(refused: Callable[[dict[str, Any]], bool], status: int, message: str) -> Answer:
    """Refuses a request that has something, else answers."""

    async def answer(peer: Peer) -> None:
        body = answer.server.received[-1].json()  # type: ignore[attr-defined]
        if refused(body):
            await peer.answer(status, msgspec.json.encode({"error": {"message": message}}))
        else:
            await good(peer)

    return answer


async def test_D9_usage_is_asked_for_and_not_again_where_it_is_refused(clock: HandClock) -> None:
    learned: dict[str, dict[str, Any]] = {}
    told: list[tuple[str, dict[str, Any]]] = []
    driver = OpenAiDriver(clock, learned=learned, on_learned=lambda key, value: told.append((key, value)))
    answer = unless(lambda body: "stream_options" in body, 400, "Unrecognized request argument: stream_options")
    async with serving(answer) as server:
        answer.server = server  # type: ignore[attr-defined]
        for _ in range(2):
            listener = Listener(driver, asked(server.url))
            await listener.task
            assert (listener.text, listener.finish) == ("Hi there", "stop")
    await driver.close()
    assert ["stream_options" in sent.json() for sent in server.received] == [True, False, False]
    key = f"{server.url}/v1/chat/completions|m"
    assert learned == {key: {"stream_usage": False}}
    assert told == [(key, {"stream_usage": False})]


async def test_D13_several_corrections_are_learned_one_by_one(driver: OpenAiDriver) -> None:
    async def picky(peer: Peer) -> None:
        body = server.received[-1].json()
        if "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
        elif "temperature" in body:
            message = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1)."
        else:
            await good(peer)
            return
        await peer.answer(400, msgspec.json.encode({"error": {"message": message}}))

    async with serving(picky) as server:
        listener = Listener(driver, asked(server.url, temperature=0.2, max_output_tokens=50))
        await listener.task
    assert (listener.text, listener.waits) == ("Hi there", [0.0, 0.0])
    assert server.received[-1].json()["max_completion_tokens"] == 50
    assert "temperature" not in server.received[-1].json()


async def test_D13_a_correction_that_does_not_help_is_not_tried_for_ever(driver: OpenAiDriver) -> None:
    body = b'{"error": {"message": "stream_options is not supported"}}'
    server, listener = await whole(driver, refusing(400, body))
    assert len(server.received) == 2
    assert listener.error is not None
    assert listener.error.message == "stream_options is not supported"


async def test_D13_a_correction_that_is_known_already_is_not_learned_again(driver: OpenAiDriver) -> None:
    body = b'{"error": {"message": "reasoning_content is missing in assistant message"}}'
    server, listener = await whole(driver, refusing(400, body))
    assert len(server.received) == 2
    assert listener.error is not None
