"""What every command of a browser has in common."""

from __future__ import annotations

import msgspec


class CommandBase(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="do",
):
    """Base of all commands: tagged by class name in camelCase."""
