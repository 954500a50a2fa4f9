"""D13, D14: the presets of well-known services, and how their addresses are read."""

from __future__ import annotations

import pytest

from talkfield.errors import ProviderRefused
from talkfield.providers.base_url import chat_completions_url, messages_url, models_url, origin_of
from talkfield.providers.profile import Profile, profile_of
from talkfield.providers.vendor import VENDORS, Vendor, profile_for, vendor_at


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.id)
def test_D13_every_preset_is_whole(vendor: Vendor) -> None:
    assert vendor.api in ("openai", "anthropic")
    assert vendor.name
    assert vendor.docs.startswith("https://")
    assert set(vendor.profile) <= set(Profile.__struct_fields__)
    # A value of the wrong type would be left out in silence.
    assert all(getattr(profile_of(vendor.profile), name) != getattr(Profile(), name) for name in vendor.profile)
    if vendor.base_url:
        url = messages_url(vendor.base_url) if vendor.api == "anthropic" else chat_completions_url(vendor.base_url)
        assert url.startswith("https://" if vendor.key_variable else "http://127.0.0.1:")
        assert vendor_at(vendor.base_url) == vendor


def test_D13_presets_have_ids_of_their_own() -> None:
    assert [vendor.id for vendor in VENDORS] == [
        *("openai", "anthropic", "openrouter", "groq", "deepseek", "gemini", "mistral", "xai", "together", "fireworks"),
        *(
            "cerebras",
            "moonshot",
            "zai",
            "minimax",
            "alibaba",
            "perplexity",
            "azure",
            "huggingface",
            "github",
            "vercel",
        ),
        *("ollama", "lmstudio", "llamacpp", "vllm"),
    ]


def test_D13_a_profile_is_found_by_the_address() -> None:
    assert profile_for("https://api.openai.com") == {"max_tokens_field": "max_completion_tokens"}
    assert profile_for("https://mine.openai.azure.com/openai/v1")["key_header"] == "api-key"
    assert profile_for("https://api.openai.com.example.org/v1") == {}
    assert profile_for("not an address") == {}


def test_D13_a_profile_keeps_what_fits_and_leaves_out_the_rest() -> None:
    profile = profile_of({"tools": False, "temperature": "warm", "of_another_version": 1}, {"tools": True})
    assert profile == Profile(tools=True)


@pytest.mark.parametrize(
    ("pasted", "called", "models"),
    [
        ("https://api.x.ai", "https://api.x.ai/v1/chat/completions", "https://api.x.ai/v1/models"),
        (" https://api.x.ai/v1/ ", "https://api.x.ai/v1/chat/completions", "https://api.x.ai/v1/models"),
        ('"https://api.x.ai//v1"', "https://api.x.ai/v1/chat/completions", "https://api.x.ai/v1/models"),
        (
            "https://g.com/v1beta/openai",
            "https://g.com/v1beta/openai/chat/completions",
            "https://g.com/v1beta/openai/models",
        ),
        ("https://z.ai/api/paas/v4", "https://z.ai/api/paas/v4/chat/completions", "https://z.ai/api/paas/v4/models"),
        ("https://p.ai/chat/completions", "https://p.ai/chat/completions", "https://p.ai/models"),
        ("https://x.ai/v1/models", "https://x.ai/v1/chat/completions", "https://x.ai/v1/models"),
        ("https://x.ai/v1/chat/completions/", "https://x.ai/v1/chat/completions", "https://x.ai/v1/models"),
        (
            "https://a.com/d/chat/completions?v=1#x",
            "https://a.com/d/chat/completions?v=1",
            "https://a.com/d/models?v=1",
        ),
        ("localhost:11434", "http://localhost:11434/v1/chat/completions", "http://localhost:11434/v1/models"),
        ("192.168.1.5:8080/v1", "http://192.168.1.5:8080/v1/chat/completions", "http://192.168.1.5:8080/v1/models"),
        ("http://[::1]:8080", "http://[::1]:8080/v1/chat/completions", "http://[::1]:8080/v1/models"),
        (
            "api.groq.com/openai/v1",
            "https://api.groq.com/openai/v1/chat/completions",
            "https://api.groq.com/openai/v1/models",
        ),
    ],
)
def test_D14_addresses_as_people_paste_them(pasted: str, called: str, models: str) -> None:
    assert (chat_completions_url(pasted), models_url(pasted)) == (called, models)


@pytest.mark.parametrize(
    ("pasted", "called"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages"),
        ("https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1/messages"),
    ],
)
def test_D14_addresses_of_the_other_wire(pasted: str, called: str) -> None:
    assert messages_url(pasted) == called


@pytest.mark.parametrize(
    "pasted", ["", "ftp://x.com", "https://", "https://a b.com", "https://u:p@x.com", "http://x:99999"]
)
def test_D14_what_is_no_address_is_told(pasted: str) -> None:
    with pytest.raises(ProviderRefused) as raised:
        chat_completions_url(pasted)
    assert raised.value.code == "bad_address"
    assert "p@x" not in raised.value.message


def test_D15_an_origin_always_has_its_port() -> None:
    assert origin_of("https://API.x.ai/v1/chat?x=1") == "https://api.x.ai:443"
    assert origin_of("http://[::1]:8080/v1") == "http://[::1]:8080"
