"""Chats and canvases out as files, and conversations of other chat tools in: read and shown, not added yet (U13)."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.exporting import FORMATS
from talkfield.core.ids import NodeId
from talkfield.errors import InvalidArgument
from talkfield.server.api import Answer
from talkfield.server.import_archive import conversations_in
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, project_session
from talkfield.workspace.base import SessionLike, StudioLike

HEADERS = {
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "cache-control": "no-store",
}


class ImportableConversation(Answer, frozen=True, kw_only=True):
    """A conversation of a file. `messages` counts those of its main path; `leftOut` branches beyond the bound."""

    title: str
    created_at: int
    messages: int
    branches: int
    left_out: int = 0


class ImportedFile(Answer, frozen=True, kw_only=True):
    """What a file holds; nothing of it has been added. `importConversations` names its conversations by their places.

    `leftOut` counts entries that are empty, no conversation, or beyond the bounds.
    """

    id: str
    source: str
    conversations: tuple[ImportableConversation, ...]
    left_out: int = 0


def exchange_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def export_project(request: Request) -> Response:
        session = await project_session(request, studio)
        title = next((each.title for each in studio.projects() if each.project == session.project), "")
        return await exported(request, session, tuple(node.id for node in session.nodes()), title)

    async def export_node(request: Request) -> Response:
        node = NodeId(request.path_params["node"])
        session = await studio.session_of(node)
        return await exported(request, session, (node,), session.node(node).node.title)

    async def preview(request: Request) -> Response:
        data = await asyncio.to_thread(conversations_in, await request.body())
        found = await studio.preview_import(data)
        return answer(msgspec.convert(found, ImportedFile, from_attributes=True), 201)

    about = (
        f"as a file; `format`: {', '.join(FORMATS)} (markdown unless told). HTML is self-contained and can do nothing."
    )
    return (
        Operation(
            name="exportProject",
            method="GET",
            path="/api/projects/{project}/export",
            about=f"A canvas with all its chats and notes {about}",
            run=export_project,
            answer=bytes,
            query=("format",),
            errors=(404, 409, 422),
        ),
        Operation(
            name="exportNode",
            method="GET",
            path="/api/nodes/{node}/export",
            about=f"One chat or note {about}",
            run=export_node,
            answer=bytes,
            query=("format",),
            errors=(404, 409, 422),
        ),
        Operation(
            name="previewImport",
            method="POST",
            path="/api/imports",
            about=(
                "What a ChatGPT or Claude data export (the archive, or its conversations.json), an export of Open "
                "WebUI or our own JSON holds: its bytes as the body, sent as `application/octet-stream`. Nothing is "
                "added."
            ),
            run=preview,
            answer=ImportedFile,
            status=201,
            takes_bytes=True,
            errors=(413, 415, 422),
        ),
    )


async def exported(request: Request, session: SessionLike, nodes: tuple[NodeId, ...], title: str) -> Response:
    name = request.query_params.get("format", "markdown")
    kind = FORMATS.get(name)
    if kind is None:
        raise InvalidArgument(f"has to be one of {', '.join(FORMATS)}", place="format")
    data = session.export(kind.name, nodes, title or "Talkfield")
    file_name = quote(f"{title or 'Talkfield'}.{kind.suffix}", safe="", errors="replace")
    headers = {**HEADERS, "content-disposition": f"attachment; filename*=UTF-8''{file_name}"}
    return Response(data, headers=headers, media_type=kind.media_type)
