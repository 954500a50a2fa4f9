"""What a person sets for a chat's answers: checked when it is set, and handed to the runtime with each request."""

from __future__ import annotations

from talkfield.core.nodes import ChatData
from talkfield.core.nodes.chat import ChatParameters
from talkfield.errors import InvalidArgument
from talkfield.runtime.ports import Parameters

MAX_OUTPUT_TOKENS = 10_000_000
MAX_STOP_SEQUENCES = 4
MAX_STOP_CHARACTERS = 100
MAX_SEED = 2**53 - 1
"""The largest whole number that a browser counts exactly."""


def checked_parameters(parameters: ChatParameters) -> ChatParameters | None:
    """The parameters, None where nothing is set. Raises `InvalidArgument`."""
    temperature, most = parameters.temperature, parameters.max_output_tokens
    if temperature is not None and not 0 <= temperature <= 2:
        raise InvalidArgument("has to be from 0 to 2", place="parameters.temperature")
    if most is not None and not 1 <= most <= MAX_OUTPUT_TOKENS:
        raise InvalidArgument(f"has to be from 1 to {MAX_OUTPUT_TOKENS}", place="parameters.maxOutputTokens")
    top_p, stops, seed = parameters.top_p, parameters.stop_sequences, parameters.seed
    if top_p is not None and not 0 < top_p <= 1:
        raise InvalidArgument("has to be more than 0, and at most 1", place="parameters.topP")
    if len(stops) > MAX_STOP_SEQUENCES or not all(1 <= len(stop) <= MAX_STOP_CHARACTERS for stop in stops):
        words = f"has to be at most {MAX_STOP_SEQUENCES} texts of 1 to {MAX_STOP_CHARACTERS} characters"
        raise InvalidArgument(words, place="parameters.stopSequences")
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise InvalidArgument(f"has to be from 0 to {MAX_SEED}", place="parameters.seed")
    return None if parameters == ChatParameters() else parameters


def parameters_of(data: ChatData) -> Parameters:
    """What a person set for the chat, as the runtime wants it."""
    chosen = data.parameters
    if chosen is None:
        return Parameters()
    return Parameters(
        temperature=chosen.temperature,
        top_p=chosen.top_p,
        max_output_tokens=chosen.max_output_tokens,
        reasoning_effort=chosen.effort,
        stop_sequences=chosen.stop_sequences,
        seed=chosen.seed,
    )
