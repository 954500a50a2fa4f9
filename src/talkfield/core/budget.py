"""The arithmetic of limits on spending: what a provider call may cost is held before it, what it did cost is counted
after it (P8).

Pure functions over `BudgetRecord`: whoever commits their results in the same tick keeps two calls from both taking the
last cent. All or nothing: a call is held in every limit that applies, or in none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from msgspec.structs import replace

from talkfield.core.budget_record import BudgetRecord
from talkfield.core.context_fit import message_tokens
from talkfield.core.cost import EXACT, ZERO, amount_label, is_amount, plain
from talkfield.core.estimate import estimate_tokens
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.messages import Message, MessageBody, Usage
from talkfield.errors import BudgetReached

WARNING_SHARE = Decimal("0.8")

USUAL_MOST_OUTPUT = 16_384
"""The longest answer that is reckoned with where neither a person nor the model's window says less."""

FRAMING_TOKENS = 16
"""What a provider may add to each message: its role, its marks."""


UNPRICED_HINT = "Give the model a price in Settings, let unpriced models answer under the limit, or choose another."


def worst_usage(
    messages: Sequence[Message], system: str, tools: str, *, counted: int, most_output: int | None, window: int | None
) -> Usage:
    """The most that a call should use. `counted`: tokens of its last call, as told; `window`: the model's, if known.

    The estimate is taken half as much again: text that is not English has more tokens than its bytes suggest.
    """
    estimated = estimate_tokens(system) + estimate_tokens(tools)
    estimated += sum(message_tokens(message) + FRAMING_TOKENS for message in messages)
    sent = max(counted, estimated * 3 // 2)
    output = most_output
    if output is None:
        left = USUAL_MOST_OUTPUT if window is None else max(1, window - sent)
        output = min(USUAL_MOST_OUTPUT, left)
    return Usage(input_tokens=sent, output_tokens=output, estimated=True)


def room(budget: BudgetRecord) -> Decimal | None:
    """What may still be held; None without a limit. Below zero where it was lowered, or a call cost more than held."""
    if budget.limit_usd is None:
        return None
    left = EXACT.subtract(budget.limit_usd, budget.spent_usd)
    for usd in budget.held.values():
        left = EXACT.subtract(left, usd)
    return left


def short_of(budgets: Iterable[BudgetRecord], usd: Decimal | None) -> BudgetRecord | None:
    """The first limit that has no room for a call of this worst case; None: all have. `usd` None: it has no price."""
    for budget in budgets:
        left = room(budget)
        if left is None or (usd is None and budget.allow_unpriced):
            continue
        if usd is None or usd > left:
            return budget
    return None


def reserve(
    budgets: Sequence[BudgetRecord], call: MessageId, usd: Decimal | None, whose: Callable[[NodeId], str] = str
) -> tuple[BudgetRecord, ...]:
    """The budgets with a call's worst case held in each. Raises `BudgetReached` where it does not fit into one.

    `whose` names the chat or group that a budget is about.
    """
    short = short_of(budgets, usd)
    if short is not None:
        reason = refusal(short, usd, "the project" if short.node_id is None else whose(short.node_id))
        raise BudgetReached(reason, hint=UNPRICED_HINT if usd is None else None)
    held = ZERO if usd is None else usd
    return tuple(replace(budget, held={**budget.held, call: held}) for budget in budgets)


def settle(budgets: Iterable[BudgetRecord], call: MessageId, usd: Decimal) -> tuple[BudgetRecord, ...]:
    """The budgets with what a call did cost in place of what was held for it."""
    return tuple(
        with_warning(
            replace(
                budget,
                spent_usd=plain(EXACT.add(budget.spent_usd, usd)),
                held={other: held for other, held in budget.held.items() if other != call},
            )
        )
        for budget in budgets
    )


def interrupted(budget: BudgetRecord) -> BudgetRecord:
    """The budget after the process has died: nobody knows what was asked did cost, so it counts as the worst."""
    for call, usd in budget.held.items():
        (budget,) = settle((budget,), call, usd)
    return budget


def with_warning(budget: BudgetRecord) -> BudgetRecord:
    """The budget, `warned` when most of it is spent."""
    limit = budget.limit_usd
    return replace(budget, warned=limit is not None and budget.spent_usd >= EXACT.multiply(limit, WARNING_SHARE))


def spent_on(messages: Iterable[MessageBody]) -> Decimal:
    """What was stamped on messages, copies aside: their money was spent elsewhere."""
    usd = ZERO
    for message in messages:
        cost = message.cost
        if cost is not None and cost.source != "unpriced" and message.copied_from is None and is_amount(cost.usd):
            usd = EXACT.add(usd, cost.usd)
    return plain(usd)


def refusal(budget: BudgetRecord, usd: Decimal | None, whose: str) -> str:
    """Why a call may not be made, in words."""
    left, limit = room(budget), budget.limit_usd or ZERO
    if usd is None or left is None:
        return f"There is a limit of {amount_label(limit)} on {whose}, and this model has no known price."
    # Rounded apart, so that they never look as if it did fit.
    return (
        f"The limit on {whose} is {amount_label(limit)}, and {amount_label(max(left, ZERO), ROUND_FLOOR)} of it is "
        f"left; the next call may cost {amount_label(usd, ROUND_CEILING)}."
    )
