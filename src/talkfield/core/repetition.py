"""Notices a model that asks for the same thing over and over, so that it can be told (T1). Pure."""

from __future__ import annotations

import json
from collections import Counter

TOLD_FROM = 3
"""The same call so often in one turn is mentioned: twice may be meant, to see what changed."""


class Repetition:
    """Calls of one turn, counted by name and arguments."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def note(self, name: str, args_json: str) -> str:
        """What to add to the result of a call that has just run; mostly nothing."""
        key = (name, _canonical(args_json))
        self._counts[key] += 1
        count = self._counts[key]
        if count < TOLD_FROM:
            return ""
        return f"\n[You have made this same call {count} times in this turn. If it does not help, try something else.]"


def _canonical(args_json: str) -> str:
    try:
        return json.dumps(json.loads(args_json or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return args_json
