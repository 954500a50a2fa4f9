"""What a kind of node is: its data, how big a new one is, and how old data becomes new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

Data = TypeVar("Data")

NodeColor = Literal["yellow", "green", "blue", "pink", "grey"]

Migration = Callable[[dict[str, Any]], dict[str, Any]]
"""Takes the data of a file at version n, gives it at n + 1."""


@dataclass(frozen=True)
class NodeKind(Generic[Data]):
    """One kind of thing on the canvas. Sizes are in canvas pixels at zoom 1."""

    name: str
    data_type: type[Data]
    new: Callable[[], Data]
    width: float
    height: float
    min_width: float
    min_height: float
    migrations: tuple[Migration, ...] = ()
