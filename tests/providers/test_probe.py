"""D13, D15: probes find what a strange endpoint accepts, and the drivers then obey; no key leaves the probe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from providers.listening import event, refusing
from providers.raw_server import Peer, serving
from providers.strange_endpoints import KEY, NewtonServer, OddGateway, StrangeEndpoint
from talkfield.core.ids import ProviderId
from talkfield.core.provider_api import Api
from talkfield.errors import ProviderError, ProviderRefused
from talkfield.providers import PROVIDERS
from talkfield.providers.probe import (
    CALLED_TIME,
    PICTURE,
    PICTURE_DIGEST,
    RED_SQUARE,
    SUBJECTS,
    TIME,
    Finding,
    Probes,
    Report,
    chosen_model,
    said,
)
from talkfield.providers.probe_call import Endpoint
from talkfield.runtime.ports import Parameters, ProviderConfig, ProviderRequest, RetryChunk, TextChunk
from talkfield.system import SystemClock


class HastyClock(SystemClock):
    """The machine's time; an endpoint that is busy is asked again at once, and limits still hold."""

    async def sleep_s(self, seconds: float) -> None:
        await super().sleep_s(0 if seconds <= 20 else seconds)


def provider_at(url: str, *, key: str = KEY) -> ProviderConfig:
    return ProviderConfig(id=ProviderId("probe"), name="Strange", api="", base_url=url, key=key)


async def probed(url: str, api: Api, *, model: str = "", key: str = KEY) -> tuple[Report, str]:
    endpoint = Endpoint(provider_at(url, key=key), api, model, HastyClock())
    told: list[Finding] = []
    try:
        endpoint.model = endpoint.model or await chosen_model(endpoint)
        report = await Probes(endpoint, told.append).run()
    finally:
        await endpoint.close()
    assert told == report.findings
    assert KEY not in repr(report)
    assert KEY[:12] not in repr(report)
    return report, endpoint.key


def words(report: Report) -> dict[str, str]:
    return {finding.subject: f"{finding.state}: {finding.words}" for finding in report.findings}


REJECTED = "request of [key] was rejected by policy 17 (HTTP 422)"


async def test_D13_what_an_openai_dialect_refuses_is_found_whatever_its_words() -> None:
    async with NewtonServer().serving() as server:
        report, key = await probed(server.url, "openai")
    assert key == f"{server.url}/v1/chat/completions|strange-1"
    assert report.profile == {
        "stream_usage": False,
        "max_tokens_field": "max_completion_tokens",
        "system_role": "developer",
        "reasoning_parameter": "",
        "empty_content": "empty",
        "images": False,
    }
    found = words(report)
    assert list(found) == list(SUBJECTS)
    assert found.pop("streaming").startswith("good: ")
    assert found.pop("stop").startswith("good: the connection is closed at once; the next answer began after 0.")
    assert found == {
        "usage": f"good: the option is refused ({REJECTED}); reported unasked: 7 tokens in, 4 out",
        "output limit": "good: max_completion_tokens; max_tokens is refused",
        "system prompt": "good: system is refused; sent as developer",
        "reasoning": f"note: thinking comes in reasoning; effort cannot be asked for: {REJECTED}",
        "tools": 'good: calls get_weather {"city": "Bern"}',
        "empty arguments": (
            "good: came as {}; a call with {} and its result are taken;"
            " a message with calls alone is refused with content null, not empty"
        ),
        "parallel tools": "note: the option is refused; without it 1 call in one answer",
        "images": f"note: refused: {REJECTED}",
        "errors": f"note: read as bad_request: {REJECTED}; it echoes the key, which is taken out of what you see",
    }


async def test_D13_what_an_anthropic_gateway_refuses_is_found_whatever_its_words() -> None:
    async with OddGateway().serving() as server:
        report, key = await probed(server.url, "anthropic", model="odd-7b")
    assert key == f"{server.url}/v1/messages|odd-7b"
    assert report.profile == {"reasoning_parameter": "thinking", "tools": False}
    found = words(report)
    assert found.pop("streaming").startswith("good: ")
    assert found.pop("stop").startswith("good: ")
    assert found == {
        "usage": "good: reported: 5 tokens in, 3 out",
        "output limit": "good: max_tokens",
        "system prompt": "good: taken",
        "reasoning": "good: thinking comes in thinking blocks; effort is taken as thinking",
        "tools": f"note: refused: {REJECTED}",
        "empty arguments": "note: not asked: tools are not taken",
        "parallel tools": "note: not asked: tools are not taken",
        "images": "note: taken, but the answer does not show that it was seen",
        "errors": "note: a model that there is not answers as well: names of models are not looked at",
    }


@pytest.mark.parametrize(("make", "api"), [(NewtonServer, "openai"), (OddGateway, "anthropic")])
async def test_D13_the_driver_obeys_what_was_found(make: Callable[[], StrangeEndpoint], api: Api) -> None:
    """A request with everything in it is taken at the first try; without the profile it never is."""
    async with make().serving() as server:
        report, key = await probed(server.url, api, model=server.model)
        server.received.clear()
        server.refused.clear()
        request = ProviderRequest(
            provider=ProviderConfig(id=ProviderId("p"), name="P", api=api, base_url=server.url, key=KEY),
            model=server.model,
            messages=(PICTURE, CALLED_TIME, said("And now?")),
            system="Be brief.",
            tools=(TIME,),
            parameters=Parameters(reasoning_effort="low", max_output_tokens=2000),
            files={PICTURE_DIGEST: RED_SQUARE},
        )
        driver = PROVIDERS[api](HastyClock(), learned={key: report.profile})
        chunks = [chunk async for part in driver.stream(request) for chunk in part]
        await driver.close()
        assert (len(server.received), server.refused) == (1, [])
        assert not any(isinstance(chunk, RetryChunk) for chunk in chunks)
        assert any(isinstance(chunk, TextChunk) or getattr(chunk, "name", "") for chunk in chunks)

        ignorant = PROVIDERS[api](HastyClock())
        with pytest.raises(ProviderRefused):
            [chunk async for part in ignorant.stream(request) for chunk in part]
        await ignorant.close()
        assert server.refused


async def test_R10_a_stopped_probe_closes_the_connection() -> None:
    async with NewtonServer().serving() as server:
        await probed(server.url, "openai")
        async with asyncio.timeout(60):
            while not server.closed_early:  # noqa: ASYNC110 - the server's own side of it
                await asyncio.sleep(0.01)


async def test_D15_a_wrong_key_ends_the_probe_and_is_not_shown() -> None:
    async with NewtonServer().serving() as server:
        wrong = KEY + "-wrong"
        report, _ = await probed(server.url, "openai", model="strange-1", key=wrong)
    assert (report.usable, report.profile) == (False, {})
    (finding,) = report.findings
    assert (finding.state, finding.subject) == ("broken", "streaming")
    assert finding.words.startswith("who is Bearer [key]? (HTTP 401)")


async def test_check_09_D15_a_redirect_is_not_followed() -> None:
    report = await broken_by(refusing(308, b"", location="https://elsewhere.example/v1"))
    assert "redirects to https://elsewhere.example/v1; redirects are not followed" in report.findings[0].words


async def broken_by(*answers: Any) -> Report:
    async with serving(*answers) as server:
        report, _ = await probed(server.url, "openai", model="m")
    return report


async def test_D13_a_limit_spoils_a_probe_and_teaches_nothing() -> None:
    async def good(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Red.") + event("", "stop") + b"data: [DONE]\n\n")
        await peer.last_chunk()

    report = await broken_by(good, refusing(429, b'{"error": "slow down"}'))
    assert (report.usable, report.profile) == (True, {})
    assert words(report)["usage"] == "note: not found out: slow down (HTTP 429)"
    assert words(report)["images"] == "note: not found out: slow down (HTTP 429)"


async def test_D13_an_endpoint_that_is_busy_for_a_moment_is_asked_again() -> None:
    busy = refusing(503, b'{"error": "overloaded"}', retry_after="1")

    async def good(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Red.") + event("", "stop"))
        await peer.last_chunk()

    async with serving(busy, good) as server:
        endpoint = Endpoint(provider_at(server.url), "openai", "m", HastyClock())
        outcome = await endpoint.ask(said("Hello"))
        await endpoint.close()
    assert (outcome.text, outcome.ok, endpoint.calls) == ("Red.", True, 2)


async def test_X5_a_list_of_models_that_is_none_is_an_error() -> None:
    for body in (b'{"data": []}', b"<html><title>Hello</title></html>", b'{"data": [{"id": "text-embedding"}]}'):

        async def answer(peer: Peer, body: bytes = body) -> None:
            await peer.answer(200, body)

        async with serving(answer) as server:
            endpoint = Endpoint(provider_at(server.url), "openai", "", HastyClock())
            with pytest.raises(ProviderError):
                await chosen_model(endpoint)
            await endpoint.close()


def test_the_picture_is_one() -> None:
    assert RED_SQUARE.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(RED_SQUARE) < 200
