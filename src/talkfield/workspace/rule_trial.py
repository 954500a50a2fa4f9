"""A rule on trial: what it would have decided on calls that were made, before anyone saves it (T7).

The calls are those of the audit log, so that what ran in chats that are gone counts as well. Nothing is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from talkfield.core.audit import AuditEntry, AuditOutcome, AuditQuery
from talkfield.core.ids import CallId
from talkfield.core.messages import CallStatus
from talkfield.core.records import ToolCallRecord, VisitorCallRecord
from talkfield.core.rule import Rule, words_of
from talkfield.core.visible import visible_line
from talkfield.runtime.gate import judged
from talkfield.runtime.ports import Tool
from talkfield.workspace.approval import asked_rule, tool_of_rule
from talkfield.workspace.base import RuleTrial, TriedCall

if TYPE_CHECKING:
    from talkfield.wire.client import SaveRule
    from talkfield.workspace.session import Session

TRIED_CALLS = 100
SUMMARY_CHARS = 200

STATUS: dict[AuditOutcome, CallStatus] = {
    "started": "running",
    "done": "done",
    "error": "error",
    "cancelled": "cancelled",
    "denied": "denied",
}


async def try_rule(session: Session, command: SaveRule, call: CallId | None) -> RuleTrial:
    """What the rule would have said to the last calls of its tool, the newest first, and whether it would answer for
    the `call` at hand. Raises `InvalidArgument`.
    """
    rule = asked_rule(session, command)
    tool = tool_of_rule(session, command)
    lines = await session.recent_audit(AuditQuery(tool=rule.tool, node=rule.node_id, limit=TRIED_CALLS))
    return RuleTrial(
        words=words_of(rule),
        calls=tuple(tried(rule, tool, line.entry) for line in lines),
        fits=None if call is None else fits(session, rule, tool, call),
    )


def fits(session: Session, rule: Rule, tool: Tool | None, call: CallId) -> bool:
    """Whether the rule could be saved from this call's card."""
    record = session.visitors.record(call) or session.document.get(call)
    if not isinstance(record, ToolCallRecord | VisitorCallRecord):
        return False
    matched, asked = judged(rule, tool, record.name, record.args_json)
    return matched and not asked


def tried(rule: Rule, tool: Tool | None, entry: AuditEntry) -> TriedCall:
    matched, asked = judged(rule, tool, entry.tool, entry.args_json)
    summary = visible_line(entry.args_json)
    return TriedCall(
        call=entry.call,
        node=entry.node,
        at=entry.at,
        status=STATUS[entry.outcome],
        matched=matched,
        asked=asked,
        summary=summary if len(summary) <= SUMMARY_CHARS else summary[: SUMMARY_CHARS - 1] + "…",
    )
