"""What a provider may see: the single gate between a conversation and a wire (C4, T11).

Notes stay here. Every call leaves with exactly one result, so one bad turn never poisons a conversation. Each driver
then maps what comes out of here to its own wire.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from talkfield.core.messages import FINAL_STATUSES, Message, ToolCall

NOT_ANSWERED = "interrupted: this call was never answered"
NO_OUTPUT = "(no output)"


def transcript(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages to send, in order: no notes, nothing empty, every call answered."""
    return tuple(repaired for message in messages if (repaired := _repair(message)) is not None)


def _repair(message: Message) -> Message | None:
    match message.role:
        case "note":
            return None
        case "tool":
            # The seeds' form of a result. Ours are inside the call; one on its own would be refused by every wire.
            return None
        case "assistant":
            answered = tuple(_answer(call) for call in message.tool_calls)
            if not message.content.strip() and not answered and message.provider_state is None:
                return None
            return message if answered == message.tool_calls else replace(message, tool_calls=answered)
        case "user" | "system":
            return message if message.content.strip() or message.attachments else None
        case _ as never:
            assert_never(never)


def _answer(call: ToolCall) -> ToolCall:
    if call.status not in FINAL_STATUSES:
        return replace(call, status="cancelled", result=NOT_ANSWERED, is_error=True)
    if not call.result:
        return replace(call, result=NO_OUTPUT)
    return call
