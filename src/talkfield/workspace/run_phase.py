"""What a turn's events make of its run: waiting, streaming, a card open, a tool at work. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from talkfield.core.document import Document
from talkfield.core.events import ChatEvent, Delta, RetryWaiting, ThinkingDelta, ToolCalled, ToolReturned
from talkfield.core.records import RunPhase, RunRecord


def run_after(document: Document, run: RunRecord, events: Iterable[ChatEvent]) -> RunRecord:
    """The run as it is after these events, which the document has not taken in yet."""
    if run.phase == "streaming" and all(isinstance(event, Delta | ThinkingDelta) for event in events):
        return run  # on the road of every token
    phase: RunPhase = run.phase
    retry_at, detail = run.retry_at, run.detail
    for event in events:
        match event:
            case Delta() | ThinkingDelta():
                phase, retry_at, detail = "streaming", None, ""
            case RetryWaiting():
                phase, retry_at, detail = "retrying", event.retry_at, event.reason
            case ToolCalled(call=call):
                phase = "awaiting" if call.status == "awaiting" or phase == "awaiting" else "tool"
            case ToolReturned():
                phase = "waiting"
            case _:
                pass
    if phase in ("awaiting", "tool", "waiting"):
        phase = phase_by_calls(document, run, events, phase)
    return replace(run, phase=phase, retry_at=retry_at, detail=detail)


def phase_by_calls(document: Document, run: RunRecord, events: Iterable[ChatEvent], phase: RunPhase) -> RunPhase:
    """A turn with an open card waits for a person, whatever else of it still runs."""
    statuses = {
        call.id: call.status
        for message in document.messages(run.node_id)
        if message.turn == run.turn
        for call in document.calls(message.id)
    }
    for event in events:
        if isinstance(event, ToolCalled):
            statuses[event.call.id] = event.call.status
        elif isinstance(event, ToolReturned):
            statuses[event.call_id] = event.status
    if "awaiting" in statuses.values():
        return "awaiting"
    if "running" in statuses.values():
        return "tool"
    return "waiting" if statuses else phase
