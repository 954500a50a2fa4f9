"""Which files a project's folder has: for choosing one to put on the canvas."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from talkfield.server.api import Answer
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, project_session
from talkfield.workspace.base import StudioLike


class ProjectFiles(Answer, frozen=True, kw_only=True):
    """Paths below the project's folder."""

    files: tuple[str, ...]


def file_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def project_files(request: Request) -> Response:
        session = await project_session(request, studio)
        return answer(ProjectFiles(files=await session.project_files(request.query_params.get("like", ""))))

    return (
        Operation(
            name="projectFiles",
            method="GET",
            path="/api/projects/{project}/files",
            about=(
                "Files of the project's folder whose path holds `like`, the first 50. What `.gitignore` leaves out and "
                "what usually holds secrets is not among them."
            ),
            run=project_files,
            answer=ProjectFiles,
            query=("like",),
            errors=(404, 409, 422),
        ),
    )
