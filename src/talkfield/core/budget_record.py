"""A limit on what may be spent, as it is kept with its project (P8). `core.records` gives it on."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from talkfield.core.ids import MessageId, NodeId, RecordId


class BudgetRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="budget"
):
    """A limit in USD on a chat, a group, or, without `node_id`, the project (P8). `id` is `budget:<node or project>`.

    It is saved with its project, but no part of what undo takes back, and never in the project's file: money that was
    spent stays spent, and on this machine. It outlives its node, which may come back.
    `spent_usd` is all that was spent under it, `held` the worst case of each provider call that goes on, by the reply
    it is for. Without `limit_usd` it only counts. `allow_unpriced`: calls without a known price may be made, uncounted.
    `warned`: most of it is spent.
    """

    id: RecordId
    node_id: NodeId | None = None
    limit_usd: Decimal | None = None
    spent_usd: Decimal = Decimal(0)
    held: dict[MessageId, Decimal] = {}
    allow_unpriced: bool = False
    warned: bool = False


def budget_id(node: NodeId | None) -> RecordId:
    return RecordId(f"budget:{node or 'project'}")
