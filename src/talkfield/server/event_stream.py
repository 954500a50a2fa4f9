"""Server-sent events: a turn's chat events for a script, as they come (architecture, section 16, on 2).

Each has the kind as its `event`, the project's sequence number as its `id`, and the event in camelCase JSON as its
`data`; the last is `done`. A comment every 15 s keeps the connection open while a model thinks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from talkfield.core.events import ChatEvent, kind_of
from talkfield.errors import TalkfieldError
from talkfield.server.turn_watch import TurnWatch
from talkfield.server.visibility import visible_event

KEEP_ALIVE = b": keep-alive\n\n"

_encoder = msgspec.json.Encoder(decimal_format="string")


class EventStream(Response):
    """The answer of `send` to a script that wants events. Closes the watch, however it ends."""

    media_type = "text/event-stream"

    def __init__(self, watch: TurnWatch, *, keep_alive_s: float) -> None:
        super().__init__(None, 200, {"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.watch = watch
        self.keep_alive_s = keep_alive_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        telling = asyncio.ensure_future(self.tell(send))
        leaving = asyncio.ensure_future(until_gone(receive))
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await asyncio.wait({telling, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.watch.close()
            telling.cancel()
            leaving.cancel()
            await asyncio.gather(telling, leaving, return_exceptions=True)
        if telling.done() and not telling.cancelled() and telling.exception() is None:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def tell(self, send: Send) -> None:
        while self.watch.done is None:
            try:
                events = await asyncio.wait_for(self.watch.events(), self.keep_alive_s)
            except TimeoutError:
                await send({"type": "http.response.body", "body": KEEP_ALIVE, "more_body": True})
                continue
            except TalkfieldError:
                return  # the stream ends without `done`: the turn has not ended
            await send({"type": "http.response.body", "body": encoded(await self.durable(events)), "more_body": True})

    async def durable(self, events: list[ChatEvent]) -> list[ChatEvent]:
        """The events; the turn's end only once it is on the disk, and not when it cannot be (ST1)."""
        if self.watch.done is not None:
            try:
                await self.watch.session.durable()
            except TalkfieldError:
                return [event for event in events if event is not self.watch.done]
        return events


def encoded(events: Iterable[ChatEvent]) -> bytes:
    return b"".join(
        b"event: %s\nid: %d\ndata: %s\n\n" % (kind_of(event).encode(), event.seq, _encoder.encode(visible_event(event)))
        for event in events
    )


async def until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
