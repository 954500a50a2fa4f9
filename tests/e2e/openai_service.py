"""A small OpenAI-compatible service on loopback, for tests that add a provider. It speaks the wire, and no more."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class OpenAiService:
    """`requests` are the bodies of the chat requests, `keys` what came as bearer. Another key than `key` is refused."""

    key: str
    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def openai_service(key: str) -> Iterator[OpenAiService]:
    service = OpenAiService(key=key)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.allowed():
                self.answer(200, {"object": "list", "data": [{"id": "parrot-1", "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.allowed():
                return
            service.requests.append(body)
            asked = [message for message in body["messages"] if message["role"] == "user"][-1]["content"]
            chunks: list[dict[str, Any]] = [
                {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "You said: "}}]},
                {"choices": [{"index": 0, "delta": {"content": str(asked)}, "finish_reason": "stop"}]},
                {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}},
            ]
            lines = [f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', **c})}\n\n" for c in chunks]
            data = "".join([*lines, "data: [DONE]\n\n"]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def allowed(self) -> bool:
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            service.keys.append(given)
            if given == service.key:
                return True
            self.answer(401, {"error": {"message": f"Incorrect API key provided: {given}", "code": "invalid_api_key"}})
            return False

        def answer(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet: what it was asked is in `requests`."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        service.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
