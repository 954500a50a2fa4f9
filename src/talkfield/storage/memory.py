"""A store that forgets: for tests, and for `--scratch`. It keeps the contract in every other way.

Records are kept as their JSON, so what comes back is what a disk would give back, and nobody shares an object with it.
One thread at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from itertools import islice
from typing import Any

from talkfield.core.audit import AuditQuery
from talkfield.core.ids import NodeId, ProjectId, RecordId
from talkfield.core.records import DocumentRecord, MessageRecord
from talkfield.core.shelf import ShelfItem
from talkfield.errors import UnknownThing
from talkfield.storage import codec
from talkfield.storage.audit import audit_row, fits, line_of
from talkfield.storage.base import AuditLine, SearchHit, ShelfEntry, StoredProject, UsageRow, WriteBatch
from talkfield.storage.ledger import LedgerEntry, entries_of, sum_by_day
from talkfield.storage.search import UNSPACED, plain, shelf_entry, snippet_around, words_of

WORD = re.compile(r"[^\W_]+")


@dataclass
class KeptProject:
    """A project with the JSON of its records and of its shelf by id."""

    project: StoredProject
    records: dict[str, str] = field(default_factory=dict)
    shelf: dict[str, str] = field(default_factory=dict)


class MemoryStore:
    """A `storage.base.ProjectStore` that ends with the process."""

    def __init__(self) -> None:
        self.kept: dict[ProjectId, KeptProject] = {}
        self.audited: dict[tuple[str, str], dict[str, Any]] = {}
        self.ledger: dict[tuple[ProjectId, str], LedgerEntry] = {}

    def projects(self) -> list[StoredProject]:
        return sorted(
            (kept.project for kept in self.kept.values()), key=lambda project: (-project.opened_at, project.id)
        )

    def add_project(self, project: StoredProject) -> None:
        project = codec.storable_project(project)
        if project.id in self.kept:
            self.kept[project.id].project = project
        else:
            self.kept[project.id] = KeptProject(project)

    def remove_project(self, project: ProjectId) -> None:
        self.kept.pop(ProjectId(codec.clean(project)), None)

    def load(self, project: ProjectId) -> tuple[DocumentRecord, ...]:
        return tuple(codec.decode(body) for body in self.find(project).records.values())

    def owner_of(self, record: RecordId) -> ProjectId | None:
        id = codec.clean(record)
        return next((project.id for project in self.projects() if id in self.kept[project.id].records), None)

    def write(self, batches: Sequence[WriteBatch]) -> None:
        self.put(batches)
        self.sync()

    def sync(self) -> None:
        """There is no disk that could be late."""

    def put(self, batches: Sequence[WriteBatch]) -> None:
        storable = [[codec.storable(put) for put in batch.puts] for batch in batches]
        shelved = [[codec.storable_item(item) for item in batch.shelve] for batch in batches]
        for batch in batches:
            self.find(batch.project)
        for batch, puts, items in zip(batches, storable, shelved, strict=True):
            for entry in entries_of(ProjectId(codec.clean(batch.project)), puts, items):
                self.ledger[entry.project, entry.message] = entry
            shelf = self.find(batch.project).shelf
            shelf.update({item.id: codec.encode_item(item) for item in items})
            for gone in batch.unshelve:
                shelf.pop(codec.clean(gone), None)
            for called in batch.audit:
                row = audit_row(ProjectId(codec.clean(batch.project)), called)
                known = self.audited.get((row["project"], row["call"]))
                place = len(self.audited) + 1 if known is None else known["row"]
                self.audited[row["project"], row["call"]] = {**row, "row": place}
        for batch, puts in zip(batches, storable, strict=True):
            records = self.find(batch.project).records
            for record in puts:
                records[record.id] = codec.encode(record)
            for removed in batch.removes:
                records.pop(codec.clean(removed), None)

    def search(self, text: str, project: ProjectId | None = None, limit: int = 50) -> list[SearchHit]:
        words = words_of(text)
        if not words:
            return []
        hits = (
            hit_of(kept.project.id, record, words)
            for kept in self.kept.values()
            if project in (None, kept.project.id)
            for record in map(codec.decode, kept.records.values())
            if isinstance(record, MessageRecord) and holds_all(record.content, words)
        )
        return list(islice(hits, limit))

    def shelf(self, project: ProjectId, text: str = "", limit: int = 100) -> list[ShelfEntry]:
        kept = self.kept.get(ProjectId(codec.clean(project)))
        items = [codec.decode_item(body) for body in (kept.shelf.values() if kept else ())]
        words = words_of(text)
        found = [
            item for item in items if all(plain(word) in plain(f"{item.node.title}\n{item.text}") for word in words)
        ]
        found.sort(key=lambda item: (-item.taken_at, item.id))
        return [shelf_entry(item, words) for item in found[:limit]]

    def shelved(self, project: ProjectId, item: str) -> ShelfItem:
        body = self.find(project).shelf.get(codec.clean(item))
        if body is None:
            raise UnknownThing("this is no longer on the shelf")
        return codec.decode_item(body)

    def named_blobs(self) -> frozenset[str]:
        bodies = (body for kept in self.kept.values() for body in (*kept.records.values(), *kept.shelf.values()))
        return frozenset(digest for body in bodies for digest in codec.digests_in(body))

    def audit(self, project: ProjectId, *, after: int = 0, limit: int = 1000) -> list[AuditLine]:
        key = codec.clean(project)
        rows = (row for row in self.audited.values() if row["project"] == key and row["row"] > after)
        return [line_of(row) for row in islice(rows, limit)]

    def recent_audit(self, project: ProjectId, query: AuditQuery) -> list[AuditLine]:
        key = codec.clean(project)
        rows = [row for row in self.audited.values() if row["project"] == key and fits(row, query)]
        return [line_of(row) for row in islice(reversed(rows), query.limit)]

    def usage(self, *, since: int = 0, until: int | None = None, zone: tzinfo = UTC) -> list[UsageRow]:
        entries = (entry for entry in self.ledger.values() if entry.at >= since and (until is None or entry.at < until))
        return sum_by_day(entries, zone)

    def close(self) -> None:
        """Nothing to give back."""

    def find(self, project: ProjectId) -> KeptProject:
        try:
            return self.kept[ProjectId(codec.clean(project))]
        except KeyError:
            raise UnknownThing(f"There is no project {project}.") from None


def holds_all(content: str, words: list[str]) -> bool:
    """Whether `content` has every word, the last one as a beginning.

    Signs and scripts without spaces are looked for as text.
    """
    there = plain(content)
    if any(UNSPACED.search(word) for word in words) or not any(WORD.search(word) for word in words):
        return all(plain(word) in there for word in words)
    wanted = [part for word in words for part in WORD.findall(plain(word))]
    have = set(WORD.findall(there))
    return all(word in have for word in wanted[:-1]) and any(word.startswith(wanted[-1]) for word in have)


def hit_of(project: ProjectId, record: MessageRecord, words: list[str]) -> SearchHit:
    return SearchHit(
        project=project,
        node=NodeId(record.node_id),
        message=record.id,
        snippet=snippet_around(record.content, words[0]),
    )
