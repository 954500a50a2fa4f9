"""What a server's answer is to a model, its text and a word on everything that is none; and what of it can be shown."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any


def text_of(result: Any) -> tuple[str, bool]:
    """The text of a `CallToolResult`, and whether it is an error. What is structured is in it, once, as JSON."""
    parts = [part for block in result.content or () if (part := block_text(block))]
    structured = result.structured_content
    if structured is not None and not any(_says(part, structured) for part in parts):
        parts.append(json.dumps(structured, ensure_ascii=False))
    return "\n\n".join(parts) or "(no output)", bool(result.is_error)


def _says(part: str, structured: Any) -> bool:
    """Whether a text is the structured result over again, as most servers send it; alone it stands under `result`."""
    if isinstance(structured, dict) and list(structured) == ["result"] and str(structured["result"]) == part:
        return True
    try:
        return bool(json.loads(part) in (structured, {"result": structured}))
    except (ValueError, RecursionError):
        return False


def block_text(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image":
            return f"[image: {block.mime_type}, {len(block.data) * 3 // 4:,} bytes, for the user to see]"
        case "audio":
            return f"[audio: {block.mime_type}, {len(block.data) * 3 // 4:,} bytes; it is not shown]"
        case "resource":
            text = getattr(block.resource, "text", None)
            return str(text) if text is not None else f"[resource: {block.resource.uri}; it is no text]"
        case "resource_link":
            return f"[resource: {block.uri}]"
        case other:
            return f"[{other}; it is not shown]"


def pictures_of(result: Any) -> Iterator[tuple[str, str, bytes]]:
    """The pictures in an answer: name, media type and bytes. What is no base64 is none."""
    for number, block in enumerate(result.content or (), start=1):
        if block.type != "image":
            continue
        try:
            data = base64.b64decode(block.data, validate=True)
        except (binascii.Error, ValueError):
            continue
        yield f"picture {number}", str(block.mime_type), data
