"""Takes keys and cookies out of what is recorded (D15, X2). Pure.

A record is made to be sent to somebody, so it is stricter than what the screen shows: of headers only the values of
those known to be harmless are kept, and whatever else was sent in a header or in the address counts as a secret and is
covered wherever it occurs, in what a model answers too. In bytes a secret is covered by as many stars, so that the
places of reads stay true and JSON stays JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from talkfield.providers.redaction import LEAST_PART, LOOKS_LIKE_A_KEY, SECRET_HEADER

REMOVED = "[removed]"

HARMLESS = frozenset(
    {
        *("accept", "accept-encoding", "anthropic-beta", "anthropic-version", "cache-control", "connection"),
        *("content-encoding", "content-length", "content-type", "date", "retry-after", "retry-after-ms", "server"),
        *("transfer-encoding", "user-agent", "vary", "x-accel-buffering", "x-should-retry", "allow", "keep-alive"),
    }
)
HARMLESS_START = ("x-ratelimit-", "anthropic-ratelimit-", "ratelimit-")
HARMLESS_QUERY = frozenset({"api-version", "limit", "beta"})
SECRET_FIELD = re.compile(
    r"(?:x[-_])?(?:(?:api|subscription)[-_]?)?key|(?:\w+[-_])?token|authorization|(?:\w+[-_])?secret|password|cookies?",
    re.IGNORECASE,
)
CONVERSATION = frozenset({"messages", "system", "tools"})
PROTOCOL_WORDS = frozenset({"true", "false", "null", "none", "data", "event", "error", "message"})
SCHEMES = frozenset({"bearer", "basic", "token", "apikey", "api-key"})
LEAST_UNNAMED = 12
"""A header that is not known may hold anything: from so many characters on, its value is covered elsewhere as well."""


@dataclass(frozen=True)
class Secret:
    """What must not be seen. `in_parts`: its beginning or end alone gives it away as well."""

    text: str
    in_parts: bool


def secrets_sent(url: str, headers: Mapping[str, str], body: Any) -> tuple[Secret, ...]:
    """What must not be seen of a request: values of headers that are not harmless, of the address's query, and of
    fields of the body that are named like secrets; each as it is, without its scheme, and as it looks when quoted."""
    values = [(value, bool(SECRET_HEADER.search(name))) for name, value in headers.items() if not _is_harmless(name)]
    values += [(value, True) for name, value in _query(url) if name not in HARMLESS_QUERY]
    values += [(value, True) for value in _secret_fields(body)]
    found: dict[str, Secret] = {}
    for value, is_named_secret in values:
        for form in _forms(value):
            # A short word under a harmless name is no secret, and covering it everywhere would spoil the record.
            if form.lower() not in PROTOCOL_WORDS and (is_named_secret or len(form) >= LEAST_UNNAMED):
                found.setdefault(form, Secret(form, is_named_secret and len(form) > LEAST_PART))
    return tuple(sorted(found.values(), key=lambda secret: -len(secret.text)))


def masked_url(url: str, secrets: Iterable[Secret]) -> str:
    parts = urlsplit(url)
    query = [(name, value if name in HARMLESS_QUERY else REMOVED) for name, value in _query(url)]
    return masked_text(urlunsplit(parts._replace(query=urlencode(query, safe="[]"))), secrets)


def masked_headers(headers: Mapping[str, str], secrets: Iterable[Secret]) -> dict[str, str]:
    """All names; the values of those that are harmless, and of `location` without its query."""
    kept: dict[str, str] = {}
    for name, value in headers.items():
        name = masked_text(name.lower(), secrets)
        if name == "location":
            kept[name] = masked_url(value, secrets)
        else:
            kept[name] = masked_text(value, secrets) if _is_harmless(name) else REMOVED
    return kept


def masked_request_body(data: bytes | None, secrets: Iterable[Secret]) -> Any:
    """The body as a value where it is JSON, else as text, without the secrets."""
    if not data:
        return None
    text = masked_bytes(data, secrets).decode("utf-8", errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def masked_text(text: str, secrets: Iterable[Secret]) -> str:
    return masked_bytes(text.encode("utf-8", "replace"), secrets).decode("utf-8", "replace")


def masked_bytes(data: bytes, secrets: Iterable[Secret]) -> bytes:
    """`data` with each secret, each longer beginning and end of one, and whatever looks like a key covered by stars."""
    text = data.decode("latin-1")
    for secret in secrets:
        text = _cover(text, secret.text.encode().decode("latin-1"), in_parts=secret.in_parts)
    return LOOKS_LIKE_A_KEY.sub(lambda found: "*" * len(found[0]), text).encode("latin-1")


def _is_harmless(name: str) -> bool:
    name = name.lower()
    return name in HARMLESS or name.startswith(HARMLESS_START)


def _query(url: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(url).query, keep_blank_values=True)


def _secret_fields(body: Any) -> list[str]:
    """Strings under names of secrets, outside the conversation."""
    found: list[str] = []
    for name, value in body.items() if isinstance(body, Mapping) else ():
        if name in CONVERSATION:
            continue
        if isinstance(value, str) and SECRET_FIELD.fullmatch(name):
            found.append(value)
        elif isinstance(value, Mapping):
            found += _secret_fields(value)
    return found


def _forms(value: str) -> set[str]:
    """A secret without its scheme (`Bearer …`), or each of several cookies; as it is, and as JSON and addresses write
    it."""
    scheme, _, rest = value.strip().partition(" ")
    plain = rest.strip() if scheme.lower() in SCHEMES and rest.strip() else value.strip()
    parts = {plain, *(part.partition("=")[2].strip() for part in plain.split(";") if ";" in plain)} - {""}
    quoted = {json.dumps(part)[1:-1] for part in parts} | {quote(part, safe="") for part in parts}
    return parts | quoted | {part.replace("/", "\\/") for part in parts}


def _cover(text: str, secret: str, *, in_parts: bool) -> str:
    if len(secret) < LEAST_PART:
        return re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "*" * len(secret), text)
    if not in_parts:
        return text.replace(secret, "*" * len(secret))
    text = _cover_beginnings(text, secret)
    return _cover_beginnings(text[::-1], secret[::-1])[::-1]


def _cover_beginnings(text: str, secret: str) -> str:
    """Cover each longest beginning of the secret that is long enough to give it away."""
    start = secret[:LEAST_PART]
    pieces: list[str] = []
    done = 0
    at = text.find(start)
    while at >= 0:
        end = at + LEAST_PART
        while end < len(text) and end - at < len(secret) and text[end] == secret[end - at]:
            end += 1
        pieces += [text[done:at], "*" * (end - at)]
        done = end
        at = text.find(start, end)
    return "".join([*pieces, text[done:]])
