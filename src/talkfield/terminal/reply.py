"""One turn as a terminal shows it: text as it comes, thinking dimmed, tool calls in a line or on a card.

A card is drawn once, when it is complete: a person must not be asked before the change is there to be seen. The cards
of a reply come in the order of its calls, whichever is complete first.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from msgspec.structs import replace

from talkfield.core.card import Card
from talkfield.core.cost import conversation_cost
from talkfield.core.events import (
    ChatEvent,
    Delta,
    MessageFinished,
    MessageRestarted,
    NoteAdded,
    RetryWaiting,
    ThinkingDelta,
    ToolCalled,
    ToolCarded,
    ToolReturned,
    ToolSaid,
)
from talkfield.core.ids import CallId
from talkfield.core.messages import Finish, Message, ToolCall
from talkfield.terminal.card import one_line, own_card, panel
from talkfield.terminal.screen import Screen

ENDINGS: dict[Finish, str] = {
    "length": "The reply is cut off: it reached the model's limit of tokens.",
    "content_filter": "The provider's filter ended the reply.",
    "refusal": "The model refused to answer.",
}


class Reply:
    """Shows the events of one turn, in order."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._called: dict[CallId, ToolCall] = {}
        self._undrawn: dict[CallId, Card | None] = {}
        self._drawn: list[ToolCall] = []

    def is_open(self, call: CallId) -> bool:
        """Whether the call still waits for a decision."""
        known = self._called.get(call)
        return known is not None and known.status == "awaiting"

    def show(self, events: Sequence[ChatEvent], now_ms: int) -> list[ToolCall]:
        """Show these; returns calls that wait for a decision, once the cards of all that do are on the screen."""
        carded = {event.call_id for event in events if isinstance(event, ToolCarded)}
        for event in events:
            match event:
                case Delta():
                    self._screen.flow("text", event.text)
                case ThinkingDelta():
                    self._screen.flow("thinking", event.text, "dim")
                case ToolCalled(call=call) if call.status == "awaiting":
                    self._called[call.id] = call
                    # Where no card is made for it, its arguments have to do.
                    self._undrawn[call.id] = None if call.id in carded else own_card(call)
                case ToolCalled(call=call):
                    self._show_call(call)
                case ToolCarded(call_id=call_id, card=card) if card.ready and self.is_open(call_id):
                    self._undrawn[call_id] = card
                case ToolSaid():
                    self._screen.flow(f"output {event.call_id}", event.text, "dim")
                case ToolReturned():
                    self._show_result(event)
                case RetryWaiting():
                    wait_s = max(0, event.retry_at - now_ms) / 1000
                    self._screen.line(f"{event.reason}; trying again in {wait_s:.0f} s", "warning")
                case MessageRestarted():
                    self._screen.line("The provider began its answer again:", "warning")
                case MessageFinished(finish=finish) if finish in ENDINGS:
                    self._screen.line(ENDINGS[finish], "warning")
                case NoteAdded():
                    self._screen.line(event.text, "dim")
                case _:
                    pass
            self._draw_cards()
        drawn = [] if self._undrawn else self._drawn
        self._drawn = self._drawn[len(drawn) :]
        return drawn

    def _draw_cards(self) -> None:
        while self._undrawn:
            call_id, card = next(iter(self._undrawn.items()))
            if self.is_open(call_id):
                if card is None:
                    return
                self._screen.show(panel(self._called[call_id], card))
                self._drawn.append(self._called[call_id])
            del self._undrawn[call_id]

    def _show_call(self, call: ToolCall) -> None:
        if call.id not in self._called:
            self._screen.line(one_line(f"· {call.name} {call.args_json}", width()), "dim")
        self._called[call.id] = call

    def _show_result(self, event: ToolReturned) -> None:
        call = self._called.get(event.call_id)
        name = call.name if call is not None else "tool"
        if call is not None:
            self._called[call.id] = replace(call, status=event.status)
        done = event.status == "done"
        words = one_line(f"{'✓' if done else '✗'} {name}: {event.result}", width())
        self._screen.line(words, "dim" if done else "warning")


def usage_line(turn: Sequence[Message], conversation: Sequence[Message]) -> str:
    """What the turn used and cost, and the conversation so far; empty where nothing was counted."""
    report = conversation_cost(turn)
    if not report.input_tokens and not report.output_tokens:
        return ""
    models = dict.fromkeys(message.model for message in turn if message.usage is not None and message.model)
    about = "about " if report.tokens_estimated else ""
    parts = [*models, f"{about}{report.input_tokens:,} in, {report.output_tokens:,} out", report.label]
    whole = conversation_cost(conversation)
    if (whole.input_tokens, whole.output_tokens) != (report.input_tokens, report.output_tokens):
        parts.append(f"chat so far: {whole.label}")
    return " · ".join(parts)


def width() -> int:
    return shutil.get_terminal_size().columns
