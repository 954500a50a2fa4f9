"""Judges what a model asks to run, before any card is shown (T3, T4, T7).

In this order: an unknown tool and arguments that do not fit are refused; a rule that denies, and what the tool itself
refuses, end it there; a call that the tool has a concern about is asked about, whatever rules there are; then a rule
that allows lets it run; else it is asked about, unless its tool needs no approval.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from talkfield.core.card import Card, card_of
from talkfield.core.concern import Concern
from talkfield.core.ids import CallId
from talkfield.core.rule import Rule, covers, deciding, offers_for
from talkfield.core.turn import Allow, Ask, Refuse, Verdict
from talkfield.runtime.ports import Tool

BY_TOOL = "tool needs no approval"
BY_RULE = "rule "
UNKNOWN_CONCERN = Concern(why="This tool could not say whether the call deserves attention.")

CheckArguments = Callable[[Mapping[str, Any], Any], str | None]


def parse_arguments(args_json: str) -> Mapping[str, Any]:
    """Arguments as an object. Raises `ValueError` in words a model can act on."""
    try:
        value = json.loads(args_json or "{}", parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the arguments are not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("the arguments must be a JSON object")
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def by_rule(rule: Rule) -> str:
    """How the audit log names a rule."""
    return BY_RULE + rule.id


class CallGate:
    """A `core.turn.Gate` over some tools. `rules` gives those that count for this chat, as they are at that moment."""

    def __init__(
        self,
        tools: Sequence[Tool],
        check_arguments: CheckArguments,
        rules: Callable[[], Sequence[Rule]] = lambda: (),
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._check_arguments = check_arguments
        self._rules = rules

    def __call__(self, name: str, args_json: str) -> Verdict:
        tool = self._tools.get(name)
        if tool is None:
            names = ", ".join(sorted(self._tools)) or "none"
            return Refuse(f"unknown tool: {name[:200]} (there are: {names})")
        try:
            arguments = parse_arguments(args_json)
        except ValueError as error:
            return Refuse(str(error))
        try:
            wrong = self._check_arguments(tool.schema, arguments)
        except Exception as error:
            return Refuse(f"the arguments for {name} could not be checked: {type(error).__name__}")
        if wrong is not None:
            return Refuse(f"the arguments do not fit {name}: {wrong}")
        rule = deciding(self._rules(), name, arguments)
        if rule is not None and rule.action == "deny":
            return Refuse("denied by a rule of the user", denied=True, by=by_rule(rule))
        concern = concern_of(tool, arguments)
        if concern is not None:
            return Refuse(concern.why) if concern.refused else Ask()
        if not tool.needs_approval:
            return Allow(BY_TOOL)
        return Allow(by_rule(rule)) if rule is not None else Ask()

    def tool(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def card(self, call: CallId, name: str, args_json: str) -> Card | None:
        """What to show of a call before its preview is there; None where there is nothing to decide."""
        tool = self._tools.get(name)
        if tool is None:
            return None
        try:
            arguments = parse_arguments(args_json)
        except ValueError:
            return None
        subject = tool.subject
        kind, argument = (subject.kind, subject.argument) if subject is not None else (None, "")
        return card_of(
            call,
            name,
            args_json,
            arguments,
            concern=concern_of(tool, arguments),
            offers=offers_for(name, kind, argument, arguments),
            source=tool.source,
        )

    def rule(self, by: str) -> Rule | None:
        """The rule that allowed a call, if it still stands."""
        return next((rule for rule in self._rules() if by_rule(rule) == by), None)

    def denied_paths(self, name: str) -> tuple[str, ...]:
        """Patterns of paths that rules keep a tool from, however a path leads there."""
        return tuple(
            rule.pattern
            for rule in self._rules()
            if rule.tool == name and rule.action == "deny" and rule.kind == "path"
        )


def judged(rule: Rule, tool: Tool | None, name: str, args_json: str) -> tuple[bool, bool]:
    """Whether a rule is about a call, and whether a person would be asked about it all the same (T7)."""
    try:
        arguments = parse_arguments(args_json)
    except ValueError:
        return False, False  # a call that was never one is decided by no rule
    matched = covers(rule, name, arguments)
    asked = matched and rule.action == "allow" and tool is not None and concern_of(tool, arguments) is not None
    return matched, asked


def concern_of(tool: Tool, arguments: Mapping[str, Any]) -> Concern | None:
    """What the tool says of the call; a tool that fails to say is taken to be worried."""
    try:
        return tool.concern(arguments)
    except Exception:
        return UNKNOWN_CONCERN
