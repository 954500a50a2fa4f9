"""The HTTP API for scripts: what a person can do in the browser, in a few plain requests.

Every operation stands once, in `Api.operations`: the routes and the OpenAPI description are both made from that list.
All truth is the owner's; an operation decodes strictly, asks the owner, and says what became of it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.ids import NodeId
from talkfield.core.records import NodeRecord
from talkfield.core.shelf import ShelfItem
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.server import api
from talkfield.server.attachment_http import attachment_operations
from talkfield.server.budget_http import budget_operations
from talkfield.server.config import ServerConfig
from talkfield.server.data_http import data_operations
from talkfield.server.event_stream import EventStream
from talkfield.server.exchange_http import exchange_operations
from talkfield.server.file_http import file_operations
from talkfield.server.hub import Hub
from talkfield.server.launch import Launches
from talkfield.server.link_http import link_operations
from talkfield.server.openapi import describe
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, project_session, read
from talkfield.server.search_http import search_operations
from talkfield.server.together_http import together_operations
from talkfield.server.tool_http import tool_operations
from talkfield.server.turn_watch import TurnWatch
from talkfield.server.usage_http import usage_operations
from talkfield.server.visibility import visible_message
from talkfield.wire.client import AddNode, Command, DecideCall, Redo, StopTurn, Undo
from talkfield.workspace.base import Outcome, StudioLike

GAP = 40.0
"""Canvas pixels between a node that was given no place and what is there already."""


class Api:
    """The operations of one application."""

    def __init__(self, studio: StudioLike, config: ServerConfig, hub: Hub, launches: Launches) -> None:
        self.studio = studio
        self.config = config
        self.hub = hub
        self.launches = launches
        self.operations = self._operations()
        self._description = msgspec.json.encode(describe(self.operations, config.version))

    def _operations(self) -> tuple[Operation, ...]:
        turn_errors = (404, 409, 413, 422, 503, 507)
        return (
            Operation(
                name="readDescription",
                method="GET",
                path="/api/openapi.json",
                about="This description, as OpenAPI 3.1.",
                run=self.read_description,
                answer=dict[str, Any],
            ),
            Operation(
                name="readHealth",
                method="GET",
                path="/api/health",
                about="Whether the server is there, and its version. Needs no token.",
                run=self.read_health,
                answer=api.Health,
                open=True,
            ),
            Operation(
                name="listProjects",
                method="GET",
                path="/api/projects",
                about="All projects of this data folder.",
                run=self.list_projects,
                answer=api.ProjectList,
            ),
            Operation(
                name="addProject",
                method="POST",
                path="/api/projects",
                about="Start a new, empty project, or open the project of a folder.",
                run=self.add_project,
                body=api.NewProject,
                answer=api.Project,
                status=201,
                errors=(409, 413, 422),
            ),
            Operation(
                name="readProject",
                method="GET",
                path="/api/projects/{project}",
                about="One project and the nodes on its canvas.",
                run=self.read_project,
                answer=api.ProjectDetail,
                errors=(404, 409),
            ),
            Operation(
                name="addNode",
                method="POST",
                path="/api/projects/{project}/nodes",
                about="Put a new chat on the canvas.",
                run=self.add_node,
                body=api.NewNode,
                answer=NodeRecord,
                status=201,
                errors=(404, 409, 413, 422),
            ),
            Operation(
                name="listShelf",
                method="GET",
                path="/api/projects/{project}/shelf",
                about=(
                    "What was undone, cleared, deleted or replaced and had been paid for, newest first; with `q`, what "
                    "contains all its words. A hundred at most."
                ),
                run=self.list_shelf,
                answer=api.ShelfList,
                query=("q",),
                errors=(404, 409),
            ),
            Operation(
                name="readShelved",
                method="GET",
                path="/api/projects/{project}/shelf/{item}",
                about="Something on the shelf, with its messages.",
                run=self.read_shelved,
                answer=ShelfItem,
                errors=(404, 409),
            ),
            Operation(
                name="undo",
                method="POST",
                path="/api/projects/{project}/undo",
                about="Take back the last recorded change, for every client at once.",
                run=self.undo,
                body=api.Nothing,
                answer=api.Completed,
                errors=(404, 409, 422),
            ),
            Operation(
                name="redo",
                method="POST",
                path="/api/projects/{project}/redo",
                about="Bring back what was undone last.",
                run=self.redo,
                body=api.Nothing,
                answer=api.Completed,
                errors=(404, 409, 422),
            ),
            Operation(
                name="readNode",
                method="GET",
                path="/api/nodes/{node}",
                about="One node with its conversation, its tokens and its cost.",
                run=self.read_node,
                answer=api.NodeDetail,
                errors=(404, 409),
            ),
            Operation(
                name="send",
                method="POST",
                path="/api/nodes/{node}/send",
                about=(
                    "Say something in a chat and wait for the turn's end. With `Accept: text/event-stream`, the "
                    "turn's events as they come, the last being `done`. A script that leaves does not stop the turn."
                ),
                run=self.send,
                body=api.NewMessage,
                answer=api.TurnAnswer,
                errors=turn_errors,
                streams=True,
            ),
            Operation(
                name="stop",
                method="POST",
                path="/api/nodes/{node}/stop",
                about="End the chat's running reply; what came is kept. When none runs, nothing happens.",
                run=self.stop,
                body=api.Nothing,
                answer=api.Completed,
                errors=(404, 409, 422),
            ),
            Operation(
                name="approve",
                method="POST",
                path="/api/nodes/{node}/approve",
                about="Decide one awaiting tool call, possibly with edited arguments or a reason the model sees.",
                run=self.approve,
                body=api.Decision,
                answer=api.Completed,
                errors=(404, 409, 413, 422),
            ),
            *search_operations(self.studio),
            *usage_operations(self.studio),
            *exchange_operations(self.studio),
            *attachment_operations(self.studio),
            *data_operations(self.studio, self.config),
            *link_operations(self.studio),
            *file_operations(self.studio),
            *budget_operations(self.studio),
            *together_operations(self.studio),
            *tool_operations(self.studio),
            Operation(
                name="launch",
                method="POST",
                path="/api/launch",
                about="A new link that opens the web UI, once.",
                run=self.launch,
                body=api.Nothing,
                answer=api.Launch,
                errors=(422,),
            ),
        )

    async def read_description(self, _request: Request) -> Response:
        return Response(self._description, media_type="application/json")

    async def read_health(self, _request: Request) -> Response:
        return answer(api.Health(ok=True, version=self.config.version))

    async def list_projects(self, _request: Request) -> Response:
        return answer(api.ProjectList(projects=tuple(map(api.project_of, self.studio.projects()))))

    async def add_project(self, request: Request) -> Response:
        body = await read(request, api.NewProject)
        if body.folder is not None:
            if not os.path.isabs(body.folder):
                raise InvalidArgument("must be an absolute path", place="folder")
            if not await asyncio.to_thread(os.path.isdir, body.folder):
                raise InvalidArgument("there is no such folder", place="folder")
            if not body.title:
                return answer(api.project_of(await self.studio.open_folder(body.folder)), 201)
        return answer(api.project_of(await self.studio.add_project(body.title, body.folder)), 201)

    async def read_project(self, request: Request) -> Response:
        session = await project_session(request, self.studio)
        record = next((each for each in self.studio.projects() if each.project == session.project), None)
        if record is None:
            raise UnknownThing("There is no such project.")
        return answer(api.ProjectDetail(project=api.project_of(record), nodes=session.nodes(), seq=session.seq))

    async def add_node(self, request: Request) -> Response:
        body = await read(request, api.NewNode)
        session = await project_session(request, self.studio)
        free_x, free_y = free_place(session.nodes())
        outcome = await session.handle(
            AddNode(
                kind=body.kind,
                x=free_x if body.x is None else body.x,
                y=free_y if body.y is None else body.y,
                title=body.title,
                provider=body.provider,
                model=body.model,
                system=body.system,
            )
        )
        return answer(session.node(NodeId(outcome.made[0])).node, 201)

    async def list_shelf(self, request: Request) -> Response:
        session = await project_session(request, self.studio)
        entries = await session.shelf(request.query_params.get("q", ""))
        return answer(api.ShelfList(items=tuple(map(api.shelf_entry_of, entries))))

    async def read_shelved(self, request: Request) -> Response:
        session = await project_session(request, self.studio)
        item = await session.shelved(request.path_params["item"])
        return answer(replace(item, messages=tuple(map(visible_message, item.messages))))

    async def undo(self, request: Request) -> Response:
        await read(request, api.Nothing)
        return done(await (await project_session(request, self.studio)).handle(Undo()))

    async def redo(self, request: Request) -> Response:
        await read(request, api.Nothing)
        return done(await (await project_session(request, self.studio)).handle(Redo()))

    async def read_node(self, request: Request) -> Response:
        node = node_of(request)
        session = await self.studio.session_of(node)
        return answer(api.node_detail(session.node(node)))

    async def send(self, request: Request) -> Response:
        body = await read(request, api.NewMessage)
        node = node_of(request)
        watch = TurnWatch(await self.studio.session_of(node), node, self.hub)
        await watch.begin(body.text, body.when_full)
        if "text/event-stream" in request.headers.get("accept", ""):
            return EventStream(watch, keep_alive_s=self.config.keep_alive_s)
        try:
            end = await watch.end()
            return answer(
                api.TurnAnswer(
                    ok=end.reason != "error",
                    stop_reason=end.reason,
                    error=None if end.error is None else api.error_of(end.error),
                    messages=watch.messages(),
                )
            )
        finally:
            watch.close()

    async def stop(self, request: Request) -> Response:
        await read(request, api.Nothing)
        return await self._in_node(request, lambda node: StopTurn(node=node))

    async def approve(self, request: Request) -> Response:
        body = await read(request, api.Decision)
        return await self._in_node(
            request,
            lambda node: DecideCall(
                node=node,
                call=body.call,
                decision=body.decision,
                args_json=body.args_json,
                reason=body.reason,
                digest=body.digest,
                remember=body.remember,
            ),
        )

    async def launch(self, request: Request) -> Response:
        await read(request, api.Nothing)
        return answer(api.Launch(url=self.config.entrance(request.headers["host"], self.launches.mint())))

    async def _in_node(self, request: Request, command: Callable[[NodeId], Command]) -> Response:
        node = node_of(request)
        session = await self.studio.session_of(node)
        return done(await session.handle(command(node)))


def done(outcome: Outcome) -> Response:
    return answer(api.Completed(ok=True, seq=outcome.seq))


def node_of(request: Request) -> NodeId:
    return NodeId(request.path_params["node"])


def free_place(nodes: tuple[NodeRecord, ...]) -> tuple[float, float]:
    """To the right of everything, level with the topmost."""
    if not nodes:
        return 0.0, 0.0
    return max(node.x + node.width for node in nodes) + GAP, min(node.y for node in nodes)
