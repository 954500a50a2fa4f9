"""What scripts can ask about tools: what a rule would have decided, and what ran."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any, get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from talkfield.core.audit import AuditEntry, AuditOutcome, AuditQuery
from talkfield.core.ids import CallId, NodeId, ProjectId
from talkfield.core.messages import CallStatus
from talkfield.core.rule import RuleAction, RuleKind
from talkfield.core.visible import visible_line, visible_text
from talkfield.errors import InvalidArgument
from talkfield.server.api import Answer, Body
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, number, project_session, read
from talkfield.wire.client import SaveRule
from talkfield.workspace.base import SessionLike, StudioLike, Visit


class RuleDescription(Body, frozen=True, kw_only=True):
    """A rule to try (T7): nothing of it is kept. `node` None: for the whole project. `call`: one that is at hand."""

    action: RuleAction
    tool: str
    kind: RuleKind
    pattern: str = ""
    node: NodeId | None = None
    call: CallId | None = None


class TriedCall(Answer, frozen=True, kw_only=True):
    """A call that was made, and whether the rule would have decided it. `summary` is its arguments, shortened.

    `asked`: the rule is about it, but such a call is asked about each time.
    """

    call: CallId
    node: NodeId
    at: int
    status: CallStatus
    matched: bool
    summary: str
    asked: bool = False


class RuleTrial(Answer, frozen=True, kw_only=True):
    """A rule in `words`, the last 100 calls of its tool, newest first, and how many of them it would have decided.

    `fits`: whether it would answer for the call at hand; None: none was named.
    """

    words: str
    matched: int
    calls: tuple[TriedCall, ...]
    fits: bool | None = None


class AuditPage(Answer, frozen=True, kw_only=True):
    """Tool calls in the order in which they began (T8). `next`: where to go on (`?after=`), None at the end."""

    calls: tuple[AuditEntry, ...]
    next: int | None = None


class RecentCall(Answer, frozen=True, kw_only=True):
    """A tool call of the audit log as visible text (T8): what cannot be seen in its arguments is written out."""

    call: CallId
    node: NodeId
    tool: str
    arguments: str
    decision: str
    at: int
    outcome: AuditOutcome
    source: str = ""
    duration_ms: int | None = None


class RecentCalls(Answer, frozen=True, kw_only=True):
    """Tool calls that fit, the one that began last first. `next`: where to go on (`?before=`), None at the end."""

    calls: tuple[RecentCall, ...]
    next: int | None = None


class VisitorCall(Body, frozen=True, kw_only=True):
    """What a program outside wants to do: in a chat, named by `node`, or in a `project`. It waits `wait_s` at most."""

    tool: str
    arguments: dict[str, Any]
    project: ProjectId | None = None
    node: NodeId | None = None
    wait_s: float = 600.0


class VisitorAnswer(Answer, frozen=True, kw_only=True):
    """Whether it may be done, and with which arguments: a person may have changed them. `why` not."""

    allowed: bool
    arguments: dict[str, Any]
    why: str = ""


VISITOR_TOOLS = frozenset({"talkfield__add_node", "talkfield__send_message"})
MOST_WAIT_S = 3600.0

PAGE = 1000
RECENT_PAGE = 50
LINES = "application/x-ndjson"
AS_FILE = {"content-disposition": 'attachment; filename="audit.jsonl"'}
OUTCOMES: tuple[AuditOutcome, ...] = get_args(AuditOutcome)


async def audit_lines(session: SessionLike, after: int) -> AsyncIterator[bytes]:
    """Every entry as a line of JSON, read page by page: the log may be long."""
    while page := await session.audit(after, PAGE):
        yield b"".join(msgspec.json.encode(line.entry) + b"\n" for line in page)
        after = page[-1].row


async def while_connected(request: Request, work: Coroutine[Any, Any, Visit]) -> Visit:
    """What the work comes to. It is cancelled when who asked has left; then nobody reads the answer."""
    asking = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait([asking, leaving], return_when=asyncio.FIRST_COMPLETED)
        return await asking if asking.done() else Visit(allowed=False, args_json="", why="who asked has left")
    finally:
        for task in (asking, leaving):
            task.cancel()
        await asyncio.wait([asking, leaving])


def query_of(request: Request) -> AuditQuery:
    """What the address asks for. Raises `InvalidArgument`."""
    given = request.query_params
    outcome = given.get("outcome") or None
    if outcome is not None and outcome not in OUTCOMES:
        raise InvalidArgument(f"must be one of {', '.join(OUTCOMES)}", place="outcome")
    return AuditQuery(
        before=number(request, "before", 0, 2**53) or None,
        tool=given.get("tool") or None,
        node=NodeId(given["node"]) if given.get("node") else None,
        outcome=outcome,
        words=given.get("words", ""),
        limit=max(1, number(request, "limit", RECENT_PAGE, PAGE)),
    )


def recent_call(entry: AuditEntry) -> RecentCall:
    return RecentCall(
        call=entry.call,
        node=entry.node,
        tool=visible_line(entry.tool),
        arguments=visible_text(entry.args_json),
        decision=visible_line(entry.decision),
        at=entry.at,
        outcome=entry.outcome,
        source=visible_line(entry.source),
        duration_ms=entry.duration_ms,
    )


def tool_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def try_rule(request: Request) -> Response:
        body = await read(request, RuleDescription)
        session = await project_session(request, studio)
        rule = SaveRule(action=body.action, tool=body.tool, kind=body.kind, pattern=body.pattern, node=body.node)
        trial = await session.try_rule(rule, body.call)
        calls = msgspec.convert(trial.calls, tuple[TriedCall, ...], from_attributes=True)
        decided = sum(call.matched and not call.asked for call in calls)
        return answer(RuleTrial(words=trial.words, matched=decided, calls=calls, fits=trial.fits))

    async def read_audit(request: Request) -> Response:
        session = await project_session(request, studio)
        after, limit = number(request, "after", 0, 2**53), number(request, "limit", PAGE, PAGE)
        if LINES in request.headers.get("accept", "") or request.query_params.get("lines") == "1":
            return StreamingResponse(audit_lines(session, after), media_type=LINES, headers=AS_FILE)
        page = await session.audit(after, limit)
        more = page[-1].row if len(page) == limit and page else None
        return answer(AuditPage(calls=tuple(line.entry for line in page), next=more))

    async def read_recent(request: Request) -> Response:
        session = await project_session(request, studio)
        query = query_of(request)
        page = await session.recent_audit(query)
        more = page[-1].row if page and len(page) == query.limit else None
        return answer(RecentCalls(calls=tuple(recent_call(line.entry) for line in page), next=more))

    async def ask_visitor(request: Request) -> Response:
        body = await read(request, VisitorCall)
        if body.tool not in VISITOR_TOOLS:
            raise InvalidArgument(f"must be one of {', '.join(sorted(VISITOR_TOOLS))}", place="tool")
        session = await (studio.session(body.project) if body.node is None else studio.session_of(body.node))
        limit_s = max(0.0, min(body.wait_s, MOST_WAIT_S))
        node = NodeId("") if body.node is None else body.node
        visit = await while_connected(request, session.ask_visitor(body.tool, body.arguments, node, limit_s))
        arguments = msgspec.json.decode(visit.args_json, type=dict[str, Any]) if visit.allowed else {}
        return answer(VisitorAnswer(allowed=visit.allowed, arguments=arguments, why=visit.why))

    return (
        Operation(
            name="askVisitor",
            method="POST",
            path="/api/visitor-calls",
            about=(
                "May a program outside do this? A rule says so at once, else a person, on a card. Nothing is done "
                "here; it is on record who let it through. Who leaves takes the card away."
            ),
            run=ask_visitor,
            body=VisitorCall,
            answer=VisitorAnswer,
            errors=(404, 409, 413, 422),
        ),
        Operation(
            name="readAudit",
            method="GET",
            path="/api/projects/{project}/audit",
            about=(
                "Every tool call that ran or was denied: when, what exactly, by whose word, and how it ended. "
                f"`?after=` and `?limit=` page through it; with `Accept: {LINES}` or `?lines=1` all of it, a line of "
                "JSON each."
            ),
            run=read_audit,
            answer=AuditPage,
            errors=(404, 409, 422),
        ),
        Operation(
            name="readRecentCalls",
            method="GET",
            path="/api/projects/{project}/audit/recent",
            about=(
                "The audit log for reading, the newest call first: `?tool=`, `?node=`, `?outcome=` and `?words=` "
                "say which, `?before=` and `?limit=` page through it."
            ),
            run=read_recent,
            answer=RecentCalls,
            errors=(404, 409, 422),
        ),
        Operation(
            name="tryRule",
            method="POST",
            path="/api/projects/{project}/rules/try",
            about="What a rule would have said to the last 100 calls of its tool. Nothing is kept.",
            run=try_rule,
            body=RuleDescription,
            answer=RuleTrial,
            errors=(404, 409, 413, 422),
        ),
    )
