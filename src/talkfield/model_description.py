"""What is generally known of providers' models, put beside what the providers say themselves: prices and windows.

For showing alone: what a call costs is decided when its usage arrives (P7).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from msgspec.structs import replace

from talkfield.core.cost import price_for
from talkfield.core.messages import ModelInfo
from talkfield.core.records import PriceOverride, ProviderRecord
from talkfield.prices import DEFAULT_PRICES


def described(record: ProviderRecord, overrides: Sequence[PriceOverride]) -> ProviderRecord:
    """The record with the price and the context window of each model that has one."""
    offered = record.models
    if record.model and record.model not in {model.id for model in offered}:
        offered = (ModelInfo(id=record.model), *offered)
    models = tuple(_described(model, record, tuple(overrides)) for model in offered)
    return replace(record, models=models)


def _described(model: ModelInfo, record: ProviderRecord, overrides: tuple[PriceOverride, ...]) -> ModelInfo:
    tokens, prices = _known(model.id, record.provider, record.base_url, overrides)
    return replace(
        model,
        context_tokens=model.context_tokens or tokens,
        input_usd=None if prices is None else prices[0],
        output_usd=None if prices is None else prices[1],
    )


@lru_cache(maxsize=4096)
def _known(
    model: str, provider: str, base_url: str, overrides: tuple[PriceOverride, ...]
) -> tuple[int | None, tuple[Decimal, Decimal] | None]:
    """A service may list hundreds of models, and its record is told at each change of any setting."""
    tokens = DEFAULT_PRICES.context_limit(model, provider=provider, base_url=base_url)
    price = price_for(model, overrides, DEFAULT_PRICES, provider=provider, base_url=base_url)
    return tokens, None if price is None else (price.rates.input, price.rates.output)
