"""What a person can ask of the canvas: nodes, their places and their data.

A handler checks first and commits once. It raises a `TalkfieldError` before anything has changed, or it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from talkfield.core.changes import Change, Put, Remove
from talkfield.core.document import removal
from talkfield.core.duplicate import duplicate
from talkfield.core.ids import NodeId, ProviderId, RecordId
from talkfield.core.nodes import KINDS, ChatData, FileData, GroupData, NodeData, StickyData
from talkfield.core.records import NodeRecord, RunRecord, run_id
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer, finite, size, text, title
from talkfield.workspace.attachment import checked_files
from talkfield.workspace.parameters import checked_parameters

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


MAX_DUPLICATED = 500


def add_node(session: Session, command: ask.AddNode) -> Answer:
    kind = KINDS[command.kind]
    node = NodeRecord(
        id=NodeId(session.services.ids("node")),
        x=finite(command.x, "x"),
        y=finite(command.y, "y"),
        width=size(command.width, kind.width, kind.min_width, "width"),
        height=size(command.height, kind.height, kind.min_height, "height"),
        title=title(command.title),
        data=_new_data(command),
    )
    session.workspace.commit([Put(node)], "addNode", label=f"new {command.kind}")
    return Answer(made=(node.id,))


def _new_data(command: ask.AddNode) -> NodeData:
    match command.kind:
        case "chat":
            system = text(command.system, "system")
            return ChatData(provider=command.provider, model=command.model or None, system=system)
        case "sticky":
            return StickyData(text=text(command.text, "text"))
        case "group":
            return GroupData()
        case "file":
            return FileData(path=text(command.path, "path").strip())
        case _:
            assert_never(command.kind)


def place_nodes(session: Session, command: ask.PlaceNodes) -> Answer:
    changes: list[Change] = []
    for index, place in enumerate(command.places):
        node = session.node_record(place.id)
        kind = KINDS[type(node.data).__struct_config__.tag]  # type: ignore[index]
        where = f"places[{index}]"
        moved = replace(
            node,
            x=finite(place.x, f"{where}.x"),
            y=finite(place.y, f"{where}.y"),
            width=size(place.width, node.width, kind.min_width, f"{where}.width"),
            height=size(place.height, node.height, kind.min_height, f"{where}.height"),
        )
        changes.append(Put(moved))
    session.workspace.commit(changes, "placeNodes", label=command.why)
    return Answer()


async def duplicate_nodes(session: Session, command: ask.DuplicateNodes) -> Answer:
    """Copies; a turn that is under way in one of them stays behind."""
    if len(command.nodes) > MAX_DUPLICATED:
        raise InvalidArgument(f"at most {MAX_DUPLICATED} at a time", place="nodes")
    dx, dy = finite(command.dx, "dx"), finite(command.dy, "dy")
    document = session.document
    if command.project is not None and command.project != session.project:
        document = await session.app.document_of(command.project)
    nodes: list[NodeRecord] = []
    live = set()
    for node in dict.fromkeys(command.nodes):
        record = document.node(node)
        if record is None:
            raise UnknownThing(f"there is no node {node} any more")
        finite(record.x + dx, "dx")
        finite(record.y + dy, "dy")
        nodes.append(record)
        run = document.get(run_id(node))
        if isinstance(run, RunRecord):
            live.add(run.turn)
    made = duplicate(document, nodes, dx, dy, live, session.services.ids)
    label = "duplicate" if command.why == "duplicate" else "paste"
    session.workspace.commit(made.changes, "duplicateNodes", label=label)
    return Answer(made=made.nodes)


def fold_chats(session: Session, command: ask.FoldChats) -> Answer:
    changes = []
    for each in command.nodes:
        node, data = session.chat(each)
        changes.append(Put(replace(node, data=replace(data, folded=command.folded))))
    session.workspace.commit(changes, "foldChats", label="fold" if command.folded else "unfold")
    return Answer()


def edit_group(session: Session, command: ask.EditGroup) -> Answer:
    node = session.node_record(command.node)
    if not isinstance(node.data, GroupData):
        raise InvalidArgument("this node is not a group", place="node")
    changed = replace(node, data=replace(node.data, color=command.color))
    session.workspace.commit([Put(changed)], "editGroup", label="colour")
    return Answer()


def rename_node(session: Session, command: ask.RenameNode) -> Answer:
    node = session.node_record(command.node)
    session.workspace.commit([Put(replace(node, title=title(command.title)))], "renameNode", label="rename")
    return Answer()


async def remove_nodes(session: Session, command: ask.RemoveNodes) -> Answer:
    for node in command.nodes:
        session.node_record(node)
    # A running reply ends first, and is an entry of its own (UN5).
    await session.stop_and_wait(command.nodes)
    changes: dict[RecordId, Remove] = {}
    for node in command.nodes:
        for change in removal(session.document, node):
            changes[change.id] = change
    session.workspace.commit(changes.values(), "removeNodes", label="close")
    return Answer()


def configure_chat(session: Session, command: ask.ConfigureChat) -> Answer:
    node, data = session.chat(command.node)
    if command.provider is not None:
        data = replace(data, provider=ProviderId(command.provider) if command.provider else None)
    if command.model is not None:
        data = replace(data, model=command.model.strip() or None)
    if command.system is not None:
        data = replace(data, system=text(command.system, "system"))
    if command.parameters is not None:
        data = replace(data, parameters=checked_parameters(command.parameters))
    session.workspace.commit([Put(replace(node, data=data))], "configureChat", label="model")
    return Answer()


def save_draft(session: Session, command: ask.SaveDraft) -> Answer:
    node, data = session.chat(command.node)
    changed = replace(data, draft=text(command.text, "text"), draft_files=checked_files(session, command.attachments))
    session.workspace.commit([Put(replace(node, data=changed))], "saveDraft", "skip")
    return Answer()


def edit_sticky(session: Session, command: ask.EditSticky) -> Answer:
    node = session.node_record(command.node)
    if not isinstance(node.data, StickyData):
        raise InvalidArgument("this node is not a sticky note", place="node")
    data = node.data
    if command.text is not None:
        data = replace(data, text=text(command.text, "text"))
    if command.color is not None:
        data = replace(data, color=command.color)
    session.workspace.commit([Put(replace(node, data=data))], "editSticky", label="edit note")
    return Answer()


def edit_file(session: Session, command: ask.EditFile) -> Answer:
    node = session.node_record(command.node)
    if not isinstance(node.data, FileData):
        raise InvalidArgument("this node is not a file", place="node")
    data = replace(node.data, path=text(command.path, "path").strip())
    session.workspace.commit([Put(replace(node, data=data))], "editFile", label="other file")
    return Answer()
