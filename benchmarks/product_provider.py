"""An OpenAI-compatible endpoint for `bench_product.py`: numbered words at a given pace, and when each was written.

A question that holds `say 150 words every 40 ms` is answered with ` w0q w1q …`; any other, and one that does not ask
for a stream, with one word. `GET /written` gives the wall-clock times, in milliseconds, of the words of the stream that
began last and was asked for so.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any

from aiohttp import web

MODEL = "bench-1"
ASKED = re.compile(r"say (\d+) words every (\d+) ms")


def question(words: int, every_ms: int) -> str:
    return f"say {words} words every {every_ms} ms"


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1764000000,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }
    return f"data: {json.dumps(body)}\n\n".encode()


class Endpoint:
    def __init__(self) -> None:
        self.written: list[float] = []

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        asked = ASKED.search(json.dumps(body["messages"][-1]))
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        if not body.get("stream"):
            message = {"role": "assistant", "content": "word"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1764000000, "model": MODEL}
            return web.json_response({**head, "choices": [choice], "usage": usage})
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(chunk({"role": "assistant", "content": ""}))
        words, every_ms = (int(asked[1]), int(asked[2])) if asked else (1, 0)
        written: list[float] = []
        if asked:  # some ask for a title or a summary, too
            self.written = written
        begun = time.monotonic()
        for number in range(words):
            await asyncio.sleep(max(0.0, begun + number * every_ms / 1e3 - time.monotonic()))
            written.append(time.time() * 1e3)
            await response.write(chunk({"content": f" w{number}q"}))
        await response.write(chunk({}, "stop"))
        await response.write(chunk({}, choices=[], usage=usage) + b"data: [DONE]\n\n")
        return response

    async def tell(self, _request: web.Request) -> web.Response:
        return web.json_response(self.written)

    async def models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "bench"}]})


def main() -> None:
    """Serves on a port of its own choice, which it prints."""

    async def serve() -> None:
        endpoint = Endpoint()
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/v1/chat/completions", endpoint.complete)
        application.router.add_get("/v1/models", endpoint.models)
        application.router.add_get("/written", endpoint.tell)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
