"""The document: every record of one project, by id, with the few indexes that commands need.

Pure and synchronous. A batch of changes is staged, checked as a whole, and only then applied: a bad one raises
`InvalidChange` and nothing has changed. Whoever holds the document decides who may call `apply`; in the product that
is `Workspace.commit` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from talkfield.core.changes import Append, Change, Put, Remove, Transition, grounds_of
from talkfield.core.ids import MessageId, NodeId, RecordId
from talkfield.core.messages import Message, ToolCall
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, QueuedRecord, Record, ToolCallRecord
from talkfield.errors import InvalidChange

APPENDABLE: dict[type[Any], frozenset[str]] = {
    MessageRecord: frozenset({"content", "thinking"}),
    ToolCallRecord: frozenset({"result", "output"}),
}

MANY = (MessageRecord, ToolCallRecord)
"""Of these a document has so many that they are found by what they belong to alone."""

Kind = TypeVar("Kind")


class Document:
    """Records by id. `get`, `every`, `messages` and `calls` read; `apply` is the only way to write."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._records: dict[str, Record] = {}
        self._dependents: dict[str, dict[RecordId, None]] = {}
        self._kinds: dict[type[Any], dict[str, None]] = {}
        self._load(records)

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def __contains__(self, record_id: object) -> bool:
        return record_id in self._records

    def get(self, record_id: str) -> Record | None:
        return self._records.get(record_id)

    def dependents(self, record_id: str) -> Iterable[RecordId]:
        """Ids of records that cannot be without this one: messages, calls and edges of a node, calls of a message."""
        return tuple(self._dependents.get(record_id, ()))

    def node(self, node: NodeId) -> NodeRecord | None:
        record = self._records.get(node)
        return record if isinstance(record, NodeRecord) else None

    def nodes(self) -> tuple[NodeRecord, ...]:
        return self.every(NodeRecord)

    def every(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """All records of a kind, none of `MANY`, in the order in which they came: without a look at all the others."""
        assert kind not in MANY
        return tuple(cast("Kind", self._records[record_id]) for record_id in self._kinds.get(kind, ()))

    def messages(self, node: NodeId) -> tuple[MessageRecord, ...]:
        """A node's messages in their order."""
        found = [
            record
            for record_id in self._dependents.get(node, ())
            if isinstance(record := self._records[record_id], MessageRecord)
        ]
        found.sort(key=lambda message: message.index)
        return tuple(found)

    def queued(self, node: NodeId) -> tuple[QueuedRecord, ...]:
        """What waits to be sent in a node, in its order (W12)."""
        found = [
            record
            for record_id in self._dependents.get(node, ())
            if isinstance(record := self._records[record_id], QueuedRecord)
        ]
        found.sort(key=lambda queued: queued.index)
        return tuple(found)

    def calls(self, message: MessageId) -> tuple[ToolCallRecord, ...]:
        """A message's tool calls in their order."""
        found = [
            record
            for record_id in self._dependents.get(message, ())
            if isinstance(record := self._records[record_id], ToolCallRecord)
        ]
        found.sort(key=lambda call: call.index)
        return tuple(found)

    def conversation(self, node: NodeId) -> tuple[Message, ...]:
        """A node's messages with their tool calls, as values for files, providers and scripts."""
        return tuple(message_of(record, self.calls(record.id)) for record in self.messages(node))

    def _load(self, records: Iterable[Record]) -> None:
        """What `apply` would do to an empty document, without staging: a project may have very many records."""
        for record in records:
            self._records[record.id] = record
        for record in self._records.values():
            self._list(record)
            for ground in grounds_of(record):
                if ground not in self._records:
                    raise InvalidChange(f"{record.id} needs {ground}, which does not exist")
                self._dependents.setdefault(ground, {})[RecordId(record.id)] = None

    def apply(self, changes: Iterable[Change]) -> list[Transition]:
        """Apply all changes or none; returns what really changed, in order. Raises `InvalidChange`."""
        staged: dict[str, Record | None] = {}
        placed: set[str] = set()
        for change in changes:
            if isinstance(change, Append):
                self._stage_append(change, staged)
            else:
                placed.add(self._stage(change, staged))
        touched = [
            (before, after)
            for record_id, after in staged.items()
            if (before := self._records.get(record_id)) is not after and before != after
        ]
        if placed:  # text that grows can neither lose its ground nor move: on the road of every token, this is dear
            for before, after in touched:
                self._check(before, after, placed, staged)
        for before, after in touched:
            self._commit(before, after)
        return touched

    def _stage(self, change: Put | Remove, staged: dict[str, Record | None]) -> str:
        if isinstance(change, Remove):
            staged[change.id] = None
            return change.id
        value = change.value
        current = staged[value.id] if value.id in staged else self._records.get(value.id)
        if current is not None and type(current) is not type(value):
            raise InvalidChange(f"{value.id} is another kind of record")
        staged[value.id] = value
        return value.id

    def _stage_append(self, append: Append, staged: dict[str, Record | None]) -> None:
        current = staged[append.id] if append.id in staged else self._records.get(append.id)
        if current is None:
            raise InvalidChange(f"append to {append.id}, which does not exist")
        if append.field not in APPENDABLE.get(type(current), ()):
            raise InvalidChange(f"{append.id} has no text field {append.field}")
        staged[append.id] = grown(current, append)

    def _check(
        self, before: Record | None, after: Record | None, placed: set[str], staged: dict[str, Record | None]
    ) -> None:
        if after is None:
            assert before is not None
            self._check_abandoned(before, staged)
        elif after.id in placed:
            self._check_grounds(after, staged)
            if before is not None and grounds_of(before) != grounds_of(after):
                raise InvalidChange(f"{after.id} cannot move to another owner")

    def _check_grounds(self, record: Record, staged: dict[str, Record | None]) -> None:
        for ground in grounds_of(record):
            present = staged[ground] if ground in staged else self._records.get(ground)
            if present is None:
                raise InvalidChange(f"{record.id} needs {ground}, which does not exist")

    def _check_abandoned(self, record: Record, staged: dict[str, Record | None]) -> None:
        for dependent in self._dependents.get(record.id, ()):
            left = staged[dependent] if dependent in staged else self._records.get(dependent)
            if left is not None:
                raise InvalidChange(f"{record.id} cannot go while {dependent} belongs to it")

    def _list(self, record: Record) -> None:
        if not isinstance(record, MANY):
            self._kinds.setdefault(type(record), {})[record.id] = None

    def _commit(self, before: Record | None, after: Record | None) -> None:
        if after is not None:
            self._records[after.id] = after
            if before is None:
                self._list(after)
                for ground in grounds_of(after):
                    self._dependents.setdefault(ground, {})[RecordId(after.id)] = None
        else:
            assert before is not None
            del self._records[before.id]
            if not isinstance(before, MANY):
                del self._kinds[type(before)][before.id]
            for ground in grounds_of(before):
                mates = self._dependents.get(ground)
                if mates is not None:
                    mates.pop(RecordId(before.id), None)
                    if not mates:
                        del self._dependents[ground]


class Staged:
    """A document with changes laid over it that are not applied yet: later events of a batch see earlier ones."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._overlay: dict[str, Record | None] = {}
        self._growth: dict[str, list[Append]] = {}
        """Appends that nobody has looked at yet: a long text is not copied for a look that hardly ever comes."""
        self._call_counts: dict[MessageId, int] = {}
        """Counted once a batch: an answer may hold very many calls."""
        self.changes: list[Change] = []

    def get(self, record_id: str) -> Record | None:
        current = self._overlay[record_id] if record_id in self._overlay else self._document.get(record_id)
        for append in self._growth.pop(record_id, ()):
            if current is not None:
                current = self._overlay[record_id] = grown(current, append)
        return current

    def add(self, changes: Iterable[Change]) -> None:
        for change in changes:
            self.changes.append(change)
            if isinstance(change, Append):
                self._growth.setdefault(change.id, []).append(change)
                continue
            record_id, value = (change.value.id, change.value) if isinstance(change, Put) else (change.id, None)
            if isinstance(value, ToolCallRecord) and self.get(record_id) is None:
                self._call_counts[value.message_id] = self.call_count(value.message_id) + 1
            self._overlay[record_id] = value
            self._growth.pop(record_id, None)

    def last_index(self, node: NodeId) -> int:
        """Index of a node's last message; -1 without one."""
        indexes = [
            record.index
            for record_id in self._document.dependents(node)
            if isinstance(record := self.get(record_id), MessageRecord)
        ]
        indexes += [r.index for r in self._overlay.values() if isinstance(r, MessageRecord) and r.node_id == node]
        return max(indexes, default=-1)

    def call_count(self, message: MessageId) -> int:
        """How many tool calls a message has."""
        if message not in self._call_counts:
            self._call_counts[message] = len(tuple(self._document.dependents(message)))
        return self._call_counts[message]


def grown(record: Any, append: Append) -> Any:
    """The record with a text field grown; a field that is None grows from nothing."""
    return replace(record, **{append.field: (getattr(record, append.field) or "") + append.text})


MESSAGE_FIELDS: tuple[str, ...] = tuple(name for name in Message.__struct_fields__ if name != "tool_calls")
CALL_FIELDS: tuple[str, ...] = ToolCall.__struct_fields__


def message_of(record: MessageRecord, calls: Iterable[ToolCallRecord] = ()) -> Message:
    """A record and its calls as one value."""
    fields = {name: getattr(record, name) for name in MESSAGE_FIELDS}
    return Message(**fields, tool_calls=tuple(call_of(call) for call in calls))


def call_of(record: ToolCallRecord) -> ToolCall:
    return ToolCall(**{name: getattr(record, name) for name in CALL_FIELDS})


def records_of(message: Message, node: NodeId, index: int) -> tuple[MessageRecord | ToolCallRecord, ...]:
    """A message as the records of a node: itself, then its calls."""
    fields = {name: getattr(message, name) for name in MESSAGE_FIELDS}
    return (
        MessageRecord(**fields, node_id=node, index=index),
        *(
            ToolCallRecord(
                **{name: getattr(call, name) for name in CALL_FIELDS}, node_id=node, message_id=message.id, index=place
            )
            for place, call in enumerate(message.tool_calls)
        ),
    )


def removal(document: Document, record_id: str) -> tuple[Remove, ...]:
    """Changes that take a record away with everything that cannot be without it."""
    gone: dict[RecordId, None] = {}

    def collect(current: RecordId) -> None:
        if current in gone:
            return
        gone[current] = None
        for dependent in document.dependents(current):
            collect(dependent)

    collect(RecordId(record_id))
    return tuple(Remove(each) for each in gone)


def edge_between(document: Document, source: NodeId, target: NodeId) -> EdgeRecord | None:
    """The edge of an ordered pair of nodes, if there is one."""
    for dependent in document.dependents(source):
        record = document.get(dependent)
        if isinstance(record, EdgeRecord) and record.source == source and record.target == target:
            return record
    return None
