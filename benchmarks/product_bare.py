"""The least that does the work of `bench_product.py`: a page that asks a server, which hands on what the endpoint says.

No store, no history, no Markdown, one chat: the floor below all that are measured. `product_bare.py PORT ENDPOINT`.
"""

from __future__ import annotations

import json
import sys

from aiohttp import ClientSession, web

PAGE = """<!doctype html><meta charset="utf-8"><title>bare</title><textarea id="say"></textarea><div id="reply"></div>
<script>
const say = document.getElementById("say"), reply = document.getElementById("reply");
say.addEventListener("keydown", async (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const answer = await fetch("/ask", { method: "POST", body: say.value });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) reply.append(read.value);
});
fetch("/history").then((answer) => answer.json()).then((messages) => {
  for (const message of messages) {
    const paragraph = document.createElement("p");
    paragraph.textContent = message;
    document.body.append(paragraph);
  }
});
</script>"""


async def ask(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/plain; charset=utf-8"})
    await response.prepare(request)
    messages = [{"role": "user", "content": await request.text()}]
    body = {"model": "bench-1", "stream": True, "messages": messages}
    async with ClientSession() as http, http.post(f"{sys.argv[2]}/chat/completions", json=body) as answer:
        async for line in answer.content:
            if line.startswith(b"data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    if word := choice["delta"].get("content"):
                        await response.write(word.encode())
    return response


async def page(_request: web.Request) -> web.Response:
    return web.Response(text=PAGE, content_type="text/html")


async def history(_request: web.Request) -> web.StreamResponse:
    """What the third argument names, a JSON file of texts."""
    return web.FileResponse(sys.argv[3]) if len(sys.argv) > 3 else web.json_response([])


def main() -> None:
    application = web.Application()
    application.router.add_get("/", page)
    application.router.add_get("/history", history)
    application.router.add_post("/ask", ask)
    web.run_app(application, host="127.0.0.1", port=int(sys.argv[1]), print=None)


if __name__ == "__main__":
    main()
