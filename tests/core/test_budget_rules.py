"""The arithmetic of limits on spending (P8)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from talkfield.core.budget import interrupted, reserve, room, settle, short_of, spent_on, with_warning, worst_usage
from talkfield.core.changes import Put
from talkfield.core.document import Document
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.messages import Message, MessageCost, Usage
from talkfield.core.records import BudgetRecord, budget_id
from talkfield.core.recovery import recover
from talkfield.errors import BudgetReached

ONE, TWO = MessageId("one"), MessageId("two")


def budget(limit: str | None = None, *, spent: str = "0", held: dict[MessageId, Decimal] | None = None) -> BudgetRecord:
    usd = None if limit is None else Decimal(limit)
    return BudgetRecord(id=budget_id(None), limit_usd=usd, spent_usd=Decimal(spent), held=held or {})


def test_P8_what_a_call_may_cost_has_to_fit_into_every_limit_or_is_held_in_none() -> None:
    wide, narrow = budget("10"), budget("1", spent="0.5")
    assert reserve((wide, narrow), ONE, Decimal("0.5")) == (
        budget("10", held={ONE: Decimal("0.5")}),
        budget("1", spent="0.5", held={ONE: Decimal("0.5")}),
    )
    with pytest.raises(BudgetReached, match=r"The limit on the project is \$1.00, and \$0.50 of it is left"):
        reserve((wide, narrow), ONE, Decimal("0.6"))
    with pytest.raises(BudgetReached, match="no known price"):
        reserve((wide,), ONE, None)


def test_P8_a_budget_without_a_limit_counts_and_refuses_nothing() -> None:
    free = budget(None, spent="3")
    assert (room(free), short_of((free,), Decimal(100)), with_warning(free).warned) == (None, None, False)
    (held,) = reserve((free,), ONE, None)
    assert settle((held,), ONE, Decimal(2)) == (budget(None, spent="5"),)


def test_P8_what_did_cost_takes_the_place_of_what_was_held_and_most_of_it_spent_is_warned_of() -> None:
    held = budget("10", spent="1", held={ONE: Decimal(4), TWO: Decimal(5)})
    assert room(held) == 0
    (settled,) = settle((held,), ONE, Decimal(2))
    assert (settled.spent_usd, settled.held, settled.warned) == (Decimal(3), {TWO: Decimal(5)}, False)
    (settled,) = settle((settled,), TWO, Decimal(5))
    assert (settled.spent_usd, settled.held, settled.warned) == (Decimal(8), {}, True)


def test_P8_what_a_process_that_died_had_asked_counts_as_the_worst() -> None:
    held = budget("10", spent="1", held={ONE: Decimal(4), TWO: Decimal(5)})
    assert interrupted(held).spent_usd == 10
    assert recover(Document([held])) == (Put(interrupted(held)),)
    assert recover(Document([budget("10")])) == ()


def test_P8_the_worst_case_is_reckoned_upwards() -> None:
    said = (Message(id=ONE, role="user", content="x" * 400, ts=0),)

    def worst(**fields: int | None) -> Usage:
        known: dict[str, int | None] = {"counted": 0, "most_output": None, "window": None, **fields}
        return worst_usage(said, "", "", **known)  # type: ignore[arg-type]

    assert worst() == Usage(input_tokens=174, output_tokens=16_384, estimated=True)
    assert worst(counted=500, most_output=7) == Usage(input_tokens=500, output_tokens=7, estimated=True)
    assert worst(window=200).output_tokens == 26
    assert worst(window=100).output_tokens == 1


def test_P8_a_limit_begins_with_what_was_stamped_copies_aside() -> None:
    def reply(usd: str, **fields: str) -> Message:
        cost = MessageCost(usd=Decimal(usd), source=fields.pop("source", "table"))  # type: ignore[arg-type]
        return Message(id=MessageId(usd), role="assistant", content="", ts=0, cost=cost, **fields)  # type: ignore[arg-type]

    said = Message(id=TWO, role="user", content="", ts=0)
    assert spent_on(
        [said, reply("1.5"), reply("2", copied_from="one"), reply("4", source="unpriced"), reply("NaN")]
    ) == (Decimal("1.5"))


def test_P8_a_limit_on_a_chat_has_an_id_of_its_own() -> None:
    assert (budget_id(None), budget_id(NodeId("chat-1"))) == ("budget:project", "budget:chat-1")
