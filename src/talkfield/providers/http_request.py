"""A request as it goes out, and the headers that any has. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from talkfield import __version__
from talkfield.errors import ProviderRefused
from talkfield.runtime.ports import ProviderConfig


class HttpRequest(NamedTuple):
    """`prefix` stands for the history in it (D11); `tool_names` translates names on the wire back to tools' own."""

    url: str
    headers: dict[str, str]
    body: bytes
    prefix: str = ""
    tool_names: Mapping[str, str] = {}


def headers_of(provider: ProviderConfig, *, key_header: str) -> dict[str, str]:
    """The headers of any call: the key in its header, and the provider's own headers over all others.

    Raises `ProviderRefused` where the key or a header could not be sent.
    """
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": f"Talkfield/{__version__}",
    }
    key = provider.key.strip()
    if key:
        headers[key_header.lower()] = f"Bearer {key}" if key_header.lower() == "authorization" else key
    headers.update({name.lower(): value for name, value in provider.headers.items()})
    for name, value in headers.items():
        if not (name.isascii() and value.isascii() and value.isprintable()):
            what = "the key" if key and value.endswith(key) else f"the header {name!r}"
            raise ProviderRefused(
                f"{what} has characters that can't be sent",
                provider=provider.name,
                code="bad_key",
                hint="Paste it again in Settings; keys have only letters, digits and signs.",
            )
    return headers
