"""Tokens where a provider reported none: a stopped or broken run still cost something (M5, P6)."""

from __future__ import annotations

from collections.abc import Iterable

from talkfield.core.messages import Message, Usage

BYTES_PER_TOKEN = 4
"""A usual ratio over tokenisers and languages; the result is marked as an estimate wherever it is shown."""


def estimate_tokens(text: str) -> int:
    """A rough count, by UTF-8 bytes; never 0 for a text that is not empty."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def estimate_usage(messages: Iterable[Message], system: str, output: str) -> Usage:
    """What a provider call that sent these messages and got this output probably used."""
    sent = estimate_tokens(system)
    for message in messages:
        sent += estimate_tokens(message.content)
        sent += sum(estimate_tokens(call.args_json) + estimate_tokens(call.result or "") for call in message.tool_calls)
    return Usage(input_tokens=sent, output_tokens=estimate_tokens(output), estimated=True)
