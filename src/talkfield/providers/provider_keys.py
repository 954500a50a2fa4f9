"""The keys of the providers a person configured: in memory for use, in the secret store for keeps (X2, D15).

Owns which key is used for which provider and why one is missing. The store blocks and is called in threads; a caller
makes one change at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager

from talkfield.core.ids import ProviderId
from talkfield.errors import TalkfieldError
from talkfield.providers.resolve import key_origin
from talkfield.runtime.config import ProviderSettings, SecretStore


class ProviderKeys:
    """See the module. `usable` holds the keys that may be sent, `troubles` why one that may be there could not be read.

    `environment` may give a provider another address, which its stored key is not sent to.
    """

    def __init__(self, store: SecretStore, environment: Mapping[str, str], log: Callable[[str], None]) -> None:
        self.usable: dict[ProviderId, str] = {}
        self.troubles: dict[ProviderId, str] = {}
        self._store = store
        self._environment = environment
        self._log = log

    async def read(self, providers: Iterable[ProviderSettings]) -> None:
        """Fetch the keys of these providers. Never raises: what goes wrong is in `troubles`."""
        for provider in providers:
            await self._read_one(provider)

    @asynccontextmanager
    async def changed(
        self, old: ProviderSettings | None, new: ProviderSettings, key: str | None
    ) -> AsyncIterator[None]:
        """Within, the new key is stored, or none (empty), or what was (None). A failure within takes that back.

        Raises `SaveFailed` before anything within is done.
        """
        if key is None:
            yield
            return
        origin = key_origin(new, {}) or ""
        old_origin = key_origin(old, {}) if old else None
        before = await asyncio.to_thread(self._store.get, new.id, old_origin) if old_origin else None
        await self._store_key(new.id, origin, key)
        try:
            yield
        except BaseException:
            try:
                await self._store_key(new.id, old_origin or origin, before or "")
            except TalkfieldError as error:
                self._log(f"providers: the key of {new.id} could not be put back: {error.message}")
            raise

    async def _store_key(self, provider: ProviderId, origin: str, key: str) -> None:
        if key:
            await asyncio.to_thread(self._store.put, provider, origin, key)
        else:
            await asyncio.to_thread(self._store.remove, provider)

    async def _read_one(self, provider: ProviderSettings) -> None:
        origin = key_origin(provider, self._environment)
        key = None
        self.troubles.pop(provider.id, None)
        if origin is not None:
            try:
                key = await asyncio.to_thread(self._store.get, provider.id, origin)
            except (TalkfieldError, OSError) as error:
                self._log(f"providers: the key of {provider.id} could not be read: {error}")
                self.troubles[provider.id] = f"Its key could not be read: {error}"
        if key:
            self.usable[provider.id] = key
        else:
            self.usable.pop(provider.id, None)
