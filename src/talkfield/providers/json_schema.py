"""JSON Schemas as a dialect takes them (D13). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def without_keywords(schema: Mapping[str, Any], drop: tuple[str, ...]) -> dict[str, Any]:
    """A JSON Schema without keywords that a dialect refuses; names of properties are no keywords."""
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, Mapping):
            kept[key] = {
                name: without_keywords(inner, drop) if isinstance(inner, Mapping) else inner
                for name, inner in value.items()
            }
        elif key in drop:
            continue
        elif isinstance(value, Mapping):
            kept[key] = without_keywords(value, drop)
        elif isinstance(value, list):
            kept[key] = [without_keywords(item, drop) if isinstance(item, Mapping) else item for item in value]
        else:
            kept[key] = value
    return kept
