"""Provider calls as the usage page counts them: what one message adds to the books, and their sum per day (U12, P5)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import NamedTuple

from talkfield.core.ids import ProjectId
from talkfield.core.messages import Message, MessageBody
from talkfield.core.records import DocumentRecord
from talkfield.core.shelf import ShelfItem
from talkfield.storage.base import UsageRow

MAX_INTEGER = 2**63 - 1
"""What a database's integer holds; imported files may claim more."""

QUARTER_HOUR_MS = 15 * 60 * 1000
LAST_MOMENT = 253_370_764_800_000
"""The year 9999 begins; calendars know no later one."""


class LedgerEntry(NamedTuple):
    """One provider call, its fields in the order of the table's columns. `usd` None: no price was known."""

    project: ProjectId
    message: str
    at: int
    provider: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    usd: str | None
    estimated: bool


def entry_of(project: ProjectId, record: DocumentRecord | Message) -> LedgerEntry | None:
    """What a record adds to the books; None: nothing, it is no message with usage, or a copy of one."""
    if not isinstance(record, MessageBody) or record.usage is None or record.copied_from is not None:
        return None
    usage, cost = record.usage, record.cost
    priced = cost is not None and cost.source != "unpriced" and cost.usd.is_finite()
    return LedgerEntry(
        project=project,
        message=record.id,
        at=bounded(record.ts),
        provider=record.provider or "",
        model=record.model or "",
        input_tokens=bounded(usage.input_tokens),
        output_tokens=bounded(usage.output_tokens),
        cache_read_tokens=bounded(usage.cache_read_tokens),
        cache_write_tokens=bounded(usage.cache_write_tokens),
        reasoning_tokens=bounded(usage.reasoning_tokens),
        usd=str(cost.usd) if cost is not None and priced else None,
        estimated=usage.estimated,
    )


def entries_of(
    project: ProjectId, records: Iterable[DocumentRecord], shelved: Iterable[ShelfItem]
) -> list[LedgerEntry]:
    """What a write adds to the books. What goes to the shelf may never have been written before: it counts as well."""
    found = [entry_of(project, record) for record in records]
    found += [entry_of(project, message) for item in shelved for message in item.messages]
    return [entry for entry in found if entry is not None]


def bounded(number: int) -> int:
    return max(0, min(number, MAX_INTEGER))


def sum_by_day(entries: Iterable[LedgerEntry], zone: tzinfo) -> list[UsageRow]:
    """One row per day of `zone`, project, provider and model, newest day first."""
    day_of = DayOf(zone)
    sums: dict[tuple[str, ProjectId, str, str], DaySum] = {}
    for entry in entries:
        key = (day_of(entry.at), entry.project, entry.provider, entry.model)
        if key not in sums:
            sums[key] = DaySum()
        sums[key].add(entry)
    newest_first = sorted(sorted(sums), key=lambda key: key[0], reverse=True)
    return [sums[key].row(key) for key in newest_first]


class DayOf:
    """The local day of a moment. Within a quarter of an hour it is always the same, in every zone there is."""

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone
        self.days: dict[int, str] = {}

    def __call__(self, at: int) -> str:
        quarter = min(at, LAST_MOMENT) // QUARTER_HOUR_MS
        if quarter not in self.days:
            moment = datetime.fromtimestamp(quarter * QUARTER_HOUR_MS / 1000, self.zone)
            self.days[quarter] = moment.date().isoformat()
        return self.days[quarter]


class DaySum:
    """Sums of the entries added so far."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = [0, 0, 0, 0, 0]
        self.usd = Decimal(0)
        self.unpriced = 0
        self.estimated = 0

    def add(self, entry: LedgerEntry) -> None:
        self.calls += 1
        self.tokens[0] += entry.input_tokens
        self.tokens[1] += entry.output_tokens
        self.tokens[2] += entry.cache_read_tokens
        self.tokens[3] += entry.cache_write_tokens
        self.tokens[4] += entry.reasoning_tokens
        if entry.usd is None:
            self.unpriced += 1
        else:
            self.usd += Decimal(entry.usd)
        self.estimated += entry.estimated

    def row(self, key: tuple[str, ProjectId, str, str]) -> UsageRow:
        day, project, provider, model = key
        return UsageRow(
            day=day,
            project=project,
            provider=provider,
            model=model,
            provider_calls=self.calls,
            input_tokens=self.tokens[0],
            output_tokens=self.tokens[1],
            cache_read_tokens=self.tokens[2],
            cache_write_tokens=self.tokens[3],
            reasoning_tokens=self.tokens[4],
            usd=self.usd,
            unpriced=self.unpriced,
            estimated=self.estimated,
        )
