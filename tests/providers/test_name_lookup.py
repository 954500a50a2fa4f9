"""X5: a name is no way around the addresses that no provider has."""

from __future__ import annotations

import socket

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from providers.provider_doubles import HandClock
from providers.raw_server import Peer, serving
from talkfield.errors import ProviderRefused
from talkfield.providers.transport import Exchange, Timeouts, Transport


class Names(AbstractResolver):
    """A DNS server of two names, whatever the owner of them wants."""

    def __init__(self, **addresses: list[str]) -> None:
        self.addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0)
            for address in self.addresses[host.partition(".")[0]]
        ]

    async def close(self) -> None:
        pass


async def told(address: str, port: int, others: tuple[str, ...] = ()) -> int:
    """Asks a model's name that leads there; the status."""
    transport = Transport(HandClock(), Timeouts(), resolver=Names(models=[address, *others]))
    exchange = Exchange(transport, "GET", f"http://models.example:{port}/v1/models", {}, None)
    try:
        await exchange.open()
        return exchange.status
    finally:
        exchange.close()
        await transport.close()


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "::ffff:a9fe:a9fe", "fd00:ec2::254", "224.0.0.1"])
async def test_check_38_X5_a_name_that_leads_to_a_forbidden_address_is_not_called(address: str) -> None:
    with pytest.raises(ProviderRefused, match="not an address of a model provider") as raised:
        await told(address, 80)
    assert (raised.value.code, raised.value.retryable) == ("bad_address", False)
    assert f"models.example leads to {address}" in raised.value.message


async def test_check_38_X5_a_name_that_leads_elsewhere_too_is_called_there() -> None:
    async def answer(peer: Peer) -> None:
        await peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    async with serving(answer) as server:
        port = int(server.url.rpartition(":")[2])
        assert await told("169.254.169.254", port, ("127.0.0.1",)) == 200
