"""The audit log's rows, and reading them back (T8)."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import Connection, or_, select

from talkfield.core.audit import AuditEntry, AuditOutcome, AuditQuery
from talkfield.core.ids import CallId, NodeId, ProjectId, TurnId
from talkfield.storage import codec
from talkfield.storage.base import AuditLine
from talkfield.storage.ledger import bounded
from talkfield.storage.schema import AUDIT
from talkfield.storage.search import like_patterns, plain, words_of

SEARCHED = ("tool", "source", "arguments", "decision")


def audit_row(project: ProjectId, entry: AuditEntry) -> dict[str, Any]:
    """The row of an entry, in what a database can hold."""
    return {
        "project": project,
        "call": codec.clean(entry.call),
        "node": codec.clean(entry.node),
        "turn": None if entry.turn is None else codec.clean(entry.turn),
        "tool": codec.clean(entry.tool),
        "source": codec.clean(entry.source),
        "arguments": codec.clean(entry.args_json),
        "decision": codec.clean(entry.decision),
        "at": bounded(entry.at),
        "duration_ms": None if entry.duration_ms is None else bounded(entry.duration_ms),
        "outcome": entry.outcome,
    }


def read_audit(connection: Connection, project: str, after: int, limit: int) -> list[AuditLine]:
    query = select(AUDIT).where(AUDIT.c.project == project, AUDIT.c.row > after).order_by(AUDIT.c.row).limit(limit)
    return [line_of(dict(row)) for row in connection.execute(query).mappings()]


def read_recent(connection: Connection, project: str, query: AuditQuery) -> list[AuditLine]:
    wanted = select(AUDIT).where(AUDIT.c.project == project)
    if query.before is not None:
        wanted = wanted.where(AUDIT.c.row < bounded(query.before))
    for column, value in ((AUDIT.c.tool, query.tool), (AUDIT.c.node, query.node), (AUDIT.c.outcome, query.outcome)):
        if value is not None:
            wanted = wanted.where(column == codec.clean(value))
    for pattern in like_patterns(words_of(query.words)):
        fits = (AUDIT.c[name].like(pattern, escape="\\") for name in SEARCHED)
        wanted = wanted.where(or_(*fits))
    newest_first = wanted.order_by(AUDIT.c.row.desc()).limit(query.limit)
    return [line_of(dict(row)) for row in connection.execute(newest_first).mappings()]


def fits(row: dict[str, Any], query: AuditQuery) -> bool:
    """The same for a row in memory."""
    exact = (("tool", query.tool), ("node", query.node), ("outcome", query.outcome))
    return (
        (query.before is None or row["row"] < query.before)
        and all(value is None or row[name] == codec.clean(value) for name, value in exact)
        and all(any(plain(word) in plain(row[name]) for name in SEARCHED) for word in words_of(query.words))
    )


def line_of(row: dict[str, Any]) -> AuditLine:
    entry = AuditEntry(
        call=CallId(row["call"]),
        node=NodeId(row["node"]),
        turn=None if row["turn"] is None else TurnId(row["turn"]),
        tool=row["tool"],
        source=row["source"],
        args_json=row["arguments"],
        decision=row["decision"],
        at=row["at"],
        duration_ms=row["duration_ms"],
        outcome=cast("AuditOutcome", row["outcome"]),
    )
    return AuditLine(row["row"], entry)
