"""Runs the tool calls of one turn, and asks tools beforehand what a call would do.

Owns the cards, and what stands around a run: the entry in the audit log before and after (T8), the durable note that
it starts (W8), the last look at the rules, live output, and the words for whatever goes wrong (T4). Says nothing about
the turn: that is `TurnRunner`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace

from msgspec.structs import replace

from talkfield.core.audit import AuditEntry, AuditOutcome
from talkfield.core.card import Card, Preview, with_preview
from talkfield.core.events import ChatEvent, ToolCalled, ToolCarded, ToolReturned, ToolSaid, ToolShowed
from talkfield.core.ids import CallId, MessageId, TurnId
from talkfield.core.messages import ToolCall
from talkfield.core.result import cap_result
from talkfield.core.turn import BY_PERSON, Refuse, RunTool
from talkfield.errors import ToolError
from talkfield.runtime.gate import BY_RULE, CallGate, parse_arguments
from talkfield.runtime.live_output import LiveOutput
from talkfield.runtime.ports import RuntimePorts, SendRequest, ToolContext, no_place_to_show

PREVIEW_LIMIT_S = 10.0
MAX_FILES = 20
MAX_FILE_BYTES = 8 * 1024 * 1024
"""What one call may show: more is left out, and its result says what it was."""

Tell = Callable[[ToolSaid | ToolShowed], None]


class Impossible(ToolError):
    """The call could not be done anyway."""


@dataclass
class KnownCall:
    """What is known of a call: as it was announced last, what was shown of it, and what that was based on."""

    message: MessageId
    call: ToolCall
    card: Card | None = None
    basis: str = ""


class ToolCallRunner:
    """See the module. `gate` gives the gate as it is now: tools and rules may change during a turn."""

    def __init__(self, ports: RuntimePorts, request: SendRequest, turn: TurnId, gate: Callable[[], CallGate]) -> None:
        self._ports = ports
        self._request = request
        self._turn = turn
        self._gate = gate
        self._known: dict[CallId, KnownCall] = {}

    def with_cards(self, events: Iterable[ChatEvent]) -> Iterator[ChatEvent]:
        """The events, with a card right after each call that a person decides on; what was denied is noted."""
        for event in events:
            yield event
            if isinstance(event, ToolCalled):
                known = self._known.setdefault(event.call.id, KnownCall(event.message, event.call))
                known.call = event.call
                if self._renew_card(known):
                    yield self._carded(known)
            elif isinstance(event, ToolReturned) and event.status == "denied" and event.call_id in self._known:
                self._note_denial(self._known[event.call_id].call)

    async def preview(self, call: CallId) -> ToolCarded | None:
        """The card with what the tool says that the call would do. Raises `Impossible` where it could not be done.

        A tool that fails to say otherwise, or takes too long, leaves the card without it.
        """
        known = self._known.get(call)
        if known is None or known.card is None:
            return None
        tool = self._gate().tool(known.call.name)
        if tool is None or tool.preview is None:
            preview = Preview()
        else:
            try:
                async with asyncio.timeout(PREVIEW_LIMIT_S):
                    preview = await tool.preview(parse_arguments(known.call.args_json), self._context())
            except ToolError as error:
                raise Impossible(error.message) from error
            except Exception:
                preview = Preview(note="What this would change could not be shown.")
        known.card, known.basis = with_preview(known.card, preview), preview.basis
        return self._carded(known)

    async def run(self, effect: RunTool, tell: Tell) -> tuple[str, bool]:
        """The call's result, and whether it is an error. `tell` is given live output, and files to show."""
        started = self._ports.clock.monotonic_s()
        entry = self._entry(effect.call, effect.name, effect.args_json, effect.by)
        try:
            self._ports.audit(entry)
        except Exception as error:  # nothing runs that is not on record (T8)
            return f"not run: it could not be put on record ({type(error).__name__})", True
        outcome: AuditOutcome = "cancelled"
        try:
            result, is_error = await self._result(effect, tell)
            outcome = "error" if is_error else "done"
            return cap_result(result), is_error
        finally:
            duration_ms = round((self._ports.clock.monotonic_s() - started) * 1000)
            self._audit(replace(entry, outcome=outcome, duration_ms=duration_ms))

    def _audit(self, entry: AuditEntry) -> None:
        """Put on record what has happened; that cannot be undone where the record fails."""
        try:
            self._ports.audit(entry)
        except Exception as error:
            self._ports.log(f"audit of {entry.call} failed: {type(error).__name__}")

    def _renew_card(self, known: KnownCall) -> bool:
        """Make a card for a call that waits, and a new one where a person approved other arguments than it showed."""
        if known.call.status != "awaiting" and known.card is None:
            return False
        card = self._gate().card(known.call.id, known.call.name, known.call.args_json)
        if card is None or (known.card is not None and known.card.digest == card.digest):
            return False
        edited = known.call.status != "awaiting"
        known.card, known.basis = (replace(card, ready=True) if edited else card), ""
        return True

    def _carded(self, known: KnownCall) -> ToolCarded:
        assert known.card is not None
        return ToolCarded(
            node=self._request.node, message=known.message, call_id=known.call.id, card=known.card, turn=self._turn
        )

    def _note_denial(self, call: ToolCall) -> None:
        verdict = self._gate()(call.name, call.args_json)
        by = verdict.by if isinstance(verdict, Refuse) and verdict.denied else BY_PERSON
        self._audit(replace(self._entry(call.id, call.name, call.args_json, by), outcome="denied"))

    async def _result(self, effect: RunTool, tell: Tell) -> tuple[str, bool]:
        known = self._known[effect.call]

        def say(text: str) -> None:
            tell(
                ToolSaid(
                    node=self._request.node, message=known.message, call_id=effect.call, text=text, turn=self._turn
                )
            )

        shown = 0

        async def show(name: str, media_type: str, data: bytes) -> None:
            nonlocal shown
            shown += 1
            if self._ports.keep_file is None or shown > MAX_FILES or len(data) > MAX_FILE_BYTES:
                return
            try:
                file = await self._ports.keep_file(name, media_type, data)
            except Exception as error:  # the tool has done its work; only the look of it is missing
                self._ports.log(f"what {effect.name} shows could not be kept: {type(error).__name__}")
                return
            tell(
                ToolShowed(
                    node=self._request.node, message=known.message, call_id=effect.call, file=file, turn=self._turn
                )
            )

        live = LiveOutput(self._ports.clock, say)
        try:
            if self._ports.before_tool is not None:
                await self._ports.before_tool(self._request.node, effect.call)
            # After the wait, and with nothing between it and the run: what was taken back meanwhile does not run.
            verdict = self._gate()(effect.name, effect.args_json)
            if isinstance(verdict, Refuse):
                return verdict.why, True
            if effect.by.startswith(BY_RULE) and self._gate().rule(effect.by) is None:
                return "not run: the rule that allowed it was taken back", True
            tool = self._gate().tool(effect.name)
            assert tool is not None
            return str(
                await tool.run(parse_arguments(effect.args_json), self._context(effect, known, live.say, show))
            ), False
        except Exception as error:  # whatever a tool raises is for the model to read (T4)
            return str(error) or type(error).__name__, True
        finally:
            await live.end()

    def _context(
        self,
        effect: RunTool | None = None,
        known: KnownCall | None = None,
        say: Callable[[str], None] | None = None,
        show: Callable[[str, str, bytes], Awaitable[None]] = no_place_to_show,
    ) -> ToolContext:
        context = ToolContext(
            node=self._request.node,
            folder=self._request.folder,
            project=self._request.project,
            closed_folders=self._ports.closed_folders,
        )
        if effect is None or known is None or say is None:
            return context
        rule = self._gate().rule(effect.by)
        return dataclass_replace(
            context,
            report=say,
            show=show,
            basis=known.basis,
            allowed_path=rule.pattern if rule is not None and rule.kind == "path" else None,
            denied_paths=self._gate().denied_paths(effect.name),
        )

    def _entry(self, call: CallId, name: str, args_json: str, by: str) -> AuditEntry:
        tool = self._gate().tool(name)
        return AuditEntry(
            call=call,
            node=self._request.node,
            turn=self._turn,
            tool=name,
            source=tool.source if tool is not None else "",
            args_json=args_json,
            decision=by,
            at=self._ports.clock.now_ms(),
            outcome="started",
        )
