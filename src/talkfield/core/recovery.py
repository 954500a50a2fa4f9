"""What a process that was killed left unfinished, set right when its project is loaded (W8, R14).

No run survives a process, so whatever still looks like running is not. Open cards stay open: their decision resumes
the turn. A tool that had started is never run again by itself; its outcome is unknown, to the user and to the model.
"""

from __future__ import annotations

from msgspec.structs import replace

from talkfield.core.budget import interrupted
from talkfield.core.changes import Change, Changes, Put
from talkfield.core.document import Document
from talkfield.core.messages import FINAL_STATUSES, MessageError
from talkfield.core.records import BudgetRecord, MessageRecord
from talkfield.core.turn import UNKNOWN_OUTCOME

INTERRUPTED = MessageError(
    code="interrupted",
    message="Talkfield ended while this reply was being written.",
    retryable=True,
    hint="Continue from here, or retry.",
)


def recover(document: Document) -> Changes:
    """Changes that mark what was interrupted; none for a document that was closed in order."""
    changes: list[Change] = []
    for node in document.nodes():
        messages = document.messages(node.id)
        for message in messages:
            if message.role == "assistant" and message.turn is not None:
                changes += _recover_reply(document, message, is_last=message is messages[-1])
    budgets = [record for record in document if isinstance(record, BudgetRecord) and record.held]
    return (*changes, *(Put(interrupted(budget)) for budget in budgets))


def _recover_reply(document: Document, message: MessageRecord, *, is_last: bool) -> list[Change]:
    calls = document.calls(message.id)
    changes: list[Change] = [
        Put(replace(call, status="error", is_error=True, result=UNKNOWN_OUTCOME))
        for call in calls
        if call.status == "running"
    ]
    open_cards = any(call.status == "awaiting" for call in calls)
    ended = message.stopped or message.error is not None
    unfinished = message.finish is None and not calls
    between_rounds = bool(calls) and is_last and not open_cards
    if not ended and (unfinished or between_rounds):
        finish = "cut" if unfinished else message.finish
        changes.append(Put(replace(message, finish=finish, error=INTERRUPTED)))
    return changes


def open_cards_of(document: Document, message: MessageRecord) -> bool:
    """Whether a message still waits for a decision."""
    return any(call.status not in FINAL_STATUSES for call in document.calls(message.id))
