"""The text of a project's file, made anew only where the project changed (ST6, W1).

On the loop it is noted which nodes changed, and what they hold when it is time to write; that is cheap. Turning it
into text is done in the thread that writes. A node whose turn runs stays in the file as it was before that turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from talkfield.core.changes import Transition
from talkfield.core.document import Document
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.message_format import Json
from talkfield.core.project import NodeContent, content_of, elsewhere, shared
from talkfield.core.project_text import node_text, project_text
from talkfield.core.records import (
    EdgeRecord,
    MessageRecord,
    NodeRecord,
    RunRecord,
    ToolCallRecord,
    run_id,
)

Urgency = Literal["none", "edit", "turn"]
"""What a commit means to the file: nothing, a person's edit, or the end of a turn."""

NODES_AT_ONCE = 50


@dataclass(frozen=True)
class Snapshot:
    """What changed since the snapshot before: nodes with what they hold (None: gone), and all edges."""

    nodes: dict[NodeId, NodeContent | None]
    edges: tuple[EdgeRecord, ...]


class SharedText:
    """See the module. `note` and `take` are called on the loop, `render` in the thread that writes, one at a time."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._stale: dict[NodeId, None] = {node.id: None for node in document.nodes()}
        self._edges: dict[EdgeId, EdgeRecord] = {edge.id: edge for edge in document.every(EdgeRecord)}
        self._taken: dict[NodeId, NodeContent | None] = {}
        self._known: set[NodeId] = set()
        self._texts: dict[NodeId, str] = {}

    def note(self, transitions: Iterable[Transition]) -> Urgency:
        """Take note of a commit that has just been made."""
        urgency: Urgency = "none"
        for before, after in transitions:
            match after if after is not None else before:
                case RunRecord(node_id=node):
                    if after is None and self._document.node(node) is not None:
                        self._take_node(node)  # at once: the next turn may begin before the file is written
                        urgency = "turn"
                case NodeRecord(id=node):
                    if not _differ(before, after):
                        continue
                    self._stale[node] = None
                    urgency = self._edit(node, urgency)
                case MessageRecord(node_id=node) | ToolCallRecord(node_id=node):
                    self._stale[node] = None
                    urgency = self._edit(node, urgency)
                case EdgeRecord() as edge:
                    if after is None:
                        self._edges.pop(edge.id, None)
                    else:
                        self._edges[edge.id] = edge
                    urgency = urgency if urgency == "turn" else "edit"
                case _:
                    pass
        return urgency

    async def take(self) -> Snapshot:
        """What is to be written now. Other work may go on in between; the result is of one moment."""
        while ready := [node for node in self._stale if not self._waits(node)]:
            for node in ready[:NODES_AT_ONCE]:
                self._take_node(node)
            if len(ready) > NODES_AT_ONCE:
                await asyncio.sleep(0)
        taken, self._taken = self._taken, {}
        for node, content in taken.items():
            (self._known.discard if content is None else self._known.add)(node)
        return Snapshot(taken, tuple(self._edges.values()))

    def render(self, snapshot: Snapshot, title: str, extra: Json) -> bytes:
        """The whole file's bytes."""
        for node, content in snapshot.nodes.items():
            if content is None:
                self._texts.pop(node, None)
            else:
                self._texts[node] = node_text(content)
        return project_text(title, self._texts, snapshot.edges, extra)

    def _edit(self, node: NodeId, urgency: Urgency) -> Urgency:
        """What happens to a node whose turn runs is written at the turn's end (W1)."""
        return urgency if urgency == "turn" or self._runs(node) else "edit"

    def _runs(self, node: NodeId) -> bool:
        return self._document.get(run_id(node)) is not None

    def _waits(self, node: NodeId) -> bool:
        """Whether the file keeps what it has of the node for now. One it has not must come in, for its edges."""
        has = self._taken[node] is not None if node in self._taken else node in self._known
        return has and self._runs(node)

    def _take_node(self, node: NodeId) -> None:
        record = self._document.node(node)
        run = self._document.get(run_id(node))
        self._taken[node] = None if record is None else content_of(self._document, record)
        content = self._taken[node]
        if content is not None and isinstance(run, RunRecord):
            earlier = tuple(message for message in content.messages if message.turn != run.turn)
            self._taken[node] = NodeContent(record=content.record, messages=earlier, earlier=content.earlier)
            return  # still stale: the turn's messages follow at its end
        self._stale.pop(node, None)


def _differ(before: object, after: object) -> bool:
    """Whether two states of a node differ in what is shared: a draft is not."""
    if isinstance(before, NodeRecord) and isinstance(after, NodeRecord):
        return shared(before) != shared(after) or elsewhere(before) != elsewhere(after)
    return True
