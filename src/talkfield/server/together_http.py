"""What scripts can ask of several chats at once: one question for many models, and one chat about many replies (L4)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.events import ChatEvent, Done
from talkfield.core.ids import NodeId, ProviderId
from talkfield.core.messages import Message
from talkfield.server.api import Answer, Body
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, project_session, read
from talkfield.wire.client import FanOut, MergeNodes, Recipient, WhenFull
from talkfield.workspace.base import SessionLike, StudioLike


class FanOutAsk(Body, frozen=True, kw_only=True):
    """Ask several models the same, each in a new chat. With `node` each goes on from that chat, else they stand at
    (x, y), or below it where there is room.

    `wait`: the answer comes when all replies have ended. `whenFull`: what happens where it is more than a model can
    take in, `ask` being a refusal.
    """

    text: str
    models: tuple[Recipient, ...]
    node: NodeId | None = None
    x: float = 0
    y: float = 0
    when_full: WhenFull = "ask"
    wait: bool = False


class MergeAsk(Body, frozen=True, kw_only=True):
    """Ask about what several nodes said last, numbered in the order of `nodes`, in one new chat."""

    nodes: tuple[NodeId, ...]
    instruction: str
    title: str = ""
    provider: ProviderId | None = None
    model: str | None = None
    when_full: WhenFull = "ask"
    wait: bool = False


class MadeChat(Answer, frozen=True, kw_only=True):
    """A chat that was made, and its reply so far. `error` is why that is not whole."""

    id: NodeId
    title: str
    running: bool
    reply: str = ""
    error: str = ""


class MadeChats(Answer, frozen=True, kw_only=True):
    """The chats that were made, in the order that was asked for."""

    chats: tuple[MadeChat, ...]


def made_chat(session: SessionLike, node: NodeId) -> MadeChat:
    view = session.node(node)
    said = [message for message in view.messages if message.role == "assistant"]
    last = said[-1] if said else None
    return MadeChat(
        id=node,
        title=view.node.title,
        running=view.running,
        reply=last.content if last is not None else "",
        error="" if last is None or view.running else why_not_whole(last),
    )


def why_not_whole(reply: Message) -> str:
    """Why a reply that has ended did not come to its end; empty where it did."""
    if reply.error is not None:
        return reply.error.message
    return "The reply was stopped." if reply.stopped else ""


async def all_ended(session: SessionLike, nodes: Iterable[NodeId]) -> None:
    """Return when none of the chats has a run any more. A caller that leaves stops none."""
    ended = asyncio.Event()

    def listen(event: ChatEvent) -> None:
        if isinstance(event, Done):
            ended.set()

    wanted = tuple(nodes)
    ends = [session.listen(node, listen) for node in wanted]
    try:
        while any(session.is_busy(node) for node in wanted):
            await ended.wait()
            ended.clear()
    finally:
        for end in ends:
            end()


def together_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def ask(session: SessionLike, command: FanOut | MergeNodes, wait: bool) -> Response:
        made = tuple(map(NodeId, (await session.handle(command)).made))
        if wait:
            await all_ended(session, made)
        return answer(MadeChats(chats=tuple(made_chat(session, node) for node in made)), 201)

    async def fan_out(request: Request) -> Response:
        body = await read(request, FanOutAsk)
        session = await project_session(request, studio)
        command = FanOut(
            text=body.text, models=body.models, node=body.node, x=body.x, y=body.y, when_full=body.when_full
        )
        return await ask(session, command, body.wait)

    async def merge(request: Request) -> Response:
        body = await read(request, MergeAsk)
        command = MergeNodes(
            nodes=body.nodes,
            instruction=body.instruction,
            title=body.title,
            provider=body.provider,
            model=body.model,
            when_full=body.when_full,
        )
        return await ask(await project_session(request, studio), command, body.wait)

    return (
        Operation(
            name="fanOut",
            method="POST",
            path="/api/projects/{project}/fan-out",
            about="Ask several models the same at once, each in a new chat: one undo entry with all replies.",
            run=fan_out,
            body=FanOutAsk,
            answer=MadeChats,
            status=201,
            errors=(404, 409, 413, 422, 503, 507),
        ),
        Operation(
            name="merge",
            method="POST",
            path="/api/projects/{project}/merge",
            about="Ask about what several nodes said last, numbered and titled, in one new chat.",
            run=merge,
            body=MergeAsk,
            answer=MadeChats,
            status=201,
            errors=(404, 409, 413, 422, 503, 507),
        ),
    )
