"""What the directory lists: every provider there is, as its record and as what a request needs. Pure.

Owns the order (the scripted one where it is on, the user's own, the environment's, what runs here, the embedded model),
which of two that are the same is listed, and when one may be chosen unasked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from talkfield.core.ids import ProviderId
from talkfield.core.messages import FileKind, ModelInfo
from talkfield.core.records import ProviderOrigin, ProviderRecord, ProviderStatus, provider_record_id
from talkfield.errors import ProviderRefused
from talkfield.providers.base_url import origin_of
from talkfield.providers.discover import Found
from talkfield.providers.local import LocalStatus
from talkfield.providers.profile import profile_of
from talkfield.providers.resolve import ConfiguredProvider, key_hint
from talkfield.providers.scripted import scripted_models
from talkfield.runtime.ports import ProviderConfig

local_provider = ProviderId("local")
scripted_provider = ProviderId("scripted")
reserved_ids = (local_provider, scripted_provider, "ollama", "lmstudio", "llamacpp", "vllm")
"""Not given to providers a person adds, so that what is found later has its own name."""

usable_statuses: frozenset[ProviderStatus] = frozenset({"ready", "idle", "starting", "unknown"})


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What came of asking a provider for its models; holds for this configuration of it alone."""

    config: ProviderConfig
    status: ProviderStatus
    message: str = ""
    models: tuple[ModelInfo, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A provider. `config` is None where it cannot be asked; `usable`: it may be chosen unasked."""

    record: ProviderRecord
    config: ProviderConfig | None
    usable: bool


def entries_of(
    *,
    configured: Sequence[ConfiguredProvider],
    found: Sequence[Found],
    local: LocalStatus | None,
    local_model: ModelInfo,
    scripted: bool,
    asked: Mapping[ProviderId, Asked],
    keyless: Mapping[ProviderId, str],
    profiles: Mapping[str, Mapping[str, Any]],
) -> tuple[Entry, ...]:
    """All providers, best first. `local` None: no embedded model; else `local_model` is what it serves.

    `keyless` says of a provider why it has no key, `profiles` what a known kind of server accepts.
    """
    entries = [_configured(each, asked, keyless.get(each.config.id, "")) for each in configured]
    taken_ids = {entry.record.provider for entry in entries}
    taken_origins = {_origin(each.config.base_url) for each in configured}
    entries += [
        _found(server, asked, profiles)
        for server in found
        if server.provider not in taken_ids and _origin(server.base_url) not in taken_origins
    ]
    if local is not None and local_provider not in taken_ids:
        entries.append(_local(local, local_model))
    if scripted and scripted_provider not in taken_ids:
        # Whoever turned it on wants its replies: nothing else is asked unless it is named.
        entries.insert(0, _scripted())
    return tuple(entries)


def _configured(each: ConfiguredProvider, asked: Mapping[ProviderId, Asked], keyless: str) -> Entry:
    config = each.config
    answer = asked.get(config.id)
    if each.problem:
        entry = _entry(config, each.origin, "failed", message=each.problem)
        return replace(entry, config=None)
    if answer is not None and answer.config == config:
        entry = _entry(config, each.origin, answer.status, message=answer.message, models=answer.models)
    elif keyless and not config.key:
        entry = _entry(config, each.origin, "failed", message=keyless)
    else:
        entry = _entry(config, each.origin, "unknown")
    return replace(entry, usable=entry.usable and each.unasked)


def _found(server: Found, asked: Mapping[ProviderId, Asked], profiles: Mapping[str, Mapping[str, Any]]) -> Entry:
    model = next((each.id for each in server.models if "embed" not in each.id.lower()), None)
    config = ProviderConfig(
        id=server.provider,
        name=server.name,
        api="openai",
        base_url=server.base_url,
        model=model,
        profile=profiles.get(server.provider, {}),
    )
    if model is None:
        return _entry(config, "discovered", "missing", message="It runs, but has no model to chat with yet.")
    answer = asked.get(server.provider)
    if answer is not None and answer.config == config and answer.status == "failed":
        return _entry(config, "discovered", "failed", message=answer.message, models=server.models)
    return _entry(config, "discovered", "ready", models=server.models)


def _local(local: LocalStatus, model: ModelInfo) -> Entry:
    config = ProviderConfig(id=local_provider, name="Built-in small model", api="local", base_url="", model=model.id)
    entry = _entry(config, "local", local.status, message=local.message, models=(model,))
    if local.status == "failed":
        # It is started again with the next message, and says itself why when that fails.
        return replace(entry, usable=True)
    return entry


def _scripted() -> Entry:
    model = scripted_models[0].id
    config = ProviderConfig(id=scripted_provider, name="Scripted replies", api="scripted", base_url="", model=model)
    return _entry(config, "scripted", "ready", models=scripted_models)


def _entry(
    config: ProviderConfig,
    origin: ProviderOrigin,
    status: ProviderStatus,
    *,
    message: str = "",
    models: tuple[ModelInfo, ...] = (),
) -> Entry:
    record = ProviderRecord(
        id=provider_record_id(config.id),
        provider=config.id,
        name=config.name,
        api=config.api,
        base_url=config.base_url,
        origin=origin,
        status=status,
        model=config.model,
        models=models,
        key_hint=key_hint(config.key),
        message=message,
        takes=files_taken(config),
    )
    return Entry(record=record, config=config, usable=status in usable_statuses)


def files_taken(config: ProviderConfig) -> tuple[FileKind, ...]:
    """What its dialect has a form for; a model of it may still take less."""
    if config.api == "scripted":
        return ("text", "image")  # so that a test sees both what is taken and what is not
    if config.api == "local":
        return ("text",)
    profile = profile_of(config.profile)
    flags: tuple[tuple[FileKind, bool], ...] = (
        ("text", True),
        ("image", profile.images),
        ("document", profile.documents),
        ("audio", profile.audio and config.api == "openai"),
    )
    return tuple(kind for kind, taken in flags if taken)


def _origin(base_url: str) -> str:
    try:
        return origin_of(base_url)
    except ProviderRefused:
        return base_url
