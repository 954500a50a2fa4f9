"""What holds for costs, whatever counts a provider reports and whatever prices a person types (P2, P5, P6)."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.cost import (
    PrefixPrices,
    Price,
    Rates,
    amount_label,
    conversation_cost,
    cost_of,
    price_for,
    stamp,
)
from talkfield.core.ids import MessageId
from talkfield.core.messages import Message, MessageCost, Usage
from talkfield.core.records import PriceOverride

COUNTS = st.integers(0, 10**7)
ANY_COUNTS = COUNTS | st.integers(-(10**30), 10**30)
AMOUNTS = st.decimals(0, 1000, places=8)
ANY_DECIMALS = AMOUNTS | st.decimals() | st.sampled_from([Decimal("sNaN"), Decimal("1E+999999"), Decimal("1E-999999")])


def usages(counts: st.SearchStrategy[int]) -> st.SearchStrategy[Usage]:
    return st.builds(
        Usage,
        input_tokens=counts,
        output_tokens=counts,
        cache_read_tokens=counts,
        cache_write_tokens=counts,
        reasoning_tokens=counts,
        estimated=st.booleans(),
    )


RATES = st.builds(
    Rates,
    input=AMOUNTS,
    output=AMOUNTS,
    cache_read=st.none() | AMOUNTS,
    cache_write=st.none() | AMOUNTS,
    reasoning=st.none() | AMOUNTS,
)
NAMES = st.text("ab-", max_size=5)
OVERRIDES = st.lists(
    st.builds(
        PriceOverride, prefix=NAMES, input=ANY_DECIMALS, output=ANY_DECIMALS, cache_read=st.none() | ANY_DECIMALS
    ),
    max_size=4,
)
TABLES = st.dictionaries(NAMES, RATES, max_size=4).map(
    lambda rates: PrefixPrices({name: Price(rates=each, price_id=name) for name, each in rates.items()})
)


@given(usages(COUNTS), RATES)
def test_P6_a_cost_is_the_exact_sum_of_its_parts(usage: Usage, rates: Rates) -> None:
    read = min(usage.cache_read_tokens, usage.input_tokens)
    write = min(usage.cache_write_tokens, usage.input_tokens - read)
    reasoning = min(usage.reasoning_tokens, usage.output_tokens)
    exact = (
        (usage.input_tokens - read - write) * Fraction(rates.input)
        + read * Fraction(rates.input if rates.cache_read is None else rates.cache_read)
        + write * Fraction(rates.input if rates.cache_write is None else rates.cache_write)
        + (usage.output_tokens - reasoning) * Fraction(rates.output)
        + reasoning * Fraction(rates.output if rates.reasoning is None else rates.reasoning)
    ) / 10**6
    assert Fraction(cost_of(usage, Price(rates=rates, price_id="p")).usd) == exact


@given(usages(ANY_COUNTS), NAMES, st.none() | ANY_DECIMALS, OVERRIDES, TABLES)
def test_check_31_P6_no_report_and_no_price_makes_a_cost_that_cannot_be(
    usage: Usage, model: str, reported: Decimal | None, overrides: list[PriceOverride], table: PrefixPrices
) -> None:
    cost = stamp(usage, model=model, reported_usd=reported, overrides=overrides, table=table)
    assert cost.usd.is_finite()
    assert cost.usd >= 0
    message = Message(id=MessageId("m"), role="assistant", content="", ts=0, usage=usage, cost=cost)
    report = conversation_cost([message])
    assert report.priced + report.unpriced == 1
    assert len(report.label) < 60


@given(NAMES, OVERRIDES, TABLES)
def test_P2_the_price_found_is_the_longest_prefix_and_a_persons_at_a_tie(
    model: str, overrides: list[PriceOverride], table: PrefixPrices
) -> None:
    usable = [o for o in overrides if all(a is None or _is_amount(a) for a in (o.input, o.output, o.cache_read))]
    mine = [o.prefix for o in usable if model.startswith(o.prefix)]
    theirs = [name for name in table.prices if model.startswith(name)]
    found = price_for(model, overrides, table)
    if not mine and not theirs:
        assert found is None
        return
    longest = max([*mine, *theirs], key=len)
    assert found is not None
    assert (found.price_id, found.source) == (longest, "override" if longest in mine else "table")


def _is_amount(value: Decimal) -> bool:
    return value.is_finite() and 0 <= value <= 10**9 and (value == 0 or value.adjusted() >= -30)


@given(st.permutations([("0.1", "table"), ("0.002", "provider"), ("0", "unpriced"), ("3", "override"), ("0", "table")]))
def test_P5_the_sum_does_not_depend_on_the_order(costs: list[tuple[str, str]]) -> None:
    messages = [
        Message(
            id=MessageId(str(index)),
            role="assistant",
            content="",
            ts=0,
            cost=MessageCost(usd=Decimal(usd), source=source),  # type: ignore[arg-type]
        )
        for index, (usd, source) in enumerate(costs)
    ]
    report = conversation_cost(messages)
    assert (str(report.usd), report.priced, report.unpriced, report.reported) == ("3.102", 4, 1, 1)


@given(st.decimals(0, 10**9, allow_nan=False, allow_infinity=False, places=12))
def test_P5_words_are_near_the_amount_and_nothing_is_zero_that_is_not(usd: Decimal) -> None:
    words = amount_label(usd)
    assert re.fullmatch(r"\$(\d{1,3}(,\d{3})*)\.\d{2,14}", words)
    shown = Decimal(words[1:].replace(",", ""))
    assert (shown == 0) is (usd == 0)
    assert (
        abs(shown - usd) <= max(Decimal("0.005"), usd / 100) if usd >= Decimal("0.1") else abs(shown - usd) <= usd / 100
    )
