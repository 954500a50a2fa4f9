"""D1, D4, D9, R10: a conversation with a real server, llama.cpp's, over both wires it speaks, by the real drivers.

Small as the model is, everything around its words is real: templates, usage, limits, a connection that is closed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from talkfield.core.conversation import Conversation
from talkfield.core.events import ChatEvent, Delta
from talkfield.core.ids import NodeId, ProviderId
from talkfield.core.messages import Message
from talkfield.core.provider_api import APIS, Api
from talkfield.errors import ProviderError, ProviderRefused
from talkfield.library import runtime_ports, user_message
from talkfield.providers import PROVIDERS
from talkfield.providers.local import LocalModel
from talkfield.providers.vendor import VENDORS
from talkfield.providers.weights import weights_file
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.ports import Driver, Parameters, ProviderConfig, SendRequest, SendResult, Tool, ToolContext
from talkfield.system import SystemClock

NODE = NodeId("real")


def installed() -> bool:
    try:
        import xllamacpp  # noqa: F401
    except ImportError:
        return False
    try:
        return weights_file({}).is_file()
    except ProviderError:
        return False


pytestmark = [
    pytest.mark.local_model,
    pytest.mark.skipif(not installed(), reason="the embedded model is not installed on this machine"),
]


@pytest.fixture
async def server() -> AsyncIterator[LocalModel]:
    """llama.cpp's server with the embedded model; it wants a key of its own."""
    model = LocalModel(clock=SystemClock(), environment=dict(os.environ))
    yield model
    await model.close()


async def provider_at(server: LocalModel, api: Api, **fields: Any) -> ProviderConfig:
    address = await server.address()
    profile = next(vendor.profile for vendor in VENDORS if vendor.id == "llamacpp") if api == "openai" else {}
    values = {"base_url": address.base_url, "key": address.key, "model": server.model.id, "profile": profile, **fields}
    return ProviderConfig(id=ProviderId("real"), name="Real server", api=api, **values)


async def look_up(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
    raise AssertionError("the small model cannot call tools")


TOOL = Tool(
    name="look_up",
    description="Looks a word up in the dictionary.",
    schema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
    run=look_up,
    needs_approval=False,
)


class Talk:
    """A conversation by the runtime."""

    def __init__(self, provider: ProviderConfig, driver: Driver) -> None:
        self.conversation = Conversation(NODE, 0)
        self.words = asyncio.Event()
        self.runtime = ChatRuntime(runtime_ports(provider, driver, self.take, tools=[TOOL]))

    def take(self, _node: NodeId, events: tuple[ChatEvent, ...]) -> None:
        self.conversation.apply(*events)
        if any(isinstance(event, Delta) for event in events):
            self.words.set()

    def begin(self, text: str, *, most: int) -> asyncio.Task[SendResult]:
        self.words.clear()
        self.conversation.append(user_message(text))
        return self.runtime.start(
            SendRequest(
                node=NODE,
                messages=self.conversation.messages,
                system="You answer in one short sentence.",
                parameters=Parameters(max_output_tokens=most, temperature=0.0, reasoning_effort="none"),
            )
        )

    async def say(self, text: str, *, most: int = 24) -> Message:
        result = await self.begin(text, most=most)
        assert (result.ok, result.stop_reason) == (True, "end_turn"), result
        return self.conversation.messages[-1]


@pytest.fixture
async def talk(server: LocalModel, request: pytest.FixtureRequest) -> AsyncIterator[Talk]:
    api: Api = request.param
    driver = PROVIDERS[api](SystemClock())
    talk = Talk(await provider_at(server, api), driver)
    yield talk
    await talk.runtime.close()
    await driver.close()


@pytest.mark.parametrize("talk", APIS, indirect=True)
async def test_D1_a_conversation_of_several_turns_with_a_stop_in_between(talk: Talk, server: LocalModel) -> None:
    first = await talk.say("What is the capital of France?")
    assert "Paris" in first.content
    assert first.thinking == ""
    assert (first.tool_calls, first.finish in ("stop", "length"), first.model) == ((), True, server.model.id)
    assert first.usage is not None
    assert first.usage.input_tokens > 20
    assert 0 < first.usage.output_tokens <= 24
    assert first.usage.estimated is False

    second = await talk.say("And of Italy?")
    assert second.content
    assert second.usage is not None
    assert second.usage.input_tokens > first.usage.input_tokens + first.usage.output_tokens

    stopped = talk.begin("Count from one to one thousand in words.", most=400)
    await talk.words.wait()
    assert talk.runtime.stop(NODE)
    assert (await stopped).stop_reason == "stopped"
    cut = talk.conversation.messages[-1]
    assert (cut.stopped, bool(cut.content)) == (True, True)

    after = await talk.say("Tell me a long story about the sea.", most=3)
    assert after.content
    assert (after.finish, after.usage and after.usage.output_tokens) == ("length", 3)
    assert [message.role for message in talk.conversation.messages] == ["user", "assistant"] * 4


@pytest.mark.parametrize("api", APIS)
async def test_D5_a_real_server_refuses_a_wrong_key(server: LocalModel, api: Api) -> None:
    provider = await provider_at(server, api, key="wrong")
    driver = PROVIDERS[api](SystemClock())
    try:
        result = await ChatRuntime(runtime_ports(provider, driver, lambda _node, _events: None)).send(
            SendRequest(node=NODE, messages=[user_message("Hello")])
        )
        assert (result.ok, result.code) == (False, "bad_key")
        with pytest.raises(ProviderRefused):
            await driver.models(provider)
        assert [each.id for each in await driver.models(await provider_at(server, api))] == [server.model.id]
    finally:
        await driver.close()
