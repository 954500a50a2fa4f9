"""Finding a message by its words, in one project or in all of them (ST8). A project need not be open for it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.ids import MessageId, NodeId, ProjectId
from talkfield.server.api import Answer
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, number, project_id
from talkfield.workspace.base import FoundMessage, StudioLike

USUAL = 50
MOST = 200


class SearchHit(Answer, frozen=True, kw_only=True):
    """A message that has all the words that were looked for. `snippet` is a piece of it on one line."""

    project: ProjectId
    node: NodeId
    message: MessageId
    snippet: str


class SearchResults(Answer, frozen=True, kw_only=True):
    """Messages that were found, the best first."""

    hits: tuple[SearchHit, ...]


def hit_of(found: FoundMessage) -> SearchHit:
    return SearchHit(project=found.project, node=found.node, message=MessageId(found.message), snippet=found.snippet)


def search_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def results(request: Request, project: ProjectId | None) -> Response:
        limit = number(request, "limit", USUAL, MOST)
        found = await studio.search(request.query_params.get("q", ""), project, limit)
        return answer(SearchResults(hits=tuple(map(hit_of, found))))

    async def search(request: Request) -> Response:
        return await results(request, None)

    async def search_project(request: Request) -> Response:
        return await results(request, project_id(request))

    about = (
        "that contain all words of `q`, best first. Any text is a valid search; case and accents make no difference, "
        f"and the last word may be the beginning of one. `limit`: {USUAL} unless told, {MOST} at most."
    )
    return (
        Operation(
            name="search",
            method="GET",
            path="/api/search",
            about=f"Messages of all projects {about}",
            run=search,
            answer=SearchResults,
            query=("q", "limit"),
            errors=(409, 422),
        ),
        Operation(
            name="searchProject",
            method="GET",
            path="/api/projects/{project}/search",
            about=f"Messages of a project {about}",
            run=search_project,
            answer=SearchResults,
            query=("q", "limit"),
            errors=(404, 409, 422),
        ),
    )
