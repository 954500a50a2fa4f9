"""What a person can ask of a chat: to say something, now or later, to stop, or to go on.

A handler checks first and commits once. It raises a `TalkfieldError` before anything has changed, or it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.branch import branch
from talkfield.core.changes import Change, Put, Remove
from talkfield.core.context_fit import newest_turns
from talkfield.core.cost import conversation_cost
from talkfield.core.document import removal
from talkfield.core.history import Undo
from talkfield.core.ids import MessageId, NodeId, RecordId, TurnId
from talkfield.core.messages import FINAL_STATUSES, Attachment, Message
from talkfield.core.nodes.chat import without_draft
from talkfield.core.records import MessageRecord, QueuedRecord
from talkfield.core.slash import (
    ClearTranscript,
    Configure,
    Note,
    SlashCall,
    SlashContext,
    detect_slash_command,
)
from talkfield.core.turn import NOT_RUN
from talkfield.errors import BudgetReached, CommandRejected, InvalidArgument, NodeBusy, NothingToDo, UnknownThing
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer, text
from talkfield.workspace.attachment import checked_files
from talkfield.workspace.room import room_for

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

TITLE_FROM_TEXT = 60


async def send_message(session: Session, command: ask.SendMessage) -> Answer:
    said, files = text(command.text, "text"), checked_files(session, command.attachments)
    if not said.strip() and not files:
        raise InvalidArgument("there is nothing to send", place="text")
    session.chat(command.node)
    call = detect_slash_command(said) if not files else None
    if call is not None:
        return run_slash(session, command.node, call)
    if session.is_busy(command.node):
        match command.when_busy or session.services.configuration.current.settings.enter_behavior:
            case "queue":
                return queue(session, command.node, said, files)
            case "send":
                await session.stop_and_wait([command.node])
            case "prompt":
                raise NodeBusy
    if command.when_full == "branch":
        return say_in_branch(session, command.node, said, files)
    return say(session, command.node, said, files, command.when_full)


def say_in_branch(session: Session, node: NodeId, said: str, files: tuple[Attachment, ...]) -> Answer:
    """Begin a turn with these words in a new chat, after the newest turns that the model can take in with them (C7)."""
    request = session.request(node)
    session.runtime.check(request)
    source, _ = session.chat(node)
    room = room_for(session, request, said, files, "trim")
    question = Message(id=MessageId(""), role="user", content=said, ts=0, attachments=files)
    fitting = request.messages
    if room is not None:
        fitting = newest_turns((*request.messages, question), request.system, room).messages
    ids = {message.id for message in fitting}
    kept = [message for message in session.document.messages(node) if message.id in ids]
    made = branch(session.document, source, kept, (), session.services.ids, called="branch")
    session.workspace.commit(made.changes, "branchChat", label="branch")
    say(session, made.node.id, said, files, "trim")
    return Answer(made=(made.node.id,))


def say(
    session: Session, node: NodeId, said: str, files: tuple[Attachment, ...] = (), when_full: ask.WhenFull = "ask"
) -> Answer:
    """Begin a turn with these words and files."""
    request = session.request(node)
    session.runtime.check(request)
    room = room_for(session, request, said, files, when_full)
    session.links.say_with(node)
    turn = TurnId(session.services.ids("turn"))
    user = MessageRecord(
        id=MessageId(session.services.ids("message")),
        node_id=node,
        index=next_index(session, node),
        role="user",
        content=said,
        ts=session.services.clock.now_ms(),
        turn=turn,
        attachments=files,
    )
    start_turn(session, node, turn, [*settle_open_cards(session, node), Put(user)], "sendMessage", room=room)
    name_by_text(session, node, said if said.strip() else files[0].name)
    return Answer(made=(user.id,))


def start_turn(
    session: Session,
    node: NodeId,
    turn: TurnId,
    changes: list[Change],
    cause: str,
    *,
    label: str = "message",
    room: int | None = None,
) -> None:
    """Commit what was said with the empty reply and the run, then start it; with `room`, on turns that fit into it."""
    reply = MessageRecord(
        id=MessageId(session.services.ids("message")),
        node_id=node,
        index=max([next_index(session, node), *_indexes_after(changes, node)]),
        role="assistant",
        content="",
        ts=session.services.clock.now_ms(),
        turn=turn,
    )
    session.begin_turn(node, turn, [*changes, Put(reply)], cause, label=label)
    # The draft was sent; it is no edit of the node that undo should know.
    record, data = session.chat(node)
    if (sent := without_draft(data)) != data:
        session.workspace.commit([Put(replace(record, data=sent))], cause, "skip")
    session.start(node, turn, reply.id, room)


def _indexes_after(changes: list[Change], node: NodeId) -> list[int]:
    """The indexes after those of messages that a batch puts into a node."""
    messages = [change.value for change in changes if isinstance(change, Put)]
    return [each.index + 1 for each in messages if isinstance(each, MessageRecord) and each.node_id == node]


def settle_open_cards(session: Session, node: NodeId) -> list[Change]:
    """Cards that were still open when the conversation goes on without them are cancelled: nothing of them runs."""
    return [
        Put(replace(call, status="cancelled", result=NOT_RUN, is_error=True))
        for message in session.document.messages(node)
        for call in session.document.calls(message.id)
        if call.status not in FINAL_STATUSES
    ]


def name_by_text(session: Session, node: NodeId, said: str) -> None:
    """A chat without a title is called by its first line (U15); no undo entry."""
    record = session.node_record(node)
    if record.title:
        return
    session.workspace.commit([Put(replace(record, title=short_title(said)))], "title", "skip")


def short_title(said: str) -> str:
    """What a chat is called after the first words in it."""
    line = " ".join(said.strip().splitlines()[0].split())
    return line if len(line) <= TITLE_FROM_TEXT else line[: TITLE_FROM_TEXT - 1].rstrip() + "…"


def stop_turn(session: Session, command: ask.StopTurn) -> Answer:
    session.node_record(command.node)
    waiting = session.document.queued(command.node)
    session.workspace.commit([Remove(RecordId(each.id)) for each in waiting], "stopTurn", "skip")
    session.runtime.stop(command.node)
    if not waiting:
        return Answer()
    return Answer(
        made=(command.node,),
        text="\n\n".join(each.text for each in waiting),
        attachments=tuple(file for each in waiting for file in each.attachments),
    )


def continue_turn(session: Session, command: ask.ContinueTurn) -> Answer:
    session.chat(command.node)
    resume(session, command.node, trim=command.trim)
    return Answer()


def resume(session: Session, node: NodeId, *, trim: bool = False) -> None:
    """Start the turn at the end of a conversation again where it stands (R14)."""
    messages = session.document.messages(node)
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    if last is None:
        raise InvalidArgument("there is nothing to go on with", place="node")
    session.runtime.check(session.request(node))
    turn = last.turn or TurnId(session.services.ids("turn"))
    changes: list[Change] = []
    if last.error is not None and last.error.code == BudgetReached.code and not last.content:
        changes += removal(session.document, last.id)  # nothing was asked for it: another reply takes its place
    elif last.error is not None:
        changes.append(Put(replace(last, error=None)))
    session.begin_turn(node, turn, changes, "continueTurn")
    session.resume(node, turn, last.id, trim=trim)


async def remove_message(session: Session, command: ask.RemoveMessage) -> Answer:
    record = session.document.get(command.message)
    if not isinstance(record, MessageRecord):
        raise UnknownThing(f"there is no message {command.message}")
    session.workspace.commit(removal(session.document, record.id), "removeMessage", label="delete message")
    return Answer()


def next_index(session: Session, node: NodeId) -> int:
    messages = session.document.messages(node)
    return messages[-1].index + 1 if messages else 0


# What waits to be said (W12) ------------------------------------------------------------------------------------------


def queue(session: Session, node: NodeId, said: str, files: tuple[Attachment, ...]) -> Answer:
    waiting = session.document.queued(node)
    queued = QueuedRecord(
        id=MessageId(session.services.ids("message")),
        node_id=node,
        index=waiting[-1].index + 1 if waiting else 0,
        text=said,
        ts=session.services.clock.now_ms(),
        attachments=files,
    )
    session.workspace.commit([Put(queued)], "queue", "skip")
    return Answer(made=(queued.id,))


def queued_record(session: Session, queued: MessageId) -> QueuedRecord:
    record = session.document.get(queued)
    if not isinstance(record, QueuedRecord):
        raise UnknownThing("this is no longer in the queue")
    return record


def edit_queued(session: Session, command: ask.EditQueued) -> Answer:
    record = queued_record(session, command.queued)
    if command.text is not None:
        if not command.text.strip() and not record.attachments:
            raise InvalidArgument("there is nothing to send", place="text")
        record = replace(record, text=text(command.text, "text"))
    waiting = session.document.queued(record.node_id)
    order = [each for each in waiting if each.id != record.id]
    # Not its index: what was sent or taken back before it leaves a gap there.
    place = [each.id for each in waiting].index(record.id) if command.place is None else command.place
    order.insert(max(0, place), record)
    changes = [Put(replace(each, index=index)) for index, each in enumerate(order)]
    session.workspace.commit(changes, "editQueued", "skip")
    return Answer()


def remove_queued(session: Session, command: ask.RemoveQueued) -> Answer:
    record = queued_record(session, command.queued)
    session.workspace.commit([Remove(RecordId(record.id))], "removeQueued", "skip")
    return Answer(made=(record.node_id,), text=record.text, attachments=record.attachments)


def send_queued(session: Session, command: ask.SendQueued) -> Answer:
    session.chat(command.node)
    return send_next(session, command.node)


def send_waiting(session: Session, node: NodeId) -> None:
    """A turn ended well: what waits first is said now (W12). After a stop or an error it waits for a person."""
    if not session.document.queued(node):
        return
    try:
        send_next(session, node)
    except CommandRejected as error:  # no provider any more, say: it stays in the queue
        session.services.log(f"queued message in {node} not sent: {error.code}")


def send_next(session: Session, node: NodeId) -> Answer:
    """Send what waits first. Raises what a send raises; then it still waits."""
    waiting = session.document.queued(node)
    if not waiting:
        raise NothingToDo("nothing waits to be sent")
    session.runtime.check(session.request(node))
    # No part of the turn: undoing it gives the words to the composer, not back to the queue.
    session.workspace.commit([Remove(RecordId(waiting[0].id))], "sendQueued", "skip")
    return say(session, node, waiting[0].text, waiting[0].attachments)


# Slash commands (C10) -------------------------------------------------------------------------------------------------


def run_slash(session: Session, node: NodeId, call: SlashCall) -> Answer:
    record, data = session.chat(node)
    result = call.command.run(
        SlashContext(
            argument=call.argument,
            model=data.model,
            default_model=session.default_model(data.provider),
            system=data.system,
            report=conversation_cost(session.document.messages(node)),
        )
    )
    changes: list[Change] = []
    for action in result.actions:
        match action:
            case ClearTranscript():
                if session.is_busy(node):
                    raise NodeBusy
                for message in session.document.messages(node):
                    changes += removal(session.document, message.id)
            case Configure(model=model, system=system):
                data = replace(data, **{k: v for k, v in (("model", model), ("system", system)) if v is not None})
                changes.append(Put(replace(record, data=data)))
            case Note(words):
                note = MessageRecord(
                    id=MessageId(session.services.ids("message")),
                    node_id=node,
                    index=next_index(session, node),
                    role="note",
                    content=words,
                    ts=session.services.clock.now_ms(),
                )
                changes.append(Put(note))
    recorded: Undo = "own" if result.undoable else "skip"
    session.workspace.commit(changes, f"/{call.name}", recorded, label=f"/{call.name}")
    return Answer()
