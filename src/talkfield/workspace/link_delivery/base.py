"""What a behaviour's function is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass

from talkfield.core.changes import Changes
from talkfield.core.events import ContextAdded


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """What became of it, in words; the changes that are part of it, and what scripts are told of them.

    `armed`: nothing yet, it goes with what is said next in the target.
    """

    outcome: str
    changes: Changes = ()
    event: ContextAdded | None = None
    armed: bool = False
