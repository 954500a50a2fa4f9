"""How a project's parts are called in what a person reads about two versions of it. Pure."""

from __future__ import annotations

from typing import Any

from talkfield.core.changes import changed_fields
from talkfield.core.records import NodeRecord

TOGETHER = (("x", "y"), ("width", "height"))
"""Fields that mean something only together: a node is moved to one of two places, never between them."""

SHOWN = 60
MISSING: Any = object()


def field_changes(before: Any, after: Any, *, one_kind: bool = True) -> dict[str, tuple[Any, Any]]:
    """Fields that differ; those that mean something only together count as one.

    Without `one_kind` a node's data is one field: those of a chat mean nothing on a sticky note.
    """
    changed = changed_fields(before, after)
    if not one_kind and any(name.startswith("data.") for name in changed):
        changed = {name: values for name, values in changed.items() if not name.startswith("data.")}
        changed["data"] = (before.data, after.data)
    for names in TOGETHER:
        if any(name in changed for name in names):
            for name in names:
                changed.pop(name, None)
            old, new = (tuple(getattr(each, name) for name in names) for each in (before, after))
            changed[" ".join(names)] = (old, new)
    return changed


def field_label(field: str) -> str:
    """A field as files and people call it."""
    names = {"x y": "place", "width height": "size"}
    return names.get(field, field.removeprefix("data.").replace("_", " "))


def node_name(record: NodeRecord) -> str:
    """A node for people: its title where it has one."""
    return f'"{record.title}" ({record.id})' if record.title else f"node {record.id}"


def shown(value: Any) -> str:
    """A value in few words."""
    if value is MISSING or value is None:
        return "not set"
    if isinstance(value, tuple) and all(isinstance(part, int | float) for part in value):
        return "(" + ", ".join(f"{part:g}" for part in value) + ")"
    text = " ".join(str(value).split()) if isinstance(value, str) else repr(value)
    short = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return f'"{short}"' if isinstance(value, str) else short
