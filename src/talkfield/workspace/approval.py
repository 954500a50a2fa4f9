"""Decisions on tool calls, and what is remembered of them (T5 to T7).

A decision is for exactly what was shown, and the first one counts. What may be remembered is checked before it, so that
nothing is decided when the rule cannot be kept; a rule never changes what was decided before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from talkfield.core.changes import Put, Remove
from talkfield.core.document import Document
from talkfield.core.ids import NodeId, RecordId, RuleId
from talkfield.core.nodes import ChatData
from talkfield.core.records import MessageRecord, RuleRecord, ToolCallRecord
from talkfield.core.recovery import open_cards_of
from talkfield.core.rule import Rule, RuleAction, RuleKind, canonical_text, checked, covers
from talkfield.errors import AlreadyDecided, InvalidArgument, NothingToDo, UnknownThing
from talkfield.runtime.gate import parse_arguments
from talkfield.runtime.ports import Tool
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer
from talkfield.workspace.chat import resume

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def decide_call(session: Session, command: ask.DecideCall) -> Answer:
    if session.visitors.waits(command.call):
        return session.visitors.decide(command)
    record = session.document.get(command.call)
    if not isinstance(record, ToolCallRecord) or record.node_id != command.node:
        raise UnknownThing(f"there is no call {command.call}")
    if command.digest is not None and record.card is not None and command.digest != record.card.digest:
        raise InvalidArgument("the card has changed since it was shown; look at it again", place="digest")
    args_json = record.args_json if command.args_json is None else command.args_json
    rule = None if command.remember is None else remembered(session, record, args_json, command)
    if not session.is_busy(command.node) and record.status == "awaiting":
        message = session.document.get(record.message_id)
        if isinstance(message, MessageRecord) and open_cards_of(session.document, message):
            resume(session, command.node)
    counted = session.runtime.approve(
        command.node,
        record.id,
        command.decision,
        args_json=args_json if args_json != record.args_json else None,
        reason=command.reason,
    )
    if not counted:
        raise AlreadyDecided("this call was already decided")
    if rule is None:
        return Answer()
    return Answer(made=(keep(session, rule).id,))


def remembered(session: Session, record: ToolCallRecord, args_json: str, command: ask.DecideCall) -> RuleRecord:
    """The rule that a decision asks to keep. Raises `InvalidArgument` where it would not have matched this call."""
    assert command.remember is not None
    remember = command.remember
    tool = None if session.document.node(record.node_id) is None else find_tool(session, record.node_id, record.name)
    rule = rule_of(
        session,
        tool=record.name,
        known=tool,
        action="allow" if command.decision == "approve" else "deny",
        kind=remember.kind,
        pattern=remember.pattern,
        node=record.node_id if remember.scope == "chat" else None,
    )
    try:
        arguments = parse_arguments(args_json)
    except ValueError as error:
        raise InvalidArgument(str(error), place="argsJson") from None
    if not covers(rule, record.name, arguments):
        raise InvalidArgument("this rule would not have matched the call on the card", place="remember.pattern")
    if rule.action == "allow" and tool is not None and tool.concern(arguments) is not None:
        raise InvalidArgument("such a call is asked about each time; no rule can answer for it", place="remember")
    return rule


def rule_of(
    session: Session,
    *,
    tool: str,
    known: Tool | None,
    action: RuleAction,
    kind: RuleKind,
    pattern: str,
    node: NodeId | None,
    rule: RuleId | None = None,
) -> RuleRecord:
    """A rule, checked. Raises `InvalidArgument`."""
    subject = known.subject if known is not None else None
    if kind in ("path", "command") and subject is not None and subject.kind != kind:
        raise InvalidArgument(f"{tool} is not about a {kind}", place="kind")
    if kind == "any" and action == "allow" and subject is not None and subject.kind == "command":
        raise InvalidArgument("a rule for every command would be no rule: name the commands", place="kind")
    if kind == "exact":
        pattern = canonical_arguments(pattern)
    argument = subject.argument if subject is not None else kind if kind in ("path", "command") else ""
    made = RuleRecord(
        id=RuleId(session.services.ids("rule")) if rule is None else rule,
        action=action,
        tool=tool,
        kind=kind,
        pattern=pattern.strip() if kind in ("path", "command") else pattern,
        argument=argument,
        node_id=node,
        created_at=session.services.clock.now_ms(),
    )
    try:
        checked(made)
    except ValueError as error:
        raise InvalidArgument(str(error), place="pattern") from None
    return made


def canonical_arguments(written: str) -> str:
    """Arguments as a rule holds them, however a person wrote them. Raises `InvalidArgument`."""
    found = canonical_text(written)
    if found is None:
        raise InvalidArgument("the arguments of a call are a JSON object", place="pattern")
    return found


def keep(session: Session, rule: RuleRecord) -> RuleRecord:
    """Put a rule into the project, unless the same is there."""
    for known in rules_in(session.document):
        if msgspec.structs.replace(rule, id=known.id, created_at=known.created_at) == known:
            return known
    session.workspace.commit([Put(rule)], "rule", "skip")
    return rule


def save_rule(session: Session, command: ask.SaveRule) -> Answer:
    if command.node is not None:
        session.chat(command.node)
    known = None
    if command.rule is not None:
        known = session.document.get(command.rule)
        if not isinstance(known, RuleRecord):
            raise UnknownThing("there is no such rule any more")
        if known.node_id != command.node:
            raise InvalidArgument("a rule stays where it was made", place="node")
    rule = asked_rule(session, command)
    if known is not None:
        session.workspace.commit([Put(rule)], "rule", "skip")
        return Answer(made=(rule.id,))
    return Answer(made=(keep(session, rule).id,))


def asked_rule(session: Session, command: ask.SaveRule) -> RuleRecord:
    """The rule that a person describes. Raises `InvalidArgument`."""
    return rule_of(
        session,
        tool=command.tool,
        known=tool_of_rule(session, command),
        action=command.action,
        kind=command.kind,
        pattern=command.pattern,
        node=command.node,
        rule=command.rule,
    )


def remove_rule(session: Session, command: ask.RemoveRule) -> Answer:
    if not isinstance(session.document.get(command.rule), RuleRecord):
        raise NothingToDo("there is no such rule any more")
    session.workspace.commit([Remove(RecordId(command.rule))], "rule", "skip")
    return Answer()


def tool_of_rule(session: Session, command: ask.SaveRule) -> Tool | None:
    """The tool that a rule is about, if it is there now."""
    node = command.node or next((node.id for node in session.nodes() if isinstance(node.data, ChatData)), None)
    return find_tool(session, node, command.tool) if node is not None else None


def find_tool(session: Session, node: NodeId, name: str) -> Tool | None:
    return next((tool for tool in session.services.tools_for(session.request(node)) if tool.name == name), None)


# Which rules there are ------------------------------------------------------------------------------------------------


def rules_in(document: Document) -> tuple[RuleRecord, ...]:
    return document.every(RuleRecord)


def rules_for(rules: Sequence[Rule], node: NodeId) -> tuple[Rule, ...]:
    """Those that count in one chat: its own and the project's."""
    return tuple(rule for rule in rules if rule.node_id in (None, node))
