"""Finding prices, the arithmetic, the sum of a conversation and its words (P1 to P7, M5)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from builders import NODE, assistant, note, usage, user
from talkfield.core.cost import (
    NO_PRICES,
    Cost,
    CostReport,
    PrefixPrices,
    Price,
    PriceTier,
    Rates,
    TableMatch,
    amount_label,
    conversation_cost,
    cost_label,
    cost_of,
    price_for,
    stamp,
    totals_record,
)
from talkfield.core.messages import Message, MessageCost, ToolCall, Usage
from talkfield.core.records import PriceOverride, TotalsRecord, totals_id


def price(
    input: str = "1", output: str = "2", *, price_id: str = "p", per_call: str = "0", tiers: Any = (), **rates: str
) -> Price:
    """A price in dollars per million tokens, said in strings."""
    parts = {name: Decimal(rate) for name, rate in rates.items()}
    return Price(
        rates=Rates(input=Decimal(input), output=Decimal(output), **parts),
        price_id=price_id,
        tiers=tiers,
        per_call_usd=Decimal(per_call),
    )


def override(prefix: str, input: str = "7", output: str = "9", **rates: str) -> PriceOverride:
    parts = {name: Decimal(rate) for name, rate in rates.items()}
    return PriceOverride(prefix=prefix, input=Decimal(input), output=Decimal(output), **parts)


def overridden(override: PriceOverride) -> Price:
    rates = Rates(
        input=override.input,
        output=override.output,
        cache_read=override.cache_read,
        cache_write=override.cache_write,
    )
    return Price(rates=rates, price_id=override.prefix, source="override")


def dollars(usage: Usage, price: Price) -> str:
    return str(cost_of(usage, price).usd)


def costing(usd: str, source: Any = "table") -> MessageCost:
    return MessageCost(usd=Decimal(usd), source=source)


TABLE = PrefixPrices({name: price(price_id=name) for name in ("gpt-", "gpt-4o", "claude-", "claude-3-5-haiku")})


# P2: finding the price


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("gpt-4o-mini", "gpt-4o"),
        ("gpt-4", "gpt-"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        (" GPT-4O ", "gpt-4o"),
    ],
)
def test_P2_the_longest_prefix_of_the_table_wins(model: str, found: str) -> None:
    assert price_for(model, (), TABLE) == TABLE.prices[found]


def test_P2_an_exact_override_wins_over_everything() -> None:
    exact, longer = override("gpt-4o"), override("gpt-4o-mini")
    assert price_for("gpt-4o", (longer, exact), TABLE) == overridden(exact)


def test_P2_a_short_override_loses_to_a_longer_entry_of_the_table() -> None:
    assert price_for("claude-3-5-haiku-latest", (override("claude-"),), TABLE) == TABLE.prices["claude-3-5-haiku"]


def test_P2_a_longer_override_wins_over_the_table() -> None:
    mine = override("claude-3-5-haiku-l")
    assert price_for("claude-3-5-haiku-latest", (override("claude-"), mine), TABLE) == overridden(mine)


def test_P2_an_override_wins_a_tie() -> None:
    mine = override("gpt-4o")
    assert price_for("gpt-4o-mini", (mine,), TABLE) == overridden(mine)


def test_P2_of_two_overrides_with_one_prefix_the_later_counts() -> None:
    first, second = override("gpt-4o", input="1"), override("GPT-4o ", input="2")
    assert price_for("gpt-4o-mini", (first, second), TABLE) == overridden(second)


def test_P2_an_override_without_prefix_is_for_whatever_has_no_price() -> None:
    rest = override("")
    assert price_for("unheard-of", (rest,), TABLE) == overridden(rest)
    assert price_for("gpt-4", (rest,), TABLE) == TABLE.prices["gpt-"]


def test_P2_no_match_is_no_price() -> None:
    assert price_for("llama", (override("gpt-"),), TABLE) is None
    assert price_for("gpt-4o") is None


def test_P2_who_answers_and_when_reach_the_table() -> None:
    asked: list[tuple[str, str, str, int | None]] = []

    class Recording:
        def find(self, model: str, *, provider: str, base_url: str, at: int | None) -> TableMatch | None:
            asked.append((model, provider, base_url, at))
            return None

    assert price_for("Gpt-4o", (), Recording(), provider="mine", base_url="https://a.example", at=5) is None
    assert asked == [("Gpt-4o", "mine", "https://a.example", 5)]


# P4, P6: one call


def test_P6_cached_input_has_its_own_price_to_the_last_digit() -> None:
    seen = usage(20_212, 931, cache_read_tokens=16_298)
    assert dollars(seen, price("0.50", "3.00", cache_read="0.05")) == "0.0055649"
    assert amount_label(Decimal("0.0055649")) == "$0.00556"
    assert round(Decimal("0.0055649"), 6) == Decimal("0.005565")


def test_P6_cached_input_without_output_to_the_last_digit() -> None:
    seen = usage(44_341, 0, cache_read_tokens=41_518)
    assert dollars(seen, price("1.4", "0", cache_read="0.26")) == "0.01474688"


def test_P6_reads_and_writes_without_a_price_cost_what_input_costs() -> None:
    seen = usage(100, 0, cache_read_tokens=40, cache_write_tokens=30)
    assert dollars(seen, price("1")) == "0.0001"
    assert dollars(seen, price("1", cache_read="0.1")) == "0.000064"
    assert dollars(seen, price("1", cache_write="2")) == "0.00013"
    assert dollars(seen, price("1", cache_read="0", cache_write="0")) == "0.00003"


def test_P6_reasoning_is_a_part_of_the_output() -> None:
    seen = usage(0, 100, reasoning_tokens=60)
    assert dollars(seen, price(output="2")) == "0.0002"
    assert dollars(seen, price(output="2", reasoning="1")) == "0.00014"


@pytest.mark.parametrize(
    ("impossible", "clamped"),
    [
        (usage(100, 0, cache_read_tokens=150), usage(100, 0, cache_read_tokens=100)),
        (
            usage(100, 0, cache_read_tokens=70, cache_write_tokens=70),
            usage(100, 0, cache_read_tokens=70, cache_write_tokens=30),
        ),
        (usage(-5, -5, cache_read_tokens=-1, cache_write_tokens=-1, reasoning_tokens=-1), usage(0, 0)),
        (usage(100, 10, cache_read_tokens=-50), usage(100, 10)),
        (usage(0, 10, reasoning_tokens=11), usage(0, 10, reasoning_tokens=10)),
        (usage(10**40, 10**40), usage(10**15, 10**15)),
    ],
)
def test_check_31_P6_impossible_numbers_are_clamped(impossible: Usage, clamped: Usage) -> None:
    listed = price("1", "2", cache_read="0.1", cache_write="1.25", reasoning="3")
    assert cost_of(impossible, listed) == cost_of(clamped, listed)
    assert cost_of(impossible, listed).usd >= 0


def test_P6_a_tier_counts_for_the_whole_call_and_only_above_its_threshold() -> None:
    higher = PriceTier(above_input_tokens=200_000, rates=Rates(input=Decimal(2), output=Decimal(4)))
    highest = PriceTier(above_input_tokens=500_000, rates=Rates(input=Decimal(3), output=Decimal(4)))
    listed = price("1", "2", tiers=(higher, highest))
    assert dollars(usage(200_000, 10), listed) == "0.20002"
    assert dollars(usage(200_001, 10), listed) == "0.400042"
    assert dollars(usage(500_001, 0), listed) == "1.500003"


def test_P6_a_fee_for_each_call_is_added_once() -> None:
    assert dollars(usage(1_000_000, 0), price("1", per_call="0.005")) == "1.005"


def test_P6_sums_are_exact_however_many_digits_a_price_has() -> None:
    long_rate = "0.1234567890123456789012345678901234567891"
    exact = Fraction(long_rate) * 123_456_789 / 10**6
    assert Fraction(cost_of(usage(123_456_789, 0), price(long_rate)).usd) == exact


def test_P4_no_price_is_an_estimate_of_nothing() -> None:
    assert cost_of(usage(), None) == Cost(usd=Decimal(0), estimated=True)
    assert cost_of(usage(), price("0", "0")) == Cost(usd=Decimal(0), estimated=False)


@pytest.mark.parametrize("bad", ["NaN", "-1", "Infinity", "1E+30", "1E-40", "sNaN"])
@pytest.mark.parametrize("field", ["input", "output", "cache_read", "cache_write"])
def test_P6_an_override_that_is_no_amount_is_passed_over(bad: str, field: str) -> None:
    wrong = override("gpt-4o", **{field: bad})
    assert price_for("gpt-4o", (wrong,), TABLE) == TABLE.prices["gpt-4o"]


# M2, P6, P7: the stamp


def test_P6_what_the_provider_reports_wins() -> None:
    stamped = stamp(usage(), model="gpt-4o", reported_usd=Decimal("0.10"), overrides=(override("gpt-4o"),), table=TABLE)
    assert stamped == MessageCost(usd=Decimal("0.1"), source="provider")


@pytest.mark.parametrize("bad", ["NaN", "-0.01", "Infinity", "1E-99999"])
def test_P6_a_report_that_is_no_amount_is_not_one(bad: str) -> None:
    stamped = stamp(usage(1_000_000, 0), model="gpt-4o", reported_usd=Decimal(bad), table=TABLE)
    assert stamped == MessageCost(usd=Decimal(1), source="table", price_id="gpt-4o")


def test_P6_a_reported_zero_is_a_report() -> None:
    free = stamp(usage(), model="gpt-4o", reported_usd=Decimal("-0.00"), table=TABLE)
    assert free == MessageCost(usd=Decimal(0), source="provider")
    assert str(free.usd) == "0"


def test_P7_the_stamp_says_which_price_it_used() -> None:
    mine = override("mine", input="10")
    assert stamp(usage(1_000_000, 0), model="mine-2", overrides=(mine,), table=TABLE) == MessageCost(
        usd=Decimal(10), source="override", price_id="mine"
    )
    assert stamp(usage(), model="unheard-of", table=TABLE) == MessageCost(usd=Decimal(0), source="unpriced")


@pytest.mark.parametrize(("tokens", "written"), [(10_000_000, "10"), (1_500_000, "1.5"), (0, "0"), (1, "0.000001")])
def test_P7_equal_sums_are_written_alike(tokens: int, written: str) -> None:
    assert str(stamp(usage(tokens, 0), model="gpt-4o", table=TABLE).usd) == written


# P5: a conversation


def test_P5_three_calls_of_one_turn_cost_their_sum() -> None:
    calls = [assistant(message=f"a{index}", usage=usage(1_000_000, 500_000), model="gpt-4o") for index in range(3)]
    assert conversation_cost([user(), *calls], "", (), TABLE) == CostReport(
        usd=Decimal(6), priced=3, input_tokens=3_000_000, output_tokens=1_500_000, context_tokens=1_500_000
    )


def test_P5_each_message_by_its_own_model_else_the_nodes() -> None:
    table = PrefixPrices({"a": price("1"), "b": price("10"), "node": price("100")})
    seen = usage(1_000_000, 0)
    messages = [assistant(message=f"m{index}", usage=seen, model=model) for index, model in enumerate(("a", "b", "a"))]
    assert conversation_cost(messages, "node", (), table).usd == 12
    assert conversation_cost([*messages, assistant(usage=seen)], "node", (), table).usd == 112


def test_P5_only_assistant_messages_with_usage_count() -> None:
    seen = usage(1_000_000, 0)
    messages: list[Message] = [
        user(usage=seen, model="gpt-4o"),
        note(usage=seen, model="gpt-4o"),
        assistant(model="gpt-4o"),
    ]
    assert conversation_cost(messages, "gpt-4o", (), TABLE) == CostReport()


def test_check_31_P5_a_sum_with_unpriced_parts_says_so() -> None:
    messages = [
        assistant(message="a", cost=costing("0.42"), usage=usage(1, 1)),
        assistant(message="b", usage=usage(2, 2), model="unheard-of"),
        assistant(message="c", usage=usage(3, 3)),
    ]
    report = conversation_cost(messages, "", (), TABLE)
    assert report == CostReport(
        usd=Decimal("0.42"), priced=1, unpriced=2, input_tokens=6, output_tokens=6, context_tokens=6
    )
    assert report.label == "at least $0.42 + 2 unpriced"
    assert report.estimated is False


def test_P5_it_is_an_estimate_when_nothing_had_a_price() -> None:
    report = conversation_cost([assistant(usage=usage(), model="unheard-of")], "", (), TABLE)
    assert (report.estimated, report.usd, report.label) == (True, Decimal(0), "n/a")


def test_seed_cost_of_a_conversation_is_estimated_only_when_no_message_had_a_known_price() -> None:
    known, unknown = assistant(usage=usage(), model="gpt-4o"), assistant(usage=usage(), model="unheard-of")
    assert conversation_cost([known, unknown], "", (), TABLE).estimated is False
    assert conversation_cost([unknown], "", (), TABLE).estimated is True
    assert conversation_cost([], "", (), TABLE).estimated is True


def test_P7_a_stamped_cost_is_never_priced_again() -> None:
    stamped = [
        assistant(message="a", usage=usage(1_000_000, 0), model="gpt-4o", cost=costing("0.01")),
        assistant(message="b", usage=usage(1_000_000, 0), model="gpt-4o", cost=costing("0", "unpriced")),
        assistant(message="c", cost=costing("0.02", "provider")),
    ]
    report = conversation_cost(stamped, "gpt-4o", (override("gpt-4o", input="1000"),), TABLE)
    assert (report.usd, report.priced, report.unpriced, report.reported) == (Decimal("0.03"), 2, 1, 1)


def test_P7_an_unstamped_message_is_priced_as_of_its_own_time() -> None:
    asked: list[tuple[str, int | None]] = []

    class Dated:
        def find(self, model: str, *, provider: str, base_url: str, at: int | None) -> TableMatch | None:
            asked.append((provider, at))
            return None

    conversation_cost([assistant(usage=usage(), provider="mine")], "gpt-4o", (), Dated())
    assert asked == [("mine", 2)]


def test_P6_a_stamp_that_is_no_amount_counts_as_unpriced() -> None:
    messages = [assistant(message=bad, usage=usage(), cost=costing(bad)) for bad in ("NaN", "-1", "Infinity")]
    report = conversation_cost(messages)
    assert (report.usd, report.priced, report.unpriced) == (Decimal(0), 0, 3)


def test_M5_estimated_tokens_are_marked_in_the_sum() -> None:
    exact, counted = assistant(usage=usage()), assistant(message="b", usage=usage(7, 3, estimated=True))
    assert conversation_cost([exact]).tokens_estimated is False
    report = conversation_cost([counted, exact])
    assert (report.tokens_estimated, report.input_tokens, report.output_tokens) == (True, 17, 8)


def test_P1_tool_calls_do_not_matter_to_the_cost() -> None:
    plain = assistant(usage=usage(), model="gpt-4o")
    call = ToolCall(id="c", name="look", args_json="{}", status="done")  # type: ignore[arg-type]
    calling = assistant(usage=usage(), model="gpt-4o", tool_calls=(call,))
    assert conversation_cost([plain], "", (), TABLE) == conversation_cost([calling], "", (), TABLE)


def test_P5_the_record_for_clients_says_the_same() -> None:
    report = CostReport(usd=Decimal("0.5"), priced=1, unpriced=1, input_tokens=8, output_tokens=2, context_tokens=10)
    assert totals_record(NODE, report, 128_000) == TotalsRecord(
        id=totals_id(NODE),
        node_id=NODE,
        input_tokens=8,
        output_tokens=2,
        usd=Decimal("0.5"),
        label="at least $0.50 + 1 unpriced",
        unpriced=1,
        context_tokens=10,
        context_limit=128_000,
    )


# The words


@pytest.mark.parametrize(
    ("usd", "words"),
    [
        ("0", "$0.00"),
        ("0.0123", "$0.0123"),
        ("0.00042", "$0.00042"),
        ("0.0147468", "$0.0147"),
        ("0.0000005", "$0.0000005"),
        ("0.05", "$0.05"),
        ("0.0999", "$0.0999"),
        ("0.09996", "$0.10"),
        ("0.1", "$0.10"),
        ("0.4213", "$0.42"),
        ("0.999", "$1.00"),
        ("12.344", "$12.34"),
        ("1234.5", "$1,234.50"),
        ("1E+6", "$1,000,000.00"),
    ],
)
def test_P5_small_and_large_amounts_are_readable(usd: str, words: str) -> None:
    assert amount_label(Decimal(usd)) == words
    assert cost_label(CostReport(usd=Decimal(usd), priced=1)) == words


def test_P5_at_least_is_never_more_than_the_sum() -> None:
    assert cost_label(CostReport(usd=Decimal("0.429"), priced=1, unpriced=1)) == "at least $0.42 + 1 unpriced"
    assert cost_label(CostReport(usd=Decimal("0.01239"), priced=1, unpriced=3)) == "at least $0.0123 + 3 unpriced"


def test_check_31_P4_nothing_priced_is_not_zero_and_nothing_spent_is() -> None:
    assert cost_label(CostReport(unpriced=1)) == "n/a"
    assert cost_label(CostReport(priced=2)) == "$0.00"
    assert cost_label(CostReport()) == "$0.00"


def test_P1_the_default_table_of_the_core_is_empty() -> None:
    assert NO_PRICES.find("gpt-4o") is None
