"""The presets in `vendors.toml`, as values. Data, not code: a new service is a new table in that file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

PRESETS = Path(__file__).with_name("vendors.toml")


class Vendor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One preset; the comments at the top of the file say what each field means."""

    id: str
    name: str
    api: Literal["openai", "anthropic"]
    base_url: str
    docs: str
    key_variable: str = ""
    model: str | None = None
    profile: dict[str, Any] = {}


class Presets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    vendor: tuple[Vendor, ...]


VENDORS: tuple[Vendor, ...] = msgspec.convert(tomllib.loads(PRESETS.read_text("utf-8")), Presets).vendor


def profile_for(base_url: str) -> Mapping[str, Any]:
    """The profile of the preset at this address, by its host and port; empty where there is none."""
    wanted = urlsplit(base_url).netloc.lower()
    return next((vendor.profile for vendor in VENDORS if urlsplit(vendor.base_url).netloc == wanted), {})
