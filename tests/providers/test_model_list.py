"""D1: lists of models in the shapes that services give them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from providers.listening import KEY, asked, refusing
from providers.provider_doubles import HandClock
from providers.raw_server import serving
from talkfield.core.messages import ModelInfo
from talkfield.errors import (
    ProviderError,
)
from talkfield.providers import PROVIDERS
from talkfield.providers.anthropic import AnthropicDriver
from talkfield.providers.openai import OpenAiDriver


@pytest.fixture
async def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def driver(clock: HandClock) -> AsyncIterator[OpenAiDriver]:
    made = OpenAiDriver(clock, jitter=lambda: 0.5)
    yield made
    await made.close()


OLLAMA = {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 1}]}
OPENROUTER = {
    "data": [
        {"id": "a/b", "name": "B", "context_length": 1000, "architecture": {"output_modalities": ["text"]}},
        {"id": "a/paint", "name": "P", "architecture": {"output_modalities": ["image"]}},
    ]
}


LM_STUDIO = {
    "data": [
        {"id": "s", "type": "llm", "max_context_length": 8, "loaded_context_length": 4},
        {"id": "e", "type": "embeddings"},
    ]
}
TOGETHER = [{"id": "t", "type": "chat", "display_name": "T"}, {"id": "i", "type": "image"}]


@pytest.mark.parametrize(
    ("answer", "models"),
    [
        ({"object": "list", "data": [{"id": "gpt-4o", "object": "model"}]}, [ModelInfo(id="gpt-4o")]),
        (OPENROUTER, [ModelInfo(id="a/b", name="B", context_tokens=1000)]),
        (OLLAMA, [ModelInfo(id="qwen3:8b")]),
        ({"data": [{"id": "v", "max_model_len": 4096}]}, [ModelInfo(id="v", context_tokens=4096)]),
        ({"data": [{"id": "l", "meta": {"n_ctx_train": 2048}}]}, [ModelInfo(id="l", context_tokens=2048)]),
        ({"data": [{"id": "g", "context_window": 131072}]}, [ModelInfo(id="g", context_tokens=131072)]),
        (LM_STUDIO, [ModelInfo(id="s", context_tokens=4)]),
        (TOGETHER, [ModelInfo(id="t", name="T")]),
        ({"object": "list", "data": None}, []),
        (
            {
                "data": [
                    {"id": "a", "architecture": {"input_modalities": ["text", "image", "file", "video"]}},
                    {"id": "b", "input_modalities": ["audio"]},
                ]
            },
            [ModelInfo(id="a", takes=("text", "image", "document")), ModelInfo(id="b", takes=("text", "audio"))],
        ),
    ],
)
async def test_D1_models_are_listed_in_every_shape(driver: OpenAiDriver, answer: Any, models: list[ModelInfo]) -> None:
    async with serving(refusing(200, msgspec.json.encode(answer))) as server:
        assert await driver.models(asked(server.url).provider) == models
    assert (server.received[0].method, server.received[0].path) == ("GET", "/v1/models")


async def test_D1_anthropic_lists_its_models(clock: HandClock) -> None:
    driver = AnthropicDriver(clock)
    answer = {"data": [{"type": "model", "id": "claude-1", "display_name": "Claude 1", "max_input_tokens": 200000}]}
    async with serving(refusing(200, msgspec.json.encode(answer))) as server:
        found = await driver.models(asked(server.url).provider)
    await driver.close()
    assert found == [ModelInfo(id="claude-1", name="Claude 1", context_tokens=200000)]
    assert server.received[0].path == "/v1/models?limit=1000"
    assert server.received[0].headers["x-api-key"] == KEY
    assert "authorization" not in server.received[0].headers


@pytest.mark.parametrize(("status", "body"), [(401, b'{"error": "no"}'), (200, b"<html></html>"), (200, b'{"a": 1}')])
async def test_D5_a_list_that_is_none_is_a_clear_error(driver: OpenAiDriver, status: int, body: bytes) -> None:
    async with serving(refusing(status, body)) as server:
        with pytest.raises(ProviderError) as raised:
            await driver.models(asked(server.url).provider)
    assert raised.value.provider == "Service"


def test_D1_both_wires_are_registered(clock: HandClock) -> None:
    made = {name: type(make(clock)) for name, make in PROVIDERS.items() if name in ("openai", "anthropic")}
    assert made == {"openai": OpenAiDriver, "anthropic": AnthropicDriver}
