"""Limits on spending under any order of events: nothing is overspent but by what a call costs over its own worst case,
and no money that was spent is lost (P8).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from doubles import settle as loop_settle
from session_desk import END, desk
from talkfield.core.budget import interrupted, reserve, room, settle
from talkfield.core.cost import PrefixPrices, Price, Rates, stamp
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.messages import Usage
from talkfield.core.nodes.chat import ChatParameters
from talkfield.core.records import BudgetRecord, budget_id
from talkfield.errors import BudgetReached
from talkfield.providers.script import Hold
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.wire import client as ask

CALLS = st.sampled_from([MessageId(name) for name in "abcd"])
CENTS = st.integers(0, 60).map(lambda cents: Decimal(cents) / 100)
STEPS = st.lists(
    st.tuples(st.just("ask"), CALLS, CENTS)
    | st.tuples(st.just("end"), CALLS, CENTS)
    | st.tuples(st.just("kill"), CALLS, CENTS),
    max_size=40,
)
LIMITS = (Decimal(1), Decimal("1.5"))


@given(STEPS)
@example([("ask", MessageId("a"), Decimal("0.6")), ("ask", MessageId("b"), Decimal("0.6"))])
@example([("ask", MessageId("a"), Decimal("0.6")), ("kill", MessageId("a"), Decimal(0))])
def test_P8_no_order_of_calls_overspends_but_by_what_calls_cost_over_their_own_worst_case(
    steps: list[tuple[str, MessageId, Decimal]],
) -> None:
    budgets = tuple(BudgetRecord(id=budget_id(NodeId(str(usd))), limit_usd=usd) for usd in LIMITS)
    held: dict[MessageId, Decimal] = {}
    spent = over = Decimal(0)
    for step, call, usd in steps:
        if step == "ask" and call not in held:
            fits = all(spent + sum(held.values()) + usd <= limit for limit in LIMITS)
            try:
                budgets = reserve(budgets, call, usd)
                held[call] = usd
            except BudgetReached:
                assert not fits
            else:
                assert fits
        elif step == "end" and call in held:
            worst = held.pop(call)
            budgets = settle(budgets, call, usd)
            spent, over = spent + usd, over + max(Decimal(0), usd - worst)
        elif step == "kill":
            budgets = tuple(map(interrupted, budgets))
            spent += sum(held.values())
            held.clear()
        assert [(budget.spent_usd, dict(budget.held)) for budget in budgets] == [(spent, held)] * len(budgets)
        assert all(left is not None and left >= -over for left in map(room, budgets))


DOLLAR_A_TOKEN = PrefixPrices({"": Price(rates=Rates(input=Decimal(0), output=Decimal(10**6)), price_id="test")})
WORST_USD = 5


@pytest.mark.unplayed
@given(st.integers(1, 30), st.lists(st.tuples(st.integers(0, WORST_USD), st.booleans()), min_size=2, max_size=6))
@example(6, [(5, True), (5, True), (5, True)])
@example(9, [(4, True), (0, False), (5, False)])
async def test_P8_chats_that_answer_at_once_never_spend_more_than_the_project_may(
    limit_usd: int, calls: list[tuple[int, bool]]
) -> None:
    """Each chat's call costs at most its worst case, so the limit itself holds; some wait while others ask."""
    # Not more scripts than there is room for: which chat gets which one does not matter.
    scripts: list[Any] = [
        [*([Hold()] if waits else []), TextChunk("yes"), UsageChunk(Usage(input_tokens=1, output_tokens=usd)), END]
        for usd, waits in calls
    ]
    price = lambda model, _provider, used, usd: stamp(used, model=model, reported_usd=usd, table=DOLLAR_A_TOKEN)  # noqa: E731
    async with desk(*scripts, price=price) as subject:
        await subject.do(ask.SetBudget(limit_usd=Decimal(limit_usd)))
        chats = [await subject.chat() for _ in calls]
        for node in chats:
            await subject.do(ask.ConfigureChat(node=node, parameters=ChatParameters(max_output_tokens=WORST_USD)))
            await subject.do(ask.SendMessage(node=node, text="Hi"))
            await loop_settle()
            budget = subject.record(budget_id(None))
            assert budget.spent_usd + sum(budget.held.values()) <= limit_usd
        for node in chats:
            await subject.do(ask.StopTurn(node=node))
            await loop_settle()
        budget = subject.record(budget_id(None))
        stamped = [m.cost.usd for node in chats for m in subject.session.document.messages(node) if m.cost is not None]
        assert (budget.spent_usd, budget.held) == (sum(stamped), {})
