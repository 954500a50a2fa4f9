"""What a project file that someone else changed asks of the document as it is (ST7).

Files do not hold everything: drafts, queues, and the messages that were left out of a capped chat stay as they are.
Where the file that both sides started from is known, only what the others changed since is taken in, united with what
changed here. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from talkfield.core.changes import Change, Changes, Put, Remove
from talkfield.core.document import Document, records_of
from talkfield.core.ids import NodeId, RecordId
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData
from talkfield.core.project import EARLIER, NodeContent, ProjectFile, content_of, elsewhere, shared
from talkfield.core.project_merge import merge_projects
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, Record, ToolCallRecord
from talkfield.core.window import DEFAULT_MAX_BYTES, cap_conversation_messages

Scope = Collection[str]
"""Ids of nodes and edges that are looked at; the rest of a document is left alone."""


def changes_to(document: Document, file: ProjectFile, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Changes:
    """What makes the document say what the file says; nothing where it does already."""
    nodes = {name: _completed(document, content, max_bytes) for name, content in file.nodes.items()}
    return _changes(document, ProjectFile(title=file.title, nodes=nodes, edges=file.edges), None)


def changed_since(base: ProjectFile, theirs: ProjectFile) -> frozenset[str]:
    """Ids of the nodes and edges that differ between two files."""
    nodes = {name for name in base.nodes.keys() | theirs.nodes.keys() if base.nodes.get(name) != theirs.nodes.get(name)}
    edges = {name for name in base.edges.keys() | theirs.edges.keys() if base.edges.get(name) != theirs.edges.get(name)}
    return frozenset(nodes | edges)


def changes_since(document: Document, base: ProjectFile, theirs: ProjectFile, scope: Scope | None = None) -> Changes:
    """What takes into the document what the others changed since `base`; `scope` is its `changed_since`, where known.

    What changed here as well is united with it; where both changed the same, theirs counts, and undo has ours.
    """
    scope = changed_since(base, theirs) if scope is None else scope
    merged = merge_projects(_part(base, scope), _part_of(document, scope), _part(theirs, scope), prefer="theirs")
    return _changes(document, merged.file, scope)


def _part(file: ProjectFile, scope: Scope) -> ProjectFile:
    return ProjectFile(
        nodes={name: content for name, content in file.nodes.items() if name in scope},
        edges={name: edge for name, edge in file.edges.items() if name in scope},
    )


def _part_of(document: Document, scope: Scope) -> ProjectFile:
    records = [document.get(name) for name in scope]
    return ProjectFile(
        nodes={record.id: content_of(document, record) for record in records if isinstance(record, NodeRecord)},
        edges={record.id: record for record in records if isinstance(record, EdgeRecord)},
    )


# Messages that a file left out ----------------------------------------------------------------------------------------


def _completed(document: Document, content: NodeContent, max_bytes: int) -> NodeContent:
    """The file's node with the messages that only this machine still has; `earlier` then counts those it has not.

    Those were too old for the file. How many of ours it left out, our own window and the file's count both say: to be
    wrong by one would mean to lose a message, so the larger counts.
    """
    node = document.node(content.record.id)
    if node is None or not content.earlier:
        return content
    ours = document.conversation(node.id)
    head = content.messages[:1] if content.messages and content.messages[0].role == "system" else ()
    in_file = {message.id for message in content.messages}
    left_out_here = cap_conversation_messages(ours, max_bytes).dropped
    missing = [message for message in ours if message.id not in in_file]
    kept = missing[: max(content.earlier - elsewhere(node), left_out_here)]
    return NodeContent(
        record=content.record,
        messages=(*head, *kept, *content.messages[len(head) :]),
        earlier=max(0, content.earlier - len(kept)),
    )


# Records --------------------------------------------------------------------------------------------------------------


def _changes(document: Document, file: ProjectFile, scope: Scope | None) -> Changes:
    wanted: dict[str, Record] = {}
    for content in file.nodes.values():
        wanted[content.record.id] = _as_kept(document, content)
        wanted.update({record.id: record for record in _in_order(document, content)})
    wanted.update(
        {name: edge for name, edge in file.edges.items() if _stands(document, edge, wanted, whole=scope is None)}
    )
    gone: dict[RecordId, Change] = {}
    for record in _candidates(document, scope):
        if record.id not in wanted:
            gone[RecordId(record.id)] = Remove(RecordId(record.id))
            for dependent in document.dependents(record.id):
                gone[dependent] = Remove(dependent)
    put = [Put(record) for record in wanted.values() if document.get(record.id) != record]
    return (*(change for name, change in gone.items() if name not in wanted), *put)


def _stands(document: Document, edge: EdgeRecord, wanted: dict[str, Record], *, whole: bool) -> bool:
    """Whether both ends are there afterwards. Outside the scope of a change the document's own nodes count."""
    ends = (edge.source, edge.target)
    return all(end in wanted or (not whole and document.node(end) is not None) for end in ends)


def _candidates(document: Document, scope: Scope | None) -> Iterable[Record]:
    """Records that go where the file has them no more."""
    kinds = NodeRecord | EdgeRecord | MessageRecord | ToolCallRecord
    if scope is None:
        yield from [record for record in document if isinstance(record, kinds)]
        return
    for name in scope:
        record = document.get(name)
        if record is None:
            continue
        yield record
        for dependent in document.dependents(name):
            found = document.get(dependent)
            if isinstance(found, MessageRecord | ToolCallRecord):
                yield found


def _as_kept(document: Document, content: NodeContent) -> NodeRecord:
    """The file's record with what only this machine knows of it."""
    record = content.record
    if content.earlier:
        record = replace(record, extra={**record.extra, EARLIER: content.earlier})
    known = document.node(record.id)
    if known is None:
        return record
    if shared(known) == content.record and elsewhere(known) == content.earlier:
        return known  # the rounding of the file is no change
    if isinstance(record.data, ChatData) and isinstance(known.data, ChatData):
        record = replace(record, data=replace(record.data, draft=known.data.draft))
    return record


def _in_order(document: Document, content: NodeContent) -> Iterable[MessageRecord | ToolCallRecord]:
    """A node's messages as records, numbered in their order.

    A message keeps the index it has wherever that fits the order, so that nothing changes but what did.
    """
    last = -1
    for message in content.messages:
        known = document.get(message.id)
        fits = isinstance(known, MessageRecord) and known.index > last
        last = known.index if fits and isinstance(known, MessageRecord) else last + 1
        yield from _records(message, content.record.id, last)


def _records(message: Message, node: NodeId, index: int) -> Iterable[MessageRecord | ToolCallRecord]:
    return records_of(message, node, index)
