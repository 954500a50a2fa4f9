"""Why a call deserves more attention than its tool's other calls. Pure values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Concern:
    """`why` is for the person who decides, or, `refused`, for the model that asked.

    A call with a concern is always asked about, on a card that says why; no rule answers for it. A refused one is not
    even asked about.
    """

    why: str
    refused: bool = False
