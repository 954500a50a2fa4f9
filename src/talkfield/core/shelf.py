"""What was paid for and is taken away, kept where it can be found again (W14).

Undo, clearing, deleting and trying again take replies out of a document. `shelf_items` says, of any commit, which of
them are nowhere else now; whoever commits keeps those on the shelf. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from talkfield.core.branch import settled
from talkfield.core.changes import Transition
from talkfield.core.document import Document, message_of
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.message_format import encode_json
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData
from talkfield.core.nodes.chat import without_draft
from talkfield.core.records import MessageRecord, NodeRecord, ToolCallRecord, run_id

WORDS = {
    "/clear": "cleared",
    "removeMessage": "message deleted",
    "removeNodes": "chat closed",
    "retryTurn": "tried again",
    "undo": "undone",
    "redo": "undone",
    "changedOnDisk": "changed on disk",
}


class ShelfItem(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Messages that were taken out of a node together, with the node as it was then.

    `id` is made of what was said, so the same text is never kept twice. `why` says in words what took it away;
    `taken_at` is epoch milliseconds.
    """

    id: str
    why: str
    taken_at: int
    node: NodeRecord
    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        """What a search finds it by."""
        return "\n\n".join(message.content for message in self.messages if message.content)


def shelf_items(document: Document, transitions: Iterable[Transition], cause: str, at: int) -> tuple[ShelfItem, ...]:
    """What a commit that has just been made took away, by node. Almost always nothing."""
    taken: dict[NodeId, list[MessageRecord]] = {}
    calls: dict[MessageId, list[ToolCallRecord]] = {}
    nodes: dict[NodeId, NodeRecord] = {}
    copied: set[MessageId] = set()
    for before, after in transitions:
        if isinstance(before, MessageRecord):
            if after is None or (isinstance(after, MessageRecord) and _replaces(document, before, after)):
                taken.setdefault(before.node_id, []).append(before)
        elif after is None and isinstance(before, ToolCallRecord):
            calls.setdefault(before.message_id, []).append(before)
        elif after is None and isinstance(before, NodeRecord):
            nodes[before.id] = before
        elif isinstance(after, MessageRecord) and after.copied_from is not None:
            copied.add(after.copied_from)
    if not taken:
        return ()
    items = []
    for name, messages in taken.items():
        node = nodes.get(name) or document.node(name)
        lost = [message for message in messages if message.id not in copied and message.copied_from not in document]
        if node is not None and any(_was_paid(message, calls) for message in lost):
            items.append(_item(node, messages, calls, WORDS.get(cause, cause), at))
    return tuple(items)


def without_paid(document: Document, messages: Iterable[MessageRecord]) -> list[MessageRecord]:
    """The messages, without usage and cost where the document has them of the same call: money is counted once (P5).

    Undo may have brought back what the shelf still keeps. Ids are no help: what is moved into a branch gets a new one.
    """
    records = (record for record in document if isinstance(record, MessageRecord))
    counted = {_call(record) for record in records if _has_price(record)}
    return [
        replace(message, usage=None, cost=None) if _has_price(message) and _call(message) in counted else message
        for message in messages
    ]


def _has_price(message: MessageRecord) -> bool:
    return message.usage is not None or message.cost is not None


def _call(message: MessageRecord) -> tuple[object, ...]:
    """What is the same of a provider call in all copies of what it said, and of no other."""
    return message.ts, message.provider, message.model, message.usage, message.content, message.thinking


def _was_paid(message: MessageRecord, calls: dict[MessageId, list[ToolCallRecord]]) -> bool:
    said = message.content or message.thinking or calls.get(message.id)
    return message.role == "assistant" and bool(said or message.usage is not None)


def _replaces(document: Document, before: MessageRecord, after: MessageRecord) -> bool:
    """Whether a reply's text was exchanged for another. One that a run is writing may begin again."""
    if before.role != "assistant" or after.content.startswith(before.content):
        return False
    return document.get(run_id(before.node_id)) is None


def _item(
    node: NodeRecord, records: list[MessageRecord], calls: dict[MessageId, list[ToolCallRecord]], why: str, at: int
) -> ShelfItem:
    ordered = sorted(records, key=lambda record: record.index)
    messages = tuple(
        message_of(record, map(settled, sorted(calls.get(record.id, ()), key=lambda call: call.index)))
        for record in ordered
    )
    assert isinstance(node.data, ChatData)  # nothing else has messages
    node = replace(node, data=without_draft(node.data))
    said = [
        (message.role, message.ts, message.content, message.thinking, [_what_ran(call) for call in message.tool_calls])
        for message in messages
    ]
    return ShelfItem(
        id=f"s_{sha256(encode_json(said)).hexdigest()[:24]}", why=why, taken_at=at, node=node, messages=messages
    )


def _what_ran(call: object) -> list[object]:
    return [getattr(call, name) for name in ("name", "args_json", "result")]
