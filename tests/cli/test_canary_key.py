"""D15, X2: a key that an endpoint echoes in every header, body and error is seen nowhere: not by browsers and scripts,
not in logs, files, records or the terminal.

The whole product runs as a process of its own, with a stored key and one from the environment, and is told both back.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from cli.terminal import Open, opened, run
from providers.strange_endpoints import StrangeEndpoint, text_in
from talkfield.core.provider_api import Api
from talkfield.providers.recorded_call import decode_record

STORED = "sk-canary-1c8e60ab7f2d4953ee01"
GIVEN = "canary/5f3e9a17+c0d24b68=.90ab"


class Echo(StrangeEndpoint):
    """Says the key that it was sent, wherever something can be said, in the way that the question names."""

    path = "/v1/{call:chat/completions|messages}"

    async def models(self, request: web.Request) -> web.Response:
        key = key_of(request)
        entries = [{"id": self.model, "name": f"Model of {key}", "owned_by": key}]
        return web.json_response({"data": entries, "object": key}, headers=echoing(key))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.received.append(body)
        key = key_of(request)
        case = text_in(body["messages"][-1]["content"])
        if (refusal := refused(case, key)) is not None:
            return refusal
        response = web.StreamResponse(headers={"content-type": "text/event-stream", **echoing(key)})
        await response.prepare(request)
        is_openai = request.match_info["call"] == "chat/completions"
        for piece in openai_stream(case, key) if is_openai else anthropic_stream(case, key):
            await response.write(piece)
        if case == "cut" and request.transport is not None:
            request.transport.abort()
        return response


def key_of(request: web.Request) -> str:
    return request.headers.get("x-api-key") or request.headers["authorization"].removeprefix("Bearer ")


def echoing(key: str) -> dict[str, str]:
    names = ("x-echo", "set-cookie", "server", "via", "x-request-id", "www-authenticate", "retry-after-ms", "etag")
    return dict.fromkeys(names, f"k={key}")


def refused(case: str, key: str) -> web.Response | None:
    head = echoing(key)
    error = {"message": f"the key {key} is bad", "type": key, "code": key, "param": key}
    match case:
        case "json error":
            return web.json_response({"error": error, "detail": key}, status=400, headers=head)
        case "escaped error":
            text = json.dumps({"error": {"message": f"no {key}"}}).replace("/", "\\/").replace("c", "\\u0063")
            return web.Response(text=text, status=400, headers=head)
        case "validator":
            return web.json_response({"detail": [{"loc": ["header", key], "msg": key}]}, status=422, headers=head)
        case "page":
            return web.Response(text=f"<html><title>{key}</title>{key}</html>", status=403, headers=head)
        case "text":
            return web.Response(text=f"{key[:9]}*****{key[-4:]} and {key[:12]}...", status=400, headers=head)
        case "redirect":
            return web.Response(status=302, headers={**head, "location": f"https://x.example/{key}?key={key}"})
        case "limit":
            return web.json_response({"error": error}, status=429, headers={**head, "retry-after": "0"})
        case "credit":
            return web.json_response({"error": f"insufficient_quota for {key}"}, status=402, headers=head)
        case "plain":
            return web.Response(text=f"hello {key}", headers=head)
    return None


def sse(value: Any, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(value).encode() + b"\n\n"


def openai_stream(case: str, key: str) -> Iterator[bytes]:
    extra = {"id": key, "model": key, "system_fingerprint": key, "x_debug": {"authorization": f"Bearer {key}"}}

    def delta(finish: str | None = None, **fields: Any) -> bytes:
        choice = {"index": 0, "delta": {**fields, "debug": key}, "finish_reason": finish, "logprobs": key}
        return sse({"choices": [choice], **extra})

    yield f": {key}\nid: {key}\nretry: {key}\nx-key: {key}\n\n".encode()
    yield delta(content="Hello. ")
    match case:
        case "in the stream":
            yield sse({"error": {"message": f"lost {key}", "code": key}})
        case "garbled":
            yield f"data: {{oops {key}\n\n".encode()
        case "cut":
            yield f'data: {{"choices": [], "x": "{key}'.encode()
        case "refusal":
            yield delta("stop", refusal=f"Not with {key}.")
        case "odd finish":
            yield delta(key)
        case _:
            yield delta("stop")
            yield sse({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "of": key}, **extra})
            yield b"data: [DONE]\n\n"


def anthropic_stream(case: str, key: str) -> Iterator[bytes]:
    message = {"id": key, "model": key, "usage": {"input_tokens": 3, "service_tier": key}, "container": key}
    yield f": {key}\nid: {key}\n\n".encode()
    yield sse({"type": "message_start", "message": message}, "message_start")
    yield sse({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    yield sse({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello. "}})
    match case:
        case "in the stream":
            yield sse({"type": "error", "error": {"type": key, "message": f"lost {key}"}}, "error")
        case "garbled":
            yield f"data: {{oops {key}\n\n".encode()
        case "cut":
            yield f'data: {{"type": "ping", "x": "{key}'.encode()
        case "refusal":
            details = {"explanation": f"Not with {key}."}
            yield sse({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}})
            yield sse({"type": "message_stop"})
        case "odd finish":
            yield sse({"type": "message_delta", "delta": {"stop_reason": key}})
            yield sse({"type": "message_stop"})
        case _:
            yield sse({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}})
            yield sse({"type": "message_stop", "x": key})


REFUSED = ("json error", "escaped error", "validator", "page", "text", "redirect", "limit", "credit", "plain")
CASES = (*REFUSED, "in the stream", "garbled", "cut", "refusal", "odd finish", "a whole answer")


class Browser:
    """A client of the channel that keeps all that it is sent."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.seen: list[str] = []
        self._socket = socket
        self._number = 0

    async def begin(self) -> None:
        await self._socket.send_str('{"type":"hello","protocol":1}')
        await self.until("welcome")

    async def do(self, **command: Any) -> dict[str, Any]:
        self._number += 1
        identity = f"c{self._number}"
        await self._socket.send_str(json.dumps({"type": "do", "id": identity, "command": command}))
        return await self.until("ack", identity)

    async def until(self, kind: str, identity: str = "") -> dict[str, Any]:
        async with asyncio.timeout(60):
            while True:
                text = (await self._socket.receive()).data
                self.seen.append(str(text))
                value = json.loads(text)
                assert value["type"] != "rejected", value
                if value["type"] == kind and value.get("id", "") == identity:
                    return dict(value)


async def converse(canvas: Open, token: str, server: StrangeEndpoint) -> tuple[list[str], dict[str, Any]]:
    """Everything that browsers and scripts are told in a chat with each provider; what each send came to."""
    seen: list[str] = []
    ends: dict[str, Any] = {}
    headers = {"authorization": f"Bearer {token}"}
    async with (
        aiohttp.ClientSession(canvas.url, headers=headers) as http,
        http.ws_connect("/api/channel") as socket,
    ):
        browser = Browser(socket)
        await browser.begin()
        fields = {"name": "Stored", "api": "openai", "baseUrl": server.url, "model": "m-1", "key": STORED}
        await browser.do(do="saveProvider", **fields)
        for provider in ("stored", "given"):
            await browser.do(do="refreshProvider", provider=provider)
            await browser.do(do="changeSettings", defaultProvider=provider)
            async with http.get("/api/projects") as answer:
                project = (await answer.json())["projects"][0]["id"]
            for case in CASES:
                async with http.post(f"/api/projects/{project}/nodes", json={}) as answer:
                    node = (await answer.json())["id"]
                async with http.post(f"/api/nodes/{node}/send", json={"text": case}) as answer:
                    seen.append(await answer.text())
                    ends[f"{provider}: {case}"] = json.loads(seen[-1])
                async with http.get(f"/api/nodes/{node}") as answer:
                    seen.append(await answer.text())
        await browser.do(do="refreshProvider", provider="stored")
        seen += browser.seen
    return seen, ends


def forms(key: str) -> Iterator[str]:
    """What must not be found: the key, and either end of it, also as JSON may write it."""
    for part in (key, key[:10], key[-10:]):
        yield part
        yield part.replace("/", "\\/")


def leaks(text: str) -> list[str]:
    return [form for key in (STORED, GIVEN) for form in forms(key) if form in text]


@contextmanager
def endpoint() -> Iterator[StrangeEndpoint]:
    with Echo().serving_in_a_thread() as server:
        yield server


def test_check_45_D15_X2_a_key_that_is_echoed_everywhere_is_seen_nowhere(own_home: Path, tmp_path: Path) -> None:
    records, project = tmp_path / "records", tmp_path / "project"
    project.mkdir()
    with endpoint() as server:
        variables = {
            "TALKFIELD_SCRIPTED": "0",
            "TALKFIELD_DEBUG": "1",
            "TALKFIELD_RECORD": str(records),
            "TALKFIELD_PROVIDER_KEY_GIVEN": GIVEN,
            "TALKFIELD_PROVIDER_URL_GIVEN": server.url,
            "TALKFIELD_PROVIDER_API_GIVEN": "anthropic",
            "TALKFIELD_PROVIDER_MODEL_GIVEN": "m-1",
        }
        with opened(own_home, str(project), "--port", "0", **variables) as canvas:
            token = (own_home / "api-token").read_text().strip()
            seen, ends = asyncio.run(converse(canvas, token, server))
            ended = canvas.stop()
        asked = run(own_home, "ask", "json error", "-p", "given", "-m", "m-1", limit_s=30, **variables)
        told = run(own_home, "doctor", limit_s=30, **variables)

    for name, end in ends.items():
        assert end["ok"] == (name.partition(": ")[2] in ("refusal", "odd finish", "a whole answer")), (name, end)
    assert "[key]" in ends["stored: json error"]["error"]["message"]
    assert asked.status == 1
    assert "[key]" in asked.err

    assert leaks("\n".join(seen)) == []
    for process in (ended, asked, told):
        assert leaks(process.out + process.err) == []
    kept = [path for folder in (own_home, project, records) for path in folder.rglob("*") if path.is_file()]
    found = {path.name: leaks(path.read_bytes().decode("latin-1")) for path in kept if path.name != "keys.json"}
    assert {name: parts for name, parts in found.items() if parts} == {}
    assert {"talkfield.db", "settings.json", "talkfield.json"} <= found.keys()
    assert STORED in (own_home / "keys.json").read_text()
    assert GIVEN not in (own_home / "keys.json").read_text()

    written = [decode_record(path.read_bytes()) for path in sorted(records.iterdir())]
    assert len(written) == len(server.received)
    wires: set[Api] = {record.api for record in written}
    assert wires == {"openai", "anthropic"}
