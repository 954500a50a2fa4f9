"""Converts what OpenAI-like services report as usage into Talkfield's meaning of it (M5, D9). Pure.

Numbers are kept as they were reported, also where they can't be true (a service has reported more cached tokens than
input): what costs money is clamped where costs are computed. Strings, floats and nonsense are coerced or ignored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from talkfield.core.messages import Usage

USD_TICKS = Decimal(10) ** 10
LARGEST_COUNT = 2**53 - 1
LARGEST_USD = Decimal(10) ** 9
"""No call costs as much: a larger number is nonsense."""


def openai_usage(raw: Mapping[str, Any]) -> Usage | None:
    """None where nothing in it counts anything: some services send zeros until the end."""
    input_tokens = _first(raw, "prompt_tokens", "input_tokens")
    output_tokens = _first(raw, "completion_tokens", "output_tokens")
    into = _mapping(raw, "prompt_tokens_details") or _mapping(raw, "input_tokens_details")
    out_of = _mapping(raw, "completion_tokens_details") or _mapping(raw, "output_tokens_details")
    cache_read = _first(into, "cached_tokens") or _first(
        raw, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"
    )
    cache_write = _first(into, "cache_write_tokens", "cache_creation_tokens") or _first(
        raw, "cache_creation_input_tokens"
    )
    reasoning = _first(out_of, "reasoning_tokens") or _first(raw, "reasoning_tokens")
    total = _first(raw, "total_tokens")
    # xAI counts reasoning beside the output, everyone else within it: the sum tells which (G5 of the wire notes).
    if reasoning and total == input_tokens + output_tokens + reasoning:
        output_tokens += reasoning
    if not (input_tokens or output_tokens):
        return None
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_read_tokens=cache_read,
        cache_write_tokens=cache_write,
        reasoning_tokens=reasoning,
    )


def anthropic_usage(raw: Mapping[str, Any]) -> Usage:
    """Anthropic counts cached input beside the rest of it; here it is a part of it."""
    cache_read = count(raw.get("cache_read_input_tokens"))
    cache_write = count(raw.get("cache_creation_input_tokens"))
    return Usage(
        input_tokens=count(raw.get("input_tokens")) + cache_read + cache_write,
        output_tokens=count(raw.get("output_tokens")),
        cache_read_tokens=cache_read,
        cache_write_tokens=cache_write,
        reasoning_tokens=_first(_mapping(raw, "output_tokens_details"), "thinking_tokens", "reasoning_tokens"),
    )


def reported_usd(raw: Mapping[str, Any]) -> Decimal | None:
    """What the service itself says the call cost (P6): OpenRouter, Perplexity, xAI, gateways."""
    cost = raw.get("cost")
    if isinstance(cost, Mapping):
        cost = cost.get("total_cost")
    usd = _money(cost)
    if usd is not None and raw.get("is_byok") is True:
        # With the user's own upstream key the router reports its fee alone.
        upstream = _money(_mapping(raw, "cost_details").get("upstream_inference_cost"))
        return usd + (upstream or 0)
    if usd is None:
        usd = _money(raw.get("market_cost"))
    ticks = _money(raw.get("cost_in_usd_ticks"))
    if usd is None and ticks:
        usd = ticks / USD_TICKS
    return usd


def count(value: Any) -> int:
    """A number of tokens out of whatever stands for one; 0 where it makes no sense."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return 0
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return 0
    if value < 0 if isinstance(value, int) else not (math.isfinite(value) and value >= 0):
        return 0
    return min(int(value), LARGEST_COUNT)


def _first(raw: Mapping[str, Any], *names: str) -> int:
    return next((found for name in names if (found := count(raw.get(name)))), 0)


def _mapping(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = raw.get(name)
    return value if isinstance(value, Mapping) else {}


def _money(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        money = Decimal(str(value))
    except (InvalidOperation, ValueError):
        return None
    return money if money.is_finite() and 0 <= money < LARGEST_USD else None
