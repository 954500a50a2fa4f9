"""Checks a call's arguments against its tool's JSON Schema, in words a model can act on (T3)."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

MAX_WORDS_CHARS = 300


def check_arguments(schema: Mapping[str, Any], arguments: Any) -> str | None:
    """What is wrong with the arguments, or None. A schema that is itself wrong is told as such.

    A schema may come from anywhere: nothing that it refers to is fetched, and its regular expressions, which could keep
    the event loop busy for ever, are left to whoever runs the tool.
    """
    validator = _validator()(schema, registry=_registry())
    try:
        error = best_match(validator.iter_errors(arguments))
    except Exception as broken:
        return f"the tool's schema cannot be used: {type(broken).__name__}"
    if error is None:
        return None
    place = ".".join(str(part) for part in error.absolute_path)
    words = str(error.message)
    if len(words) > MAX_WORDS_CHARS:  # it quotes the value, which may be a whole file
        words = f"{words[:MAX_WORDS_CHARS]}…"
    return f"{place}: {words}" if place else words


def load_validator() -> None:
    """Load what checking needs; blocks for a moment, once."""
    _validator()
    _registry()


def best_match(errors: Any) -> Any:
    from jsonschema.exceptions import best_match as best

    return best(errors)


@functools.cache
def _validator() -> Any:
    import jsonschema  # heavy, and only needed once a model calls a tool

    def unchecked(*_given: Any) -> tuple[()]:
        return ()

    return jsonschema.validators.extend(
        jsonschema.Draft202012Validator, {"pattern": unchecked, "patternProperties": unchecked}
    )


def _registry() -> Any:
    """The drafts of JSON Schema themselves, and no way to anything else."""
    import jsonschema

    return jsonschema.validators.SPECIFICATIONS
