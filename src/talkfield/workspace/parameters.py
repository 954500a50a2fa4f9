"""What a person sets for a chat's answers: checked when it is set, and handed to the runtime with each request."""

from __future__ import annotations

from talkfield.core.nodes import ChatData
from talkfield.core.nodes.chat import ChatParameters
from talkfield.errors import InvalidArgument
from talkfield.runtime.ports import Parameters

MAX_OUTPUT_TOKENS = 10_000_000


def checked_parameters(parameters: ChatParameters) -> ChatParameters | None:
    """The parameters, None where nothing is set. Raises `InvalidArgument`."""
    temperature, most = parameters.temperature, parameters.max_output_tokens
    if temperature is not None and not 0 <= temperature <= 2:
        raise InvalidArgument("has to be from 0 to 2", place="parameters.temperature")
    if most is not None and not 1 <= most <= MAX_OUTPUT_TOKENS:
        raise InvalidArgument(f"has to be from 1 to {MAX_OUTPUT_TOKENS}", place="parameters.maxOutputTokens")
    return None if parameters == ChatParameters() else parameters


def parameters_of(data: ChatData) -> Parameters:
    """What a person set for the chat, as the runtime wants it."""
    chosen = data.parameters
    if chosen is None:
        return Parameters()
    return Parameters(
        temperature=chosen.temperature,
        max_output_tokens=chosen.max_output_tokens,
        reasoning_effort=chosen.effort,
    )
