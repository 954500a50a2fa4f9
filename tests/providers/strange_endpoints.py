"""Two endpoints with dialects of their own, as small aiohttp servers: they refuse in words that nobody could foresee.

`NewtonServer` speaks the OpenAI wire and takes only what the newest of its clients sends; `OddGateway` speaks the
Anthropic wire before a model that knows little of it. Both keep what they were sent and refused.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from aiohttp import web

KEY = "sk-canary-5f3e9a17c0d24b68"
LONG = "one two three four five six seven eight nine ten " * 20


class StrangeEndpoint:
    """What both have in common. `path` is where it answers; anything else is not there."""

    path = ""
    model = "strange-1"

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.closed_early = 0
        self.url = ""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post(self.path, self.answer)
        app.router.add_get("/v1/models", self.models)
        return app

    async def models(self, request: web.Request) -> web.Response:
        if not self.knows(request):
            return self.refusal(401, f"who is {request.headers.get('authorization')}?")
        return web.json_response({"data": [{"id": "an-embedder"}, {"id": self.model}]})

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.received.append(body)
        self.headers.append(dict(request.headers))
        if not self.knows(request):
            return self.refusal(401, f"who is {request.headers.get('authorization')}?")
        wrong = self.wrong(body)
        if wrong:
            self.refused.append(wrong)
            # It says what it got, key included, and not a word of what is wrong.
            return self.refusal(422, f"request of {KEY} was rejected by policy 17")
        response = web.StreamResponse(headers={"content-type": "text/event-stream", "x-echo": KEY})
        await response.prepare(request)
        try:
            async for event in self.events(body):
                await response.write(event)
        except (ConnectionError, asyncio.CancelledError):
            self.closed_early += 1
            raise
        return response

    def knows(self, request: web.Request) -> bool:
        return KEY in (request.headers.get("authorization", ""), request.headers.get("x-api-key", "")) or (
            request.headers.get("authorization") == f"Bearer {KEY}"
        )

    def refusal(self, status: int, words: str) -> web.Response:
        raise NotImplementedError

    def wrong(self, body: dict[str, Any]) -> str:
        raise NotImplementedError

    def events(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        raise NotImplementedError

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[StrangeEndpoint]:
        runner = web.AppRunner(self.app(), handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await runner.cleanup()

    @contextmanager
    def serving_in_a_thread(self) -> Iterator[StrangeEndpoint]:
        """For tests of other processes, and of commands that have an event loop of their own."""
        ready, over = threading.Event(), threading.Event()

        async def serve() -> None:
            async with self.serving():
                ready.set()
                await asyncio.to_thread(over.wait)

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        assert ready.wait(10)
        try:
            yield self
        finally:
            over.set()
            thread.join(10)


def text_in(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


def is_wanted_long(messages: list[dict[str, Any]]) -> bool:
    return "without stopping" in text_in(messages[-1]["content"])


class NewtonServer(StrangeEndpoint):
    """The OpenAI wire: no `stream_options`, no `max_tokens`, no system role, no null content, one call at a time, no
    effort, no pictures. Its thinking comes as `reasoning`."""

    path = "/v1/chat/completions"

    def wrong(self, body: dict[str, Any]) -> str:
        messages = body["messages"]
        checks = {
            "stream_options": "stream_options" in body,
            "max_tokens": "max_tokens" in body,
            "system": any(message["role"] == "system" for message in messages),
            "null content": any(message.get("content", "") is None for message in messages),
            "parallel": "parallel_tool_calls" in body,
            "effort": "reasoning_effort" in body,
            "picture": any(
                part.get("type") == "image_url"
                for message in messages
                if isinstance(message.get("content"), list)
                for part in message["content"]
            ),
            "model": body["model"] != self.model,
        }
        return next((name for name, is_wrong in checks.items() if is_wrong), "")

    def refusal(self, status: int, words: str) -> web.Response:
        return web.json_response({"ok": False, "detail": words}, status=status, headers={"www-authenticate": words})

    async def events(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        yield self._event({"reasoning": "Hm. "})
        words, finish = ["Red,", "green,", "blue."], "stop"
        if is_wanted_long(body["messages"]):
            words = LONG.split()
        limit = body.get("max_completion_tokens")
        if limit is not None and limit < len(words):
            words, finish = words[:limit], "length"
        names = [tool["function"]["name"] for tool in body.get("tools", [])]
        if names and body["messages"][-1]["role"] != "tool":
            arguments = "" if names[0] == "get_time" else '{"city": "Bern"}'
            call = {"index": 0, "id": "c-1", "function": {"name": names[0], "arguments": arguments}}
            yield self._event({"tool_calls": [call]})
            words, finish = [], "tool_calls"
        for word in words:
            yield self._event({"content": f"{word} "})
            await asyncio.sleep(0.001)
        usage = {"prompt_tokens": 7, "completion_tokens": len(words) + 1}
        yield self._event({}, finish, usage=usage)
        yield b"data: [DONE]\n\n"

    def _event(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return b"data: " + json.dumps({"model": self.model, "choices": [choice], **more}).encode() + b"\n\n"


class OddGateway(StrangeEndpoint):
    """The Anthropic wire: no adaptive thinking, only a budget; no tools at all; pictures are taken and not looked at;
    a model's name is not looked at either; two reads of an answer are far apart."""

    path = "/v1/messages"
    model = "odd-7b"

    def wrong(self, body: dict[str, Any]) -> str:
        thinking = body.get("thinking", {}).get("type")
        checks = {
            "adaptive": thinking == "adaptive",
            "tools": "tools" in body,
            "output_config": "output_config" in body,
        }
        return next((name for name, is_wrong in checks.items() if is_wrong), "")

    def refusal(self, status: int, words: str) -> web.Response:
        return web.Response(text=f"<html><head><title>{words}</title></head></html>", status=status)

    async def events(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        yield self._event("message_start", message={"id": "m", "model": self.model, "usage": {"input_tokens": 5}})
        if "thinking" in body:
            yield self._event("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""})
            yield self._event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "Hm."})
            yield self._event("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "s"})
            yield self._event("content_block_stop", index=0)
        words = LONG.split() if is_wanted_long(body["messages"]) else ["It", "is", "blue."]
        stop = "end_turn"
        if body["max_tokens"] < len(words):
            words, stop = words[: body["max_tokens"]], "max_tokens"
        yield self._event("content_block_start", index=1, content_block={"type": "text", "text": ""})
        for word in words:
            yield self._event("content_block_delta", index=1, delta={"type": "text_delta", "text": f"{word} "})
            await asyncio.sleep(0.001)
        yield self._event("content_block_stop", index=1)
        yield self._event("message_delta", delta={"stop_reason": stop}, usage={"output_tokens": len(words)})
        yield self._event("message_stop")

    def _event(self, kind: str, **fields: Any) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
