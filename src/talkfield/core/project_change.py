"""What a project file that someone else changed asks of the document as it is (ST7).

Files do not hold everything: drafts, queues, and the messages that were left out of a capped chat stay as they are.
Only what the others changed since both sides were the same is taken in, united with what changed here. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from talkfield.core.branch import settled
from talkfield.core.changes import Change, Changes, Put
from talkfield.core.document import CALL_FIELDS, Document, records_of, removal
from talkfield.core.ids import RecordId
from talkfield.core.messages import FINAL_STATUSES
from talkfield.core.nodes import ChatData
from talkfield.core.project import EARLIER, NodeContent, ProjectFile, content_of, elsewhere, shared
from talkfield.core.project_merge import merge_projects
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, Record, ToolCallRecord

NOT_IN_FILES = tuple(sorted(set(ToolCallRecord.__struct_fields__) - {*CALL_FIELDS, "node_id", "message_id", "index"}))
"""What is known of a tool call besides its value."""

Scope = Collection[str]
"""Ids of nodes and edges that are looked at; the rest of a document is left alone."""


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


def changes_uniting(document: Document, theirs: ProjectFile) -> Changes:
    """What unites a document with a file where nobody knows what both started from.

    What only one of them has was added there, for all one can tell, and stays. Where both have something, the file
    counts.
    """
    scope = {*theirs.nodes, *theirs.edges}
    ours = _part_of(document, scope)
    known = {message.id for content in theirs.nodes.values() for message in content.messages}
    common = {
        name: NodeContent(
            record=content.record, messages=tuple(message for message in content.messages if message.id in known)
        )
        for name, content in ours.nodes.items()
    }
    return changes_since(document, ProjectFile(nodes=common, edges=ours.edges), theirs, scope)


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


# Records --------------------------------------------------------------------------------------------------------------


def _changes(document: Document, file: ProjectFile, scope: Scope) -> Changes:
    wanted: dict[str, Record] = {}
    for content in file.nodes.values():
        wanted[content.record.id] = _as_kept(document, content)
        wanted.update({record.id: record for record in _in_order(document, content)})
    wanted.update({name: edge for name, edge in file.edges.items() if _stands(document, edge, wanted)})
    gone: dict[RecordId, Change] = {}
    for record in _candidates(document, scope):
        if record.id not in wanted:
            gone.update({change.id: change for change in removal(document, record.id)})
    put = [Put(record) for record in wanted.values() if document.get(record.id) != record]
    return (*(change for name, change in gone.items() if name not in wanted), *put)


def _stands(document: Document, edge: EdgeRecord, wanted: dict[str, Record]) -> bool:
    """Whether both ends are there afterwards: what is outside the scope of a change stays."""
    return all(end in wanted or document.node(end) is not None for end in (edge.source, edge.target))


def _candidates(document: Document, scope: Scope) -> Iterable[Record]:
    """Records that go where the file has them no more."""
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
        record = replace(record, data=replace(record.data, draft=known.data.draft, draft_files=known.data.draft_files))
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
        for record in records_of(message, content.record.id, last):
            yield _safe_call(document, record) if isinstance(record, ToolCallRecord) else record


def _safe_call(document: Document, call: ToolCallRecord) -> ToolCallRecord:
    """The call with what files do not hold of it, and never nearer to running than it is here.

    A file that is older than what happened here must not open a card again (R14), and nobody's open cards come with a
    pull.
    """
    known = document.get(call.id)
    if not isinstance(known, ToolCallRecord):
        return settled(call)
    if call.status not in FINAL_STATUSES:
        return replace(known, index=call.index)
    return replace(call, **{name: getattr(known, name) for name in NOT_IN_FILES})
