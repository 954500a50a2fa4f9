"""Everything as one file: backups out and in, and exports of all projects (ST10, U13)."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import msgspec
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from talkfield.core.records import ProjectState
from talkfield.server.api import Answer, Nothing
from talkfield.server.config import ServerConfig
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, read
from talkfield.workspace.base import StudioLike

ZIP = "application/zip"
HEADERS = {
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "cache-control": "no-store",
}


class BackedUpProject(Answer, frozen=True, kw_only=True):
    """A project in a backup, and how many messages it has."""

    title: str
    state: ProjectState
    messages: int


class BackupContent(Answer, frozen=True, kw_only=True):
    """What a backup holds, and when it was made (epoch ms) by which Talkfield."""

    id: str
    at: int
    version: str
    projects: tuple[BackedUpProject, ...]
    attachments: int
    size_bytes: int


class DataFolderState(Answer, frozen=True, kw_only=True):
    """Where everything is, and how large. `setAside`: what was damaged or restored over, by its name in the folder.

    `restoring` takes its place when Talkfield next starts; what is here then moves to `restoringAside`.
    """

    folder: str
    database_bytes: int
    attachments: int
    attachment_bytes: int
    free_bytes: int
    set_aside: tuple[str, ...]
    restoring: BackupContent | None
    restoring_aside: str


class MadeFile(Answer, frozen=True, kw_only=True):
    """A file that waits to be fetched, once, from `/api/archives/{id}`."""

    id: str
    name: str


class ChosenBackup(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Which backup is meant: the one that was shown."""

    id: str


def data_operations(studio: StudioLike, config: ServerConfig) -> tuple[Operation, ...]:
    async def state(_request: Request) -> Response:
        return answer(msgspec.convert(await studio.data.state(), DataFolderState, from_attributes=True))

    async def back_up(request: Request) -> Response:
        await read(request, Nothing)
        return answer(msgspec.convert(await studio.data.back_up(), MadeFile, from_attributes=True), 201)

    async def export_all(request: Request) -> Response:
        await read(request, Nothing)
        return answer(msgspec.convert(await studio.data.export_all(), MadeFile, from_attributes=True), 201)

    async def fetch(request: Request) -> Response:
        name = request.path_params["archive"]
        path = Path(studio.data.fetch(name))
        disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        headers = {**HEADERS, "content-disposition": disposition}
        done = BackgroundTask(path.unlink, missing_ok=True)
        return FileResponse(path, headers=headers, media_type=ZIP, background=done)

    async def take_in(request: Request) -> Response:
        found = await studio.data.take_in(request.stream())
        return answer(msgspec.convert(found, BackupContent, from_attributes=True), 201)

    async def restore(request: Request) -> Response:
        await studio.data.restore((await read(request, ChosenBackup)).id)
        return await state(request)

    async def keep(request: Request) -> Response:
        await read(request, Nothing)
        await studio.data.keep()
        return await state(request)

    return (
        Operation(
            name="readDataFolder",
            method="GET",
            path="/api/data",
            about="Where everything is on this machine, how large it is, and whether a backup waits to be restored.",
            run=state,
            answer=DataFolderState,
            errors=(409,),
        ),
        Operation(
            name="makeBackup",
            method="POST",
            path="/api/backups",
            about="Make a backup of everything but keys, as of one moment. It is then fetched as an archive.",
            run=back_up,
            body=Nothing,
            answer=MadeFile,
            status=201,
            errors=(409, 507),
        ),
        Operation(
            name="exportEverything",
            method="POST",
            path="/api/exports",
            about="Make one archive with every project as JSON and as Markdown.",
            run=export_all,
            body=Nothing,
            answer=MadeFile,
            status=201,
            errors=(409, 507),
        ),
        Operation(
            name="fetchArchive",
            method="GET",
            path="/api/archives/{archive}",
            about="The backup or export that was made last, a zip archive. It is deleted here afterwards.",
            run=fetch,
            answer=bytes,
            errors=(404, 409),
        ),
        Operation(
            name="checkBackup",
            method="POST",
            path="/api/restores",
            about=(
                "What a backup holds: its bytes as the body, sent as `application/octet-stream`. It is checked and "
                "kept; nothing is restored before `/api/restores/confirm` names it."
            ),
            run=take_in,
            answer=BackupContent,
            status=201,
            takes_bytes=True,
            max_bytes=config.max_backup_bytes,
            errors=(409, 413, 415, 422, 507),
        ),
        Operation(
            name="confirmRestore",
            method="POST",
            path="/api/restores/confirm",
            about="Let the backup take the place of what is here when Talkfield next starts; what is here is kept.",
            run=restore,
            body=ChosenBackup,
            answer=DataFolderState,
            errors=(409, 507),
        ),
        Operation(
            name="dropRestore",
            method="POST",
            path="/api/restores/drop",
            about="Restore nothing after all, and delete the unpacked backup.",
            run=keep,
            body=Nothing,
            answer=DataFolderState,
            errors=(409,),
        ),
    )
