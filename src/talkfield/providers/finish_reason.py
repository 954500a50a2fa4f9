"""What the reasons mean that services give for the end of an answer. Pure data (C10 of the wire notes)."""

from __future__ import annotations

from talkfield.core.messages import Finish

FINISH_OF: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "sensitive": "content_filter",
    "refusal": "refusal",
}
"""What a finish reason means, in lower case. One that is not here is kept raw and ends the answer like `stop` (C10 of
the wire notes)."""

FAILED_FINISH = {"error": "the provider ended its answer with an error that it did not explain"}
FAILED_FINISH |= {
    "network_error": "the provider lost its connection to the model",
    "insufficient_system_resource": "the provider had no room to finish the answer",
}
WEIGHT: dict[Finish, int] = {"stop": 0, "tool_calls": 1, "length": 2, "content_filter": 3, "refusal": 3}
"""Where a stream gives two finish reasons, the one that says more counts."""


def finish_of(raw: str) -> Finish:
    """One that is not known is kept raw and ends the answer like `stop`."""
    return FINISH_OF.get(raw.lower(), "stop")


def weightier(known: str, new: str) -> str:
    """The reason that counts, of two that one stream gives."""
    if not known or new.lower() in FAILED_FINISH or WEIGHT[finish_of(new)] >= WEIGHT[finish_of(known)]:
        return new
    return known
