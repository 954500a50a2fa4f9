"""What scripts can ask about links: which there are, how one stands, and to let it run (L1, L3)."""

from __future__ import annotations

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.ids import EdgeId, NodeId, ProviderId
from talkfield.core.links import LinkBehavior
from talkfield.core.records import LinkState
from talkfield.server.api import Answer, Body
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, project_session, read
from talkfield.server.together_http import all_ended
from talkfield.wire.client import RunLink, SummarizeLink
from talkfield.workspace.base import LinkView, StudioLike


class LinkRun(Body, frozen=True, kw_only=True):
    """Let it deliver. A link that writes has to be allowed once: `allow` is what it does, as `append notes.md`."""

    allow: str = ""


class Link(Answer, frozen=True, kw_only=True):
    """A link from one node to another (L1). `state` says how what it delivered stands to what its source says now.

    `error` is why its last run failed, `outcome` what became of it; `ran_at` is epoch milliseconds, 0 before the first.
    `tokens` is our estimate of what it would deliver now.
    """

    id: EdgeId
    source: NodeId
    target: NodeId
    behavior: LinkBehavior | None
    state: LinkState
    tokens: int
    title: str = ""
    source_title: str = ""
    target_title: str = ""
    automatic: bool = False
    pinned: bool = False
    ran_at: int = 0
    outcome: str = ""
    error: str = ""


class LinkSummaryAsk(Body, frozen=True, kw_only=True):
    """Let a model sum up what the link's source says; without one, the default. `wait`: the answer has the summary."""

    provider: ProviderId | None = None
    model: str | None = None
    wait: bool = False


class LinkSummaryMade(Answer, frozen=True, kw_only=True):
    """The chat that writes a link's summary, and what it says: empty while it runs. `cost` in words.

    `error` is why it did not come to its end.
    """

    chat: NodeId
    running: bool
    text: str = ""
    cost: str = ""
    error: str = ""


class LinkList(Answer, frozen=True, kw_only=True):
    """The links of a project."""

    links: tuple[Link, ...]


class LinkDetail(Answer, frozen=True, kw_only=True):
    """A link, and how what it added differs from what it would add now: a unified diff, empty where it does not."""

    link: Link
    diff: str


def link_of(view: LinkView) -> Link:
    """The fields of all that is known of a link, by their names; its id is the edge's."""
    parts = (view, view.status, view.memory, view.edge)
    names = Link.__struct_fields__
    return Link(**{name: getattr(part, name) for part in parts for name in names if hasattr(part, name)})


def link_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def list_links(request: Request) -> Response:
        session = await project_session(request, studio)
        return answer(LinkList(links=tuple(map(link_of, session.link_views()))))

    async def read_link(request: Request) -> Response:
        session = await project_session(request, studio)
        edge = EdgeId(request.path_params["link"])
        return answer(LinkDetail(link=link_of(session.link_view(edge)), diff=session.link_diff(edge)))

    async def run_link(request: Request) -> Response:
        body = await read(request, LinkRun)
        session = await project_session(request, studio)
        edge = EdgeId(request.path_params["link"])
        await session.handle(RunLink(edge=edge, allow=body.allow))
        return answer(link_of(session.link_view(edge)))

    async def summarize_link(request: Request) -> Response:
        body = await read(request, LinkSummaryAsk)
        session = await project_session(request, studio)
        edge = EdgeId(request.path_params["link"])
        made = await session.handle(SummarizeLink(edge=edge, provider=body.provider, model=body.model))
        (chat,) = map(NodeId, made.made)
        if body.wait:
            await all_ended(session, [chat])
        memory = session.link_view(edge).memory
        made_now = LinkSummaryMade(chat=chat, running=session.is_busy(chat))
        if memory is not None and not made_now.running:
            made_now = replace(made_now, error=memory.error)
            if memory.summary is not None and not memory.error:
                made_now = replace(made_now, text=memory.summary.text, cost=memory.summary.cost)
        return answer(made_now, 201)

    return (
        Operation(
            name="listLinks",
            method="GET",
            path="/api/projects/{project}/links",
            about="The links of a project: what each does, how it stands, and how its last run went.",
            run=list_links,
            answer=LinkList,
            errors=(404, 409),
        ),
        Operation(
            name="readLink",
            method="GET",
            path="/api/projects/{project}/links/{link}",
            about="One link, and how what it added differs from what it would add now.",
            run=read_link,
            answer=LinkDetail,
            errors=(404, 409),
        ),
        Operation(
            name="runLink",
            method="POST",
            path="/api/projects/{project}/links/{link}/run",
            about="Let a link deliver now. What it delivered before is replaced; a run that fails says so in `error`.",
            run=run_link,
            body=LinkRun,
            answer=Link,
            errors=(404, 409, 413, 422),
        ),
        Operation(
            name="summarizeLink",
            method="POST",
            path="/api/projects/{project}/links/{link}/summary",
            about="Let a model make the summary that a link delivers, in a chat of its own. It is never made unasked.",
            run=summarize_link,
            body=LinkSummaryAsk,
            answer=LinkSummaryMade,
            status=201,
            errors=(404, 409, 413, 422, 503, 507),
        ),
    )
