"""The settings file loses nothing: not what it does not know, not what it cannot understand."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from storage.disk import files_up_to
from strategies import struct_strategy
from talkfield.core.ids import ProviderId
from talkfield.core.records import SETTINGS_ID, PriceOverride, SettingsRecord
from talkfield.core.tool_server import ToolServer
from talkfield.errors import ProjectTooNew, ProjectUnreadable, SaveFailed
from talkfield.runtime.config import Configuration, ProviderSettings
from talkfield.storage.settings import ConfigurationFile

NOON = datetime(2026, 8, 14, 12, 30, 15)
ASIDE = "settings.json.damaged-20260814-123015"


@pytest.fixture
def file(tmp_path: Path) -> ConfigurationFile:
    return ConfigurationFile(tmp_path / "settings.json", now=lambda: NOON)


def provider(id: str = "x", **fields: Any) -> ProviderSettings:
    given_fields = {"name": id.upper(), "api": "openai", "base_url": f"https://{id}.example"}
    return ProviderSettings(id=ProviderId(id), **{**given_fields, **fields})


def configured(*providers: ProviderSettings, learned: Mapping[str, Any] | None = None, **fields: Any) -> Configuration:
    record = SettingsRecord(id=SETTINGS_ID, **fields)
    return Configuration(settings=record, providers=providers, learned=dict(learned or {}))


def written(file: ConfigurationFile, tree: Any) -> ConfigurationFile:
    file.path.write_text(json.dumps(tree))
    return file


def tree(file: ConfigurationFile) -> Any:
    return json.loads(file.path.read_text())


FULL = configured(
    provider("x", model="m", profile={"maxTokens": "old"}, headers={"X-Team": "a"}),
    provider("y"),
    learned={"https://x.example m": {"usage": False}},
    theme="dark",
    price_overrides=(PriceOverride(prefix="m", input=Decimal("0.1"), output=Decimal(2)),),
)


def test_without_a_file_the_defaults_hold_and_nothing_is_made(file: ConfigurationFile) -> None:
    assert (file.load(), file.notices, file.path.exists()) == (Configuration(), [], False)


def test_what_was_saved_is_loaded(file: ConfigurationFile) -> None:
    file.save(FULL)
    assert ConfigurationFile(file.path).load() == FULL
    file.save(Configuration())
    assert ConfigurationFile(file.path).load() == Configuration()


def test_X2_settings_are_private(file: ConfigurationFile) -> None:
    file.save(FULL)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_file_is_for_people_to_read(file: ConfigurationFile) -> None:
    file.save(configured(provider("x"), theme="dark"))
    assert file.path.read_text() == (
        '{\n  "version": 1,\n  "settings": {\n    "theme": "dark"\n  },\n  "providers": [\n    {\n      "id": "x",\n'
        '      "name": "X",\n      "api": "openai",\n      "baseUrl": "https://x.example"\n    }\n  ],\n'
        '  "learned": {}\n}\n'
    )


def test_unknown_fields_survive(file: ConfigurationFile) -> None:
    unknown = {
        "future": [1],
        "settings": {"zoom": 2},
        "providers": [{"id": "x", "color": "red"}, {"id": "gone", "a": 1}],
    }
    known = {"id": "x", "name": "X", "api": "openai", "baseUrl": "https://x.example", "color": "red"}
    written(file, unknown | {"providers": [known, known | {"id": "gone"}]}).save(configured(provider("x", name="New")))
    assert tree(file) == {
        "version": 1,
        "settings": {"zoom": 2},
        "providers": [known | {"name": "New"}],
        "learned": {},
        "future": [1],
    }


def test_field_that_went_back_to_its_default_is_left_out(file: ConfigurationFile) -> None:
    file.save(configured(provider("x", model="m"), theme="dark"))
    file.save(configured(provider("x")))
    assert file.load() == configured(provider("x"))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe{}", b'{"a": "\xff"}', b"[" * 100_000])
def test_check_17_ST9_damaged_file_is_set_aside_and_told(file: ConfigurationFile, content: bytes) -> None:
    file.path.write_bytes(content)
    assert file.load() == Configuration()
    assert len(file.notices) == 1
    assert ASIDE in file.notices[0]
    file.save(FULL)
    assert file.path.with_name(ASIDE).read_bytes() == content
    assert ConfigurationFile(file.path).load() == FULL


def test_ST9_damage_after_loading_is_set_aside_before_saving(file: ConfigurationFile) -> None:
    file.load()
    file.path.write_bytes(b"edited{")
    file.save(FULL)
    assert file.path.with_name(ASIDE).read_bytes() == b"edited{"


def test_check_30_X5_one_wrong_value_costs_only_itself_and_is_kept_in_a_copy(file: ConfigurationFile) -> None:
    wrong = {
        "settings": {"theme": "purple", "maxProviderCalls": 7},
        "providers": [{"id": "bad"}, {"id": "x", "name": "X", "api": "openai", "baseUrl": "https://x.example"}, 3],
        "learned": {"a": 1},
    }
    assert written(file, wrong).load() == configured(provider("x"), max_provider_calls=7)
    assert [name in file.notices[0] for name in ("settings.theme", "providers[0]", "providers[2]", "learned")] == [
        True
    ] * 4
    assert tree(file) == wrong
    file.save(configured(provider("x"), max_provider_calls=8))
    assert json.loads(file.path.with_name(ASIDE).read_text()) == wrong
    again = ConfigurationFile(file.path)
    assert (again.load(), again.notices) == (configured(provider("x"), max_provider_calls=8), [])


@pytest.mark.parametrize("wrong", [{"settings": []}, {"providers": {}}, {"learned": []}, {"settings": None}])
def test_X5_part_of_the_wrong_form_is_told(file: ConfigurationFile, wrong: dict[str, Any]) -> None:
    assert written(file, wrong).load() == Configuration()
    assert len(file.notices) == 1


def test_file_of_a_newer_version_is_left_alone(file: ConfigurationFile) -> None:
    written(file, {"version": 2, "settings": "another form"})
    with pytest.raises(ProjectTooNew):
        file.load()
    assert tree(file) == {"version": 2, "settings": "another form"}


def test_W9_file_that_cannot_be_read_or_written_is_told(file: ConfigurationFile) -> None:
    file.save(configured(theme="dark"))
    with files_up_to(10), pytest.raises(SaveFailed):
        file.save(FULL)
    assert file.load() == configured(theme="dark")
    file.path.unlink()
    file.path.mkdir()
    with pytest.raises(ProjectUnreadable):
        file.load()


def test_X5_lone_surrogate_does_not_block_saving(file: ConfigurationFile) -> None:
    file.save(configured(provider("x", name="a\ud83d")))
    assert file.load() == configured(provider("x", name="a�"))


def test_T10_tool_servers_come_back_and_a_wrong_one_costs_only_itself(file: ConfigurationFile) -> None:
    servers = (
        ToolServer(name="own", command=("npx", "-y", "thing"), env={"TOKEN": "t"}),
        ToolServer(name="far", url="https://x.example/mcp", headers={"Authorization": "Bearer t"}, enabled=False),
    )
    configuration = Configuration(tool_servers=servers, server_files={"d1": True, "d2": False})
    file.save(configuration)
    assert (file.load(), file.notices) == (configuration, [])
    changed = tree(file)
    changed["toolServers"][0]["name"] = "not a name"
    changed["toolServers"].append({"name": "both", "command": ["x"], "url": "http://x"})
    assert written(file, changed).load().tool_servers == servers[1:]
    assert "toolServers[0]" in file.notices[0]
    assert "toolServers[2]" in file.notices[0]


@settings(max_examples=40, deadline=None)
@given(providers=struct_strategy(ProviderSettings), record=struct_strategy(SettingsRecord))
def test_any_configuration_comes_back(
    tmp_path_factory: pytest.TempPathFactory, providers: ProviderSettings, record: SettingsRecord
) -> None:
    file = ConfigurationFile(tmp_path_factory.mktemp("any") / "settings.json")
    configuration = Configuration(settings=msgspec.structs.replace(record, id=SETTINGS_ID), providers=(providers,))
    file.save(configuration)
    assert (file.load(), file.notices) == (configuration, [])
