"""What became of a tool call, for the record (T8). Values only."""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.ids import CallId, NodeId, TurnId

AuditOutcome = Literal["started", "done", "error", "cancelled", "denied"]
"""`started` without a later end: Talkfield ended while the tool ran, and what it did is not known."""


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One execution of a tool, or one that was denied. The same call again replaces its entry.

    `decision` says who or what let it run, or did not: a person, a rule by its id, or that its tool needs no approval.
    `args_json` is exactly what ran. `at` is epoch milliseconds; `duration_ms` is None until it is over.
    """

    call: CallId
    node: NodeId
    tool: str
    args_json: str
    decision: str
    at: int
    outcome: AuditOutcome
    turn: TurnId | None = None
    source: str = ""
    duration_ms: int | None = None


class AuditQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries of the log are wanted, the newest first.

    `before` is a place in the log: only what is older. `words`: each of them is in the tool's name, its source, the
    arguments or the decision; case makes no difference in ASCII.
    """

    before: int | None = None
    tool: str | None = None
    node: NodeId | None = None
    outcome: AuditOutcome | None = None
    words: str = ""
    limit: int = 100
