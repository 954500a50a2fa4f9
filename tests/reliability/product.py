"""The product in one process but for the command line: the HTTP server, its owner, SQLite on the disk, and a real
driver before a service that a test plays by hand. All of it goes over real sockets; the test moves the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from doubles import CountingIds, OneProvider, services
from providers.listening import DONE, KEY
from providers.listening import event as openai_event
from providers.provider_doubles import HandClock
from providers.raw_server import Answer, Peer, RawServer, serving
from server.server_doubles import Browser, running, settled
from talkfield.core.ids import NodeId, ProviderId
from talkfield.core.provider_api import APIS, Api
from talkfield.core.records import MessageRecord, RunRecord, ToolCallRecord, run_id
from talkfield.providers.anthropic import AnthropicDriver
from talkfield.providers.base import HttpDriver
from talkfield.providers.openai import OpenAiDriver
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.ports import ProviderConfig, Tool
from talkfield.storage.database import DatabaseStore
from talkfield.testing import strict_anthropic, strict_openai
from talkfield.tools.schema import check_arguments, load_validator
from talkfield.wire.client import AddNode, Command, SendMessage
from talkfield.wire.server import Ack
from talkfield.workspace.session import Session
from talkfield.workspace.studio import open_studio

__all__ = ["APIS", "Api", "Peer"]


class Endpoint(OneProvider):
    """A directory with one provider, which is asked by a real driver."""

    def __init__(self, driver: HttpDriver, config: ProviderConfig) -> None:
        super().__init__(driver)  # type: ignore[arg-type]
        self.config = config

    def resolve(self, provider: ProviderId | None) -> ProviderConfig:
        return self.config


@dataclass
class Product:
    """What a test has at hand. `service` keeps what it was sent."""

    service: RawServer
    session: Session
    clock: HandClock
    page: Browser
    asked: int = 0

    async def do(self, command: Command) -> Any:
        """The answer to what the page asks."""
        self.asked += 1
        await self.page.do(f"{self.asked}", command)
        (answer,) = await self.page.answers(1)
        return answer

    async def chat(self) -> NodeId:
        answer = await self.do(AddNode(kind="chat", x=0, y=0))
        return NodeId(answer.made[0])

    async def begin(self, text: str = "Hello", node: NodeId | None = None) -> NodeId:
        """Send something, in a new chat if none is named."""
        node = node or await self.chat()
        assert isinstance(await self.do(SendMessage(node=node, text=text)), Ack)
        return node

    async def until(self, condition: Any) -> None:
        """Follow what the page is told until it shows something."""
        while not condition():
            await self.page.follow(self.page.mirror.seq + 1)

    async def over(self, node: NodeId) -> MessageRecord:
        """The reply, once the page sees that nothing runs in the chat any more; then sending must be possible."""
        await self.until(lambda: self.run(node) is None and self.said(node))
        assert not self.session.is_busy(node)
        return self.said(node)[-1]

    async def over_after_tries(self, node: NodeId) -> MessageRecord:
        """The same, while the clock moves on to each next try."""

        def is_waiting() -> bool:
            run = self.run(node)
            return run is not None and run.retry_at is not None and run.retry_at > self.clock.now_ms()

        while True:
            await self.until(lambda: self.run(node) is None or is_waiting())
            run = self.run(node)
            if run is None or run.retry_at is None:
                return await self.over(node)
            await self.clock.advance((run.retry_at - self.clock.now_ms()) / 1000)

    def run(self, node: NodeId) -> RunRecord | None:
        record = self.page.mirror.records.get(run_id(node))
        assert record is None or isinstance(record, RunRecord)
        return record

    def said(self, node: NodeId, role: str = "assistant") -> list[MessageRecord]:
        """The messages of a role, in order, as the page has them."""
        records = [
            record
            for record in self.page.mirror.records.values()
            if isinstance(record, MessageRecord) and (record.node_id, record.role) == (node, role)
        ]
        return sorted(records, key=lambda record: record.index)

    def calls(self, node: NodeId) -> list[ToolCallRecord]:
        records = self.page.mirror.records.values()
        return [record for record in records if isinstance(record, ToolCallRecord) and record.node_id == node]


def driver_of(api: Api, clock: HandClock) -> HttpDriver:
    made = OpenAiDriver if api == "openai" else AnthropicDriver
    return made(clock, jitter=lambda: 0.5)


@asynccontextmanager
async def product(
    folder: Path, *answers: Answer, api: Api = "openai", tools: Sequence[Tool] = (), url: str = "", life: str = ""
) -> AsyncIterator[Product]:
    """`url` names another service than the one that plays `answers`; a second `life` on a folder is a new process."""
    clock = HandClock()
    driver = driver_of(api, clock)
    await asyncio.to_thread(load_validator)
    async with serving(*answers) as service:
        provider = ProviderConfig(
            id=ProviderId("p"), name="Service", api=api, base_url=url or service.url, key=KEY, model="m"
        )
        given = services(
            ScriptedDriver(),
            store=await asyncio.to_thread(DatabaseStore, folder / "talkfield.db"),
            directory=Endpoint(driver, provider),
            clock=clock,
            ids=CountingIds(life),
            tools=tools,
        )
        studio = await open_studio(replace(given, check_arguments=check_arguments), lambda: f"epoch{life}")
        async with running(studio) as server, server.browser() as page:
            await page.hello()
            yield Product(service, await studio.session(), clock, page)
        await driver.close()


# What a service says --------------------------------------------------------------------------------------------------


def named(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: ".encode() + msgspec.json.encode({"type": kind, **fields}) + b"\n\n"


def opening(api: Api) -> bytes:
    """What comes before the first words."""
    if api == "openai":
        return b""
    message = {"id": "m", "model": "m", "usage": {"input_tokens": 3}}
    return named("message_start", message=message) + named(
        "content_block_start", index=0, content_block={"type": "text", "text": ""}
    )


def delta(api: Api, text: str) -> bytes:
    if api == "openai":
        return openai_event(text)
    return named("content_block_delta", index=0, delta={"type": "text_delta", "text": text})


def ending(api: Api, reason: str = "") -> bytes:
    if api == "openai":
        return openai_event("", reason or "stop") + DONE
    return (
        named("content_block_stop", index=0)
        + named("message_delta", delta={"stop_reason": reason or "end_turn"}, usage={"output_tokens": 2})
        + named("message_stop")
    )


def calling(api: Api, name: str, args_json: str, *ids: str) -> bytes:
    """A whole answer that calls a tool, once for each id."""
    ids = ids or ("call_1",)
    if api == "openai":
        calls = [
            {"index": index, "id": wire_id, "type": "function", "function": {"name": name, "arguments": args_json}}
            for index, wire_id in enumerate(ids)
        ]
        body = {"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": None}]}
        return b"data: " + msgspec.json.encode(body) + b"\n\n" + ending(api, "tool_calls")
    blocks = [
        named("content_block_start", index=index, content_block={"type": "tool_use", "id": wire_id, "name": name})
        + named("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": args_json})
        + named("content_block_stop", index=index)
        for index, wire_id in enumerate(ids)
    ]
    message = {"id": "m", "model": "m", "usage": {"input_tokens": 3}}
    end = named("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 2})
    return named("message_start", message=message) + b"".join(blocks) + end + named("message_stop")


def failing(api: Api, message: str, kind: str = "overloaded_error") -> bytes:
    """An error in the place of an event."""
    error = {"type": kind, "message": message}
    if api == "openai":
        return b"data: " + msgspec.json.encode({"error": error}) + b"\n\n"
    return named("error", error=error)


def telling(*pieces: bytes) -> Answer:
    """A whole HTTP answer of these events."""

    async def answer(peer: Peer) -> None:
        await peer.events()
        for piece in filter(None, pieces):  # an empty chunk would be the end
            await peer.chunk(piece)
        await peer.last_chunk()

    return answer


def good(api: Api, text: str = "fine") -> Answer:
    return telling(opening(api) + delta(api, text) + ending(api))


class Changing:
    """Answers as `now` says, which a test may set anew for each of several chats of one product."""

    def __init__(self, now: Answer) -> None:
        self.now = now

    async def __call__(self, peer: Peer) -> None:
        await self.now(peer)


class InTurn:
    """Answers once with each of these; the last answers all that follow."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)

    async def __call__(self, peer: Peer) -> None:
        await (self._answers.pop(0) if len(self._answers) > 1 else self._answers[0])(peer)


def problems(api: Api, service: RawServer) -> list[str]:
    """What the strictest service of this wire would have refused in any of the requests."""
    checked = strict_openai if api == "openai" else strict_anthropic
    return [problem for received in service.received for problem in checked.problems_in(received.body)]


async def gone(peers: list[Peer]) -> None:
    """Wait until the product has closed its connection to the service."""
    await settled(lambda: peers != [])
    await peers[0].gone()
