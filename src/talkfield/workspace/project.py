"""What a person can ask about whole projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talkfield.core.changes import Put
from talkfield.core.importing.placing import place_conversations
from talkfield.core.importing.talkfield import place_canvas
from talkfield.core.records import NodeRecord
from talkfield.errors import InvalidArgument
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer, finite, title

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


async def add_project(session: Session, command: ask.AddProject) -> Answer:
    return Answer(made=(await session.app.new_project(title(command.title)),))


async def rename_project(session: Session, command: ask.RenameProject) -> Answer:
    await session.app.rename_project(command.project, title(command.title))
    return Answer()


async def move_project(session: Session, command: ask.MoveProject) -> Answer:
    await session.app.move_project(command.project, command.state)
    return Answer()


async def duplicate_project(session: Session, command: ask.DuplicateProject) -> Answer:
    return Answer(made=(await session.app.duplicate_project(command.project),))


async def delete_project(session: Session, command: ask.DeleteProject) -> Answer:
    if command.project == session.project:
        raise InvalidArgument("is open here; open another project first", place="project")
    await session.app.delete_project(command.project)
    return Answer()


def cancel_work(session: Session, command: ask.CancelWork) -> Answer:
    session.app.cancel_work(command.work)
    return Answer()


def import_conversations(session: Session, command: ask.ImportConversations) -> Answer:
    x, y = finite(command.x, "x"), finite(command.y, "y")
    file, numbers = session.app.imported(command.file, command.conversations)
    ids = session.services.ids
    if file.canvas is not None:
        made, changes = place_canvas(file.canvas, numbers, x, y, ids)
        for change in changes:
            if isinstance(change, Put) and isinstance(change.value, NodeRecord):
                finite(change.value.x, "x")
                finite(change.value.y, "y")
    else:
        chosen = (file.conversations[number] for number in numbers)
        made, changes = place_conversations(chosen, x, y, session.services.clock.now_ms(), ids)
    session.workspace.commit(changes, "importConversations", label="import")
    return Answer(made=made)
