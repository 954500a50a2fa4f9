"""What the machine's configuration is, as values: read by storage, changed by commands, used by providers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

import msgspec

from talkfield.core.ids import ProviderId
from talkfield.core.records import SETTINGS_ID, ProviderRecord, SettingsRecord
from talkfield.runtime.ports import Driver, ProviderConfig


class ProviderSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A provider as a person configured it, without its key (X2)."""

    id: ProviderId
    name: str
    api: str
    base_url: str
    model: str | None = None
    profile: dict[str, Any] = {}
    headers: dict[str, str] = {}


class Configuration(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Everything in the settings file. `learned`: corrections by endpoint and model (D13)."""

    version: int = 1
    settings: SettingsRecord = SettingsRecord(id=SETTINGS_ID)
    providers: tuple[ProviderSettings, ...] = ()
    learned: dict[str, dict[str, Any]] = {}


class ConfigurationStore(Protocol):
    """Keeps the configuration on disk. Both methods block: call them off the event loop."""

    def load(self) -> Configuration:
        """The stored configuration, or the defaults. A damaged file is set aside and told, never overwritten (ST9)."""
        ...

    def save(self, configuration: Configuration) -> None:
        """Write it whole or not at all. Raises `SaveFailed`."""
        ...


class SecretStore(Protocol):
    """Keeps keys: the OS keyring, else a 0600 file (X2). Blocking: call it off the event loop.

    A key is stored with the origin (`https://host:port`) it may be sent to; asked for another, it is not given (D15).
    """

    def get(self, provider: ProviderId, origin: str) -> str | None: ...

    def put(self, provider: ProviderId, origin: str, key: str) -> None: ...

    def remove(self, provider: ProviderId) -> None: ...


class ProviderChange(msgspec.Struct, frozen=True, kw_only=True):
    """A person adds a provider (`provider` None) or changes one. `key` None keeps the stored key, empty removes it."""

    name: str
    api: Literal["openai", "anthropic"]
    base_url: str
    provider: ProviderId | None = None
    model: str | None = None
    key: str | None = None


class ProviderDirectory(Protocol):
    """All providers there are: configured, from the environment, embedded, found on this machine, scripted.

    `records`, `resolve` and `driver_for` answer at once from memory. Whoever watches is told the new records after
    each change of any of them.
    """

    def records(self) -> tuple[ProviderRecord, ...]: ...

    def resolve(self, provider: ProviderId | None) -> ProviderConfig | None:
        """Ready to ask, environment over settings (R2); None: the first usable one. None when there is none."""
        ...

    def driver_for(self, provider: ProviderConfig) -> Driver: ...

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each change; the result ends that."""
        ...

    async def save(self, change: ProviderChange) -> ProviderId:
        """Add or change one, key included. Raises `InvalidArgument`, `SaveFailed`."""
        ...

    async def remove(self, provider: ProviderId) -> None:
        """Forget one and its key. Raises `UnknownThing`, `InvalidArgument` where it is not ours to remove."""
        ...

    async def refresh(self, provider: ProviderId) -> None:
        """Ask for its models; the outcome is in its record. Raises `UnknownThing` alone."""
        ...

    def begin_refresh(self, provider: ProviderId) -> None:
        """The same without waiting for the answer: a slow provider holds up nobody. Raises `UnknownThing`."""
        ...

    async def start(self) -> None:
        """Begin to look for what runs on this machine; returns at once."""
        ...

    async def close(self) -> None:
        """End everything that was started, the embedded model included."""
        ...
