"""D7: time-outs, by an injected clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from providers.listening import event, listening
from providers.provider_doubles import HandClock
from providers.raw_server import Peer, until
from talkfield.errors import (
    ProviderCut,
    ProviderUnreachable,
)
from talkfield.providers.openai import OpenAiDriver


@pytest.fixture
async def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def driver(clock: HandClock) -> AsyncIterator[OpenAiDriver]:
    made = OpenAiDriver(clock, jitter=lambda: 0.5)
    yield made
    await made.close()


async def test_check_06_D7_silence_before_the_first_words_ends_after_600_s(
    driver: OpenAiDriver, clock: HandClock
) -> None:
    async def silent(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(b": keep-alive\n\n")
        await peer.gone()

    async with listening(driver, silent) as (server, listener):
        await until(lambda: server.received)
        await clock.advance(599)
        await asyncio.sleep(0.02)
        assert not listener.task.done()
        await clock.advance(2)
        await listener.task
    assert listener.error is not None
    assert (type(listener.error), listener.error.code, listener.waits) == (ProviderUnreachable, "timed_out", [])


async def test_D7_no_head_of_an_answer_ends_after_600_s(driver: OpenAiDriver, clock: HandClock) -> None:
    async with listening(driver, Peer.gone) as (server, listener):
        await until(lambda: server.received)
        await clock.advance(601)
        await listener.task
    assert listener.error is not None
    assert listener.error.code == "timed_out"


async def test_check_06_D7_keep_alives_are_no_progress(driver: OpenAiDriver, clock: HandClock) -> None:
    sent = 0

    async def keeps_alive(peer: Peer) -> None:
        nonlocal sent
        await peer.events()
        await peer.chunk(event("Hi"))
        while True:
            await peer.chunk(b": keep-alive\n\n")
            sent += 1
            await asyncio.sleep(0.002)

    async with listening(driver, keeps_alive) as (_, listener):
        await until(lambda: listener.text == "Hi")
        before = sent
        await until(lambda: sent > before + 3)
        await clock.advance(299)
        assert not listener.task.done()
        await clock.advance(2)
        await asyncio.wait_for(listener.task, 60)
    assert listener.error is not None
    assert (type(listener.error), listener.text) == (ProviderCut, "Hi")
    assert "more of the answer" in listener.error.message


async def test_D7_progress_moves_the_deadline(driver: OpenAiDriver, clock: HandClock) -> None:
    go_on = asyncio.Event()

    async def slow(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi"))
        await go_on.wait()
        await peer.chunk(event(" there"))
        await peer.gone()

    async with listening(driver, slow) as (_, listener):
        await until(lambda: listener.text == "Hi")
        await clock.advance(290)
        go_on.set()
        await until(lambda: listener.text == "Hi there")
        await clock.advance(290)
        await asyncio.sleep(0.02)
        assert not listener.task.done()
        await clock.advance(20)
        await asyncio.wait_for(listener.task, 60)


async def test_D7_a_server_that_never_says_done_is_not_waited_for_long(driver: OpenAiDriver, clock: HandClock) -> None:
    async def never_done(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi", "stop"))
        await peer.gone()

    async with listening(driver, never_done) as (_, listener):
        await until(lambda: listener.text == "Hi")
        await clock.advance(16)
        await asyncio.wait_for(listener.task, 60)
    assert (listener.finish, listener.error) == ("stop", None)


async def test_D7_the_deadline_moves_nearer_as_well(driver: OpenAiDriver, clock: HandClock) -> None:
    go_on = asyncio.Event()

    async def late(peer: Peer) -> None:
        await peer.events()
        await go_on.wait()
        await peer.chunk(event("Hi"))
        await peer.gone()

    async with listening(driver, late) as (server, listener):
        await until(lambda: server.received)
        await clock.advance(100)
        go_on.set()
        await until(lambda: listener.text == "Hi")
        await clock.advance(301)
        await asyncio.wait_for(listener.task, 60)
    assert isinstance(listener.error, ProviderCut)
