from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.ids import ProviderId
from talkfield.providers.resolve import (
    ConfiguredProvider,
    configured_providers,
    id_for,
    key_hint,
    key_origin,
    missing_key,
)
from talkfield.providers.vendor import Vendor
from talkfield.runtime.config import ProviderSettings
from talkfield.runtime.ports import ProviderConfig


def preset(vendor: str, name: str, base_url: str, key_variable: str, **more: Any) -> Vendor:
    return Vendor(
        id=vendor, name=name, base_url=base_url, key_variable=key_variable, **{"api": "openai", "docs": "", **more}
    )


vendors = (
    preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        model="gpt-x",
        profile={"system_role": "developer"},
    ),
    preset("anthropic", "Anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", api="anthropic"),
    preset("cloud", "Cloud", "", "CLOUD_API_KEY", host_suffixes=(".cloud.example",), profile={"tools": False}),
    preset("forge", "Forge", "https://models.forge.example", "FORGE_TOKEN", model="m"),
    preset("box", "Box", "http://127.0.0.1:9999/v1", ""),
)


def own(provider: str = "work", base_url: str = "https://llm.work.example/v1", **more: Any) -> ProviderSettings:
    return ProviderSettings(
        id=ProviderId(provider), **{"name": "Work", "api": "openai", "base_url": base_url, "model": "m1", **more}
    )


def config(provider: str, name: str, base_url: str, key: str = "", **more: Any) -> ProviderConfig:
    return ProviderConfig(
        id=ProviderId(provider), name=name, base_url=base_url, key=key, **{"api": "openai", "model": None, **more}
    )


def resolved(
    *settings: ProviderSettings,
    stored: Mapping[str, str] | None = None,
    own_ports: tuple[int, ...] = (),
    environment: Mapping[str, str] | None = None,
    **variables: str,
) -> tuple[ConfiguredProvider, ...]:
    keys = {ProviderId(name): key for name, key in (stored or {}).items()}
    return configured_providers(settings, keys, {**(environment or {}), **variables}, vendors, own_ports)


def test_R2_settings_alone_give_what_was_configured() -> None:
    assert resolved(own(profile={"tools": False}, headers={"X-Team": "a"}), stored={"work": "stored-key"}) == (
        ConfiguredProvider(
            config=config(
                "work",
                "Work",
                "https://llm.work.example/v1",
                "stored-key",
                model="m1",
                profile={"tools": False},
                headers={"X-Team": "a"},
            ),
            origin="settings",
        ),
    )


def test_check_46_R2_the_environment_beats_every_stored_value() -> None:
    (found,) = resolved(
        own("my-work", profile={"tools": False}),
        stored={"my-work": "stored-key"},
        TALKFIELD_PROVIDER_KEY_MY_WORK=" given-key ",
        TALKFIELD_PROVIDER_URL_MY_WORK="https://other.example/v1",
        TALKFIELD_PROVIDER_MODEL_MY_WORK="m2",
        TALKFIELD_PROVIDER_API_MY_WORK="anthropic",
        TALKFIELD_PROVIDER_NAME_MY_WORK="Elsewhere",
    )

    assert found == ConfiguredProvider(
        config=config(
            "my-work",
            "Elsewhere",
            "https://other.example/v1",
            "given-key",
            model="m2",
            api="anthropic",
            profile={"tools": False},
        ),
        origin="settings",
    )


def test_R2_an_empty_variable_gives_nothing() -> None:
    (found,) = resolved(own(), stored={"work": "stored-key"}, TALKFIELD_PROVIDER_KEY_WORK="  ")

    assert found.config.key == "stored-key"


def test_R2_the_environment_alone_adds_an_endpoint() -> None:
    assert resolved(
        TALKFIELD_PROVIDER_URL_MY_BOX="http://10.0.0.5:8000/v1", TALKFIELD_PROVIDER_MODEL_MY_BOX="qwen"
    ) == (
        ConfiguredProvider(
            config=config("my-box", "My box", "http://10.0.0.5:8000/v1", model="qwen"), origin="environment"
        ),
    )


def test_R2_a_key_without_an_address_says_what_to_set() -> None:
    (found,) = resolved(TALKFIELD_PROVIDER_KEY_CRATE="k")

    assert found.problem == "It has no address: set TALKFIELD_PROVIDER_URL_CRATE"


def test_R2_a_model_alone_is_no_provider() -> None:
    assert resolved(TALKFIELD_PROVIDER_MODEL_BOX="qwen") == ()


def test_R2_a_vendors_own_variable_offers_it() -> None:
    assert resolved(OPENAI_API_KEY="sk-1", ANTHROPIC_API_KEY="", TALKFIELD_PROVIDER_MODEL_OPENAI="gpt-y") == (
        ConfiguredProvider(
            config=config(
                "openai",
                "OpenAI",
                "https://api.openai.com/v1",
                "sk-1",
                model="gpt-y",
                profile={"system_role": "developer"},
            ),
            origin="environment",
        ),
    )


def test_R2_talkfields_own_variable_beats_the_vendors() -> None:
    (found,) = resolved(OPENAI_API_KEY="sk-1", TALKFIELD_PROVIDER_KEY_OPENAI="sk-2")

    assert (found.config.key, found.config.base_url) == ("sk-2", "https://api.openai.com/v1")


def test_D15_a_vendors_key_goes_where_its_companion_says() -> None:
    gateway = {"OPENAI_API_KEY": "gateway-key", "OPENAI_BASE_URL": "https://gateway.example/v1"}
    (found,) = resolved(environment=gateway)
    (with_own_key,) = resolved(environment=gateway, TALKFIELD_PROVIDER_KEY_OPENAI="sk-2")

    assert (found.config.base_url, found.config.profile) == ("https://gateway.example/v1", {})
    assert (with_own_key.config.key, with_own_key.config.base_url) == ("sk-2", "https://api.openai.com/v1")


def test_D15_a_vendors_key_is_lent_only_to_a_provider_at_its_address() -> None:
    at_home = own("openai", "https://api.openai.com/v1")
    abroad = own("openai", "https://api.openai.com.evil.example/v1")

    assert resolved(at_home, OPENAI_API_KEY="sk-1")[0].config.key == "sk-1"
    assert resolved(abroad, OPENAI_API_KEY="sk-1")[0].config.key == ""
    assert resolved(at_home, OPENAI_API_KEY="sk-1", OPENAI_BASE_URL="https://gateway.example")[0].config.key == ""


def test_U15_what_the_environment_merely_makes_possible_does_not_answer_unasked() -> None:
    found = resolved(
        own(model=None),
        OPENAI_API_KEY="sk-1",  # its preset has a model
        ANTHROPIC_API_KEY="sk-2",  # nobody said which model
        FORGE_TOKEN="for-pushing-code",
        TALKFIELD_PROVIDER_URL_CRATE="http://10.0.0.5/v1",
        TALKFIELD_PROVIDER_URL_BARREL="http://10.0.0.6/v1",
        TALKFIELD_PROVIDER_MODEL_BARREL="m",
    )

    assert {each.config.id: each.unasked for each in found} == {
        "work": True,
        "openai": True,
        "anthropic": False,
        "forge": False,
        "crate": False,
        "barrel": True,
    }
    assert resolved(TALKFIELD_PROVIDER_KEY_FORGE="for-models")[0].unasked


def test_R2_a_vendor_whose_users_have_hosts_of_their_own_needs_an_address() -> None:
    (found,) = resolved(CLOUD_API_KEY="k", TALKFIELD_PROVIDER_URL_CLOUD="https://me.cloud.example/v1")

    assert resolved(CLOUD_API_KEY="k") == ()
    assert (found.config.key, found.config.profile) == ("k", {"tools": False})
    assert resolved(own(base_url="https://evil.cloud.example/v1"), CLOUD_API_KEY="k")[0].config.key == ""


def test_D13_a_vendors_profile_holds_at_its_address_and_under_the_persons_own() -> None:
    (found,) = resolved(own("mine", "https://api.openai.com/v1", profile={"tools": False}))

    assert found.config.profile == {"system_role": "developer", "tools": False}


def test_R2_ones_own_come_first_then_vendors_then_other_endpoints() -> None:
    found = resolved(
        own("zeta"),
        own("alpha"),
        ANTHROPIC_API_KEY="a",
        TALKFIELD_PROVIDER_URL_BOX="http://10.0.0.5/v1",
        OPENAI_API_KEY="o",
    )

    assert [each.config.id for each in found] == ["zeta", "alpha", "openai", "anthropic", "box"]


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({"URL": "http://169.254.169.254"}, "Its address cannot be used: 169.254.169.254 is not an address of a model"),
        ({"URL": "http://localhost:8765"}, "Its address cannot be used: this is Talkfield's own address"),
        ({"API": "grpc"}, "Its api is 'grpc', and has to be one of: openai, anthropic"),
        ({"KEY": "pasted\ntwice"}, "Its key has characters that no key has"),
        ({"KEY": "“quoted”"}, "Its key has characters that no key has"),
    ],
)
def test_X5_a_bad_variable_makes_its_provider_unusable_and_says_so(environment: dict[str, str], problem: str) -> None:
    (found,) = resolved(
        own(),
        stored={"work": "stored-key"},
        own_ports=(8765,),
        environment={f"TALKFIELD_PROVIDER_{name}_WORK": value for name, value in environment.items()},
    )

    assert found.problem.startswith(problem)
    assert "pasted" not in repr(found)


def test_D15_a_stored_key_is_asked_for_the_address_it_would_go_to() -> None:
    assert key_origin(own(), {}) == "https://llm.work.example:443"
    assert key_origin(own(), {"TALKFIELD_PROVIDER_URL_WORK": "http://x.example"}) == "http://x.example:80"
    assert key_origin(own(base_url="nonsense://"), {}) is None


def test_R2_a_missing_key_is_noticed_where_the_vendor_needs_one() -> None:
    (found,) = resolved(own("mine", "https://api.openai.com/v1"))
    (free,) = resolved(own())

    assert missing_key(found, vendors) == "It has no key: add one in Settings, or set TALKFIELD_PROVIDER_KEY_MINE"
    assert missing_key(free, vendors) == ""


def test_X2_a_hint_is_four_characters_of_a_long_key() -> None:
    assert [key_hint(key) for key in ("", "short-key-1", "sk-abcdefgh9876")] == ["", "", "9876"]


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("OpenAI", "openai-2"),
        ("Open AI", "open-ai"),
        ("Zürich Büro!", "zurich-buro"),
        ("../../etc", "etc"),
        ("日本", "provider"),
        ("My Box", "my-box-3"),
    ],
)
def test_X5_an_id_is_made_of_the_name(name: str, provider: str) -> None:
    assert id_for(name, ["openai", "my_box", "my-box-2"]) == provider


@given(name=st.text(max_size=60), taken=st.lists(st.from_regex(r"[a-z0-9_-]{1,8}", fullmatch=True)))
def test_X5_every_id_is_new_and_fits_a_variables_name(name: str, taken: list[str]) -> None:
    made = id_for(name, taken)
    variable = f"TALKFIELD_PROVIDER_URL_{made.upper().replace('-', '_')}"
    (found,) = resolved(environment={variable: "https://x.example"})

    assert made not in taken
    assert found.config.id == made
