"""Base URLs as people paste them (D14). Pure: text in, the exact URL that will be called out.

A person may give an origin, a version prefix, a deeper prefix, or the full address of the call, with or without a
scheme, a trailing slash, a port or a query. Nothing is guessed by a service's name.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from talkfield.errors import ProviderRefused

CALLS = ("/chat/completions", "/messages", "/completions", "/responses", "/embeddings", "/models")
"""Ends of a path that name a call, not a base."""

THIS_MACHINE = re.compile(
    r"^(?:localhost|127\.|0\.0\.0\.0|\[|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w-]+(?::|/|$))"
)
DEFAULT_PORT = {"http": 80, "https": 443}


def chat_completions_url(base_url: str) -> str:
    """Where `/chat/completions` is. A full address is kept as it is: some services have no version in it."""
    return _call_url(base_url, "/chat/completions")


def messages_url(base_url: str) -> str:
    """Where Anthropic's `/v1/messages` is: its SDKs' base has no version, so one is added where it is missing."""
    return _call_url(base_url, "/messages", version_at_the_end=True)


def models_url(base_url: str, *, version_at_the_end: bool = False) -> str:
    """Where the list of models is, beside the call."""
    call = "/messages" if version_at_the_end else "/chat/completions"
    parts = _split(_call_url(base_url, call, version_at_the_end=version_at_the_end))
    return urlunsplit(parts._replace(path=parts.path.removesuffix(call) + "/models"))


def origin_of(url: str) -> str:
    """`https://host:port` with the port always given: what a stored key is bound to (D15)."""
    parts = _split(url)
    host = parts.hostname or ""
    port = parts.port or DEFAULT_PORT[parts.scheme]
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _call_url(base_url: str, call: str, *, version_at_the_end: bool = False) -> str:
    parts = _split(base_url)
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    if not path.endswith(call):
        path = next((path.removesuffix(other) for other in CALLS if path.endswith(other)), path)
        if not path or (version_at_the_end and not re.search(r"/v\d+[a-z]*\d*$", path)):
            path += "/v1"
        path += call
    return urlunsplit(parts._replace(path=path, fragment=""))


def _split(url: str) -> SplitResult:
    text = url.strip().strip("\"'<>").strip()
    if "://" not in text:
        text = ("http://" if THIS_MACHINE.match(text) else "https://") + text
    try:
        parts = urlsplit(text)
        usable = parts.scheme in DEFAULT_PORT and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(character.isspace() for character in text):
        raise ProviderRefused(
            f"{re.sub(r'//[^/@]*@', '//', url.strip())!r} is not an address that can be called",
            code="bad_address",
            hint="Give the provider's address in Settings, like https://api.example.com/v1.",
        )
    if parts.username is not None:
        raise ProviderRefused(
            "the provider's address has a user name or password in it",
            code="bad_address",
            hint="Take it out of the address; put the key in its own field, or a header in the provider's headers.",
        )
    return parts
