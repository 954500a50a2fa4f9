"""The well-known services, read once from `vendors.toml`, which explains every field."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import msgspec

from talkfield.errors import ProviderRefused
from talkfield.providers.base_url import origin_of


class Vendor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A preset. `model` is what a new provider starts with, where one is given."""

    id: str
    name: str
    api: str
    base_url: str
    key_variable: str
    docs: str
    model: str | None = None
    host_suffixes: tuple[str, ...] = ()
    profile: dict[str, Any] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    vendor: tuple[Vendor, ...]


def _read() -> tuple[Vendor, ...]:
    text = files("talkfield.providers").joinpath("vendors.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _File).vendor


VENDORS = _read()


def vendor_at(base_url: str) -> Vendor | None:
    """The vendor whose address this is; None for any other, and for what is no address."""
    try:
        origin = origin_of(base_url)
    except ProviderRefused:
        return None
    host = urlsplit(origin).hostname or ""
    for vendor in VENDORS:
        if vendor.base_url and origin_of(vendor.base_url) == origin:
            return vendor
        if host.endswith(vendor.host_suffixes):
            return vendor
    return None


def profile_for(base_url: str) -> dict[str, Any]:
    """What is known of the dialect at an address; empty where nothing is."""
    vendor = vendor_at(base_url)
    return dict(vendor.profile) if vendor is not None else {}
