"""What a behaviour of links is: its options, which it takes along with an edge, and what people are told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

LinkPart = Literal["lastReply", "lastTurn", "conversation", "summary"]
"""What of a chat goes through a link. Of a sticky note it is always all, but for a summary, which a model makes of it
when it is asked to, and never by itself.
"""


@dataclass(frozen=True)
class LinkKind:
    """One behaviour. `asks`: it does something outside the canvas, and has to be allowed once for each link."""

    name: str
    data_type: type[Any]
    asks: bool = False
