"""Asks a person in a terminal what is to be remembered of a decision (T7).

The same choices as on a card of the canvas: which calls, for how long, and what it is; then the rule in words, and what
it would have decided on the last calls. Nothing is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from talkfield.core.audit import AuditEntry
from talkfield.core.ids import NodeId, RuleId
from talkfield.core.messages import ToolCall
from talkfield.core.rule import Rule, RuleAction, RuleOffer, checked, offers_for, words_of
from talkfield.runtime.gate import concern_of, judged, parse_arguments
from talkfield.runtime.ports import Tool
from talkfield.terminal.card import one_line
from talkfield.terminal.keyboard import Keyboard
from talkfield.terminal.screen import Screen

TRIED_CALLS = 100
SHOWN_CALLS = 8
SHOWN_CHARS = 70


@dataclass(frozen=True, kw_only=True)
class RuleDialog:
    """Questions at `keyboard` and `screen`. `last_calls` gives what is on record of a tool, the newest first."""

    keyboard: Keyboard
    screen: Screen
    node: NodeId
    last_calls: Callable[[str, int], Sequence[AuditEntry]]
    new_id: Callable[[], RuleId]
    now_ms: Callable[[], int]

    def ask(self, call: ToolCall, tool: Tool) -> Rule | None:
        """The rule that the person wants kept, which answers for this call; None: none. Raises as the keyboard does."""
        offer = self._offer(offers_of(call, tool))
        if offer is None:
            return None
        scope = self._key("cp", "For this [C]hat or this [P]roject? ")
        action: RuleAction = "allow" if self._key("an", "[A]llow from now on, or [N]ever? ") == "a" else "deny"
        rule = Rule(
            id=self.new_id(),
            action=action,
            tool=call.name,
            kind=offer.kind,
            pattern=offer.pattern,
            argument=tool.subject.argument if tool.subject is not None else "",
            node_id=self.node if scope == "c" else None,
            created_at=self.now_ms(),
        )
        return rule if self._is_wanted(rule, call, tool) else None

    def _offer(self, offers: Sequence[RuleOffer]) -> RuleOffer | None:
        written = next((offer for offer in offers if offer.kind in ("path", "command")), None)
        self.screen.line("To be remembered for:")
        for number, offer in enumerate(offers, 1):
            self.screen.line(f"  {number}  {offer.words}")
        if written is not None:
            self.screen.line(f"  {len(offers) + 1}  another {written.kind}, which you write")
        typed = self.keyboard.line("Which calls? (a number; Enter goes back) ").strip()
        number = int(typed) if typed.isascii() and typed.isdecimal() else 0
        if 0 < number <= len(offers):
            return offers[number - 1]
        if written is None or number != len(offers) + 1:
            return None
        pattern = self.keyboard.line("pattern: ", written.pattern).strip()
        return RuleOffer(kind=written.kind, pattern=pattern, words=pattern)

    def _is_wanted(self, rule: Rule, call: ToolCall, tool: Tool) -> bool:
        try:
            checked(rule)
        except ValueError as error:
            self.screen.line(f"That is no such pattern: {error}.", "error")
            return False
        self.screen.line(words_of(rule), "strong")
        if judged(rule, tool, call.name, call.args_json) != (True, False):
            self.screen.line("It would not answer for the call at hand, so it cannot be kept from here.", "error")
            return False
        for line in trial_lines(rule, tool, self.last_calls(rule.tool, TRIED_CALLS)):
            self.screen.line(line, "dim")
        decided = "approve" if rule.action == "allow" else "deny"
        return self._key("kb", f"[K]eep it and {decided}, or go [B]ack? ") == "k"

    def _key(self, allowed: str, question: str) -> str:
        pressed = self.keyboard.key(allowed, lambda: self.screen.flow("question", question, "strong"))
        self.screen.flow("question", f"{pressed}\n")
        return pressed


def offers_of(call: ToolCall, tool: Tool) -> tuple[RuleOffer, ...]:
    """What may be remembered of a call; nothing of one that is asked about each time, or that is none."""
    try:
        arguments = parse_arguments(call.args_json)
    except ValueError:
        return ()
    if concern_of(tool, arguments) is not None:
        return ()
    kind, argument = (tool.subject.kind, tool.subject.argument) if tool.subject is not None else (None, "")
    return offers_for(call.name, kind, argument, arguments)


def trial_lines(rule: Rule, tool: Tool, calls: Sequence[AuditEntry]) -> list[str]:
    """What the rule would have decided, in words, with the newest of the calls that it is about."""
    if not calls:
        return ["No call of this tool is on record yet."]
    verdicts = [(entry, *judged(rule, tool, entry.tool, entry.args_json)) for entry in calls]
    decided = [entry for entry, matched, asked in verdicts if matched and not asked]
    still_asked = sum(asked for _entry, _matched, asked in verdicts)
    last = "the one call" if len(calls) == 1 else f"the last {len(calls)} calls"
    lines = [f"It would have decided {len(decided) or 'none'} of {last} on record here."]
    if still_asked:
        lines.append(f"{still_asked} more would be asked about each time all the same.")
    return lines + [f"  {one_line(entry.args_json, SHOWN_CHARS)}" for entry in decided[:SHOWN_CALLS]]
