"""What several nodes said last, numbered and titled, in one new chat with a question about it (L4). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from talkfield.core.branch import GAP, free_place
from talkfield.core.changes import Change, Changes, Put
from talkfield.core.document import Document
from talkfield.core.ids import EdgeId, Ids, MessageId, NodeId, ProviderId, TurnId
from talkfield.core.link_content import link_content, settled_messages
from talkfield.core.messages import Source
from talkfield.core.nodes import CHAT, ChatData
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one node said last; `message` is where, None for a note or a group."""

    source: NodeRecord
    content: str
    message: MessageId | None


@dataclass(frozen=True, kw_only=True)
class Merge:
    """The new chat, what it was given, and the turn that begins in it with an empty `reply`."""

    node: NodeId
    turn: TurnId
    reply: MessageId
    changes: Changes


def part_of(document: Document, source: NodeRecord) -> Part:
    """What a node says now; a reply that is being written says nothing yet."""
    said = settled_messages(document, source) if isinstance(source.data, ChatData) else []
    last = next((message.id for message in reversed(said) if message.role == "assistant"), None)
    return Part(source=source, content=link_content(document, source, "lastReply"), message=last)


def numbered(part: Part, number: int) -> str:
    """The part as the model reads it: its number, by which it may be cited, and its title stand above it."""
    return f"[{number}] {part.source.title or 'Untitled'}\n\n{part.content}"


def merge(
    document: Document,
    parts: Sequence[Part],
    instruction: str,
    title: str,
    asks: tuple[ProviderId | None, str | None],
    ts: int,
    ids: Ids,
) -> Merge:
    """A chat to the right of all of them, joined to each by a lineage edge. `asks` is its provider and its model."""
    right = max(part.source.x + part.source.width for part in parts)
    top = min(part.source.y for part in parts)
    x, y = free_place(document.nodes(), right + GAP, top, CHAT.width, CHAT.height)
    provider, model = asks
    node = NodeRecord(
        id=NodeId(ids("node")),
        x=x,
        y=y,
        width=CHAT.width,
        height=CHAT.height,
        title=title,
        data=ChatData(provider=provider, model=model),
    )
    changes: list[Change] = [Put(node)]
    for number, part in enumerate(parts, start=1):
        given = MessageRecord(
            id=MessageId(ids("message")),
            node_id=node.id,
            index=number - 1,
            role="user",
            content=numbered(part, number),
            ts=ts,
            source=Source(node=part.source.id, number=number, message=part.message),
        )
        edge = EdgeRecord(id=EdgeId(ids("edge")), source=part.source.id, target=node.id, kind="lineage")
        changes += [Put(edge), Put(given)]
    turn = TurnId(ids("turn"))
    asked = MessageRecord(
        id=MessageId(ids("message")),
        node_id=node.id,
        index=len(parts),
        role="user",
        content=instruction,
        ts=ts,
        turn=turn,
    )
    reply = replace(asked, id=MessageId(ids("message")), index=len(parts) + 1, role="assistant", content="")
    changes += [Put(asked), Put(reply)]
    return Merge(node=node.id, turn=turn, reply=reply.id, changes=tuple(changes))
