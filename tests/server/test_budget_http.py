"""Limits on spending over HTTP, at a whole studio (P8)."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from session_desk import desk
from talkfield.core.ids import NodeId
from talkfield.core.records import budget_id
from talkfield.server.budget_http import budgets_of
from talkfield.wire import client as ask


async def test_P8_limits_are_listed_with_what_was_spent_also_of_a_chat_that_is_gone() -> None:
    async with desk() as subject:
        node = await subject.chat(title="Dear")
        await subject.do(ask.SetBudget(limit_usd=Decimal("2.50")))
        await subject.do(ask.SetBudget(node=node, limit_usd=Decimal(1), allow_unpriced=True))
        listed = list(msgspec.to_builtins(budgets_of(subject.session))["budgets"])
        assert listed == [
            {"limitUsd": "2.5", "spentUsd": "0", "heldUsd": "0"},
            {
                "node": node,
                "title": "Dear",
                "limitUsd": "1",
                "spentUsd": "0",
                "heldUsd": "0",
                "allowUnpriced": True,
            },
        ]
        await subject.do(ask.RemoveNodes(nodes=(NodeId(node),)))
        gone = budgets_of(subject.session).budgets[1]
        assert (gone.present, gone.title) == (False, "")
        assert subject.record(budget_id(node)) is not None
