"""What a person can ask of the shelf: to bring something back, or to destroy it (W14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.branch import GAP, copies_of, free_place
from talkfield.core.changes import Change, Put
from talkfield.core.document import records_of
from talkfield.core.ids import EdgeId, MessageId, NodeId
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, ToolCallRecord
from talkfield.core.shelf import ShelfItem, without_paid
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


async def restore_shelved(session: Session, command: ask.RestoreShelved) -> Answer:
    item = await session.shelved(command.item)
    node = place_of(session, item)
    changes: list[Change] = [Put(node)]
    if session.document.node(item.node.id) is not None:
        edge = EdgeId(session.services.ids("edge"))
        changes.append(Put(EdgeRecord(id=edge, source=item.node.id, target=node.id, kind="lineage")))
    messages: list[MessageRecord] = []
    calls: dict[MessageId, tuple[ToolCallRecord, ...]] = {}
    for index, message in enumerate(item.messages):
        record, *of_message = records_of(message, node.id, index)
        assert isinstance(record, MessageRecord)
        messages.append(record)
        calls[record.id] = tuple(call for call in of_message if isinstance(call, ToolCallRecord))
    messages = without_paid(session.document, messages)
    changes += copies_of(messages, calls, node.id, session.services.ids)
    session.workspace.commit(changes, "restoreShelved", label="bring back")
    session.unshelve(item.id)
    return Answer(made=(node.id,))


def place_of(session: Session, item: ShelfItem) -> NodeRecord:
    """A new node for the item: to the right of where it was taken from, or at its place when that is gone."""
    source = session.document.node(item.node.id)
    was = item.node if source is None else source
    x = was.x if source is None else was.x + was.width + GAP
    x, y = free_place(session.document.nodes(), x, was.y, was.width, was.height)
    return replace(item.node, id=NodeId(session.services.ids("node")), x=x, y=y, extra={})


async def discard_shelved(session: Session, command: ask.DiscardShelved) -> Answer:
    item = await session.shelved(command.item)
    session.unshelve(item.id)
    return Answer()
