"""What a conversation costs: exact decimals, computed from token counts and prices (P1 to P7).

Owns the rule that finds a model's price, the arithmetic, and the words in which a sum is shown. Knows no provider and
no price of its own: a `PriceTable` is handed in (`talkfield.prices.DEFAULT_PRICES` in the product). Pure values and
functions; safe to use from any thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal
from typing import Literal, Protocol

from talkfield.core.ids import NodeId
from talkfield.core.messages import MessageBody, MessageCost, Usage
from talkfield.core.records import PriceOverride, TotalsRecord, totals_id

MAX_TOKENS = 10**15
"""More than any call can have; a larger count is a broken report and is clamped (P6)."""

MAX_USD = Decimal(10**9)
"""More than any price per million tokens or any sum can be; a larger amount is a broken report (P6)."""

MIN_EXPONENT = -30
"""No amount but zero is below 10 to this power; writing out a smaller one could take a million digits."""

ZERO = Decimal(0)
PER_MILLION = Decimal("0.000001")

# The default context rounds to 28 digits, and a table may hold prices with as many: wide enough that no sum is rounded.
EXACT = Context(prec=120)


@dataclass(frozen=True, kw_only=True)
class Rates:
    """USD per million tokens. A missing cache price means the input price, a missing reasoning price the output's."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    reasoning: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class PriceTier:
    """Other rates for the whole of a call whose input has more than `above_input_tokens` tokens."""

    above_input_tokens: int
    rates: Rates


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a model charges. `price_id` names the entry it came from; `per_call_usd` is charged once for each call.

    `tiers` are in ascending order of their threshold; the last one that a call exceeds applies to all its tokens.
    """

    rates: Rates
    price_id: str
    source: Literal["table", "override"] = "table"
    tiers: tuple[PriceTier, ...] = ()
    per_call_usd: Decimal = ZERO


@dataclass(frozen=True)
class TableMatch:
    """A price a table has for a model, and how many characters of the model's name its entry accounts for."""

    price: Price
    length: int


class PriceTable(Protocol):
    """Knows prices by model name. `provider` (its id) and `base_url` say who answers, where that is known.

    `at` (epoch ms) picks among prices that changed over time; None means now. Never guesses: a model it does not know
    has no price (P3).
    """

    def find(self, model: str, *, provider: str, base_url: str, at: int | None) -> TableMatch | None: ...


@dataclass(frozen=True)
class PrefixPrices:
    """A price table given by hand: the longest key that the model's name starts with wins."""

    prices: Mapping[str, Price] = field(default_factory=dict)

    def find(self, model: str, *, provider: str = "", base_url: str = "", at: int | None = None) -> TableMatch | None:
        name = normal_name(model)
        lengths = {key: len(normal_name(key)) for key in self.prices if name.startswith(normal_name(key))}
        if not lengths:
            return None
        longest = max(lengths, key=lengths.__getitem__)
        return TableMatch(self.prices[longest], lengths[longest])


NO_PRICES = PrefixPrices()


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one call costs. `estimated`: there was no price, so `usd` is 0 and means nothing (P4)."""

    usd: Decimal
    estimated: bool


@dataclass(frozen=True, kw_only=True)
class CostReport:
    """What a conversation used and cost (P5).

    `priced` and `unpriced` count its provider calls with and without a known price, `reported` those among the priced
    whose cost the provider itself stated. `tokens_estimated`: some of the tokens were counted by us (M5).
    """

    usd: Decimal = ZERO
    priced: int = 0
    unpriced: int = 0
    reported: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    context_tokens: int = 0
    """What the last provider call took up: its input and its output."""

    @property
    def estimated(self) -> bool:
        """Whether nothing had a price (P5)."""
        return self.priced == 0

    @property
    def label(self) -> str:
        return cost_label(self)


def normal_name(model: str) -> str:
    """A model's name as prices are looked up by: letter case and outer white space do not count."""
    return model.strip().lower()


def is_amount(usd: Decimal) -> bool:
    """Whether this can be a price or a sum: a number, not negative, neither absurdly large nor absurdly small (P6)."""
    return usd.is_finite() and ZERO <= usd <= MAX_USD and (usd == 0 or usd.adjusted() >= MIN_EXPONENT)


def is_usable(override: PriceOverride) -> bool:
    """Whether an override holds amounts only; one that does not is passed over as if it were not there (P6)."""
    amounts = (override.input, override.output, override.cache_read, override.cache_write)
    return all(amount is None or is_amount(amount) for amount in amounts)


def override_price(override: PriceOverride) -> Price:
    """The price that a person set."""
    rates = Rates(
        input=override.input,
        output=override.output,
        cache_read=override.cache_read,
        cache_write=override.cache_write,
    )
    return Price(rates=rates, price_id=override.prefix, source="override")


def price_for(
    model: str,
    overrides: Sequence[PriceOverride] = (),
    table: PriceTable = NO_PRICES,
    *,
    provider: str = "",
    base_url: str = "",
    at: int | None = None,
) -> Price | None:
    """The price of a model, or None when none is known (P2).

    The longest prefix over overrides and table together, an override winning a tie; so an override for exactly this
    model always wins. Of two overrides with the same prefix the later one counts.
    """
    name = normal_name(model)
    best: PriceOverride | None = None
    best_length = -1
    for override in overrides:
        prefix = normal_name(override.prefix)
        if len(prefix) >= best_length and name.startswith(prefix) and is_usable(override):
            best, best_length = override, len(prefix)
    match = table.find(model, provider=provider, base_url=base_url, at=at)
    if match is not None and match.length > best_length:
        return match.price
    return None if best is None else override_price(best)


def clamp(tokens: int, most: int) -> int:
    return min(max(tokens, 0), most)


def cost_of(usage: Usage, price: Price | None) -> Cost:
    """What a call with this usage costs, exactly (P4, P6).

    Cached input is charged at its own price and the rest of the input at the input's; reasoning is a part of the
    output and never added to it. Parts larger than their whole are cut down to it, reads before writes.
    """
    if price is None:
        return Cost(usd=ZERO, estimated=True)
    input_tokens = clamp(usage.input_tokens, MAX_TOKENS)
    cache_read = clamp(usage.cache_read_tokens, input_tokens)
    cache_write = clamp(usage.cache_write_tokens, input_tokens - cache_read)
    output_tokens = clamp(usage.output_tokens, MAX_TOKENS)
    reasoning = clamp(usage.reasoning_tokens, output_tokens)
    rates = price.rates
    for tier in price.tiers:
        if input_tokens > tier.above_input_tokens:
            rates = tier.rates
    parts = (
        (input_tokens - cache_read - cache_write, rates.input),
        (cache_read, rates.input if rates.cache_read is None else rates.cache_read),
        (cache_write, rates.input if rates.cache_write is None else rates.cache_write),
        (output_tokens - reasoning, rates.output),
        (reasoning, rates.output if rates.reasoning is None else rates.reasoning),
    )
    millionths = ZERO
    for tokens, rate in parts:
        millionths = EXACT.fma(Decimal(tokens), rate, millionths)
    usd = EXACT.fma(millionths, PER_MILLION, price.per_call_usd)
    return Cost(usd=plain(usd), estimated=False)


def plain(usd: Decimal) -> Decimal:
    """The same amount without trailing zeros, so that equal sums are written alike."""
    if usd == 0:
        return ZERO  # not -0, nor a zero with an exponent
    if usd == usd.to_integral_value():
        return usd.quantize(Decimal(1), context=EXACT)
    return usd.normalize(EXACT)


def stamp(
    usage: Usage,
    *,
    model: str,
    provider: str = "",
    base_url: str = "",
    reported_usd: Decimal | None = None,
    overrides: Sequence[PriceOverride] = (),
    table: PriceTable = NO_PRICES,
    at: int | None = None,
) -> MessageCost:
    """The cost to keep with a message when its usage arrives (M2, P7). What the provider itself reports wins (P6)."""
    if reported_usd is not None and is_amount(reported_usd):
        return MessageCost(usd=plain(reported_usd), source="provider")
    price = price_for(model, overrides, table, provider=provider, base_url=base_url, at=at)
    usd = cost_of(usage, price).usd
    if price is None:
        return MessageCost(usd=usd, source="unpriced")
    return MessageCost(usd=usd, source=price.source, price_id=price.price_id)


def conversation_cost(
    messages: Iterable[MessageBody],
    model: str = "",
    overrides: Sequence[PriceOverride] = (),
    table: PriceTable = NO_PRICES,
) -> CostReport:
    """What a conversation used and cost so far: the sum over its assistant messages with usage or a cost (P5).

    A message that carries its `cost` keeps it, whatever prices are now (P7). One that carries only `usage` (from a
    file of another program) is priced as of its own time, by its own model, else by `model`. To price anew, pass
    messages whose `cost` is None.
    """
    usd = ZERO
    priced = unpriced = reported = input_tokens = output_tokens = context_tokens = 0
    tokens_estimated = False
    for message in messages:
        usage, cost = message.usage, message.cost
        if message.role != "assistant" or (usage is None and cost is None):
            continue
        if usage is not None:
            call_input = clamp(usage.input_tokens, MAX_TOKENS)
            call_output = clamp(usage.output_tokens, MAX_TOKENS)
            input_tokens += call_input
            output_tokens += call_output
            context_tokens = call_input + call_output
            tokens_estimated = tokens_estimated or usage.estimated
            if cost is None:
                cost = stamp(
                    usage,
                    model=message.model or model,
                    provider=message.provider or "",
                    overrides=overrides,
                    table=table,
                    at=message.ts,
                )
        if cost is None or cost.source == "unpriced" or not is_amount(cost.usd):
            unpriced += 1
            continue
        priced += 1
        reported += cost.source == "provider"
        usd = EXACT.add(usd, cost.usd)
    return CostReport(
        usd=plain(usd),
        priced=priced,
        unpriced=unpriced,
        reported=reported,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        tokens_estimated=tokens_estimated,
        context_tokens=context_tokens,
    )


def totals_record(node: NodeId, report: CostReport, context_limit: int | None = None) -> TotalsRecord:
    """The report as the record that clients see. `context_limit`: the model's window in tokens, where known."""
    return TotalsRecord(
        id=totals_id(node),
        node_id=node,
        input_tokens=report.input_tokens,
        output_tokens=report.output_tokens,
        usd=report.usd,
        label=report.label,
        unpriced=report.unpriced,
        estimated=report.estimated,
        tokens_estimated=report.tokens_estimated,
        context_tokens=report.context_tokens,
        context_limit=context_limit,
    )


def cost_label(report: CostReport) -> str:
    """The cost in words (P4, P5): `$0.0123`, `n/a`, `at least $0.42 + 2 unpriced`.

    `n/a`: there were calls, and none had a price. Without any call, or when all were free: `$0.00`.
    """
    if not report.unpriced:
        return amount_label(report.usd)
    if not report.priced:
        return "n/a"
    # Rounded up, "at least" would not be true.
    return f"at least {amount_label(report.usd, ROUND_DOWN)} + {report.unpriced} unpriced"


def amount_label(usd: Decimal, rounding: str = ROUND_HALF_EVEN) -> str:
    """An amount in dollars: cents from ten cents up, three significant digits below, never `$0.00` for something."""
    digits = 2 if usd == 0 or usd >= Decimal("0.1") else 2 - usd.adjusted()
    rounded = usd.quantize(Decimal(1).scaleb(-digits), rounding=rounding, context=EXACT)
    whole, _, fraction = f"{rounded:,f}".partition(".")
    return f"${whole}.{fraction.rstrip('0').ljust(2, '0')}"
