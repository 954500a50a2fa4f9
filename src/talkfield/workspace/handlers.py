"""One short function for each thing a person can ask; `HANDLERS` finds it by the command's type.

A handler checks first and commits once. It raises a `TalkfieldError` before anything has changed, or it is done.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace

from talkfield.core.changes import Change, Put, Remove
from talkfield.core.cost import conversation_cost
from talkfield.core.document import edge_between, removal
from talkfield.core.history import Entry, Undo
from talkfield.core.ids import EdgeId, MessageId, NodeId, ProjectId, ProviderId, RecordId, TurnId
from talkfield.core.messages import FINAL_STATUSES
from talkfield.core.nodes import KINDS, ChatData, NodeData, StickyData
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, QueuedRecord, ToolCallRecord
from talkfield.core.recovery import open_cards_of
from talkfield.core.slash import (
    ClearTranscript,
    Configure,
    Note,
    SlashCall,
    SlashContext,
    detect_slash_command,
)
from talkfield.core.turn import NOT_RUN
from talkfield.errors import AlreadyDecided, InvalidArgument, NodeBusy, NothingToDo, UnknownThing
from talkfield.runtime.config import ProviderChange
from talkfield.wire import client as ask

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

MAX_TITLE = 200
TITLE_FROM_TEXT = 60
MAX_TEXT_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a handler hands back: ids it made, and text for a composer."""

    made: tuple[str, ...] = ()
    text: str | None = None


class AppRequests(Protocol):
    """What a command may ask that is not about this project alone: the studio does it."""

    def folder_of(self, project: ProjectId) -> str | None: ...

    async def new_project(self, title: str) -> ProjectId: ...

    async def rename_project(self, project: ProjectId, title: str) -> None: ...

    async def change_settings(self, change: ask.ChangeSettings) -> None: ...


# The canvas -----------------------------------------------------------------------------------------------------------


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
    if command.kind == "sticky":
        return StickyData(text=text(command.text, "text"))
    return ChatData(provider=command.provider, model=command.model or None, system=text(command.system, "system"))


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
    session.workspace.commit(changes, "placeNodes", label="move")
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
    session.workspace.commit([Put(replace(node, data=data))], "configureChat", label="model")
    return Answer()


def save_draft(session: Session, command: ask.SaveDraft) -> Answer:
    node, data = session.chat(command.node)
    draft = text(command.text, "text")
    session.workspace.commit([Put(replace(node, data=replace(data, draft=draft)))], "saveDraft", "skip")
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


def add_edge(session: Session, command: ask.AddEdge) -> Answer:
    session.node_record(command.source)
    session.node_record(command.target)
    if command.source == command.target:
        raise InvalidArgument("a node can't be joined to itself", place="target")
    known = edge_between(session.document, command.source, command.target)
    if known is not None:
        return Answer(made=(known.id,))
    edge = EdgeRecord(id=EdgeId(session.services.ids("edge")), source=command.source, target=command.target)
    session.workspace.commit([Put(edge)], "addEdge", label="connect")
    return Answer(made=(edge.id,))


def remove_edges(session: Session, command: ask.RemoveEdges) -> Answer:
    session.workspace.commit([Remove(RecordId(edge)) for edge in command.edges], "removeEdges", label="disconnect")
    return Answer()


# The conversation -----------------------------------------------------------------------------------------------------


async def send_message(session: Session, command: ask.SendMessage) -> Answer:
    said = text(command.text, "text")
    if not said.strip():
        raise InvalidArgument("there is nothing to send", place="text")
    session.chat(command.node)
    call = detect_slash_command(said)
    if call is not None:
        return run_slash(session, command.node, call)
    if session.is_busy(command.node):
        match command.when_busy or session.services.configuration.current.settings.enter_behavior:
            case "queue":
                return queue(session, command.node, said)
            case "send":
                await session.stop_and_wait([command.node])
            case "prompt":
                raise NodeBusy
    return say(session, command.node, said)


def say(session: Session, node: NodeId, said: str) -> Answer:
    """Begin a turn with these words."""
    session.runtime.check(session.request(node))
    turn = TurnId(session.services.ids("turn"))
    user = MessageRecord(
        id=MessageId(session.services.ids("message")),
        node_id=node,
        index=next_index(session, node),
        role="user",
        content=said,
        ts=session.services.clock.now_ms(),
        turn=turn,
    )
    start_turn(session, node, turn, [*settle_open_cards(session, node), Put(user)], "sendMessage")
    name_by_text(session, node, said)
    return Answer(made=(user.id,))


def queue(session: Session, node: NodeId, said: str) -> Answer:
    waiting = session.document.queued(node)
    queued = QueuedRecord(
        id=MessageId(session.services.ids("message")),
        node_id=node,
        index=waiting[-1].index + 1 if waiting else 0,
        text=said,
        ts=session.services.clock.now_ms(),
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
        if not command.text.strip():
            raise InvalidArgument("there is nothing to send", place="text")
        record = replace(record, text=text(command.text, "text"))
    order = [each for each in session.document.queued(record.node_id) if each.id != record.id]
    place = record.index if command.place is None else command.place
    order.insert(max(0, place), record)
    changes = [Put(replace(each, index=index)) for index, each in enumerate(order)]
    session.workspace.commit(changes, "editQueued", "skip")
    return Answer()


def remove_queued(session: Session, command: ask.RemoveQueued) -> Answer:
    record = queued_record(session, command.queued)
    session.workspace.commit([Remove(RecordId(record.id))], "removeQueued", "skip")
    return Answer(made=(record.node_id,), text=record.text)


def send_queued(session: Session, command: ask.SendQueued) -> Answer:
    session.chat(command.node)
    return send_next(session, command.node)


def send_next(session: Session, node: NodeId) -> Answer:
    """Send what waits first. Raises what a send raises; then it still waits."""
    waiting = session.document.queued(node)
    if not waiting:
        raise NothingToDo("nothing waits to be sent")
    session.runtime.check(session.request(node))
    # No part of the turn: undoing it gives the words to the composer, not back to the queue.
    session.workspace.commit([Remove(RecordId(waiting[0].id))], "sendQueued", "skip")
    return say(session, node, waiting[0].text)


def start_turn(session: Session, node: NodeId, turn: TurnId, changes: list[Change], cause: str) -> None:
    """Commit what was said with the empty reply and the run, then start it."""
    reply = MessageRecord(
        id=MessageId(session.services.ids("message")),
        node_id=node,
        index=max([next_index(session, node), *(c.value.index + 1 for c in changes if _is_message(c))]),  # type: ignore[union-attr]
        role="assistant",
        content="",
        ts=session.services.clock.now_ms(),
        turn=turn,
    )
    session.begin_turn(node, turn, [*changes, Put(reply)], cause)
    # The draft was sent; it is no edit of the node that undo should know.
    record, data = session.chat(node)
    if data.draft:
        session.workspace.commit([Put(replace(record, data=replace(data, draft="")))], cause, "skip")
    session.start(node, turn, reply.id)


def _is_message(change: Change) -> bool:
    return isinstance(change, Put) and isinstance(change.value, MessageRecord)


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
    line = " ".join(said.strip().splitlines()[0].split())
    short = line if len(line) <= TITLE_FROM_TEXT else line[: TITLE_FROM_TEXT - 1].rstrip() + "…"
    session.workspace.commit([Put(replace(record, title=short))], "title", "skip")


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


def stop_turn(session: Session, command: ask.StopTurn) -> Answer:
    session.node_record(command.node)
    waiting = session.document.queued(command.node)
    session.workspace.commit([Remove(RecordId(each.id)) for each in waiting], "stopTurn", "skip")
    session.runtime.stop(command.node)
    if not waiting:
        return Answer()
    return Answer(made=(command.node,), text="\n\n".join(each.text for each in waiting))


def retry_turn(session: Session, command: ask.RetryTurn) -> Answer:
    session.chat(command.node)
    messages = session.document.messages(command.node)
    asked = next((index for index in reversed(range(len(messages))) if messages[index].role == "user"), None)
    if asked is None:
        raise InvalidArgument("there is no message to ask again", place="node")
    session.runtime.check(session.request(command.node))
    turn = TurnId(session.services.ids("turn"))
    changes: list[Change] = []
    for attempt in messages[asked + 1 :]:
        if attempt.role == "assistant" or attempt.turn is not None:
            changes += removal(session.document, attempt.id)
    changes.append(Put(replace(messages[asked], turn=turn)))
    start_turn(session, command.node, turn, changes, "retryTurn")
    return Answer()


def continue_turn(session: Session, command: ask.ContinueTurn) -> Answer:
    session.chat(command.node)
    resume(session, command.node)
    return Answer()


def resume(session: Session, node: NodeId) -> None:
    """Start the turn at the end of a conversation again where it stands (R14)."""
    messages = session.document.messages(node)
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    if last is None:
        raise InvalidArgument("there is nothing to go on with", place="node")
    session.runtime.check(session.request(node))
    turn = last.turn or TurnId(session.services.ids("turn"))
    changes: list[Change] = []
    if last.error is not None:
        changes.append(Put(replace(last, error=None)))
    session.begin_turn(node, turn, changes, "continueTurn")
    session.resume(node, turn)


def decide_call(session: Session, command: ask.DecideCall) -> Answer:
    record = session.document.get(command.call)
    if not isinstance(record, ToolCallRecord) or record.node_id != command.node:
        raise UnknownThing(f"there is no call {command.call}")
    if not session.is_busy(command.node) and record.status == "awaiting":
        message = session.document.get(record.message_id)
        if isinstance(message, MessageRecord) and open_cards_of(session.document, message):
            resume(session, command.node)
    args_json = command.args_json if command.args_json != record.args_json else None
    counted = session.runtime.approve(
        command.node, record.id, command.decision, args_json=args_json, reason=command.reason
    )
    if not counted:
        raise AlreadyDecided("this call was already decided")
    return Answer()


async def remove_message(session: Session, command: ask.RemoveMessage) -> Answer:
    record = session.document.get(command.message)
    if not isinstance(record, MessageRecord):
        raise UnknownThing(f"there is no message {command.message}")
    session.workspace.commit(removal(session.document, record.id), "removeMessage", label="delete message")
    return Answer()


# Undo -----------------------------------------------------------------------------------------------------------------


def undo(session: Session, _command: ask.Undo) -> Answer:
    return hand_back(session.workspace.undo())


def redo(session: Session, _command: ask.Redo) -> Answer:
    session.workspace.redo()
    return Answer()


def hand_back(entry: Entry) -> Answer:
    """What a person had typed into a turn that was undone goes back to its composer (W4)."""
    for record in entry.diff.added.values():
        if isinstance(record, MessageRecord) and record.role == "user":
            return Answer(made=(record.node_id,), text=record.content)
    return Answer()


# Everything beyond this project ---------------------------------------------------------------------------------------


async def save_provider(session: Session, command: ask.SaveProvider) -> Answer:
    made = await session.services.directory.save(
        ProviderChange(
            name=command.name,
            api=command.api,
            base_url=command.base_url,
            provider=command.provider,
            model=command.model,
            key=command.key,
        )
    )
    return Answer(made=(made,))


async def remove_provider(session: Session, command: ask.RemoveProvider) -> Answer:
    await session.services.directory.remove(command.provider)
    return Answer()


async def refresh_provider(session: Session, command: ask.RefreshProvider) -> Answer:
    await session.services.directory.refresh(command.provider)
    return Answer()


async def change_settings(session: Session, command: ask.ChangeSettings) -> Answer:
    await session.app.change_settings(command)
    return Answer()


async def add_project(session: Session, command: ask.AddProject) -> Answer:
    return Answer(made=(await session.app.new_project(title(command.title)),))


async def rename_project(session: Session, command: ask.RenameProject) -> Answer:
    await session.app.rename_project(command.project, title(command.title))
    return Answer()


# Checks ---------------------------------------------------------------------------------------------------------------


def finite(value: float, place: str) -> float:
    if not math.isfinite(value) or abs(value) > 1e7:
        raise InvalidArgument("must be a finite number on the canvas", place=place)
    return value


def size(value: float | None, default: float, least: float, place: str) -> float:
    return default if value is None else max(least, finite(value, place))


def title(value: str) -> str:
    return " ".join(value.split())[:MAX_TITLE]


def text(value: str, place: str) -> str:
    if len(value.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        raise InvalidArgument(f"is longer than {MAX_TEXT_BYTES // 1024 // 1024} MiB", place=place)
    return value


def next_index(session: Session, node: NodeId) -> int:
    messages = session.document.messages(node)
    return messages[-1].index + 1 if messages else 0


Handler = Callable[[Any, Any], Answer | Awaitable[Answer]]

HANDLERS: dict[type[Any], Handler] = {
    ask.AddNode: add_node,
    ask.PlaceNodes: place_nodes,
    ask.RenameNode: rename_node,
    ask.RemoveNodes: remove_nodes,
    ask.ConfigureChat: configure_chat,
    ask.SaveDraft: save_draft,
    ask.EditSticky: edit_sticky,
    ask.SendMessage: send_message,
    ask.EditQueued: edit_queued,
    ask.RemoveQueued: remove_queued,
    ask.SendQueued: send_queued,
    ask.StopTurn: stop_turn,
    ask.RetryTurn: retry_turn,
    ask.ContinueTurn: continue_turn,
    ask.DecideCall: decide_call,
    ask.RemoveMessage: remove_message,
    ask.AddEdge: add_edge,
    ask.RemoveEdges: remove_edges,
    ask.Undo: undo,
    ask.Redo: redo,
    ask.SaveProvider: save_provider,
    ask.RemoveProvider: remove_provider,
    ask.RefreshProvider: refresh_provider,
    ask.ChangeSettings: change_settings,
    ask.AddProject: add_project,
    ask.RenameProject: rename_project,
}
