"""Which providers are configured, and with what: the environment over the settings (R2). Pure: values in, values out.

In the environment, `<ID>` being a provider's id in capitals with `_` for what is neither letter nor digit:

* `TALKFIELD_PROVIDER_KEY_<ID>`, `…_URL_<ID>`, `…_MODEL_<ID>`, `…_API_<ID>` and `…_NAME_<ID>` beat what the settings say
  of the provider with that id, and add one where there is none and a key or an address is given.
* A vendor's own variable, such as `OPENAI_API_KEY`, offers that vendor. Where its companion (`OPENAI_BASE_URL`) says
  that the key is meant for another address, it is sent to that one alone (D15).

A value that cannot be used makes its provider unusable and says why; nothing else is used in its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from talkfield.core.ids import ProviderId
from talkfield.core.provider_api import APIS, Api
from talkfield.core.records import ProviderOrigin
from talkfield.errors import InvalidArgument, ProviderRefused
from talkfield.providers.address import checked_base_url
from talkfield.providers.base_url import origin_of
from talkfield.providers.vendor import Vendor
from talkfield.runtime.config import ProviderSettings
from talkfield.runtime.ports import ProviderConfig

prefix = "TALKFIELD_PROVIDER_"
fields = ("KEY", "URL", "MODEL", "API", "NAME")


@dataclass(frozen=True, kw_only=True)
class ConfiguredProvider:
    """A provider that somebody configured. `problem` says why it cannot be used, empty when it can.

    `unasked`: it may answer where nobody chose a provider. One that the environment merely makes possible may not,
    without a model to ask or with a token that is there for other purposes too.
    """

    config: ProviderConfig
    origin: ProviderOrigin
    problem: str = ""
    unasked: bool = True


def configured_providers(
    settings: Sequence[ProviderSettings],
    stored_keys: Mapping[ProviderId, str],
    environment: Mapping[str, str],
    vendors: Sequence[Vendor],
    own_ports: Collection[int] = (),
) -> tuple[ConfiguredProvider, ...]:
    """The user's own in their order, then those of the environment.

    `stored_keys` holds the keys stored for `key_origin` of each; a key stored for another address is not in it.
    """
    given = _given(environment)
    own = [
        _configured(entry, given.get(_capitals(entry.id), {}), stored_keys, environment, vendors, own_ports)
        for entry in settings
    ]
    taken = {_capitals(entry.id) for entry in settings}
    added: list[ConfiguredProvider] = []
    for vendor in vendors:
        name = _capitals(vendor.id)
        over = given.get(name, {})
        key = environment.get(vendor.key_variable, "").strip() if vendor.key_variable else ""
        if key and "KEY" not in over:
            over = {"KEY": key, "URL": _companion(vendor, environment), **over}
        given_by_name = {"KEY", "URL"} & given.get(name, {}).keys()
        if name in taken or not (given_by_name or (key and (over.get("URL") or vendor.base_url))):
            continue
        taken.add(name)
        one = _added(_preset(vendor), over, vendors, own_ports)
        for_models = vendor.key_variable.endswith("_API_KEY")
        added.append(one if given_by_name or for_models else replace(one, unasked=False))
    for name, over in given.items():
        if name not in taken and {"KEY", "URL"} & over.keys():
            provider = ProviderId(name.lower().replace("_", "-"))
            entry = ProviderSettings(id=provider, name=_title(name), api="openai", base_url="")
            added.append(_added(entry, over, vendors, own_ports))
    return (*own, *added)


def api_named(name: str | None) -> Api | None:
    """The wire of that name. Raises `InvalidArgument` where there is none."""
    for api in APIS:
        if name == api:
            return api
    if name is None:
        return None
    raise InvalidArgument(f"has to be one of: {', '.join(APIS)}", place="api")


def key_origin(entry: ProviderSettings, environment: Mapping[str, str]) -> str | None:
    """The origin that a stored key of this provider would be sent to. None: its address cannot be used."""
    url = environment.get(f"{prefix}URL_{_capitals(entry.id)}", "").strip() or entry.base_url
    try:
        return origin_of(url)
    except ProviderRefused:
        return None


def key_hint(key: str) -> str:
    """The end of a key that is long enough for its end to tell nothing (X2)."""
    return key[-4:] if len(key) >= 12 else ""


def missing_key(provider: ConfiguredProvider, vendors: Sequence[Vendor]) -> str:
    """What to do about a key that a known vendor will ask for; empty where there is one, or nobody knows."""
    vendor = None if provider.config.key else _vendor_at(provider.config.base_url, vendors)
    if vendor is None or not vendor.key_variable:
        return ""
    return f"It has no key: add one in Settings, or set {prefix}KEY_{_capitals(provider.config.id)}"


def id_for(name: str, taken: Collection[str]) -> ProviderId:
    """An id made of a name: small letters, digits and hyphens, unlike any in `taken`."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "provider"
    capitals = {_capitals(other) for other in taken}
    number = 1
    candidate = slug
    while _capitals(candidate) in capitals:
        number += 1
        candidate = f"{slug}-{number}"
    return ProviderId(candidate)


def _configured(
    entry: ProviderSettings,
    over: Mapping[str, str],
    stored_keys: Mapping[ProviderId, str],
    environment: Mapping[str, str],
    vendors: Sequence[Vendor],
    own_ports: Collection[int],
) -> ConfiguredProvider:
    key = over.get("KEY") or stored_keys.get(entry.id) or ""
    if not key:
        key = _vendor_key(over.get("URL") or entry.base_url, environment, vendors)
    return _made(entry, {**over, "KEY": key}, "settings", vendors, own_ports)


def _added(
    entry: ProviderSettings, over: Mapping[str, str], vendors: Sequence[Vendor], own_ports: Collection[int]
) -> ConfiguredProvider:
    made = _made(entry, over, "environment", vendors, own_ports)
    return made if made.config.model else replace(made, unasked=False)


def _made(
    entry: ProviderSettings,
    over: Mapping[str, str],
    origin: ProviderOrigin,
    vendors: Sequence[Vendor],
    own_ports: Collection[int],
) -> ConfiguredProvider:
    base_url, key, api = over.get("URL") or entry.base_url, over.get("KEY", ""), over.get("API") or entry.api
    problem = ""
    if not base_url:
        problem = f"It has no address: set {prefix}URL_{_capitals(entry.id)}"
    else:
        try:
            base_url = checked_base_url(base_url, own_ports)
        except InvalidArgument as error:
            problem = f"Its address cannot be used: {error.message.removeprefix(error.place + ': ')}"
    if not problem and api not in APIS:
        problem = f"Its api is {api!r}, and has to be one of: {', '.join(APIS)}"
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        problem, key = problem or "Its key has characters that no key has: copy it again", ""
    vendor = None if problem else _vendor_at(base_url, vendors)
    config = ProviderConfig(
        id=entry.id,
        name=over.get("NAME") or entry.name,
        api=api,
        base_url=base_url,
        key=key,
        model=over.get("MODEL") or entry.model,
        profile={**(vendor.profile if vendor else {}), **entry.profile},
        headers=entry.headers,
    )
    return ConfiguredProvider(config=config, origin=origin, problem=problem)


def _preset(vendor: Vendor) -> ProviderSettings:
    return ProviderSettings(
        id=ProviderId(vendor.id), name=vendor.name, api=vendor.api, base_url=vendor.base_url, model=vendor.model
    )


def _vendor_at(base_url: str, vendors: Sequence[Vendor], *, own_hosts: bool = True) -> Vendor | None:
    """The vendor whose address this is; `own_hosts`: or whose users have hosts of their own that end like this one."""
    try:
        origin = origin_of(base_url)
    except ProviderRefused:
        return None
    host = urlsplit(origin).hostname or ""
    for vendor in vendors:
        if vendor.base_url and origin_of(vendor.base_url) == origin:
            return vendor
        if own_hosts and host.endswith(vendor.host_suffixes):
            return vendor
    return None


def _vendor_key(base_url: str, environment: Mapping[str, str], vendors: Sequence[Vendor]) -> str:
    """The vendor's own variable, for a provider at the very address that the variable is for."""
    vendor = _vendor_at(base_url, vendors, own_hosts=False)
    if vendor is None or not vendor.key_variable or _companion(vendor, environment):
        return ""
    return environment.get(vendor.key_variable, "").strip()


def _companion(vendor: Vendor, environment: Mapping[str, str]) -> str:
    """What `OPENAI_BASE_URL` and the like say; empty without one."""
    stem = vendor.key_variable.removesuffix("_API_KEY")
    return next(
        (value for end in ("BASE_URL", "API_BASE") if (value := environment.get(f"{stem}_{end}", "").strip())), ""
    )


def _given(environment: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What `TALKFIELD_PROVIDER_…` variables give, by id in capitals. Empty values are not given."""
    found: dict[str, dict[str, str]] = {}
    for variable, value in environment.items():
        field, _, name = variable.removeprefix(prefix).partition("_")
        if variable.startswith(prefix) and field in fields and name and value.strip():
            found.setdefault(name.upper(), {})[field] = value.strip()
    return found


def _capitals(provider: str) -> str:
    return re.sub(r"[^A-Z0-9]", "_", provider.upper())


def _title(name: str) -> str:
    return name.replace("_", " ").strip().capitalize() or name
