"""Which addresses a provider may have (D14, D15, X5). Pure: nothing is looked up, so a name that a DNS server points at
a forbidden address passes here; `name_lookup` stops it when it is called.

Refused are what no provider is and what an attacker would like asked on his behalf: schemes but http and https, user
names in the address, link-local addresses and the metadata services of cloud machines in whatever spelling, and
Talkfield's own port. This machine and the local network are allowed: a person may run a model there.
"""

from __future__ import annotations

import ipaddress
import socket
import unicodedata
from collections.abc import Collection
from urllib.parse import urlsplit

from talkfield.errors import InvalidArgument, ProviderRefused
from talkfield.providers.base_url import origin_of

place = "baseUrl"

metadata_names = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}
)
metadata_addresses = frozenset(
    ipaddress.ip_address(address) for address in ("100.100.100.200", "192.0.0.192", "fd00:ec2::254")
)

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


def checked_base_url(text: str, own_ports: Collection[int] = ()) -> str:
    """The address as it is kept: without white space and quotes around it, with a scheme. Raises `InvalidArgument`."""
    text = text.strip().strip("\"'<>").strip()
    if not text:
        raise InvalidArgument("must not be empty", place=place, hint="Give an address like https://api.example.com/v1.")
    if any(unicodedata.category(character) in {"Cc", "Cf", "Zs", "Zl", "Zp"} for character in text):
        raise InvalidArgument("must not contain spaces or invisible characters", place=place)
    try:
        origin = origin_of(text)
        parts = urlsplit(text if "://" in text else f"{urlsplit(origin).scheme}://{text}")
        host, port = parts.hostname or "", urlsplit(origin).port or 0
    except (ProviderRefused, ValueError) as error:
        message = error.message if isinstance(error, ProviderRefused) else "is not an address that can be called"
        raise InvalidArgument(message, place=place, hint="Give an address like https://api.example.com/v1.") from error
    if "@" in parts.netloc:
        raise InvalidArgument("must not contain a user name", place=place, hint="The key has a field of its own.")
    if is_forbidden(host):
        raise InvalidArgument(f"{host} is not an address of a model provider", place=place)
    if is_own(host, port, own_ports):
        raise InvalidArgument("this is Talkfield's own address", place=place)
    return parts.geturl()


def is_forbidden(host: str) -> bool:
    """Whether a host is link-local, multicast, or a cloud machine's metadata service."""
    name = _plain(host)
    if name in metadata_names:
        return True
    return any(
        address.is_link_local
        or address.is_multicast
        or address in metadata_addresses
        or str(address) == "255.255.255.255"
        for address in _addresses(name)
    )


def is_this_machine(host: str) -> bool:
    """Whether a host means this machine: also `0.0.0.0`, which connects to it."""
    name = _plain(host)
    if name == "localhost" or name.endswith(".localhost"):
        return True
    return any(address.is_loopback or address.is_unspecified for address in _addresses(name))


def is_own(host: str, port: int, own_ports: Collection[int]) -> bool:
    """Whether Talkfield itself listens there."""
    return port in own_ports and is_this_machine(host)


def _plain(host: str) -> str:
    # What resolvers and HTTP clients make of it: full-width digits and dots are digits and dots.
    name = unicodedata.normalize("NFKC", host).replace("。", ".").lower()
    return name.strip("[]").partition("%")[0].rstrip(".")


def _addresses(name: str) -> list[IpAddress]:
    """The address a host spells, and an IPv4 address wrapped in it. Empty for a name."""
    try:
        address: IpAddress = ipaddress.ip_address(name)
    except ValueError:
        try:
            return [ipaddress.IPv4Address(socket.inet_aton(name))]  # 2852039166, 0xa9.0xfe.1, 169.254.43518
        except (OSError, ValueError):
            return []
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    wrapped = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    if wrapped is None and (address in _translated or int(address) >> 32 == 0):
        wrapped = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return [address, wrapped] if wrapped else [address]


_translated = ipaddress.IPv6Network("64:ff9b::/96")
