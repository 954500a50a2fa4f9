"""What an operation of the HTTP API is. Its routes and its description are both made from the list of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

BYTES = "application/octet-stream"


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One thing a script can ask: where, with what body, and what it is told."""

    name: str
    method: str
    path: str
    about: str
    run: Callable[[Request], Awaitable[Response]]
    answer: Any
    body: type[msgspec.Struct] | None = None
    status: int = 200
    query: tuple[str, ...] = ()
    """Names of what may stand after `?`; all of it may be left out."""
    errors: tuple[int, ...] = ()
    streams: bool = False
    open: bool = False
    takes_bytes: bool = False
    """Its body is a file's bytes, sent as `BYTES`."""
    max_bytes: int | None = None
    """How many they may be; None: as many as an attachment."""
