"""The time-outs of provider calls as the environment sets them (D7). Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping

from talkfield.errors import StartFailed
from talkfield.providers.transport import Timeouts

VARIABLES = {
    "TALKFIELD_CONNECT_TIMEOUT_S": "connect_s",
    "TALKFIELD_FIRST_EVENT_TIMEOUT_S": "first_event_s",
    "TALKFIELD_NO_PROGRESS_TIMEOUT_S": "no_progress_s",
}
"""Each a number of seconds, more than 0."""


def timeouts_of(environment: Mapping[str, str]) -> Timeouts:
    """What is not set stays as it is. Raises `StartFailed` for what is no number of seconds."""
    given = {field: _seconds(name, text) for name, field in VARIABLES.items() if (text := environment.get(name))}
    return Timeouts(**given)


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise StartFailed(f"{name} is {text!r}", hint="Give a number of seconds, or leave it out.")
    return seconds
