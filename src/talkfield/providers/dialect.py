"""Recognises streams of wires that this decoder does not speak, so that the error can say what to change. Pure.

Used only when nothing of an answer has been understood so far; it never decides how a known stream is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.errors import ProviderGarbled

OPENAI = "the OpenAI wire"
ANTHROPIC = "the Anthropic wire"


def foreign(event: Any, expected: str) -> ProviderGarbled | None:
    """The error for an event of another wire; None where it is none that is known."""
    spoken = _spoken(event) if isinstance(event, Mapping) else None
    if spoken is None or spoken == expected:
        return None
    if spoken in (OPENAI, ANTHROPIC):
        hint = f"Set this provider's API to {'openai' if spoken == OPENAI else 'anthropic'} in Settings."
    else:
        hint = "Check the provider's address in Settings: it should answer with chat completions or Anthropic messages."
    return ProviderGarbled(f"the address answers with {spoken}, not with {expected}", code="wrong_wire", hint=hint)


def _spoken(event: Mapping[str, Any]) -> str | None:
    if event.get("choices") is not None and not _has_bare_text(event):
        return OPENAI
    kind = str(event.get("type") or "")
    thing = str(event.get("object") or "")
    if kind.startswith("response."):
        return "OpenAI's Responses API"
    if thing.startswith("thread."):
        return "OpenAI's Assistants API"
    if _has_bare_text(event):
        return "the older text completions"
    if "candidates" in event:
        return "Gemini's own API"
    if "jsonrpc" in event:
        return "the Model Context Protocol"
    if kind == "completion" and "completion" in event:
        return "Anthropic's older text completions"
    if kind in ("message_start", "content_block_start", "content_block_delta", "message_delta", "message"):
        return ANTHROPIC
    if kind in ("message-start", "content-start", "content-delta", "tool-call-start", "message-end"):
        return "Cohere's own API"
    if thing.startswith("chat.completion"):
        return OPENAI
    if "done" in event and ("message" in event or "response" in event):
        return "Ollama's own API"
    return None


def _has_bare_text(event: Mapping[str, Any]) -> bool:
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, Mapping) and "text" in first and not ("delta" in first or "message" in first)
