"""The built-in prices: from the package, strictly matched, loaded late (P3)."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import talkfield
from builders import assistant, usage
from talkfield.core.cost import Price, Rates, TableMatch, cost_of, price_for
from talkfield.core.records import PriceOverride
from talkfield.prices import DEFAULT_PRICES, SAME_MODEL, context_limit, is_private, package

EARLY_2026 = int(datetime(2026, 2, 1, 12, tzinfo=UTC).timestamp() * 1000)


def entry(model: str, provider: str = "", base_url: str = "") -> str | None:
    """The id of the entry that is found."""
    found = DEFAULT_PRICES.find(model, provider=provider, base_url=base_url, at=EARLY_2026)
    return found.price.price_id if found else None


# What is found


@pytest.mark.parametrize(
    ("model", "price_id"),
    [
        ("gpt-4o", "openai:gpt-4o"),
        ("GPT-4o ", "openai:gpt-4o"),
        ("gpt-4o-2024-11-20", "openai:gpt-4o"),
        ("gpt-4o-2024-05-13", "openai:gpt-4o-2024-05-13"),
        ("gpt-5.2-20251211", "openai:gpt-5.2"),
        ("claude-sonnet-4-5-20250929", "anthropic:claude-sonnet-4-5"),
        ("claude-3-5-sonnet-v2@20241022", "anthropic:claude-3-5-sonnet"),
        ("gemini-2.5-pro-preview-05-06", "google:gemini-2.5-pro"),
        ("models/gemini-2.5-flash", "google:gemini-2.5-flash"),
        ("grok-4-0709", "x-ai:grok-4-0709"),
    ],
)
def test_P3_a_model_is_found_by_its_own_name(model: str, price_id: str) -> None:
    assert entry(model) == price_id


@pytest.mark.parametrize(
    ("model", "price_id"),
    [
        ("openai/gpt-4o", "openai:gpt-4o"),
        ("anthropic/claude-sonnet-4.5", "anthropic:claude-sonnet-4-5"),
        ("x-ai/grok-4", "x-ai:grok-4-0709"),
        ("mistralai/mistral-large-2512", "mistral:mistral-large-2512"),
        ("qwen/qwen3-32b", "openrouter:qwen/qwen3-32b"),
    ],
)
def test_P3_router_ids_match(model: str, price_id: str) -> None:
    assert entry(model) == price_id


@pytest.mark.parametrize(
    "model",
    [
        "gpt-9",
        "gpt-4o-2031-01-01",
        "gpt-4o-super",
        "claude-opus-4-9",
        "claude-sonnet-4-5-turbo",
        "gemini-2.5-pro-ultra",
        "deepseek-r1:7b",
        "deepseek-r1-distill-llama-70b",
        "kimi-k2.5-turbo",
        "my-claude-3-5-sonnet-clone",
        "openai/gpt-9",
        "nobody/gpt-4o",
        "smollm2-135m",
        "",
        "gpt-4o" + "-2024" * 100,
    ],
)
def test_P3_an_unknown_model_is_unknown_not_some_gpt(model: str) -> None:
    assert entry(model) is None


@pytest.mark.parametrize(
    ("model", "provider", "base_url", "price_id"),
    [
        ("llama-3.3-70b-versatile", "groq", "", "groq:llama-3.3-70b-versatile"),
        ("llama-3.3-70b-versatile", "mine", "https://api.groq.com/openai/v1", "groq:llama-3.3-70b-versatile"),
        ("openai/gpt-4o", "", "https://openrouter.ai/api/v1", "openrouter:openai/gpt-4o"),
        ("gpt-4o", "", "API.OPENAI.COM/v1", "openai:gpt-4o"),
        ("gpt-4o", "azure", "", "openai:gpt-4o"),
        ("grok-4", "xai", "", "x-ai:grok-4-0709"),
        ("gpt-4o", "somebody", "https://proxy.example.com/v1", "openai:gpt-4o"),
        ("ft:gpt-4o-2024-08-06:acme::abc", "openai", "", "openai:ft:gpt-4o"),
        (
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "aws",
            "",
            "aws:regional.anthropic.claude-sonnet-4-5-20250929-v1:0",
        ),
        # A service that is not in the list may pass a maker's price on, but runs open weights at its own.
        ("anthropic/claude-sonnet-4.5", "vercel", "https://ai-gateway.vercel.sh/v1", "anthropic:claude-sonnet-4-5"),
        ("openai/gpt-oss-120b", "", "https://router.huggingface.co/v1", None),
        ("deepseek-v3.2", "", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", None),
        ("qwen/qwen3-32b", "", "https://router.huggingface.co/v1", None),
        ("gpt-9", "", "https://proxy.example.com/v1", None),
        # A service in the list charges only what it lists.
        ("gpt-9", "openrouter", "", None),
        ("claude-sonnet-4-5", "", "https://api.openai.com/v1", None),
        # Included in a subscription: not charged by tokens.
        ("gpt-4o", "github-copilot", "", None),
        # What a server of one's own charges, only its owner knows.
        ("gpt-4o", "openai", "http://localhost:4000/v1", None),
        ("gpt-4o", "openai", "http://192.168.1.4:8000/v1", None),
    ],
)
def test_P3_the_price_is_that_of_whoever_answers(
    model: str, provider: str, base_url: str, price_id: str | None
) -> None:
    assert entry(model, provider, base_url) == price_id


def test_P3_the_embedded_model_costs_nothing() -> None:
    free = Price(rates=Rates(input=Decimal(0), output=Decimal(0)), price_id="local")
    found = DEFAULT_PRICES.find("SmolLM2", provider="local", base_url="http://127.0.0.1:8080/v1")
    assert found == TableMatch(free, 7)


def test_P3_a_free_model_of_a_router_is_free() -> None:
    found = DEFAULT_PRICES.find("deepseek/deepseek-r1:free", provider="openrouter")
    assert found is not None
    assert cost_of(usage(10**6, 10**6), found.price).usd == 0


def test_P3_what_is_not_charged_by_tokens_in_and_out_has_no_price() -> None:
    assert entry("whisper-large-v3", "groq") is None
    assert entry("embed-v4.0", "cohere") is None


# What is charged


def test_P3_cached_and_tiered_prices_are_the_packages() -> None:
    found = DEFAULT_PRICES.find("claude-sonnet-4-5")
    assert found is not None
    assert found.price.rates == Rates(
        input=Decimal(3), output=Decimal(15), cache_read=Decimal("0.3"), cache_write=Decimal("3.75")
    )
    assert [(tier.above_input_tokens, tier.rates.input) for tier in found.price.tiers] == [(200_000, Decimal(6))]


def test_P3_a_fee_for_each_request_and_a_price_of_reasoning_are_kept() -> None:
    sonar = DEFAULT_PRICES.find("sonar", provider="perplexity")
    research = DEFAULT_PRICES.find("sonar-deep-research", provider="perplexity")
    assert sonar is not None
    assert research is not None
    assert sonar.price.per_call_usd == Decimal("0.012")
    assert research.price.rates.reasoning == Decimal(3)


def test_P3_prices_are_those_of_the_time() -> None:
    """Some entry changed its price on a date; before it the old one counts, from it on the new one."""
    dated = [
        (service.id, model.id, start, earlier.prices.input_mtok, later.prices.input_mtok)
        for service in package().values()
        for model in service.models
        if isinstance(model.prices, list)
        for earlier, later in zip(model.prices, model.prices[1:], strict=False)
        if (start := getattr(later.constraint, "start_date", None)) and len(model.prices) == 2
        if isinstance(earlier.prices.input_mtok, Decimal) and isinstance(later.prices.input_mtok, Decimal)
        if earlier.prices.input_mtok != later.prices.input_mtok
    ]
    for provider, model, start, old, new in dated[:20]:
        at = int(datetime(start.year, start.month, start.day, tzinfo=UTC).timestamp() * 1000)
        for moment, rate in ((at - 1, old), (at, new)):
            found = DEFAULT_PRICES.find(model, provider=provider, at=moment)
            if found is not None and found.price.price_id == f"{provider}:{model}":
                assert found.price.rates.input == rate
    assert dated


@pytest.mark.parametrize("at", [None, -(10**30), 10**30, 0])
def test_P3_no_time_is_too_odd_to_price_at(at: int | None) -> None:
    assert DEFAULT_PRICES.find("gpt-4o", at=at) is not None


def priced_entries() -> list[tuple[str, Any]]:
    return [(service.id, model) for service in package().values() for model in service.models]


@given(
    st.integers(0, 10**6).map(lambda place: priced_entries()[place % len(priced_entries())]),
    st.integers(0, 400_000),
    st.integers(0, 100_000),
    st.floats(0, 1),
)
def test_P3_costs_are_those_the_package_calculates(
    entry: tuple[str, Any], input_tokens: int, output_tokens: int, share: float
) -> None:
    provider, model = entry
    found = DEFAULT_PRICES.find(model.id, provider=provider, at=EARLY_2026)
    if found is None or found.price.price_id != f"{provider}:{model.id}":
        return
    cached = int(input_tokens * share)
    from genai_prices.types import Usage as TheirUsage

    theirs = model.calc_price(
        TheirUsage(input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached),
        package()[provider],
        genai_request_timestamp=datetime.fromtimestamp(EARLY_2026 / 1000, UTC),
    )
    ours = cost_of(usage(input_tokens, output_tokens, cache_read_tokens=cached), found.price)
    assert ours.usd == theirs.total_price


# Together with a person's own prices


def test_P2_an_exact_entry_wins_over_a_persons_shorter_prefix() -> None:
    short = PriceOverride(prefix="gpt-", input=Decimal(7), output=Decimal(7))
    found = price_for("gpt-4o", (short,), DEFAULT_PRICES)
    assert found is not None
    assert found.price_id == "openai:gpt-4o"


def test_P2_a_persons_prefix_wins_where_the_entry_accounts_for_less_of_the_name() -> None:
    dated = PriceOverride(prefix="claude-sonnet-4-5-2025", input=Decimal(7), output=Decimal(7))
    router = PriceOverride(prefix="anthropic/claude-", input=Decimal(7), output=Decimal(7))
    assert price_for("claude-sonnet-4-5-20250929", (dated,), DEFAULT_PRICES).price_id == dated.prefix  # type: ignore[union-attr]
    found = price_for("anthropic/claude-sonnet-4.5", (router,), DEFAULT_PRICES)
    assert found is not None
    assert found.price_id == "anthropic:claude-sonnet-4-5"


def test_P5_the_librarys_shorthands_use_the_built_in_prices() -> None:
    mine = PriceOverride(prefix="mine", input=Decimal(7), output=Decimal(7))
    found = talkfield.price_for("gpt-4o"), talkfield.price_for("mine", (mine,)), talkfield.price_for("gpt-9")
    assert [price and price.price_id for price in found] == ["openai:gpt-4o", "mine", None]
    asked = assistant(usage=usage(1_000_000, 0), model="gpt-4o")
    assert talkfield.conversation_cost([asked]).usd == Decimal("2.5")


# Windows


@pytest.mark.parametrize(
    ("model", "provider", "base_url", "tokens"),
    [
        ("gpt-4o", "", "", 128_000),
        ("openai/gpt-4o", "openrouter", "", 128_000),
        ("kimi-k2.5", "", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", 262_144),
        ("kimi-k2.5", "", "http://127.0.0.1:8000/v1", None),
        ("gpt-9", "", "", None),
        ("smollm2-135m", "local", "", None),
    ],
)
def test_C7_the_context_limit_of_a_known_model_is_known(
    model: str, provider: str, base_url: str, tokens: int | None
) -> None:
    assert context_limit(model, provider=provider, base_url=base_url) == tokens


# Loading


def test_P3_importing_talkfield_does_not_load_the_price_list() -> None:
    script = (
        "import sys, talkfield, talkfield.prices; before = 'genai_prices' in sys.modules;"
        "talkfield.prices.DEFAULT_PRICES.load(); print(before, 'genai_prices.data' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=True)
    assert done.stdout.split() == ["False", "True"]


# Details


@pytest.mark.parametrize(
    ("rest", "same"),
    [
        ("", True),
        ("-20250929", True),
        ("@20250929", True),
        ("-2025-09-29", True),
        ("-v2@20241022", True),
        ("-preview-05-06", True),
        ("0905-preview", True),
        (":latest", True),
        ("-9", False),
        ("-mini", False),
        (":free", False),
        (":thinking", False),
        ("-preview-mini", False),
    ],
)
def test_P3_only_dates_and_revisions_may_follow_what_an_entry_matches(rest: str, same: bool) -> None:
    assert bool(SAME_MODEL.fullmatch(rest)) is same


@pytest.mark.parametrize(
    ("base_url", "private"),
    [
        ("", False),
        ("https://api.openai.com/v1", False),
        ("api.openai.com/v1", False),
        ("https://1.1.1.1/v1", False),
        ("http://127.0.0.1:11434/v1", True),
        ("http://[::1]:8080", True),
        ("http://10.1.2.3", True),
        ("http://localhost", True),
        ("http://gpu", True),
        ("http://gpu.lan:8000/v1", True),
        ("http://[::1", True),
    ],
)
def test_P3_private_addresses_are_told_from_public_ones(base_url: str, private: bool) -> None:
    assert is_private(base_url) is private
