"""One prompt for several models: a chat for each, side by side, with the question and an empty reply (L4). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from talkfield.core.branch import GAP, copies_of, free_place
from talkfield.core.changes import Change, Changes, Put
from talkfield.core.document import Document
from talkfield.core.ids import EdgeId, Ids, MessageId, NodeId, ProviderId, TurnId
from talkfield.core.messages import Attachment
from talkfield.core.nodes import CHAT, ChatData
from talkfield.core.nodes.chat import without_draft
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, RunRecord, run_id

ABREAST = 32.0
"""Canvas pixels between chats that were asked the same."""


@dataclass(frozen=True, kw_only=True)
class Sibling:
    """One of the chats, and the turn that begins in it."""

    node: NodeId
    turn: TurnId
    asked: MessageId
    reply: MessageId


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What all of them are asked, at `ts` (epoch ms)."""

    text: str
    files: tuple[Attachment, ...]
    ts: int


@dataclass(frozen=True, kw_only=True)
class Recipient:
    """Who is asked in one of them, and what that chat is called. None: the defaults."""

    title: str
    provider: ProviderId | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class FanOut:
    siblings: tuple[Sibling, ...]
    changes: Changes


def fan_out(
    document: Document,
    source: NodeRecord | None,
    kept: Sequence[MessageRecord],
    recipients: Sequence[Recipient],
    prompt: Prompt,
    place: tuple[float, float],
    ids: Ids,
) -> FanOut:
    """New chats in a row, the first as near below `place` as nothing stands in the way of the row.

    With a `source` each begins with copies of `kept`, its messages, is set up as it is, and is joined to it by a
    lineage edge. The copies carry neither usage nor cost: money is counted once.
    """
    width, height = (CHAT.width, CHAT.height) if source is None else (source.width, source.height)
    row = width * len(recipients) + ABREAST * (len(recipients) - 1)
    wanted = place if source is None else (source.x + source.width + GAP, source.y)
    x, y = free_place(document.nodes(), *wanted, row, height)
    data = without_draft(source.data) if source is not None and isinstance(source.data, ChatData) else CHAT.new()
    data = replace(data, folded=False)
    free = [replace(message, usage=None, cost=None) for message in kept]
    calls = {message.id: document.calls(message.id) for message in kept}
    changes: list[Change] = []
    siblings: list[Sibling] = []
    for index, recipient in enumerate(recipients):
        node = NodeRecord(
            id=NodeId(ids("node")),
            x=x + index * (width + ABREAST),
            y=y,
            width=width,
            height=height,
            title=recipient.title,
            data=replace(data, provider=recipient.provider, model=recipient.model),
        )
        changes.append(Put(node))
        if source is not None:
            edge = EdgeRecord(id=EdgeId(ids("edge")), source=source.id, target=node.id, kind="lineage")
            changes.append(Put(edge))
        changes += copies_of(free, calls, node.id, ids)
        turn = TurnId(ids("turn"))
        asked = MessageRecord(
            id=MessageId(ids("message")),
            node_id=node.id,
            index=len(kept),
            role="user",
            content=prompt.text,
            ts=prompt.ts,
            turn=turn,
            attachments=prompt.files,
        )
        reply = MessageRecord(
            id=MessageId(ids("message")),
            node_id=node.id,
            index=len(kept) + 1,
            role="assistant",
            content="",
            ts=prompt.ts,
            turn=turn,
        )
        run = RunRecord(id=run_id(node.id), node_id=node.id, turn=turn, phase="waiting", started_at=prompt.ts)
        changes += [Put(asked), Put(reply), Put(run)]
        siblings.append(Sibling(node=node.id, turn=turn, asked=asked.id, reply=reply.id))
    return FanOut(siblings=tuple(siblings), changes=tuple(changes))
