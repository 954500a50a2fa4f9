"""What scripts can ask about tools: what a rule would have decided, and what ran."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.ids import CallId, NodeId, ProjectId
from talkfield.core.messages import CallStatus
from talkfield.core.rule import RuleAction, RuleKind
from talkfield.server.api import Answer, Body
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, read
from talkfield.wire.client import SaveRule
from talkfield.workspace.base import StudioLike


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


def tool_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def try_rule(request: Request) -> Response:
        body = await read(request, RuleDescription)
        session = await studio.session(ProjectId(request.path_params["project"]))
        rule = SaveRule(action=body.action, tool=body.tool, kind=body.kind, pattern=body.pattern, node=body.node)
        calls = msgspec.convert(session.try_rule(rule), tuple[TriedCall, ...], from_attributes=True)
        return answer(RuleTrials(matched=sum(call.matched for call in calls), calls=calls))

    return (
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
