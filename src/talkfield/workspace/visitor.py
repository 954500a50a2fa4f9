"""What programs outside want to do on a canvas, gated as tools are (T10): by the same rules, cards and audit log.

Owns the calls that wait for a person. It lets through or turns away; what was let through is done by whoever asked. A
call that nobody waits for any more is taken off the screen. Everything happens on one event loop.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from talkfield.core.audit import AuditEntry, AuditOutcome
from talkfield.core.card import card_of
from talkfield.core.changes import Put, Remove
from talkfield.core.ids import CallId, MessageId, NodeId, RecordId
from talkfield.core.records import ToolCallRecord, VisitorCallRecord
from talkfield.core.rule import deciding, offers_for
from talkfield.core.turn import BY_PERSON
from talkfield.errors import AlreadyDecided, InvalidArgument
from talkfield.runtime.gate import by_rule, parse_arguments
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer
from talkfield.workspace.approval import keep, remembered, rules_for, rules_in
from talkfield.workspace.base import Visit

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

SOURCE = "talkfield mcp"
NO_NODE = NodeId("")


@dataclass
class Waiting:
    """A call that waits, and who is told what became of it."""

    record: VisitorCallRecord
    outcome: asyncio.Future[Visit]


class Visitors:
    """See the module. One for each open project."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: dict[CallId, Waiting] = {}

    async def visit(self, tool: str, arguments: Mapping[str, Any], node: NodeId, limit_s: float) -> Visit:
        """Whether this may be done: by a rule at once, else by a person, who is waited for so long."""
        session = self._session
        call = CallId(session.services.ids("call"))
        args_json = json.dumps(arguments, ensure_ascii=False)
        rule = deciding(rules_for(rules_in(session.document), node), tool, arguments)
        if rule is not None:
            allowed = rule.action == "allow"
            self._audit(call, node, tool, args_json, by_rule(rule), "done" if allowed else "denied")
            await session.durable()  # nothing is done that is not on record
            return Visit(allowed=allowed, args_json=args_json, why="" if allowed else "denied by a rule of the user")
        card = card_of(call, tool, args_json, arguments, offers=offers_for(tool, None, "", arguments), source=SOURCE)
        record = VisitorCallRecord(
            id=call,
            node_id=node,
            name=tool,
            args_json=args_json,
            card=replace(card, ready=True),
            at=session.services.clock.now_ms(),
        )
        waiting = Waiting(record, asyncio.get_running_loop().create_future())
        self._waiting[call] = waiting
        session.publish([Put(record)], "visitorCall")
        try:
            async with asyncio.timeout(limit_s):
                return await waiting.outcome
        except TimeoutError:
            return Visit(allowed=False, args_json=args_json, why=f"nobody has decided within {limit_s:.0f} s")
        finally:
            self._waiting.pop(call, None)
            session.publish([Remove(RecordId(call))], "visitorCall")

    def waits(self, call: CallId) -> bool:
        return call in self._waiting

    def record(self, call: CallId) -> VisitorCallRecord | None:
        """What waits under this id."""
        return self._waiting[call].record if call in self._waiting else None

    def decide(self, command: ask.DecideCall) -> Answer:
        """Decide one that waits. Raises `InvalidArgument`, and `AlreadyDecided` for the second decision."""
        waiting = self._waiting[command.call]
        record = waiting.record
        if waiting.outcome.done():
            raise AlreadyDecided("this call was already decided")
        if command.digest is not None and command.digest != record.card.digest:
            raise InvalidArgument("the card has changed since it was shown; look at it again", place="digest")
        args_json = record.args_json if command.args_json is None else command.args_json
        try:
            parse_arguments(args_json)
        except ValueError as error:
            raise InvalidArgument(str(error), place="argsJson") from None
        rule = None
        if command.remember is not None:
            if command.remember.scope == "chat" and record.node_id == NO_NODE:
                raise InvalidArgument("this is about no chat: remember it for the project", place="remember")
            rule = remembered(self._session, as_tool_call(record), args_json, command)
        allowed = command.decision == "approve"
        why = "" if allowed else "denied by user" + (f": {command.reason}" if command.reason else "")
        self._audit(record.id, record.node_id, record.name, args_json, BY_PERSON, "done" if allowed else "denied")
        waiting.outcome.set_result(Visit(allowed=allowed, args_json=args_json, why=why))
        return Answer() if rule is None else Answer(made=(keep(self._session, rule).id,))

    def close(self) -> None:
        """Turn away all that wait."""
        for waiting in self._waiting.values():
            if not waiting.outcome.done():
                waiting.outcome.set_result(Visit(allowed=False, args_json="", why="Talkfield is ending"))

    def _audit(
        self, call: CallId, node: NodeId, tool: str, args_json: str, decision: str, outcome: AuditOutcome
    ) -> None:
        self._session.audit_entry(
            AuditEntry(
                call=call,
                node=node,
                tool=tool,
                source=SOURCE,
                args_json=args_json,
                decision=decision,
                at=self._session.services.clock.now_ms(),
                outcome=outcome,
            )
        )


def as_tool_call(record: VisitorCallRecord) -> ToolCallRecord:
    return ToolCallRecord(
        id=record.id,
        node_id=record.node_id,
        message_id=MessageId(""),
        index=0,
        name=record.name,
        args_json=record.args_json,
        status="awaiting",
        card=record.card,
    )
