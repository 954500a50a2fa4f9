from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from providers.provider_doubles import HandClock, until
from talkfield.core.ids import ProviderId
from talkfield.core.messages import ModelInfo
from talkfield.providers.discover import Candidate, Discovery, Found, candidates, look, ollama_origin


class Served:
    """A server on a port of its own that answers what it is told, and remembers what it was asked."""

    def __init__(self, answers: Mapping[str, Any], server: str = "") -> None:
        self.answers = dict(answers)
        self.server = server
        self.asked: list[str] = []
        self.port = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path}")
        await self.may_answer.wait()
        body = self.answers.get(request.path)
        headers = {"Server": self.server} if self.server else {}
        if body is None:
            return web.Response(status=404, headers=headers)
        if isinstance(body, web.HTTPException):
            raise body
        return web.Response(body=body if isinstance(body, bytes) else json.dumps(body).encode(), headers=headers)


@asynccontextmanager
async def served(answers: Mapping[str, Any], server: str = "") -> AsyncIterator[Served]:
    made = Served(answers, server)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.port = runner.addresses[0][1]
    try:
        yield made
    finally:
        made.may_answer.set()
        await runner.cleanup()


def models(*ids: str, owner: str = "", **more: Any) -> dict[str, Any]:
    return {"/v1/models": {"object": "list", "data": [{"id": name, "owned_by": owner, **more} for name in ids]}}


def place(port: int, provider: str = "vllm") -> Candidate:
    return Candidate(provider=ProviderId(provider), name=provider, origin=f"http://127.0.0.1:{port}")


async def one_look(*places: Candidate, own_ports: tuple[int, ...] = ()) -> tuple[Found, ...]:
    async with aiohttp.ClientSession() as session:
        return await look(places, session, own_ports=own_ports)


ollama = {**models("qwen3:8b", owner="library"), "/api/version": {"version": "0.13.1"}}
vllm = models("meta/llama", owner="vllm", max_model_len=32768)
llama_cpp = models("some.gguf", owner="llamacpp", meta={"n_ctx": 4096})
lm_studio = models("gemma", owner="organization_owner")


@pytest.mark.parametrize(
    ("asked_for", "answers", "expected"),
    [
        ("ollama", ollama, ("ollama", "Ollama", ModelInfo(id="qwen3:8b"))),
        ("vllm", vllm, ("vllm", "vLLM", ModelInfo(id="meta/llama", context_tokens=32768))),
        ("llamacpp", llama_cpp, ("llamacpp", "llama.cpp", ModelInfo(id="some.gguf", context_tokens=4096))),
        ("lmstudio", lm_studio, ("lmstudio", "LM Studio", ModelInfo(id="gemma"))),
        ("vllm", llama_cpp, ("llamacpp", "llama.cpp", ModelInfo(id="some.gguf", context_tokens=4096))),
    ],
)
async def test_Z2_a_running_server_is_known_by_what_it_answers(
    asked_for: str, answers: Mapping[str, Any], expected: tuple[str, str, ModelInfo]
) -> None:
    provider, name, model = expected
    async with served(answers) as server:
        assert await one_look(place(server.port, asked_for)) == (
            Found(
                provider=ProviderId(provider),
                name=name,
                base_url=f"http://127.0.0.1:{server.port}/v1",
                models=(model,),
            ),
        )


async def test_Z2_an_ollama_without_models_is_found_too() -> None:
    async with served(
        {"/v1/models": {"object": "list", "data": None}, "/api/version": {"version": "0.13.1"}}
    ) as server:
        (found,) = await one_look(place(server.port, "ollama"))

        assert (found.name, found.models) == ("Ollama", ())


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"/v1/models": b"<html>It works!</html>"},
        {"/v1/models": b"\xff\xfe"},
        {"/v1/models": {"object": "list"}},
        {"/v1/models": {"object": "list", "data": [{"name": "x"}]}},
        {"/v1/models": {"object": "error", "data": []}},
        {"/v1/models": [1, 2]},
        models("gpt-9", owner="somebody"),
        {"/v1/models": web.HTTPFound("/elsewhere"), "/elsewhere": vllm["/v1/models"]},
        {"/v1/models": b'{"object": "list", "data": [' + b" " * 2_000_000 + b'{"id": "a", "owned_by": "vllm"}]}'},
        {**models("x", owner="library"), "/api/version": ["0.1"]},
    ],
)
async def test_X5_whoever_else_has_the_port_is_not_offered(answers: Mapping[str, Any]) -> None:
    async with served(answers) as server:
        assert await one_look(place(server.port, "ollama")) == ()
        assert set(server.asked) <= {"GET /v1/models", "GET /api/version"}


async def test_Z2_a_silent_port_costs_half_a_second_and_hides_nobody_else() -> None:
    async with served(vllm) as slow, served(lm_studio) as quick:
        slow.may_answer.clear()
        started = asyncio.get_running_loop().time()
        found = await one_look(place(slow.port), place(quick.port, "lmstudio"))

        assert [server.name for server in found] == ["LM Studio"]
        assert asyncio.get_running_loop().time() - started < 1.5


async def test_X5_a_server_that_is_not_http_is_passed_over() -> None:
    async def shout(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n" * 100)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(shout, "127.0.0.1", 0)
    async with server:
        assert await one_look(place(server.sockets[0].getsockname()[1])) == ()


async def test_D14_its_own_port_is_never_asked() -> None:
    async with served(vllm) as server:
        assert await one_look(place(server.port), own_ports=(server.port,)) == ()
        assert server.asked == []


async def test_Z2_a_server_found_twice_is_told_once() -> None:
    async with served(vllm) as first, served(vllm) as second:
        assert len(await one_look(place(first.port), place(second.port))) == 1


async def test_Z2_what_starts_or_ends_later_is_noticed_within_a_period() -> None:
    clock = HandClock()
    changes: list[tuple[Found, ...]] = []
    async with served({}) as server:
        discovery = Discovery(clock=clock, environment={}, changed=changes.append, places=(place(server.port),))
        discovery.start()
        await until(lambda: clock.slept == [30.0])
        assert changes == []

        server.answers.update(vllm)
        await clock.advance(30)
        await until(lambda: len(clock.slept) == 2)
        await clock.advance(30)
        await until(lambda: len(clock.slept) == 3)
        assert [[found.name for found in change] for change in changes] == [["vLLM"]]

        server.answers.clear()
        await clock.advance(30)
        await until(lambda: len(clock.slept) == 4)
        assert changes[1:] == [()]
        await discovery.close()


async def test_Z2_the_search_can_be_turned_off() -> None:
    discovery = Discovery(clock=HandClock(), environment={"TALKFIELD_DISCOVER": "0"}, changed=lambda _found: None)
    discovery.start()
    assert len(asyncio.all_tasks()) == 1
    await discovery.close()


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:9999", "http://127.0.0.1:9999"),
        (":9999", "http://127.0.0.1:9999"),
        ("[::]:9999", "http://127.0.0.1:9999"),
        ("[::1]", "http://[::1]:11434"),
        ("nas.local", "http://nas.local:11434"),
        ("http://nas.local", "http://nas.local:80"),
        ("https://nas.local/", "https://nas.local:443"),
        ("https://nas.local:8443/ollama", "https://nas.local:8443"),
        ("nas.local:99999", "http://nas.local:11434"),
    ],
)
def test_Z2_ollama_is_sought_where_its_own_variable_says(value: str, origin: str) -> None:
    assert ollama_origin({"OLLAMA_HOST": value}) == origin


def test_Z2_the_usual_ports_are_looked_at() -> None:
    assert [place.origin for place in candidates({})] == [
        "http://127.0.0.1:11434",
        "http://127.0.0.1:1234",
        "http://127.0.0.1:8080",
        "http://127.0.0.1:8000",
    ]
