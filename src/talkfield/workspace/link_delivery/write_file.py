"""Writes what a source says to a file of the project (L1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talkfield.core.links import WriteFile, file_text
from talkfield.core.records import EdgeRecord, NodeRecord, node_name
from talkfield.errors import InvalidArgument
from talkfield.runtime.ports import ToolContext
from talkfield.workspace.link_delivery.base import Delivered

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


async def deliver(
    session: Session, edge: EdgeRecord, behavior: WriteFile, source: NodeRecord, content: str
) -> Delivered:
    write = session.services.write_file
    folder = session.app.folder_of(session.project)
    if write is None or folder is None:
        hint = "Open a folder with: talkfield open FOLDER"
        raise InvalidArgument("this project has no folder to write to", place="path", hint=hint)
    if not behavior.path.strip():
        raise InvalidArgument("name a file first", place="path")
    context = ToolContext(
        node=source.id, folder=folder, project=session.project, closed_folders=session.services.closed_folders
    )
    text = file_text(behavior, node_name(source), content)
    return Delivered(outcome=await write(behavior.path, text, context, append=behavior.mode == "append"))
