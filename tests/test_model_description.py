"""What is generally known of providers' models stands beside what they say themselves (U1)."""

from __future__ import annotations

from decimal import Decimal

from talkfield.core.ids import ProviderId
from talkfield.core.messages import ModelInfo
from talkfield.core.records import PriceOverride, ProviderRecord, provider_record_id
from talkfield.model_description import described


def provider(*models: ModelInfo, model: str | None = None) -> ProviderRecord:
    return ProviderRecord(
        id=provider_record_id(ProviderId("openai")),
        provider=ProviderId("openai"),
        name="OpenAI",
        api="openai",
        base_url="https://api.openai.com/v1",
        origin="settings",
        status="ready",
        model=model,
        models=models,
    )


def test_U1_a_model_has_its_window_and_price_where_they_are_known() -> None:
    (known, unknown) = described(provider(ModelInfo(id="gpt-4o"), ModelInfo(id="nobody-knows-this")), ()).models
    assert known.context_tokens == 128_000
    assert (known.input_usd, known.output_usd) == (Decimal("2.5"), Decimal(10))
    assert unknown == ModelInfo(id="nobody-knows-this")


def test_U1_what_a_provider_and_a_person_say_counts_more() -> None:
    own = PriceOverride(prefix="gpt-4o", input=Decimal(1), output=Decimal(2))
    (told,) = described(provider(ModelInfo(id="gpt-4o", name="Four", context_tokens=7)), (own,)).models
    assert told == ModelInfo(
        id="gpt-4o", name="Four", context_tokens=7, input_usd=Decimal(1), output_usd=Decimal(2), takes=None
    )


def test_U1_the_model_that_is_set_is_described_without_a_list() -> None:
    (model,) = described(provider(model="gpt-4o"), ()).models
    assert (model.id, model.context_tokens) == ("gpt-4o", 128_000)
    assert described(provider(), ()).models == ()
