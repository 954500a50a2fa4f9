"""The audit log's rows, and reading them back (T8)."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import Connection, select

from talkfield.core.audit import AuditEntry, AuditOutcome
from talkfield.core.ids import CallId, NodeId, ProjectId, TurnId
from talkfield.storage import codec
from talkfield.storage.base import AuditLine
from talkfield.storage.ledger import bounded
from talkfield.storage.schema import AUDIT


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
