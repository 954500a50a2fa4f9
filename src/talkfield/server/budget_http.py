"""What scripts can ask about limits on spending: which there are, and to set one (P8)."""

from __future__ import annotations

from decimal import Decimal

from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.ids import NodeId
from talkfield.core.records import BudgetRecord
from talkfield.server.api import Answer, Body
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, project_session, read
from talkfield.wire.client import SetBudget
from talkfield.workspace.base import SessionLike, StudioLike


class BudgetSetting(Body, frozen=True, kw_only=True):
    """A limit on a chat or a group, or, without `node`, on the project; without `limitUsd`, none any more."""

    node: NodeId | None = None
    limit_usd: Decimal | None = None
    allow_unpriced: bool = False


class Budget(Answer, frozen=True, kw_only=True):
    """What may be spent and was, in USD. `held_usd` is the worst case of the calls that go on.

    Without `node` it is the project's. `present`: its node stands on the canvas.
    """

    spent_usd: Decimal
    held_usd: Decimal
    node: NodeId | None = None
    title: str = ""
    limit_usd: Decimal | None = None
    allow_unpriced: bool = False
    warned: bool = False
    present: bool = True


class BudgetList(Answer, frozen=True, kw_only=True):
    """The limits of a project."""

    budgets: tuple[Budget, ...]


def budgets_of(session: SessionLike) -> BudgetList:
    nodes = {node.id: node for node in session.nodes()}
    return BudgetList(
        budgets=tuple(
            Budget(
                node=record.node_id,
                title=nodes[record.node_id].title if record.node_id in nodes else "",
                limit_usd=record.limit_usd,
                spent_usd=record.spent_usd,
                held_usd=sum(record.held.values(), Decimal(0)),
                allow_unpriced=record.allow_unpriced,
                warned=record.warned,
                present=record.node_id is None or record.node_id in nodes,
            )
            for record in session.snapshot()
            if isinstance(record, BudgetRecord)
        )
    )


def budget_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def list_budgets(request: Request) -> Response:
        return answer(budgets_of(await project_session(request, studio)))

    async def set_budget(request: Request) -> Response:
        body = await read(request, BudgetSetting)
        session = await project_session(request, studio)
        await session.handle(SetBudget(node=body.node, limit_usd=body.limit_usd, allow_unpriced=body.allow_unpriced))
        return answer(budgets_of(session))

    return (
        Operation(
            name="listBudgets",
            method="GET",
            path="/api/projects/{project}/budgets",
            about="The limits on what a project, its groups and its chats may spend, with what was spent.",
            run=list_budgets,
            answer=BudgetList,
            errors=(404, 409),
        ),
        Operation(
            name="setBudget",
            method="PUT",
            path="/api/projects/{project}/budgets",
            about="Limit what a chat, a group or the project may spend, or take the limit away.",
            run=set_budget,
            body=BudgetSetting,
            answer=BudgetList,
            errors=(404, 409, 413, 422),
        ),
    )
