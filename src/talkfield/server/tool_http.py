"""What scripts can ask about tools: what a rule would have decided, and what ran."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from talkfield.core.audit import AuditEntry
from talkfield.core.ids import CallId, NodeId, ProjectId
from talkfield.core.messages import CallStatus
from talkfield.core.rule import RuleAction, RuleKind
from talkfield.errors import InvalidArgument
from talkfield.server.api import Answer, Body
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, read
from talkfield.wire.client import SaveRule
from talkfield.workspace.base import SessionLike, StudioLike


class RuleDescription(Body, frozen=True, kw_only=True):
    """A rule to try (T7): nothing of it is kept. `node` None: for the whole project."""

    action: RuleAction
    tool: str
    kind: RuleKind
    pattern: str = ""
    node: NodeId | None = None


class TriedCall(Answer, frozen=True, kw_only=True):
    """A call that was made, and whether the rule would have decided it. `summary` is its arguments, shortened."""

    call: CallId
    node: NodeId
    at: int
    status: CallStatus
    matched: bool
    summary: str


class RuleTrials(Answer, frozen=True, kw_only=True):
    """The last 100 calls of a rule's tool, the newest first, and how many of them the rule would have decided."""

    matched: int
    calls: tuple[TriedCall, ...]


class AuditPage(Answer, frozen=True, kw_only=True):
    """Tool calls in the order in which they began (T8). `next`: where to go on (`?after=`), None at the end."""

    calls: tuple[AuditEntry, ...]
    next: int | None = None


PAGE = 1000
LINES = "application/x-ndjson"


async def audit_lines(session: SessionLike, after: int) -> AsyncIterator[bytes]:
    """Every entry as a line of JSON, read page by page: the log may be long."""
    while page := await session.audit(after, PAGE):
        yield b"".join(msgspec.json.encode(line.entry) + b"\n" for line in page)
        after = page[-1].row


def number(request: Request, name: str, default: int, most: int) -> int:
    """A number in the address. Raises `InvalidArgument`."""
    text = request.query_params.get(name, str(default))
    if not text.isdecimal() or not text.isascii() or int(text[:20]) > most:
        raise InvalidArgument(f"must be a number up to {most}", place=name)
    return int(text)


def tool_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def try_rule(request: Request) -> Response:
        body = await read(request, RuleDescription)
        session = await studio.session(ProjectId(request.path_params["project"]))
        rule = SaveRule(action=body.action, tool=body.tool, kind=body.kind, pattern=body.pattern, node=body.node)
        calls = msgspec.convert(session.try_rule(rule), tuple[TriedCall, ...], from_attributes=True)
        return answer(RuleTrials(matched=sum(call.matched for call in calls), calls=calls))

    async def read_audit(request: Request) -> Response:
        session = await studio.session(ProjectId(request.path_params["project"]))
        after, limit = number(request, "after", 0, 2**53), number(request, "limit", PAGE, PAGE)
        if LINES in request.headers.get("accept", ""):
            return StreamingResponse(audit_lines(session, after), media_type=LINES)
        page = await session.audit(after, limit)
        more = page[-1].row if len(page) == limit and page else None
        return answer(AuditPage(calls=tuple(line.entry for line in page), next=more))

    return (
        Operation(
            name="readAudit",
            method="GET",
            path="/api/projects/{project}/audit",
            about=(
                "Every tool call that ran or was denied: when, what exactly, by whose word, and how it ended. "
                f"`?after=` and `?limit=` page through it; with `Accept: {LINES}` all of it, a line of JSON each."
            ),
            run=read_audit,
            answer=AuditPage,
            errors=(404, 409, 422),
        ),
        Operation(
            name="tryRule",
            method="POST",
            path="/api/projects/{project}/rules/try",
            about="What a rule would have said to the last 100 calls of its tool. Nothing is kept.",
            run=try_rule,
            body=RuleDescription,
            answer=RuleTrials,
            errors=(404, 409, 413, 422),
        ),
    )
