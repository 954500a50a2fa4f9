"""Imported conversations as nodes: one below the other, branches to the right of what they came from. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from talkfield.core.changes import Change, Put
from talkfield.core.ids import EdgeId, Ids, MessageId, NodeId, TurnId
from talkfield.core.importing.base import ImportedChat, ImportedConversation
from talkfield.core.nodes import CHAT, ChatData
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord

GAP = 48.0
ROWS = 8
"""So many conversations stand in a column."""


def place_conversations(
    conversations: Iterable[ImportedConversation], x: float, y: float, now: int, ids: Ids
) -> tuple[tuple[NodeId, ...], tuple[Change, ...]]:
    """The new chats with their top left corner at (x, y), and what makes them. Nothing is counted as paid."""
    made: list[NodeId] = []
    changes: list[Change] = []
    left, top, widest = x, y, 0
    for number, conversation in enumerate(conversations):
        if number and number % ROWS == 0:
            left, top, widest = left + widest * (CHAT.width + GAP) + GAP, y, 0
        nodes: list[NodeId] = []
        for place, chat in enumerate(conversation.chats):
            node = NodeId(ids("node"))
            nodes.append(node)
            changes.append(Put(node_of(conversation, place, node, left + place * (CHAT.width + GAP), top)))
            changes += messages_of(chat, node, conversation.created_at or now, ids)
            if chat.came_from is not None:
                edge = EdgeRecord(id=EdgeId(ids("edge")), source=nodes[chat.came_from], target=node, kind="lineage")
                changes.append(Put(edge))
        widest = max(widest, len(nodes))
        top += CHAT.height + GAP
        made += nodes
    return tuple(made), tuple(changes)


def node_of(conversation: ImportedConversation, place: int, node: NodeId, x: float, y: float) -> NodeRecord:
    title = conversation.title if place == 0 else f"{conversation.title} (branch {place})"
    data = ChatData(system=conversation.system)
    return NodeRecord(id=node, x=x, y=y, width=CHAT.width, height=CHAT.height, title=title, data=data)


def messages_of(chat: ImportedChat, node: NodeId, at: int, ids: Ids) -> list[Change]:
    turn = TurnId(ids("turn"))
    changes: list[Change] = []
    for index, message in enumerate(chat.messages):
        if message.role == "user" and index:
            turn = TurnId(ids("turn"))
        changes.append(
            Put(
                MessageRecord(
                    id=MessageId(ids("message")),
                    node_id=node,
                    index=index,
                    turn=turn,
                    role=message.role,
                    content=message.content,
                    ts=message.ts or at,
                    thinking=message.thinking,
                    model=message.model or None,
                    finish="stop" if message.role == "assistant" else None,
                )
            )
        )
    return changes
