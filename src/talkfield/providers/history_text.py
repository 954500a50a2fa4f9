"""What both wires say where a history leaves something open. Pure."""

from __future__ import annotations

from talkfield.core.messages import ToolCall
from talkfield.core.transcript import NO_OUTPUT, NOT_ANSWERED
from talkfield.errors import ProviderRefused
from talkfield.runtime.ports import ProviderConfig, ProviderRequest

FILLER = "(continued)"
"""Stands where a wire demands a message and the history has none."""


def system_text(request: ProviderRequest) -> str:
    """All system text as one: no wire takes it in the middle."""
    own = [message.content for message in request.messages if message.role == "system"]
    return "\n\n".join(text for text in (request.system, *own) if text.strip())


def result_text(call: ToolCall) -> str:
    """What the model is told a call gave; never nothing (F7 of the wire notes)."""
    if call.result is not None and call.result.strip():
        return call.result
    if call.status in ("awaiting", "running"):
        return NOT_ANSWERED
    return {"denied": "denied by user", "cancelled": NOT_ANSWERED}.get(call.status, NO_OUTPUT)


def nothing_to_send(provider: ProviderConfig) -> ProviderRefused:
    return ProviderRefused(
        "there is nothing to send: the chat has no message for the model",
        provider=provider.id,
        code="empty_request",
        hint="Write a message first.",
    )
