"""Where models answer from. Each wire API is a module of its own; `PROVIDERS` names them all.

Importing this package is cheap: a wire and its HTTP library are loaded when its first driver is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from talkfield.runtime.ports import Clock, Driver

__all__ = ["PROVIDERS"]


def _openai(clock: Clock, **options: Any) -> Driver:
    from talkfield.providers.openai import OpenAiDriver

    return OpenAiDriver(clock, **options)


def _anthropic(clock: Clock, **options: Any) -> Driver:
    from talkfield.providers.anthropic import AnthropicDriver

    return AnthropicDriver(clock, **options)


PROVIDERS: dict[str, Callable[..., Driver]] = {
    "openai": _openai,
    "anthropic": _anthropic,
}
"""A driver's maker by the name of its API. Takes the clock, and the options of `base.HttpDriver` by name."""
