"""Files that go with messages: sent in as they are, given back so that a browser can do nothing but show or keep them.

An upload is no JSON, yet no form of another page can make one: its `Content-Type` has to be
`application/octet-stream`, which browsers send to others only after asking, and asking is never granted.
"""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.file_signature import shown_type
from talkfield.core.messages import Attachment
from talkfield.server.operation import BYTES, Operation
from talkfield.server.request_body import answer
from talkfield.workspace.base import StudioLike

SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What a browser may show: images of pixels. All else is only ever kept as a file (X3)."""

HEADERS = {
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "cache-control": "private, max-age=86400, immutable",
}


def attachment_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def upload(request: Request) -> Response:
        query = request.query_params
        kept = await studio.keep_file(query.get("name", ""), query.get("type", ""), await request.body())
        return answer(kept, 201)

    async def download(request: Request) -> Response:
        data = await studio.file(request.path_params["digest"])
        media_type = shown_type(data)
        shown = media_type in SHOWN
        name = request.query_params.get("name", "") or "file"
        place = "inline" if shown else "attachment"
        headers = {
            **HEADERS,
            "content-disposition": f"{place}; filename*=UTF-8''{quote(name, safe='', errors='replace')}",
        }
        return Response(data, headers=headers, media_type=media_type if shown else BYTES)

    return (
        Operation(
            name="upload",
            method="POST",
            path="/api/attachments",
            about=(
                "Keep a file that is to go with a message: its bytes as the body, sent as `application/octet-stream`; "
                "`name` and `type` (its media type) say what it is. The answer goes into `sendMessage` as it is. What "
                "no message names is deleted after a day, when Talkfield starts."
            ),
            run=upload,
            answer=Attachment,
            status=201,
            query=("name", "type"),
            takes_bytes=True,
            errors=(413, 415, 422, 507),
        ),
        Operation(
            name="download",
            method="GET",
            path="/api/attachments/{digest}",
            about="The bytes of an attachment. Images may be shown; all else is offered as a file called `name`.",
            run=download,
            answer=bytes,
            query=("name",),
            errors=(404, 409),
        ),
    )
