"""What a terminal's chat knows of its tools: which there are, and what is remembered of decisions about them (T7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from talkfield.core.messages import ToolCall
from talkfield.core.rule import Rule
from talkfield.runtime.ports import Tool
from talkfield.terminal.rule_book import RuleBook
from talkfield.terminal.rule_dialog import RuleDialog, offers_of


@dataclass(frozen=True, kw_only=True)
class ToolDesk:
    """`book` None: this chat has no tools, and nothing to remember. `rules` may be read from any thread."""

    tools: Mapping[str, Tool]
    book: RuleBook | None
    dialog: RuleDialog

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self.book.rules if self.book is not None else ()

    def can_remember(self, call: ToolCall) -> bool:
        """Whether a decision on this call may be remembered at all."""
        tool = self.tools.get(call.name)
        return self.book is not None and tool is not None and bool(offers_of(call, tool))

    def ask(self, call: ToolCall) -> Rule | None:
        """What the person wants remembered of a call that may be; None: nothing after all."""
        return self.dialog.ask(call, self.tools[call.name])

    def keep(self, rule: Rule) -> None:
        """Raises `SaveFailed` and `StartFailed`."""
        if self.book is not None:
            self.book.keep(rule)

    def forget(self, rule: Rule) -> None:
        """Raises `SaveFailed` and `StartFailed`."""
        if self.book is not None:
            self.book.remove(rule)
