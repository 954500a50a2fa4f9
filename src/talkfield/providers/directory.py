"""All providers there are, in one list that answers from memory (`runtime.config.ProviderDirectory`).

Brings together what a person configured, the environment, the servers that run on this machine, the embedded model and
the scripted provider; what each of them says is decided elsewhere (`resolve.py`, `discover.py`, `local.py`,
`directory_entry.py`). Owns the drivers, and everything that has to end with Talkfield.

Everything happens on the event loop; stores block and are called in threads. Changes by a person are made one at a
time; any number may ask meanwhile and see the state before or after. No key is in a record, a message or a log line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from talkfield.core.ids import ProviderId
from talkfield.core.provider_api import APIS
from talkfield.core.records import ProviderRecord
from talkfield.errors import InvalidArgument, NoProvider, ProviderError, TalkfieldError, UnknownThing
from talkfield.providers.address import checked_base_url
from talkfield.providers.directory_entry import Asked, Entry, entries_of, local_provider, reserved_ids
from talkfield.providers.discover import Candidate, Discovery, Found
from talkfield.providers.local import LocalModel, LocalStatus, local_model
from talkfield.providers.provider_keys import ProviderKeys
from talkfield.providers.redaction import redact
from talkfield.providers.resolve import (
    ConfiguredProvider,
    configured_providers,
    id_for,
    key_origin,
    missing_key,
)
from talkfield.providers.sentence import sentences
from talkfield.providers.vendor import Vendor
from talkfield.providers.weights import switched_off
from talkfield.runtime.config import Configuration, ProviderChange, ProviderSettings, SecretStore
from talkfield.runtime.configuration_book import ConfigurationBook
from talkfield.runtime.ports import Clock, Driver, ProviderConfig

T = TypeVar("T")

max_name_characters = 80
keys_limit_s = 3.0
"""A keyring may ask the person to unlock it: start-up does not wait longer, the keys come when they come."""

lists_nothing = frozenset({404, 405, 501})
"""Statuses of a service that has no list of models and may be fine all the same."""


class Directory:
    """See the module. `drivers` makes a driver by the name of its wire; `local` None: no embedded model,
    as with `TALKFIELD_LOCAL_MODEL=0`.

    `own_ports` tells on which ports Talkfield itself listens by now. `places` replaces where servers are looked for.
    """

    def __init__(
        self,
        *,
        book: ConfigurationBook,
        secrets: SecretStore,
        environment: Mapping[str, str],
        clock: Clock,
        drivers: Mapping[str, Callable[[], Driver]],
        vendors: Sequence[Vendor],
        local: LocalModel | None = None,
        scripted: bool = False,
        log: Callable[[str], None] = lambda _line: None,
        own_ports: Callable[[], Collection[int]] = tuple,
        places: tuple[Candidate, ...] | None = None,
    ) -> None:
        self._book = book
        self._keys = ProviderKeys(secrets, environment, log)
        self._environment = environment
        self._clock = clock
        self._make_driver = drivers
        self._vendors = vendors
        self._local = None if switched_off(environment) else local
        self._scripted = scripted
        self._log = log
        self._own_ports = own_ports
        self._discovery = Discovery(
            clock=clock, environment=environment, changed=self._found_changed, own_ports=own_ports, places=places
        )
        self._configured: tuple[ConfiguredProvider, ...] = ()
        self._entries: dict[ProviderId, Entry] = {}
        self._asked: dict[ProviderId, Asked] = {}
        self._asking: dict[ProviderId, asyncio.Task[None]] = {}
        self._drivers: dict[str, Driver] = {}
        self._listeners: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._changing = asyncio.Lock()
        self._unwatch = book.watch(self._list_again)
        if self._local is not None:
            self._local.changed = self._local_changed
        self._list_again()

    # What is asked --------------------------------------------------------------------------------------------------

    def records(self) -> tuple[ProviderRecord, ...]:
        return tuple(entry.record for entry in self._entries.values())

    def resolve(self, provider: ProviderId | None) -> ProviderConfig | None:
        if provider is not None:
            entry = self._entries.get(provider)
            return entry.config if entry else None
        chosen = self._entries.get(self._book.current.settings.default_provider or ProviderId(""))
        if chosen is not None and chosen.usable:
            return chosen.config
        return next((entry.config for entry in self._entries.values() if entry.usable), None)

    def driver_for(self, provider: ProviderConfig) -> Driver:
        """The driver of its wire, made when first asked for. Raises `NoProvider` where there is no such wire."""
        if provider.api not in self._make_driver:
            raise NoProvider(f"{provider.name} speaks {provider.api!r}, which this Talkfield does not")
        if provider.api not in self._drivers:
            self._drivers[provider.api] = self._make_driver[provider.api]()
        return self._drivers[provider.api]

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # What is changed --------------------------------------------------------------------------------------------------

    async def save(self, change: ProviderChange) -> ProviderId:
        """See `ProviderDirectory.save`. A provider that was found or comes from the environment becomes the user's own
        by this, under its id; afterwards it is asked for its models in the background."""
        # Done to its end, key and settings alike, even if whoever asked for it leaves.
        return await asyncio.shield(self._spawn(self._save(change)))

    async def remove(self, provider: ProviderId) -> None:
        await asyncio.shield(self._spawn(self._remove(provider)))

    async def refresh(self, provider: ProviderId) -> None:
        """See `ProviderDirectory.refresh`. Who asks while it is being asked waits for the same answer."""
        await asyncio.shield(self._begin_to_ask(provider))

    def begin_refresh(self, provider: ProviderId) -> None:
        self._begin_to_ask(provider)

    def _begin_to_ask(self, provider: ProviderId) -> asyncio.Task[None]:
        self._known(provider)
        asking = self._asking.get(provider)
        if asking is None:
            asking = self._asking[provider] = self._spawn(self._ask(provider))
            asking.add_done_callback(lambda _task: self._asking.pop(provider, None))
        return asking

    def learn(self, key: str, corrections: Mapping[str, Any]) -> None:
        """Keep what a driver learned of an endpoint and model (D13); it counts at once, and is saved soon."""

        def with_it(current: Configuration) -> Configuration:
            learned = {**current.learned, key: {**current.learned.get(key, {}), **corrections}}
            return msgspec.structs.replace(current, learned=learned)

        async def keep() -> None:
            try:
                await self._book.update(with_it)
            except TalkfieldError as error:
                self._log(f"providers: what was learned of {key} could not be saved: {error.message}")

        self._spawn(keep())

    # Its life ---------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        reading = self._spawn(self._read_keys())
        waiting = asyncio.ensure_future(self._clock.sleep_s(keys_limit_s))
        await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        await asyncio.wait({waiting})
        if self._local is not None:
            self._spawn(self._local.examine())
        self._discovery.start()

    async def close(self) -> None:
        self._unwatch()
        self._listeners.clear()
        await self._discovery.close()
        async with self._changing:  # a change that was begun is finished
            for task in self._tasks:
                task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for driver in self._drivers.values():
            await driver.close()
        if self._local is not None:
            await self._local.close()

    # Inside -----------------------------------------------------------------------------------------------------------

    async def _save(self, change: ProviderChange) -> ProviderId:
        async with self._changing:
            entry, key = self._checked(change)
            old = self._own(entry.id)
            if old is not None:
                # Headers may hold secrets too: they stay with the address they were written for (D15).
                kept = old.headers if key_origin(old, {}) == key_origin(entry, {}) else {}
                entry = msgspec.structs.replace(entry, profile=old.profile, headers=kept)
            async with self._keys.changed(old, entry, key):
                await self._book.update(lambda current: _with_provider(current, entry))
            await self._keys.read([entry])
            self._list_again()
        self._spawn(self._ask(entry.id))
        return entry.id

    async def _remove(self, provider: ProviderId) -> None:
        async with self._changing:
            known = self._known(provider)
            old = self._own(provider)
            if old is None:
                raise InvalidArgument(_not_ours[known.record.origin], place="provider")
            async with self._keys.changed(old, old, ""):
                await self._book.update(lambda current: _without_provider(current, provider))
            self._keys.usable.pop(provider, None)
            self._asked.pop(provider, None)
            self._list_again()

    def _own(self, provider: ProviderId) -> ProviderSettings | None:
        return next((each for each in self._book.current.providers if each.id == provider), None)

    def _checked(self, change: ProviderChange) -> tuple[ProviderSettings, str | None]:
        """The provider as it will be kept, and its new key. Raises `InvalidArgument`, `UnknownThing`."""
        name, model = " ".join(change.name.split()), (change.model or "").strip()
        if not name:
            raise InvalidArgument("must not be empty", place="name")
        if len(name) > max_name_characters:
            raise InvalidArgument(f"must not be longer than {max_name_characters} characters", place="name")
        if change.api not in APIS:
            raise InvalidArgument(f"has to be one of: {', '.join(APIS)}", place="api")
        base_url = checked_base_url(change.base_url, self._own_ports())
        key = None if change.key is None else change.key.strip().removeprefix("Bearer ").strip()
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise InvalidArgument("has characters that no key has", place="key", hint="Copy the key again.")
        if change.provider is None:
            provider = id_for(name, (*self._entries, *reserved_ids))
        else:
            provider = change.provider
            if self._known(provider).record.origin in {"local", "scripted"}:
                raise InvalidArgument("this provider is part of Talkfield", place="provider")
        entry = ProviderSettings(id=provider, name=name, api=change.api, base_url=base_url, model=model or None)
        return entry, key

    def _known(self, provider: ProviderId) -> Entry:
        entry = self._entries.get(provider)
        if entry is None:
            raise UnknownThing(f"there is no provider {provider}")
        return entry

    async def _ask(self, provider: ProviderId) -> None:
        if provider == local_provider and self._local is not None:
            await self._local.examine()
            return
        entry = self._entries.get(provider)
        if entry is None or entry.config is None:
            return
        config = entry.config
        try:
            models = await self.driver_for(config).models(config)
            asked = Asked(config=config, status="ready", models=tuple(models))
        except ProviderError as error:
            if error.status in lists_nothing:
                message = "It gives no list of its models: type the name of one."
                asked = Asked(config=config, status="unknown", message=message)
            else:
                message = redact(sentences(error), self._all_keys())
                asked = Asked(config=config, status="failed", message=message)
        self._asked[provider] = asked
        self._list_again()

    def _all_keys(self) -> list[str]:
        return [each.config.key for each in self._configured if each.config.key]

    async def _read_keys(self) -> None:
        await self._keys.read(self._book.current.providers)
        self._list_again()

    def _list_again(self) -> None:
        before = self.records()
        self._configured = configured_providers(
            self._book.current.providers, self._keys.usable, self._environment, self._vendors, self._own_ports()
        )
        keyless = {each.config.id: missing_key(each, self._vendors) for each in self._configured}
        entries = entries_of(
            configured=self._configured,
            found=self._discovery.found,
            local=self._local.status if self._local else None,
            local_model=local_model(self._environment),
            scripted=self._scripted,
            asked=self._asked,
            keyless={**keyless, **self._keys.troubles},
            profiles={vendor.id: vendor.profile for vendor in self._vendors},
        )
        places = {provider: place for place, provider in enumerate(self._book.current.settings.provider_order)}
        in_order = sorted(entries, key=lambda entry: places.get(entry.record.provider, len(places)))
        self._entries = {entry.record.provider: entry for entry in in_order}
        if self.records() != before:
            for listener in list(self._listeners):
                listener()

    def _found_changed(self, _found: tuple[Found, ...]) -> None:
        self._list_again()

    def _local_changed(self, _status: LocalStatus) -> None:
        self._list_again()

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, TalkfieldError):
            self._log(f"providers: {error!r}")


def _with_provider(current: Configuration, entry: ProviderSettings) -> Configuration:
    known = any(each.id == entry.id for each in current.providers)
    changed = tuple(entry if each.id == entry.id else each for each in current.providers)
    return msgspec.structs.replace(current, providers=changed if known else (*changed, entry))


def _without_provider(current: Configuration, provider: ProviderId) -> Configuration:
    settings = current.settings
    if settings.default_provider == provider:
        # The default model was that provider's: with another it would mean nothing.
        settings = msgspec.structs.replace(settings, default_provider=None, default_model=None)
    kept = tuple(each for each in current.providers if each.id != provider)
    return msgspec.structs.replace(current, settings=settings, providers=kept)


_not_ours = {
    "environment": "it comes from the environment: take its variables away and start Talkfield again",
    "local": "it is part of Talkfield: TALKFIELD_LOCAL_MODEL=0 turns it off",
    "discovered": "it runs on this machine: it goes when its server ends, or with TALKFIELD_DISCOVER=0",
    "scripted": "it is there because TALKFIELD_SCRIPTED is set",
    "settings": "",
}
