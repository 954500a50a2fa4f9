"""What the machine's configuration is, as values: read by storage, changed by commands, used by providers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from talkfield.core.ids import ProviderId
from talkfield.core.provider_api import Api
from talkfield.core.records import SETTINGS_ID, ProviderRecord, SettingsRecord, ToolServerRecord
from talkfield.core.tool_server import ToolServer
from talkfield.runtime.ports import Driver, ProviderConfig, SendRequest, Tool


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
    """Everything in the settings file. `learned`: corrections by endpoint and model (D13).

    `tool_servers` are a person's own. `server_files`: what was decided about projects' files that name tool servers, by
    digest (T10).
    """

    version: int = 1
    settings: SettingsRecord = SettingsRecord(id=SETTINGS_ID)
    providers: tuple[ProviderSettings, ...] = ()
    learned: dict[str, dict[str, Any]] = {}
    tool_servers: tuple[ToolServer, ...] = ()
    server_files: dict[str, bool] = {}


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
    api: Api
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


class ToolServerDirectory(Protocol):
    """Servers of tools: a person's own, and those that projects' files name (T10).

    A project is told by its folder; without one it has a person's own servers alone. What answers at once answers from
    memory; who watches is told after each change.
    """

    def records(self, folder: str | None) -> tuple[ToolServerRecord, ...]: ...

    def tools_for(self, request: SendRequest) -> tuple[Tool, ...]:
        """The tools of the servers that run now."""
        ...

    async def prepare(self, request: SendRequest) -> None:
        """Start what a chat needs and wait for it, but not long: what is slow is there for a later provider call."""
        ...

    async def look(self, folder: str | None) -> None:
        """See what is installed and what a project's file names. Starts no server."""
        ...

    async def save(self, server: ToolServer, replaces: str | None) -> None:
        """Add a person's own server, or change one. Raises `InvalidArgument`, `SaveFailed`."""
        ...

    async def remove(self, name: str) -> None:
        """Forget one. Raises `UnknownThing`, `SaveFailed`."""
        ...

    async def decide(self, folder: str, digest: str, allow: bool) -> None:
        """Whether what a project's file names may be started. Raises `UnknownThing` where the file is another now."""
        ...

    def restart(self, folder: str | None, name: str) -> None:
        """Start a server anew, also one that has just failed. Raises `UnknownThing`."""
        ...

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each change; the result ends that."""
        ...

    async def close(self) -> None:
        """End every server that was started."""
        ...
