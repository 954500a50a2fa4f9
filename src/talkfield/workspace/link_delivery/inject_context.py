"""Puts what a source says into a chat as a message of its own, one for each link however often it runs (L2, L3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.changes import Put
from talkfield.core.conversation import changes_for
from talkfield.core.events import ContextAdded
from talkfield.core.links import InjectContext, context_id, context_text
from talkfield.core.messages import Message, Source
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, node_name
from talkfield.workspace.link_delivery.base import Delivered

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


async def deliver(
    session: Session, edge: EdgeRecord, behavior: InjectContext, source: NodeRecord, content: str
) -> Delivered:
    if behavior.when == "nextSend":
        return Delivered(outcome="goes with the next message", armed=True)
    return inject(session, edge, behavior, source, content)


def inject(session: Session, edge: EdgeRecord, behavior: InjectContext, source: NodeRecord, content: str) -> Delivered:
    """Where the link's message stands already, it becomes the new one, and the last: what follows is said with it."""
    text = context_text(behavior, node_name(source), content)
    known = session.document.get(context_id(edge.id))
    now = session.services.clock.now_ms()
    message = Message(
        id=context_id(edge.id),
        role="user",
        content=text,
        ts=now,
        source=Source(node=source.id, link=edge.id),
    )
    event = ContextAdded(node=edge.target, message=message.id, value=message)
    if not isinstance(known, MessageRecord):
        return Delivered(outcome="added", changes=changes_for(session.document, [event], now), event=event)
    if known.content == text:
        return Delivered(outcome="up to date")
    last = session.document.messages(edge.target)[-1]
    index = known.index if last.id == known.id else last.index + 1
    moved = replace(known, content=text, ts=now, source=message.source, index=index)
    return Delivered(outcome="replaced what it said before", changes=(Put(moved),), event=event)
