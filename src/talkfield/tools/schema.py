"""Checks a call's arguments against its tool's JSON Schema, in words a model can act on (T3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def check_arguments(schema: Mapping[str, Any], arguments: Any) -> str | None:
    """What is wrong with the arguments, or None. A schema that is itself wrong is told as such."""
    import jsonschema  # heavy, and only needed once a model calls a tool

    validator = jsonschema.Draft202012Validator(schema)
    try:
        error = jsonschema.exceptions.best_match(validator.iter_errors(arguments))
    except Exception as broken:  # a schema from an MCP server may be anything
        return f"the tool's schema cannot be used: {type(broken).__name__}"
    if error is None:
        return None
    place = ".".join(str(part) for part in error.absolute_path)
    return f"{place}: {error.message}" if place else str(error.message)
