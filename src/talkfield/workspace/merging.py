"""Asking about what several nodes said last, in one new chat (L4).

A handler checks first and commits once. It raises a `TalkfieldError` before anything has changed, or it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from talkfield.core.ids import NodeId
from talkfield.core.merge import merge, numbered, part_of
from talkfield.errors import InvalidArgument
from talkfield.runtime.ports import SendRequest
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer, text, title
from talkfield.workspace.room import room_for

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

MAX_PARTS = 50


def merge_nodes(session: Session, command: ask.MergeNodes) -> Answer:
    instruction = text(command.instruction, "instruction")
    if not instruction.strip():
        raise InvalidArgument("there is nothing to send", place="instruction")
    wanted = list(dict.fromkeys(command.nodes))
    if not 2 <= len(wanted) <= MAX_PARTS:
        raise InvalidArgument(f"choose from 2 to {MAX_PARTS} nodes", place="nodes")
    parts = [part_of(session.document, session.node_record(node)) for node in wanted]
    for part in parts:
        if not part.content:
            raise InvalidArgument(f"“{part.source.title or 'Untitled'}” has said nothing yet", place="nodes")
    model = command.model or session.default_model(command.provider)
    request = SendRequest(node=NodeId(""), messages=(), provider=command.provider, model=model, project=session.project)
    session.runtime.check(request)
    whole = "\n\n".join([*(numbered(part, at) for at, part in enumerate(parts, start=1)), instruction])
    room = room_for(session, request, whole, (), command.when_full)
    made = merge(
        session.document,
        parts,
        instruction,
        title(command.title) or f"Merge of {len(parts)}",
        (command.provider, command.model or None),
        session.services.clock.now_ms(),
        session.services.ids,
    )
    session.begin_turn(made.node, made.turn, made.changes, "mergeNodes", label="merge")
    session.start(made.node, made.turn, made.reply, room)
    return Answer(made=(made.node,))
