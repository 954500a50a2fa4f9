"""Reads how long a provider asks to wait before the next try (D6). Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|h|hours?|m|minutes?|s|seconds?)?(?![a-z])", re.IGNORECASE)
IN_WORDS = re.compile(
    r"(?:try again|retry|wait)[^.\d]{0,20}?\b((?:\d+(?:\.\d+)?\s*(?:ms|h|m|s)[a-z]*\s*)+)", re.IGNORECASE
)
UNIT_S = {"ms": 0.001, "mi": 60.0, "m": 60.0, "h": 3600.0, "s": 1.0}
LONGEST_S = 7 * 24 * 3600.0


def retry_after_s(headers: Mapping[str, str], payload: Any, message: str, *, now_ms: int) -> float | None:
    """Seconds to wait, from headers, from the error's details, or from its words; None where it says nothing.

    `headers` have lower-case names. A date is taken relative to the answer's own `date`, else to `now_ms`.
    """
    found = _from_headers(headers, now_ms)
    if found is None:
        found = _from_details(payload)
    if found is None and (words := IN_WORDS.search(message)):
        found = duration_s(words[1])
    return None if found is None else min(max(found, 0.0), LONGEST_S)


def duration_s(text: str) -> float | None:
    """`7`, `0.5s`, `1m2.5s`, `250ms`, `2 minutes`: in seconds."""
    parts = DURATION.findall(text.strip())
    if not parts:
        return None
    total = 0.0
    for number, unit in parts:
        unit = unit.lower()
        scale = UNIT_S["ms"] if unit == "ms" or unit.startswith("milli") else UNIT_S[unit[:1] or "s"]
        total += float(number) * scale
    return total


def _from_headers(headers: Mapping[str, str], now_ms: int) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds:
        return milliseconds / 1000
    plain = headers.get("retry-after")
    if plain is not None:
        seconds = _number(plain)
        return seconds if seconds is not None else _until(plain, headers.get("date"), now_ms)
    waits = []
    for kind in ("requests", "tokens"):
        if _number(headers.get(f"x-ratelimit-remaining-{kind}")) == 0:
            wait = duration_s(headers.get(f"x-ratelimit-reset-{kind}", ""))
            if wait is not None:
                waits.append(wait)
    return max(waits) if waits else None


def _from_details(payload: Any) -> float | None:
    """Google's `RetryInfo`, wherever the error keeps it."""
    if isinstance(payload, list) and payload:
        payload = payload[0]
    error = payload.get("error") if isinstance(payload, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str):
            return duration_s(delay)
    return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None


def _until(date: str, answered: str | None, now_ms: int) -> float | None:
    from email.utils import parsedate_to_datetime  # slow to import, and seldom needed

    try:
        then = parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
    try:
        now = parsedate_to_datetime(answered).timestamp() if answered else now_ms / 1000
    except ValueError:
        now = now_ms / 1000
    return then - now
