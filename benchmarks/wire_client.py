"""The clients that `bench_wire.py` compares. Each yields the text of one answer, by the read or by the event.

`bare` is the yardstick: aiohttp's `iter_any`, lines split on bytes, msgspec on a minimal struct. `chain` is Talkfield
as a whole: a chat's turn over the driver, with the turn machine, the reducer, commits, costs, and the frames that
browsers get. Nothing is imported before its client is asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

Answer = Callable[[], AsyncIterator[str]]
Client = Callable[[str, str], Awaitable[Answer]]
PATHS = {"openai": "/chat/completions", "anthropic": "/messages"}


async def bare(wire: str, base: str) -> Answer:
    import aiohttp
    import msgspec

    # Built by hand: annotations inside a function could not be resolved.
    words_of = msgspec.defstruct("Delta", [("content", str | None, None), ("text", str | None, None)], gc=False)
    choice_of = msgspec.defstruct("Choice", [("delta", words_of)], gc=False)
    fields: list[Any] = [("choices", list[choice_of], []), ("delta", words_of | None, None)]
    event_of = msgspec.defstruct("Event", fields, gc=False)
    decode: Any = msgspec.json.Decoder(event_of).decode
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=None, sock_connect=None)
    )

    async def words() -> AsyncIterator[str]:
        tail = b""
        async with session.post(base + PATHS[wire], json={}) as response:
            async for data in response.content.iter_any():
                found: list[str] = []
                *lines, tail = (tail + data).split(b"\n")
                for line in lines:
                    if line.startswith(b"data: ") and line != b"data: [DONE]":
                        event = decode(line[6:])
                        if event.delta is not None:
                            found.append(event.delta.text or "")
                        for choice in event.choices:
                            found.append(choice.delta.content or "")  # noqa: PERF401 - one or none
                yield "".join(found)

    return words


async def talkfield(wire: str, base: str) -> Answer:
    from talkfield.core.ids import MessageId
    from talkfield.core.messages import Message
    from talkfield.providers import PROVIDERS
    from talkfield.runtime.ports import ProviderRequest, TextChunk
    from talkfield.system import SystemClock

    driver = PROVIDERS[wire](SystemClock())
    message = Message(id=MessageId("m"), role="user", content="Hi", ts=0)
    request = ProviderRequest(provider=configured(wire, base), model="m", messages=(message,))

    async def words() -> AsyncIterator[str]:
        async for chunks in driver.stream(request):
            yield "".join([chunk.text for chunk in chunks if type(chunk) is TextChunk])

    return words


def configured(wire: str, base: str) -> Any:
    from talkfield.core.ids import ProviderId
    from talkfield.runtime.ports import ProviderConfig

    return ProviderConfig(
        id=ProviderId("mock"), name="Mock", api=wire, base_url=base + PATHS[wire], key="k", model="gpt-4o"
    )


async def chain(wire: str, base: str) -> Answer:
    from bench_turn import Replay, services
    from talkfield.core.ids import NodeId
    from talkfield.providers import PROVIDERS
    from talkfield.server.feed import FrameFeed
    from talkfield.server.subscriber import Subscriber
    from talkfield.system import SystemClock
    from talkfield.wire import client as ask
    from talkfield.workspace.studio import open_studio

    driver: Any = PROVIDERS[wire](SystemClock())
    config = configured(wire, base)

    class Live(Replay):
        """The one real driver, and the directory that holds it."""

        def resolve(self, provider: object) -> Any:
            return config

        def driver_for(self, provider: object) -> Any:
            return driver

    studio = await open_studio(services(Live()), lambda: "bench")
    session = await studio.session()
    node = NodeId((await session.handle(ask.AddNode(kind="chat", x=0, y=0))).made[0])
    feed = FrameFeed(session, interval_s=0.016)
    feed.attach(Subscriber(max_frames=10**9, max_bytes=10**9, overflow_grace_s=1))

    async def words() -> AsyncIterator[str]:
        done = asyncio.Event()
        ends = session.subscribe(lambda frame: done.set() if frame.cause == "done" else None)
        await session.handle(ask.SendMessage(node=node, text="Hi"))
        await done.wait()
        feed.flush()
        ends()
        yield session.document.messages(node)[-1].content

    return words


async def httpx_sse(wire: str, base: str) -> Answer:
    import httpx  # noqa: TID251 - measured, not used
    import msgspec
    from httpx_sse import aconnect_sse

    client = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))

    async def words() -> AsyncIterator[str]:
        async with aconnect_sse(client, "POST", base + PATHS[wire], json={}) as source:
            async for event in source.aiter_sse():
                if event.data == "[DONE]":
                    continue
                value = msgspec.json.decode(event.data)
                if wire == "anthropic":
                    yield value.get("delta", {}).get("text", "")
                for choice in value.get("choices", ()):
                    yield choice["delta"].get("content") or ""

    return words


async def openai_sdk(_wire: str, base: str) -> Answer:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=base, api_key="k")

    async def words() -> AsyncIterator[str]:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Hi"}], stream=True, stream_options={"include_usage": True}
        )
        async for chunk in stream:
            for choice in chunk.choices:
                yield choice.delta.content or ""

    return words


async def anthropic_sdk(_wire: str, base: str) -> Answer:
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(base_url=base.removesuffix("/v1"), api_key="k")

    async def words() -> AsyncIterator[str]:
        stream = await client.messages.create(
            model="m", max_tokens=9999, messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        async for event in stream:
            if event.type == "content_block_delta":
                yield event.delta.text

    return words


async def pydantic_ai(wire: str, base: str) -> Answer:
    from pydantic_ai import Agent

    if wire == "openai":
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        model: Any = OpenAIChatModel("m", provider=OpenAIProvider(base_url=base, api_key="k"))
    else:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        own = AsyncAnthropic(base_url=base.removesuffix("/v1"), api_key="k")
        model = AnthropicModel("m", provider=AnthropicProvider(anthropic_client=own))
    agent = Agent(model)

    async def words() -> AsyncIterator[str]:
        async with agent.run_stream("Hi") as result:
            async for text in result.stream_text(delta=True, debounce_by=None):
                yield text

    return words


async def litellm_client(wire: str, base: str) -> Answer:
    import litellm

    where = base if wire == "openai" else f"{base}/messages"

    async def words() -> AsyncIterator[str]:
        stream = await litellm.acompletion(
            model=f"{wire}/m", api_base=where, api_key="k", messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        async for chunk in stream:
            yield chunk.choices[0].delta.content or ""

    return words


async def llm_client(_wire: str, base: str) -> Answer:
    from llm.default_plugins.openai_models import AsyncChat

    model = AsyncChat("m", key="k", api_base=base)

    async def words() -> AsyncIterator[str]:
        async for text in model.prompt("Hi", key="k"):
            yield text

    return words


CLIENTS: dict[str, Client] = {
    "bare": bare,
    "talkfield": talkfield,
    "chain": chain,
    "httpx-sse": httpx_sse,
    "openai": openai_sdk,
    "anthropic": anthropic_sdk,
    "pydantic-ai": pydantic_ai,
    "litellm": litellm_client,
    "llm": llm_client,
}

IMPORTS = {
    "bare": "import aiohttp, msgspec",
    "talkfield": "from talkfield.providers import PROVIDERS; from talkfield.system import SystemClock; "
    "[PROVIDERS[wire](SystemClock()) for wire in ('openai', 'anthropic')]",
    "httpx-sse": "import httpx, httpx_sse",
    "openai": "import openai; openai.AsyncOpenAI(api_key='k')",
    "anthropic": "import anthropic; anthropic.AsyncAnthropic(api_key='k')",
    "pydantic-ai": "from pydantic_ai import Agent; from pydantic_ai.models.openai import OpenAIChatModel",
    "litellm": "import litellm; litellm.acompletion",
    "llm": "from llm.default_plugins.openai_models import AsyncChat",
}
"""What has to be imported before the first call."""
