"""What a `talkfield.json` says, and how it is read: the copy of a project that people commit to git (W11).

`project_text.py` writes it, `project_change.py` says what a file that someone else changed asks of a document,
`project_merge.py` unites two versions of it. Pure; makes up no ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast, get_args

import msgspec
from msgspec.structs import replace

from talkfield.core.document import Document, records_of
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.links import LINK_KINDS, LinkBehavior
from talkfield.core.message_format import Json, decode_message, type_name, unknown_fields
from talkfield.core.messages import Message
from talkfield.core.nodes import KINDS, ChatData
from talkfield.core.nodes.chat import without_draft
from talkfield.core.records import EdgeKind, EdgeRecord, NodeRecord, Record
from talkfield.core.serialization import parse, with_unique_ids
from talkfield.errors import ConversationFormatError, ProjectTooNew, ProjectUnreadable

VERSION = 1
EARLIER = "earlierMessages"
NODE_FIELDS = frozenset({"kind", "title", "x", "y", "width", "height", "data", EARLIER, "messages"})
EDGE_FIELDS = frozenset({"source", "target", "title", "kind", "behavior", "automatic", "pinned"})
FILE_FIELDS = frozenset({"talkfield", "title", "nodes", "edges"})
PLACES = ("x", "y", "width", "height")


@dataclass(frozen=True, kw_only=True)
class NodeContent:
    """A node as files know it: without what is of one machine alone, its place to a tenth of a pixel.

    `earlier` counts the messages before these that were left out as too old (C7).
    """

    record: NodeRecord
    messages: tuple[Message, ...] = ()
    earlier: int = 0


@dataclass(frozen=True, kw_only=True)
class ProjectFile:
    """What a file says. `extra` holds the fields of a newer version, to be written back as they were."""

    title: str = ""
    nodes: dict[NodeId, NodeContent] = field(default_factory=dict)
    edges: dict[EdgeId, EdgeRecord] = field(default_factory=dict)
    extra: Json = field(default_factory=dict)

    @property
    def records(self) -> tuple[Record, ...]:
        """All of it as the records of a document."""
        found: list[Record] = []
        for node, content in self.nodes.items():
            found.append(content.record)
            for index, message in enumerate(content.messages):
                found += records_of(message, node, index)
        return (*found, *self.edges.values())


# A document's view of it ----------------------------------------------------------------------------------------------


def content_of(document: Document, node: NodeRecord) -> NodeContent:
    """A document's node as files know it."""
    return NodeContent(record=shared(node), messages=document.conversation(node.id), earlier=elsewhere(node))


def shared(node: NodeRecord) -> NodeRecord:
    """The record without its draft, and with its place as it is written."""
    data = without_draft(node.data) if isinstance(node.data, ChatData) else node.data
    extra = {name: value for name, value in node.extra.items() if name != EARLIER} if EARLIER in node.extra else None
    return replace(
        node,
        data=data,
        extra=node.extra if extra is None else extra,
        **{name: round(float(getattr(node, name)), 1) for name in PLACES},
    )


def elsewhere(node: NodeRecord) -> int:
    """How many of the node's oldest messages are in no file and not here: another machine has them."""
    count = node.extra.get(EARLIER, 0)
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0


def too_old(base: NodeContent, side: NodeContent) -> set[str]:
    """Messages of the base that a side left out of its file as too old, which is no removal (C7)."""
    count = side.earlier - base.earlier
    kept = {message.id for message in side.messages}
    found: list[str] = []
    for index, message in enumerate(base.messages):
        if index == 0 and message.role == "system":
            continue
        if message.id in kept:
            break
        found.append(message.id)
    return set(found[: max(0, count)])


def in_window_of(base: NodeContent, side: NodeContent) -> NodeContent:
    """A side's content without the oldest messages, where the base had left them out as too old (C7)."""
    known = {message.id for message in base.messages}
    head = side.messages[:1] if side.messages and side.messages[0].role == "system" else ()
    rest = side.messages[len(head) :]
    older = 0
    while older < min(len(rest), base.earlier - side.earlier) and rest[older].id not in known:
        older += 1
    return NodeContent(record=side.record, messages=(*head, *rest[older:]), earlier=side.earlier + older)


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
    nodes = {
        NodeId(name): _content(NodeId(name), node, f"nodes.{name}")
        for name, node in _object(top.get("nodes", {}), "nodes").items()
    }
    edges = {EdgeId(name): _edge(EdgeId(name), edge) for name, edge in _object(top.get("edges", {}), "edges").items()}
    file = ProjectFile(
        title=_string(top.get("title", ""), "title"),
        nodes=nodes,
        edges=edges,
        extra=unknown_fields(top, FILE_FIELDS, ""),
    )
    _check_whole(file)
    return file


def _content(node: NodeId, value: object, place: str) -> NodeContent:
    read = _object(value, place)
    left_out = read.get(EARLIER)
    return NodeContent(
        record=_node(node, read, place),
        messages=_messages(read, place),
        earlier=left_out if isinstance(left_out, int) and not isinstance(left_out, bool) and left_out > 0 else 0,
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


def _messages(value: Json, place: str) -> tuple[Message, ...]:
    items = value.get("messages", [])
    if not isinstance(items, list):
        raise ConversationFormatError(f"expected a list, got {type_name(items)}", place=f"{place}.messages")
    return with_unique_ids([decode_message(item, f"{place}.messages[{i}]") for i, item in enumerate(items)])


def _edge(edge: EdgeId, value: object) -> EdgeRecord:
    place = f"edges.{edge}"
    read = _object(value, place)
    extra = unknown_fields(read, EDGE_FIELDS, place)
    behavior = None
    if read.get("behavior") is not None:
        behavior, unknown = _behavior(_object(read["behavior"], f"{place}.behavior"), f"{place}.behavior")
        if unknown:
            extra["behavior"] = unknown
    return EdgeRecord(
        id=edge,
        source=NodeId(_string(read.get("source"), f"{place}.source")),
        target=NodeId(_string(read.get("target"), f"{place}.target")),
        title=_string(read.get("title", ""), f"{place}.title"),
        kind=_edge_kind(read.get("kind", "link"), f"{place}.kind"),
        behavior=behavior,
        automatic=_bool(read.get("automatic", False), f"{place}.automatic"),
        pinned=_bool(read.get("pinned", False), f"{place}.pinned"),
        extra=extra,
    )


def _behavior(value: Json, place: str) -> tuple[LinkBehavior, Json]:
    """What a link does, and what of it this version does not know."""
    kind = LINK_KINDS.get(_string(value.get("kind"), f"{place}.kind"))
    if kind is None:
        raise ProjectTooNew(f"{place} is a {value['kind']!r}, which this Talkfield does not know")
    try:
        known: LinkBehavior = msgspec.convert(value, kind.data_type)
    except msgspec.ValidationError as error:
        raise ConversationFormatError(str(error), place=place) from error
    return known, unknown_fields(value, {"kind", *kind.data_type.__struct_encode_fields__}, place)


def _edge_kind(value: object, place: str) -> EdgeKind:
    for kind in get_args(EdgeKind):
        if value == kind:
            return cast("EdgeKind", kind)
    raise ProjectTooNew(f"{place} is {value!r}, which this Talkfield does not know")


def _check_whole(file: ProjectFile) -> None:
    """One id, one record; an edge joins two nodes that are there."""
    seen: set[str] = set()
    for name in _ids(file):
        if name in seen:
            raise ConversationFormatError(f"the id {name} occurs twice", place="nodes")
        seen.add(name)
    for edge in file.edges.values():
        if edge.source not in file.nodes or edge.target not in file.nodes:
            raise ConversationFormatError("joins a node that is not there", place=f"edges.{edge.id}")


def _ids(file: ProjectFile) -> Iterable[str]:
    yield from file.nodes
    yield from file.edges
    for content in file.nodes.values():
        for message in content.messages:
            yield message.id
            yield from (call.id for call in message.tool_calls)


def _object(value: object, place: str) -> Json:
    if not isinstance(value, dict):
        raise ConversationFormatError(f"expected an object, got {type_name(value)}", place=place)
    return value


def _string(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise ConversationFormatError(f"expected a string, got {type_name(value)}", place=place)
    return value


def _bool(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise ConversationFormatError(f"expected true or false, got {type_name(value)}", place=place)
    return value


def _float(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e7:
        raise ConversationFormatError("expected a number on the canvas", place=place)
    return float(value)
