"""What a server's tools are called among all others, and what their descriptions and schemas may be. Pure.

A name is the server's and the tool's with `__` between them, in the characters that every provider takes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from talkfield.core.visible import visible_text

MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 2000
MAX_SCHEMA_BYTES = 64 * 1024

ANY_OBJECT: Mapping[str, Any] = {"type": "object", "properties": {}}


def tool_name(server: str, tool: str, taken: set[str]) -> str:
    """A name that is not taken yet; it is the same each time for the same server and tool."""
    wanted = re.sub(r"[^A-Za-z0-9_-]", "_", f"{server}__{tool}")
    if len(wanted) <= MAX_NAME_CHARS and wanted not in taken:
        return wanted
    mark = hashlib.sha256(json.dumps([server, tool]).encode()).hexdigest()[:8]
    return f"{wanted[: MAX_NAME_CHARS - 9]}_{mark}"


def description(text: str | None) -> str:
    """A tool's description as it goes to the model: no longer than it should be, and nothing invisible in it."""
    shown = visible_text(text or "")
    return shown if len(shown) <= MAX_DESCRIPTION_CHARS else shown[:MAX_DESCRIPTION_CHARS] + "…"


def schema(value: Any) -> Mapping[str, Any] | None:
    """A tool's schema, if it is one that can be used; None: the tool is left out."""
    if not isinstance(value, Mapping):
        return None
    try:
        size = len(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return None
    if size > MAX_SCHEMA_BYTES or value.get("type", "object") != "object":
        return None
    return {**ANY_OBJECT, **value}
