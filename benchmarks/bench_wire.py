"""What it costs to turn a provider's stream into events: Talkfield's driver beside a bare client and the usual SDKs.

`python benchmarks/bench_wire.py [--events 4000] [--rounds 5] [--wires openai anthropic] [--modes big seg]`. A mock
provider in a process of its own streams over loopback, each event an HTTP chunk: `big` in writes of 64 KiB, `seg` one
event a write, 1,000 a second, so that each wakes the client. Every figure is the CPU time (user and system) of a fresh
client process, after one stream to warm up, per event; the median over rounds that take every client in turn. All
clients must give the same text.

The yardstick is `bare`: aiohttp's `iter_any`, lines split on bytes, msgspec on a minimal struct. The program fails when
Talkfield costs more than 1.5 times as much in `big`: times depend on the machine, ratios hardly.

The SDKs live in an environment of their own that `--setup` makes (`--environment` says where); without it only `bare`
and Talkfield run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

WORDS = (" token", " other")  # not the same twice: one of the clients takes that for a model gone wrong
WRITE_BYTES = 64 * 1024
ENVIRONMENT = Path(tempfile.gettempdir()) / "talkfield-bench-venv"
PACKAGES = ["aiohttp", "msgspec", "httpx", "httpx-sse", "openai", "anthropic", "pydantic-ai-slim[openai,anthropic]"]
PACKAGES += ["litellm"]
BAR = 1.5
OURS = ("bare", "talkfield")
OTHERS = {"openai": ("httpx-sse", "openai", "pydantic-ai", "litellm")}
OTHERS["anthropic"] = ("httpx-sse", "anthropic", "pydantic-ai", "litellm")

# The mock provider ----------------------------------------------------------------------------------------------------


def openai_events(count: int) -> list[bytes]:
    def event(delta: dict[str, Any], finish: str | None = None, usage: Any = None) -> bytes:
        chunk = {
            "id": "chatcmpl-CZx2qT9wV0d3S5bqk1yZ7mJ4Lr8aE",
            "object": "chat.completion.chunk",
            "created": 1764000000,
            "model": "gpt-4o-2024-08-06",
            "service_tier": "default",
            "system_fingerprint": "fp_cbf1785567",
            "choices": [] if usage else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
            "usage": usage,
            "obfuscation": "sQf7xk2W",
        }
        return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"

    usage = {"prompt_tokens": 9, "completion_tokens": count, "total_tokens": count + 9}
    body = [event({"role": "assistant", "content": ""})] + [event({"content": WORDS[n % 2]}) for n in range(count)]
    return [*body, event({}, "stop"), event({}, usage=usage), b"data: [DONE]\n\n"]


def anthropic_events(count: int) -> list[bytes]:
    def event(kind: str, **fields: Any) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields}, separators=(',', ':'))}\n\n".encode()

    message = {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}
    deltas = [event("content_block_delta", index=0, delta={"type": "text_delta", "text": word}) for word in WORDS]
    return [
        event("message_start", message=message),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *(deltas[n % 2] for n in range(count)),
        event("content_block_stop", index=0),
        event(
            "message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": count}
        ),
        event("message_stop"),
    ]


def chunked(event: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(event), event)


class MockProvider(asyncio.Protocol):
    """Answers `/<mode>/<count>/…` with that many events; which wire is asked for stands in the path as well."""

    def __init__(self) -> None:
        self.received = b""
        self.sending: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, _error: Exception | None) -> None:
        if self.sending is not None:
            self.sending.cancel()

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        length = next(
            (int(x.split(b":")[1]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length")), 0
        )
        if end and len(body) >= length:
            self.received = b""
            _, mode, count, *rest = head.split(b" ")[1].decode().split("/")
            make = anthropic_events if rest[-1].startswith("messages") else openai_events
            self.sending = asyncio.ensure_future(self.answer([chunked(event) for event in make(int(count))], mode))

    async def answer(self, parts: list[bytes], mode: str) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        self.transport.write(head)
        if mode == "big":
            body = b"".join(parts)
            for at in range(0, len(body), WRITE_BYTES):
                self.transport.write(body[at : at + WRITE_BYTES])
                await asyncio.sleep(0)
        else:
            next_at = time.perf_counter()
            for part in parts:
                self.transport.write(part)
                next_at += 0.001
                await asyncio.sleep(max(0.0, next_at - time.perf_counter()))
        self.transport.write(b"0\r\n\r\n")


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(MockProvider, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


# Clients: each gives back the whole text ------------------------------------------------------------------------------

Client = Callable[[str, str], Awaitable[Callable[[], Awaitable[str]]]]


async def bare(wire: str, base: str) -> Callable[[], Awaitable[str]]:
    import aiohttp
    import msgspec

    # Built by hand: annotations inside a function could not be resolved.
    words_of = msgspec.defstruct("Delta", [("content", str | None, None), ("text", str | None, None)], gc=False)
    choice_of = msgspec.defstruct("Choice", [("delta", words_of)], gc=False)
    fields: list[Any] = [("choices", list[choice_of], []), ("delta", words_of | None, None)]  # type: ignore[valid-type]
    event_of = msgspec.defstruct("Event", fields, gc=False)
    decode: Any = msgspec.json.Decoder(event_of).decode
    session = aiohttp.ClientSession()
    path = "/chat/completions" if wire == "openai" else "/messages"

    async def one() -> str:
        words: list[str] = []
        tail = b""
        async with session.post(base + path, json={}) as response:
            async for data in response.content.iter_any():
                *lines, tail = (tail + data).split(b"\n")
                for line in lines:
                    if line.startswith(b"data: ") and line != b"data: [DONE]":
                        event = decode(line[6:])
                        if event.delta is not None:
                            words.append(event.delta.text or "")
                        for choice in event.choices:
                            words.append(choice.delta.content or "")  # noqa: PERF401 - one or none
        return "".join(words)

    return one


async def talkfield(wire: str, base: str) -> Callable[[], Awaitable[str]]:
    from talkfield.core.ids import MessageId, ProviderId
    from talkfield.core.messages import Message
    from talkfield.providers import PROVIDERS
    from talkfield.runtime.ports import ProviderConfig, ProviderRequest, TextChunk
    from talkfield.system import SystemClock

    driver = PROVIDERS[wire](SystemClock())
    path = "/chat/completions" if wire == "openai" else "/messages"
    config = ProviderConfig(id=ProviderId("p"), name="P", api=wire, base_url=base + path, key="k")
    message = Message(id=MessageId("m"), role="user", content="Hi", ts=0)
    request = ProviderRequest(provider=config, model="m", messages=(message,))

    async def one() -> str:
        words = []
        async for chunks in driver.stream(request):
            words += [chunk.text for chunk in chunks if isinstance(chunk, TextChunk)]
        return "".join(words)

    return one


async def httpx_sse(wire: str, base: str) -> Callable[[], Awaitable[str]]:
    import httpx  # noqa: TID251 - measured, not used
    import msgspec
    from httpx_sse import aconnect_sse

    client = httpx.AsyncClient(timeout=None)
    path = "/chat/completions" if wire == "openai" else "/messages"

    async def one() -> str:
        words: list[str] = []
        async with aconnect_sse(client, "POST", base + path, json={}) as source:
            async for event in source.aiter_sse():
                if event.data == "[DONE]":
                    continue
                value = msgspec.json.decode(event.data)
                if wire == "anthropic":
                    words.append(value.get("delta", {}).get("text", ""))
                else:
                    words += [choice["delta"].get("content") or "" for choice in value["choices"]]
        return "".join(words)

    return one


async def openai_sdk(_wire: str, base: str) -> Callable[[], Awaitable[str]]:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=base, api_key="k")

    async def one() -> str:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Hi"}], stream=True, stream_options={"include_usage": True}
        )
        return "".join([choice.delta.content or "" async for chunk in stream for choice in chunk.choices])

    return one


async def anthropic_sdk(_wire: str, base: str) -> Callable[[], Awaitable[str]]:
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(base_url=base.removesuffix("/v1"), api_key="k")

    async def one() -> str:
        stream = await client.messages.create(
            model="m", max_tokens=9999, messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        return "".join([e.delta.text async for e in stream if e.type == "content_block_delta"])

    return one


async def pydantic_ai(wire: str, base: str) -> Callable[[], Awaitable[str]]:
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

    async def one() -> str:
        words: list[str] = []
        async with agent.run_stream("Hi") as result:
            words += [text async for text in result.stream_text(delta=True, debounce_by=None)]
        return "".join(words)

    return one


async def litellm_client(wire: str, base: str) -> Callable[[], Awaitable[str]]:
    import litellm

    where = base if wire == "openai" else f"{base}/messages"

    async def one() -> str:
        stream = await litellm.acompletion(
            model=f"{wire}/m", api_base=where, api_key="k", messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    return one


CLIENTS: dict[str, Client] = {
    "bare": bare,
    "talkfield": talkfield,
    "httpx-sse": httpx_sse,
    "openai": openai_sdk,
    "anthropic": anthropic_sdk,
    "pydantic-ai": pydantic_ai,
    "litellm": litellm_client,
}


async def measure(client: str, wire: str, base: str, events: int, warm: str) -> None:
    """Print the CPU microseconds per event of one stream, after a short one to warm up."""
    await (await CLIENTS[client](wire, warm))()
    one = await CLIENTS[client](wire, base)
    before = time.process_time()
    text = await one()
    spent = time.process_time() - before
    wanted = "".join(WORDS) * (events // 2)
    if text != wanted:
        raise SystemExit(f"{client} gave {len(text)} characters instead of {len(wanted)}")
    print(spent / events * 1e6)


# The whole ------------------------------------------------------------------------------------------------------------


def figure(python: str, client: str, wire: str, base: str, events: int, warm: str) -> float:
    command = [python, __file__, "--client", client, "--wires", wire, "--base", base, "--warm", warm]
    done = subprocess.run([*command, "--events", str(events)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{client} on {wire}: {done.stderr.strip().splitlines()[-1:]}")
    return float(done.stdout.split()[-1])


def compare(arguments: argparse.Namespace) -> bool:
    others = str(arguments.environment / "bin" / "python") if arguments.environment.exists() else ""
    fine = True
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = f"http://127.0.0.1:{int(server.stdout.readline())}"
        try:
            for wire in arguments.wires:
                clients = [*OURS, *(OTHERS[wire] if others else ())]
                for mode in arguments.modes:
                    fine &= compare_mode(arguments, address, wire, mode, clients, others)
        finally:
            server.terminate()
    return fine


def compare_mode(
    arguments: argparse.Namespace, address: str, wire: str, mode: str, clients: list[str], others: str
) -> bool:
    events = arguments.events if mode == "big" else min(arguments.events, 2000)
    base, warm = f"{address}/{mode}/{events}/v1", f"{address}/big/50/v1"
    rounds: list[dict[str, float]] = []
    for _ in range(arguments.rounds):
        rounds.append({})
        for client in clients:
            python = sys.executable if client in OURS else others
            rounds[-1][client] = figure(python, client, wire, base, events, warm)
    print(f"\n{wire}, {mode}: {events} events, {arguments.rounds} rounds")
    ratio = 0.0
    for client in clients:
        times = statistics.median(found[client] for found in rounds)
        over = statistics.median(found[client] / found["bare"] for found in rounds)
        ratio = over if client == "talkfield" else ratio
        print(f"  {client:12} {times:8.2f} µs an event   {over:6.1f} x bare")
    return mode != "big" or ratio <= BAR


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--events", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--wires", nargs="+", default=["openai", "anthropic"])
    parser.add_argument("--modes", nargs="+", default=["big", "seg"])
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT)
    parser.add_argument("--setup", action="store_true", help="make the environment of the SDKs, then measure")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    parser.add_argument("--base", help=argparse.SUPPRESS)
    parser.add_argument("--warm", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
    elif arguments.client:
        asyncio.run(measure(arguments.client, arguments.wires[0], arguments.base, arguments.events, arguments.warm))
    else:
        if arguments.setup:
            subprocess.run([sys.executable, "-m", "venv", str(arguments.environment)], check=True)
            subprocess.run([str(arguments.environment / "bin" / "pip"), "install", "-q", *PACKAGES], check=True)
        raise SystemExit(0 if compare(arguments) else f"Talkfield costs more than {BAR} times the bare client")


if __name__ == "__main__":
    main()
