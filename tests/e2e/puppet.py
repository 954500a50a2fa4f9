"""A page whose server a test speaks for: replies come exactly as the test says, frame by frame.

The real server says hello; from `take_over` on, what it says is held back and the test's frames go in its place.
"""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

from e2e.canvas_page import ChatNode


class Puppet:
    """Made before the page is opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._socket: WebSocketRoute | None = None
        self._seq = 0
        self._taken_over = False
        page.route_web_socket(re.compile(r"/api/channel"), self._open)

    def _open(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        server = socket.connect_to_server()

        def from_server(message: str | bytes) -> None:
            told = json.loads(message)
            if told["type"] in ("welcome", "frames"):
                if self._taken_over:
                    return
                self._seq = told["seq"] if told["type"] == "welcome" else told["frames"][-1]["seq"]
            socket.send(message)

        server.on_message(from_server)
        socket.on_message(server.send)

    def take_over(self) -> None:
        self._taken_over = True

    def put(self, *records: dict[str, Any]) -> None:
        self._tell([{"op": "put", "value": record} for record in records])

    def append(self, pieces: dict[str, str]) -> None:
        """Let messages grow, by id."""
        self._tell([{"op": "append", "id": each, "field": "content", "text": text} for each, text in pieces.items()])

    def _tell(self, changes: list[dict[str, Any]]) -> None:
        assert self._socket is not None
        self._seq += 1
        frame = {"seq": self._seq, "cause": "test", "changes": changes}
        self._socket.send(json.dumps({"type": "frames", "frames": [frame]}))

    def drawn(self) -> None:
        """Waits until what was told is on the screen."""
        self._page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def reply(chat: ChatNode, number: int, **fields: Any) -> dict[str, Any]:
    """A message of a model, for `put`; it is called `puppet-<number>`."""
    record = {"record": "message", "id": f"puppet-{number}", "nodeId": chat.id, "index": 1000 + number, "ts": 1}
    return {**record, "role": "assistant", "content": "", **fields}
