"""What a server's answer is to a model: its text, and a word on everything that is none."""

from __future__ import annotations

import json
from typing import Any


def text_of(result: Any) -> tuple[str, bool]:
    """The text of a `CallToolResult`, and whether it is an error."""
    parts = [part for block in result.content or () if (part := block_text(block))]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n\n".join(parts) or "(no output)", bool(result.is_error)


def block_text(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"[{block.type}: {block.mime_type}, {len(block.data) * 3 // 4:,} bytes; it is not shown]"
        case "resource":
            text = getattr(block.resource, "text", None)
            return str(text) if text is not None else f"[resource: {block.resource.uri}; it is no text]"
        case "resource_link":
            return f"[resource: {block.uri}]"
        case other:
            return f"[{other}; it is not shown]"
