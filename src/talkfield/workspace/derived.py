"""Records that follow from others, written once, here (architecture law 4): what each conversation used and cost."""

from __future__ import annotations

from collections.abc import Callable

from talkfield.core.changes import Change, Changes, Put, Transition
from talkfield.core.cost import conversation_cost, totals_record
from talkfield.core.document import Document
from talkfield.core.ids import NodeId
from talkfield.core.records import MessageRecord, NodeRecord, TotalsRecord

ContextLimit = Callable[[str, str], int | None]
"""The window in tokens of a model of a provider, where known."""


class Totals:
    """Derives the `TotalsRecord` of each node that a commit touched."""

    def __init__(self, context_limit: ContextLimit) -> None:
        self._context_limit = context_limit

    def __call__(self, document: Document, transitions: list[Transition]) -> Changes:
        touched: dict[NodeId, None] = {}
        for before, after in transitions:
            node = _node_to_count(before, after)
            if node is not None:
                touched[node] = None
        changes: list[Change] = []
        for node in touched:
            if document.node(node) is None:
                continue
            totals = totals_of(document, node, self._context_limit)
            if totals != document.get(totals.id):
                changes.append(Put(totals))
        return tuple(changes)


def _node_to_count(before: object, after: object) -> NodeId | None:
    """The node whose totals a transition may have moved. Growing text does not: this is on the road of every token."""
    if isinstance(after, NodeRecord):
        return after.id if before is None else None
    old = before if isinstance(before, MessageRecord) else None
    new = after if isinstance(after, MessageRecord) else None
    some = new or old
    if some is None:
        return None
    if old is not None and new is not None and old.usage == new.usage and old.cost == new.cost:
        return None
    if (old is None or old.usage is None) and (new is None or new.usage is None):
        return None
    return some.node_id


def totals_of(document: Document, node: NodeId, context_limit: ContextLimit) -> TotalsRecord:
    """Tokens and cost of a node's conversation, by what was stamped on its messages (P5, P7)."""
    messages = document.messages(node)
    asked = next((message for message in reversed(messages) if message.usage is not None and message.model), None)
    limit = context_limit(asked.model or "", asked.provider or "") if asked is not None else None
    return totals_record(node, conversation_cost(messages), limit)
