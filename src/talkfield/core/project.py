"""A project as the text of `talkfield.json`, and back: the copy that people commit to git (W11).

Canonical: the same document is the same bytes. Nodes and edges stand in the order of their ids, each node's fields on
lines of their own, one message a line; so branches that touch different nodes merge without a conflict, and moving a
node does not collide with talking in it. Nothing volatile and nothing of this machine is in it: no drafts, no queue,
no run, no key, no path.

`changes_to` says what a file that someone else changed asks of the document as it is. Pure; makes up no ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from talkfield.core.changes import Change, Changes, Put, Remove
from talkfield.core.document import Document, message_of, records_of
from talkfield.core.ids import EdgeId, MessageId, NodeId, RecordId
from talkfield.core.message_format import Json, decode_message, encode_json, encode_message, type_name, unknown_fields
from talkfield.core.messages import Message
from talkfield.core.nodes import KINDS, ChatData
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, Record, ToolCallRecord
from talkfield.core.serialization import parse, with_unique_ids
from talkfield.core.window import DEFAULT_MAX_BYTES, cap_conversation_messages
from talkfield.errors import ConversationFormatError, ProjectTooNew, ProjectUnreadable

VERSION = 1
NODE_FIELDS = frozenset({"kind", "title", "x", "y", "width", "height", "data", "earlierMessages", "messages"})
EDGE_FIELDS = frozenset({"source", "target", "title"})
FILE_FIELDS = frozenset({"talkfield", "title", "nodes", "edges"})
NOT_SHARED = frozenset({"draft"})
"""Fields of a node's data that are about this machine and this moment."""


@dataclass(frozen=True, kw_only=True)
class ProjectFile:
    """What a file says. `earlier` counts, by node, the messages that were left out of it as too old (C7)."""

    title: str
    records: tuple[Record, ...]
    earlier: dict[NodeId, int] = field(default_factory=dict)
    extra: Json = field(default_factory=dict)


# Writing --------------------------------------------------------------------------------------------------------------


def dump_project(
    document: Document, title: str, *, extra: Json | None = None, max_bytes: int = DEFAULT_MAX_BYTES
) -> bytes:
    """The file's bytes. Each chat is capped to `max_bytes` by whole turns (C7)."""
    lines = ["{", f'  "talkfield": {VERSION},', f'  "title": {_json(title)},']
    unknown = extra or {}
    lines += [f"  {_json(name)}: {_json(unknown[name])}," for name in sorted(set(unknown) - FILE_FIELDS)]
    nodes = sorted(document.nodes(), key=lambda node: node.id)
    lines += _block("nodes", [_node_lines(document, node, max_bytes) for node in nodes], last=False)
    edges = sorted((record for record in document if isinstance(record, EdgeRecord)), key=lambda edge: edge.id)
    lines += _block("edges", [[f"    {_json(edge.id)}: {_edge(edge)}"] for edge in edges], last=True)
    return ("\n".join([*lines, "}"]) + "\n").encode()


def _block(name: str, entries: list[list[str]], *, last: bool) -> list[str]:
    end = "" if last else ","
    if not entries:
        return [f'  "{name}": {{}}{end}']
    lines = [f'  "{name}": {{']
    for index, entry in enumerate(entries):
        lines += entry
        if index < len(entries) - 1:
            lines[-1] += ","
    return [*lines, f"  }}{end}"]


def _node_lines(document: Document, node: NodeRecord, max_bytes: int) -> list[str]:
    data = _data(node)
    fields: list[tuple[str, str]] = [
        ("kind", _json(data.pop("kind"))),
        ("title", _json(node.title)),
        *((name, _number(getattr(node, name))) for name in ("x", "y", "width", "height")),
        ("data", _json(data)),
        *((name, _json(node.extra[name])) for name in sorted(set(node.extra) - NODE_FIELDS)),
    ]
    lines = [f"    {_json(node.id)}: {{", *(f"      {_json(name)}: {value}," for name, value in fields)]
    window = cap_conversation_messages(document.conversation(node.id), max_bytes)
    if window.dropped:
        lines.append(f'      "earlierMessages": {window.dropped},')
    if not window.messages:
        return [*lines, '      "messages": []', "    }"]
    lines.append('      "messages": [')
    texts = [encode_message(message).decode() for message in window.messages]
    lines += [f"        {text}," for text in texts[:-1]]
    return [*lines, f"        {texts[-1]}", "      ]", "    }"]


def _data(node: NodeRecord) -> Json:
    """A node's data as it is shared, unknown fields included."""
    known: Json = msgspec.to_builtins(node.data)
    unknown = node.extra.get("data", {})
    merged = {**(unknown if isinstance(unknown, dict) else {}), **known}
    return {name: merged[name] for name in sorted(merged) if name not in NOT_SHARED}


def _edge(edge: EdgeRecord) -> str:
    value: Json = {"source": edge.source, "target": edge.target}
    if edge.title:
        value["title"] = edge.title
    value |= {name: edge.extra[name] for name in sorted(set(edge.extra) - EDGE_FIELDS)}
    return _json(value)


def _json(value: object) -> str:
    return encode_json(value).decode()


def _number(value: float) -> str:
    """Canvas pixels to a tenth: a whole one without a point, so that 5 and 5.0 are the same bytes."""
    rounded = round(float(value), 1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


# Reading --------------------------------------------------------------------------------------------------------------


def load_project(data: bytes | str) -> ProjectFile:
    """Read a file. Raises `ProjectUnreadable` naming the place, `ProjectTooNew` for what a newer Talkfield wrote."""
    try:
        return _load(parse(data))
    except ConversationFormatError as error:
        hint = "Put the file right, or take it away: Talkfield then writes it anew from its own copy."
        raise ProjectUnreadable(f"talkfield.json cannot be read: {error.message}", hint=hint) from error


def _load(value: Any) -> ProjectFile:
    top = _object(value, "")
    version = top.get("talkfield")
    if isinstance(version, bool) or not isinstance(version, int):
        raise ConversationFormatError("this is not a Talkfield project", place="talkfield")
    if version > VERSION:
        raise ProjectTooNew(f"talkfield.json has version {version}; this Talkfield knows {VERSION}")
    records: list[Record] = []
    earlier: dict[NodeId, int] = {}
    for name, node in _object(top.get("nodes", {}), "nodes").items():
        place = f"nodes.{name}"
        read = _object(node, place)
        records.append(_node(NodeId(name), read, place))
        records += _messages(NodeId(name), read, place)
        if isinstance(left_out := read.get("earlierMessages"), int) and left_out > 0:
            earlier[NodeId(name)] = left_out
    records += [_read_edge(EdgeId(name), edge) for name, edge in _object(top.get("edges", {}), "edges").items()]
    _check_whole(records)
    return ProjectFile(
        title=_string(top.get("title", ""), "title"),
        records=tuple(records),
        earlier=earlier,
        extra=unknown_fields(top, FILE_FIELDS, ""),
    )


def _node(node: NodeId, value: Json, place: str) -> NodeRecord:
    kind = KINDS.get(_string(value.get("kind"), f"{place}.kind"))
    if kind is None:
        raise ProjectTooNew(f"{place} is a {value['kind']!r}, which this Talkfield does not know")
    data = _object(value.get("data", {}), f"{place}.data")
    try:
        known = msgspec.convert({**data, "kind": kind.name}, kind.data_type)
    except msgspec.ValidationError as error:
        raise ConversationFormatError(str(error), place=f"{place}.data") from error
    extra = unknown_fields(value, NODE_FIELDS, place)
    unknown = unknown_fields(data, kind.data_type.__struct_encode_fields__, f"{place}.data")
    if unknown:
        extra["data"] = unknown
    return NodeRecord(
        id=node,
        title=_string(value.get("title", ""), f"{place}.title"),
        x=_float(value.get("x"), f"{place}.x"),
        y=_float(value.get("y"), f"{place}.y"),
        width=_float(value.get("width", kind.width), f"{place}.width"),
        height=_float(value.get("height", kind.height), f"{place}.height"),
        data=known,
        extra=extra,
    )


def _messages(node: NodeId, value: Json, place: str) -> Iterable[MessageRecord | ToolCallRecord]:
    items = value.get("messages", [])
    if not isinstance(items, list):
        raise ConversationFormatError(f"expected a list, got {type_name(items)}", place=f"{place}.messages")
    messages = with_unique_ids([decode_message(item, f"{place}.messages[{i}]") for i, item in enumerate(items)])
    return [record for index, message in enumerate(messages) for record in records_of(message, node, index)]


def _read_edge(edge: EdgeId, value: object) -> EdgeRecord:
    place = f"edges.{edge}"
    read = _object(value, place)
    return EdgeRecord(
        id=edge,
        source=NodeId(_string(read.get("source"), f"{place}.source")),
        target=NodeId(_string(read.get("target"), f"{place}.target")),
        title=_string(read.get("title", ""), f"{place}.title"),
        extra=unknown_fields(read, EDGE_FIELDS, place),
    )


def _check_whole(records: list[Record]) -> None:
    """One id, one record; an edge joins two nodes that are there."""
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            raise ConversationFormatError(f"the id {record.id} occurs twice", place="nodes")
        seen.add(record.id)
    nodes = {record.id for record in records if isinstance(record, NodeRecord)}
    for record in records:
        if isinstance(record, EdgeRecord) and not {record.source, record.target} <= nodes:
            raise ConversationFormatError("joins a node that is not there", place=f"edges.{record.id}")


def _object(value: object, place: str) -> Json:
    if not isinstance(value, dict):
        raise ConversationFormatError(f"expected an object, got {type_name(value)}", place=place)
    return value


def _string(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise ConversationFormatError(f"expected a string, got {type_name(value)}", place=place)
    return value


def _float(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e7:
        raise ConversationFormatError("expected a number on the canvas", place=place)
    return float(value)


# Taking in what someone else changed ----------------------------------------------------------------------------------


def changes_to(document: Document, file: ProjectFile) -> Changes:
    """What makes the document say what the file says; nothing where it does already (ST7).

    What files do not hold stays: drafts, queues, and the messages that were left out of a capped chat.
    """
    wanted: dict[str, Record] = {}
    for record in file.records:
        wanted[record.id] = _as_kept(document, record)
    for node in [record.id for record in file.records if isinstance(record, NodeRecord)]:
        _put_in_order(document, node, file.earlier.get(node, 0), wanted)
    changes: list[Change] = [
        Remove(RecordId(record.id))
        for record in document
        if isinstance(record, NodeRecord | EdgeRecord | MessageRecord | ToolCallRecord) and record.id not in wanted
    ]
    gone = {change.id for change in changes if isinstance(change, Remove)}
    changes += [
        Remove(dependent)
        for record_id in list(gone)
        for dependent in document.dependents(record_id)
        if dependent not in gone
    ]
    changes += [Put(record) for record in wanted.values() if document.get(record.id) != record]
    return tuple(changes)


def _as_kept(document: Document, record: Record) -> Record:
    """The file's record with what only this machine knows of it."""
    known = document.get(record.id)
    if isinstance(record, NodeRecord) and isinstance(known, NodeRecord):
        if isinstance(record.data, ChatData) and isinstance(known.data, ChatData):
            record = replace(record, data=replace(record.data, draft=known.data.draft))
        return known if _same_place(known, record) else record
    return record


def _same_place(known: NodeRecord, record: NodeRecord) -> bool:
    """Whether only the rounding of the file tells the two apart."""
    rounded = {name: float(_number(getattr(known, name))) for name in ("x", "y", "width", "height")}
    return replace(known, **rounded) == record


def _put_in_order(document: Document, node: NodeId, left_out: int, wanted: dict[str, Record]) -> None:
    """Number a node's messages as the file orders them; those before a capped chat stay and come first.

    A message keeps the index it has wherever that fits the order, so that nothing changes but what did.
    """
    in_file = [record for record in wanted.values() if isinstance(record, MessageRecord) and record.node_id == node]
    head = in_file[:1] if in_file and in_file[0].role == "system" else []
    names = {record.id for record in in_file}
    earlier = [message for message in document.messages(node) if message.id not in names][:left_out]
    for message in earlier:
        wanted.update({call.id: call for call in document.calls(message.id)})
    last = -1
    for message in (*head, *earlier, *in_file[len(head) :]):
        known = document.get(message.id)
        index = known.index if isinstance(known, MessageRecord) and known.index > last else last + 1
        wanted[message.id] = replace(message, index=index)
        last = index


def messages_in(file: ProjectFile, node: NodeId) -> tuple[Message, ...]:
    """The messages that a file holds of a node, with their calls."""
    calls: dict[MessageId, list[ToolCallRecord]] = {}
    for record in file.records:
        if isinstance(record, ToolCallRecord):
            calls.setdefault(record.message_id, []).append(record)
    return tuple(
        message_of(record, calls.get(record.id, ()))
        for record in file.records
        if isinstance(record, MessageRecord) and record.node_id == node
    )
