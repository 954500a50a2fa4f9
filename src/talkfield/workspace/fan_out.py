"""Asking several models the same at once, each in a chat of its own (L4).

Everything is checked for every model before the one commit that makes all the chats. Their turns run on their own and
end when they end; for undo they are one entry.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from talkfield.core.fan_out import Prompt, Recipient, fan_out
from talkfield.core.history import Scope
from talkfield.core.ids import NodeId, RecordId, TurnId
from talkfield.core.records import MessageRecord, NodeRecord, RunRecord, run_id
from talkfield.core.slash import detect_slash_command
from talkfield.errors import InvalidArgument, TalkfieldError
from talkfield.runtime.ports import SendRequest
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer, finite, text
from talkfield.workspace.attachment import checked_files
from talkfield.workspace.chat import short_title
from talkfield.workspace.room import room_for

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

MAX_MODELS = 12


def ask_several(session: Session, command: ask.FanOut) -> Answer:
    said, files = text(command.text, "text"), checked_files(session, command.attachments)
    if not said.strip() and not files:
        raise InvalidArgument("there is nothing to send", place="text")
    if not files and detect_slash_command(said) is not None:
        raise InvalidArgument("a command is not for several models", place="text")
    if not 1 <= len(command.models) <= MAX_MODELS:
        raise InvalidArgument(f"choose from 1 to {MAX_MODELS} models", place="models")
    place = finite(command.x, "x"), finite(command.y, "y")
    source = session.chat(command.node)[0] if command.node is not None else None
    kept = said_so_far(session, source) if source is not None else ()
    line = short_title(said if said.strip() else files[0].name)
    recipients: list[Recipient] = []
    rooms: list[int | None] = []
    for choice in command.models:
        request = request_of(session, source, kept, choice)
        _, model = session.runtime.check(request)
        rooms.append(room_for(session, request, said, files, command.when_full))
        title = f"{line} · {model.rsplit('/', 1)[-1]}"
        recipients.append(Recipient(title=title, provider=choice.provider, model=choice.model or None))
    prompt = Prompt(text=said, files=files, ts=session.services.clock.now_ms())
    made = fan_out(session.document, source, kept, recipients, prompt, place, session.services.ids)
    workspace, scope = session.workspace, Scope(session.services.ids("turn"))
    workspace.open_scope(scope, "fan-out")
    try:
        workspace.commit(made.changes, "fanOut", scope, close=scope)
    except TalkfieldError:
        workspace.history.close(scope)
        raise
    for each in made.siblings:
        holds = (RecordId(each.asked), RecordId(each.reply))
        workspace.open_scope(Scope(each.turn), "message", joins=scope, holds=holds)
    for each, room in zip(made.siblings, rooms, strict=True):
        session.start(each.node, each.turn, each.reply, room)
    return Answer(made=tuple(each.node for each in made.siblings))


def said_so_far(session: Session, source: NodeRecord) -> tuple[MessageRecord, ...]:
    """What stands in a chat, without the turn that is under way."""
    run = session.document.get(run_id(source.id))
    live: TurnId | None = run.turn if isinstance(run, RunRecord) else None
    messages = session.document.messages(source.id)
    return tuple(message for message in messages if live is None or message.turn != live)


def request_of(
    session: Session, source: NodeRecord | None, kept: tuple[MessageRecord, ...], choice: ask.Recipient
) -> SendRequest:
    """What the runtime would be asked for one of the new chats, before it is there."""
    model = choice.model or session.default_model(choice.provider)
    if source is None:
        new = NodeId("")
        return SendRequest(node=new, messages=(), provider=choice.provider, model=model, project=session.project)
    known = {message.id for message in kept}
    asked = session.request(source.id)
    messages = tuple(message for message in asked.messages if message.id in known)
    return replace(asked, node=NodeId(""), messages=messages, provider=choice.provider, model=model)
