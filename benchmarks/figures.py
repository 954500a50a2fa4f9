"""What a benchmark found, for a machine to read as well: `benchmarks/run.py` gathers it.

A benchmark prints its figures for people and tells those that bound something here. Without `TALKFIELD_FIGURES`, which
names the file they are added to, nothing is kept.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

VARIABLE = "TALKFIELD_FIGURES"


def tell(
    what: str,
    value: float,
    unit: str = "times",
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    spread: tuple[float, float] | None = None,
) -> bool:
    """Keeps one figure and its bound; whether it is within it. `spread`: least and greatest over the rounds."""
    holds = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
    target = os.environ.get(VARIABLE)
    if target:
        bounds = {"atMost": at_most, "atLeast": at_least, "spread": spread}
        known = {name: bound for name, bound in bounds.items() if bound is not None}
        figure = {"bench": Path(sys.argv[0]).stem, "what": what, "value": value, "unit": unit, **known, "holds": holds}
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(json.dumps(figure, ensure_ascii=False) + "\n")
    return holds
