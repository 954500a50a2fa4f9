"""Names of providers become addresses here, where those that no provider has are left out (X5): what a name means is
known only now, and whoever owns the name may change it at any time."""

from __future__ import annotations

import socket

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import DefaultResolver

from talkfield.providers.address import is_forbidden


class ForbiddenAddress(OSError):
    """A name that leads to no address but forbidden ones."""


class NameLookup(AbstractResolver):
    """The system's look-up, or another, without forbidden addresses."""

    def __init__(self, resolver: AbstractResolver | None = None) -> None:
        self._resolver = resolver or DefaultResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        allowed = [each for each in found if not is_forbidden(each["host"])]
        if found and not allowed:
            raise ForbiddenAddress(f"{host} leads to {found[0]['host']}")
        return allowed

    async def close(self) -> None:
        await self._resolver.close()
