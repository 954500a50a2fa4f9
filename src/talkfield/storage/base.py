"""What a store is. Synchronous on purpose: one writer thread owns it (ST4), nobody else calls it.

Contract, checked by `tests/contracts/store_contract.py` for every store:

* a batch is seen whole or not at all, also after `kill -9` at any instant (ST1);
* what `write` returned from is durable;
* a write costs what changed, never what the project holds (ST3);
* `load` gives back exactly the records that were put and not removed;
* an unknown project raises `UnknownThing`; a full or failing disk raises `SaveFailed`, with nothing half written (W9).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from talkfield.core.ids import NodeId, ProjectId, RecordId
from talkfield.core.records import DocumentRecord


@dataclass(frozen=True, kw_only=True)
class StoredProject:
    """A project as the store knows it; times are epoch milliseconds."""

    id: ProjectId
    title: str
    folder: str | None
    created_at: int
    opened_at: int


@dataclass(frozen=True, kw_only=True)
class WriteBatch:
    """What changed in one project: records in their new state, and ids of records that are gone."""

    project: ProjectId
    puts: tuple[DocumentRecord, ...] = ()
    removes: tuple[RecordId, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SearchHit:
    """A message that matches a search, with a piece of it."""

    project: ProjectId
    node: NodeId
    message: str
    snippet: str


class ProjectStore(Protocol):
    """Holds every project of one data folder. See the module for the contract."""

    def projects(self) -> list[StoredProject]:
        """All projects, the one opened last first."""
        ...

    def add_project(self, project: StoredProject) -> None:
        """Add a project, or replace the title, folder and times of the one with its id."""
        ...

    def remove_project(self, project: ProjectId) -> None:
        """Forget a project and all its records."""
        ...

    def load(self, project: ProjectId) -> tuple[DocumentRecord, ...]:
        """All records of a project, in no particular order. Raises `UnknownThing`, `ProjectUnreadable`."""
        ...

    def write(self, batches: Sequence[WriteBatch]) -> None:
        """Make all batches durable in one transaction. Raises `SaveFailed`."""
        ...

    def search(self, text: str, project: ProjectId | None = None, limit: int = 50) -> list[SearchHit]:
        """Messages that contain all words of `text`, best first (ST8)."""
        ...

    def close(self) -> None:
        """Give the files back."""
        ...
