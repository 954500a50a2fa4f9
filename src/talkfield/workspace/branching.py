"""Going on from a message in another chat (L4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talkfield.core.branch import branch, quotation
from talkfield.core.records import RunRecord, run_id
from talkfield.errors import InvalidArgument
from talkfield.wire import client as ask
from talkfield.workspace.again import message_record
from talkfield.workspace.answer import Answer, text

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def branch_chat(session: Session, command: ask.BranchChat) -> Answer:
    quote = text(command.quote, "quote")
    message = message_record(session, command.message)
    source, _ = session.chat(message.node_id)
    run = session.document.get(run_id(source.id))
    if isinstance(run, RunRecord) and message.turn == run.turn and message.role != "user":
        raise InvalidArgument("this reply has not ended yet", place="message")
    messages = session.document.messages(source.id)
    kept = messages[: messages.index(message) + 1]
    made = branch(session.document, source, kept, (), session.services.ids, called="branch", draft=quotation(quote))
    session.workspace.commit(made.changes, "branchChat", label="branch")
    return Answer(made=(made.node.id,))
