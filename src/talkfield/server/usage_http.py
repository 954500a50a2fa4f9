"""What was used and what it cost, by day, model, provider and project (U12)."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from talkfield.core.ids import ProjectId
from talkfield.errors import InvalidArgument
from talkfield.server.api import Answer
from talkfield.server.operation import Operation
from talkfield.server.request_body import answer, number
from talkfield.workspace.base import StudioLike

USUAL_DAYS = 30
MOST_DAYS = 3660


class UsageRow(Answer, frozen=True, kw_only=True):
    """Tokens and money of one day (`2026-08-14`), project, provider and model.

    `unpriced` of the `providerCalls` had no known price and are not in `usd`; `estimated` of them had their tokens
    counted by Talkfield. Provider and model are empty where nobody said.
    """

    day: str
    project: ProjectId
    provider: str
    model: str
    provider_calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    usd: Decimal
    unpriced: int
    estimated: int


class UsageTable(Answer, frozen=True, kw_only=True):
    """Usage from the day `since` to `until`, both included, the newest day first."""

    since: str
    until: str
    rows: tuple[UsageRow, ...]


def usage_operations(studio: StudioLike) -> tuple[Operation, ...]:
    async def usage(request: Request) -> Response:
        days = max(1, number(request, "days", USUAL_DAYS, MOST_DAYS))
        name = request.query_params.get("zone", "UTC")
        try:
            zone = await asyncio.to_thread(ZoneInfo, name)  # it reads a file
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InvalidArgument("is no time zone", place="zone") from None
        today = datetime.now(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        first = today - timedelta(days=days - 1)
        found = await studio.usage(since=int(first.timestamp() * 1000), zone=zone)
        rows = msgspec.convert(found, tuple[UsageRow, ...], from_attributes=True)
        return answer(UsageTable(since=first.date().isoformat(), until=today.date().isoformat(), rows=rows))

    return (
        Operation(
            name="usage",
            method="GET",
            path="/api/usage",
            about=(
                "Tokens and money per day, project, provider and model, of all projects, those included that are gone. "
                f"`days`: so many up to today ({USUAL_DAYS} unless told, {MOST_DAYS} at most); `zone`: whose days, as "
                "`Europe/Oslo`."
            ),
            run=usage,
            answer=UsageTable,
            query=("days", "zone"),
            errors=(409, 422),
        ),
    )
