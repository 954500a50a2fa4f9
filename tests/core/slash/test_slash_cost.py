"""`/cost` (C10, W3, P5)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from builders import assistant, usage
from talkfield.core.cost import CostReport, conversation_cost
from talkfield.core.messages import MessageCost
from talkfield.core.slash import COMMANDS, Note, SlashContext, SlashResult

run = COMMANDS["cost"].run


def test_C10_W3_cost_is_a_note_without_an_undo_entry() -> None:
    report = CostReport(usd=Decimal("0.0123"), priced=1, input_tokens=1200, output_tokens=34)
    text = "1,234 tokens: 1,200 in, 34 out\n\nCost: $0.0123"
    assert run(SlashContext(report=report)) == SlashResult((Note(text),), undoable=False)


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (CostReport(), "Cost: $0.00"),
        (CostReport(unpriced=1), "Cost: n/a"),
        (CostReport(usd=Decimal("0.42"), priced=1, unpriced=2), "Cost: at least $0.42 + 2 unpriced"),
    ],
)
def test_P5_the_note_says_what_is_not_in_the_sum(report: CostReport, words: str) -> None:
    assert run(SlashContext(report=report)).actions == (Note(f"0 tokens: 0 in, 0 out\n\n{words}"),)


def test_P6_the_note_says_what_is_estimated_and_what_is_the_providers_word() -> None:
    reported = MessageCost(usd=Decimal(1), source="provider")
    listed = MessageCost(usd=Decimal(1), source="table")
    stopped = assistant(message="a", usage=usage(1, 1, estimated=True), cost=listed)
    asked = assistant(message="b", usage=usage(1, 1), cost=reported)

    def lines(*messages: object) -> list[str]:
        (action,) = run(SlashContext(report=conversation_cost(messages))).actions  # type: ignore[arg-type]
        assert isinstance(action, Note)
        return action.text.split("\n\n")

    assert lines(stopped, asked) == [
        "4 tokens: 2 in, 2 out",
        "Cost: $2.00",
        "Some tokens are estimated: a provider reported none, as when a reply is stopped.",
        "Part of the cost is as the provider reported it.",
    ]
    assert lines(asked) == ["2 tokens: 1 in, 1 out", "Cost: $1.00", "The cost is as the provider reported it."]


def test_C10_words_after_cost_are_not_swallowed() -> None:
    (action,) = run(SlashContext(argument="of living in Bern?")).actions
    assert isinstance(action, Note)
    assert action.text.startswith("/cost takes nothing after it")
