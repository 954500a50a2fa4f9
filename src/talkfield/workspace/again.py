"""Asking again: a failed attempt is replaced, what was a whole reply is kept as a branch beside the chat (W13).

A handler checks first and commits once. It raises a `TalkfieldError` before anything has changed, or it is done.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.branch import branch
from talkfield.core.changes import Change, Put
from talkfield.core.document import removal
from talkfield.core.ids import MessageId, NodeId, TurnId
from talkfield.core.records import MessageRecord
from talkfield.core.slash import detect_slash_command
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer, text
from talkfield.workspace.chat import start_turn
from talkfield.workspace.room import room_for

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def retry_turn(session: Session, command: ask.RetryTurn) -> Answer:
    session.chat(command.node)
    messages = session.document.messages(command.node)
    asked = asked_at(messages, len(messages) - 1)
    if asked is None:
        raise InvalidArgument("there is no message to ask again", place="node")
    attempt = [message for message in messages[asked + 1 :] if message.role == "assistant"]
    keep = bool(attempt) and not failed(attempt[-1])
    return ask_again(session, command.node, asked, "retryTurn", command.when_full, label="retry", keep=keep)


def regenerate_reply(session: Session, command: ask.RegenerateReply) -> Answer:
    message = message_record(session, command.message)
    messages = session.document.messages(message.node_id)
    asked = asked_at(messages, messages.index(message))
    if asked is None:
        raise InvalidArgument("this answers nothing", place="message")
    return ask_again(
        session, message.node_id, asked, "regenerateReply", command.when_full, label="new reply", keep=True
    )


def edit_message(session: Session, command: ask.EditMessage) -> Answer:
    message = message_record(session, command.message)
    said = text(command.text, "text")
    if message.role != "user":
        raise InvalidArgument("only what you said can be edited", place="message")
    if not said.strip() and not message.attachments:
        raise InvalidArgument("there is nothing to send", place="text")
    if detect_slash_command(said) is not None:
        raise InvalidArgument("a command cannot stand in place of a message", place="text")
    asked = session.document.messages(message.node_id).index(message)
    return ask_again(
        session, message.node_id, asked, "editMessage", command.when_full, label="edit message", keep=True, said=said
    )


def message_record(session: Session, message: MessageId) -> MessageRecord:
    """The message, in a chat. Raises `UnknownThing`, `InvalidArgument`."""
    record = session.document.get(message)
    if not isinstance(record, MessageRecord):
        raise UnknownThing(f"there is no message {message}")
    session.chat(record.node_id)
    return record


def asked_at(messages: Sequence[MessageRecord], end: int) -> int | None:
    """Where the last user message up to `end` stands; what was injected was not asked."""
    found = (at for at in range(end, -1, -1) if messages[at].role == "user" and messages[at].source is None)
    return next(found, None)


def failed(reply: MessageRecord) -> bool:
    """Whether the attempt that ends with this reply came to no good end, by itself or by a person's stop."""
    return reply.stopped or reply.error is not None or reply.finish in (None, "cut")


def ask_again(
    session: Session,
    node: NodeId,
    asked: int,
    cause: str,
    when_full: ask.WhenFull,
    *,
    label: str,
    keep: bool,
    said: str | None = None,
) -> Answer:
    """Ask for an answer to the message at `asked`, with `said` as its new text where given.

    What stands after it goes: with `keep` into a branch, all of it; else only the attempt, for the shelf to keep.
    """
    request = session.request(node)
    session.runtime.check(request)
    record, _ = session.chat(node)
    messages = session.document.messages(node)
    question, after = messages[asked], messages[asked + 1 :]
    stays = {message.id for message in (messages[: asked + 1] if said is None else messages[:asked])}
    before = [message for message in request.messages if message.id in stays]
    gone = [message for message in request.messages if message.id not in stays]
    said_anew, files = ("", ()) if said is None else (said, question.attachments)
    room = room_for(session, dataclasses.replace(request, messages=before), said_anew, files, when_full, gone)
    turn = TurnId(session.services.ids("turn"))
    changes: list[Change] = [Put(replace(question, turn=turn, content=question.content if said is None else said))]
    if keep and any(worth_keeping(session, message) for message in after):
        kept, moved = (messages[: asked + 1], after) if said is None else (messages[:asked], messages[asked:])
        earlier = branch(session.document, record, kept, moved, session.services.ids)
        changes += earlier.changes
        made: tuple[str, ...] = (earlier.node.id,)
    else:
        made = ()
        after = tuple(message for message in after if message.role == "assistant" or message.turn is not None)
    changes += {change.id: change for message in after for change in removal(session.document, message.id)}.values()
    start_turn(session, node, turn, changes, cause, label=label, room=room)
    return Answer(made=made)


def worth_keeping(session: Session, message: MessageRecord) -> bool:
    """Whether something was said: an attempt that failed before its first word leaves nothing to go back to."""
    return message.role != "note" and bool(message.content or message.thinking or session.document.calls(message.id))
