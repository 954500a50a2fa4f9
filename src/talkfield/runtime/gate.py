"""Judges what a model asks to run, before any card is shown (T3, T4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from talkfield.core.turn import Allow, Ask, Gate, Refuse, Verdict
from talkfield.runtime.ports import Tool


def parse_arguments(args_json: str) -> Mapping[str, Any]:
    """Arguments as an object. Raises `ValueError` in words a model can act on."""
    try:
        value = json.loads(args_json or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the arguments are not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("the arguments must be a JSON object")
    return value


def gate_for(tools: Sequence[Tool], check_arguments: Callable[[Mapping[str, Any], Any], str | None]) -> Gate:
    """A gate over these tools: unknown ones and bad arguments are refused, the rest asks or runs as its tool says."""
    known = {tool.name: tool for tool in tools}

    def judge(name: str, args_json: str) -> Verdict:
        tool = known.get(name)
        if tool is None:
            names = ", ".join(sorted(known)) or "none"
            return Refuse(f"unknown tool: {name} (there are: {names})")
        try:
            arguments = parse_arguments(args_json)
        except ValueError as error:
            return Refuse(str(error))
        wrong = check_arguments(tool.schema, arguments)
        if wrong is not None:
            return Refuse(f"the arguments do not fit {name}: {wrong}")
        return Ask() if tool.needs_approval else Allow()

    return judge
