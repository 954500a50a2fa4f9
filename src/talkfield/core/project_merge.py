"""Two versions of a project and what both started from, as one (W11).

Nodes, edges and messages are united by their ids, and everything else field by field: what only one side changed is
taken, what both changed the same way is no conflict. Where both changed one field otherwise, or one removed what the
other changed, that is a conflict: the preferred side's field is taken, what was changed is kept rather than removed,
and the conflict is told in words. So nothing that anyone wrote is dropped without a word. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from msgspec.structs import replace

from talkfield.core.changes import with_fields
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.message_order import merge_order
from talkfield.core.messages import Message
from talkfield.core.project import NodeContent, ProjectFile, in_window_of, too_old
from talkfield.core.project_words import MISSING, field_changes, field_label, node_name, shown
from talkfield.core.records import EdgeRecord, NodeRecord

Side = Literal["ours", "theirs"]
Part = TypeVar("Part", NodeRecord, EdgeRecord, Message)
Kept = TypeVar("Kept", NodeContent, EdgeRecord, Message)


@dataclass(frozen=True)
class Merged:
    """The united project, and what both sides changed otherwise, one line each."""

    file: ProjectFile
    conflicts: tuple[str, ...] = ()


def merge_projects(base: ProjectFile, ours: ProjectFile, theirs: ProjectFile, *, prefer: Side = "ours") -> Merged:
    """Unite `ours` and `theirs`, which both come from `base`."""
    merge = _Merge(prefer)
    title = merge.value("the project's title", base.title, ours.title, theirs.title)
    extra = merge.mapping("the project", base.extra, ours.extra, theirs.extra)
    nodes: dict[NodeId, NodeContent] = {}
    for node in {**ours.nodes, **theirs.nodes}:
        content = merge.node(base.nodes.get(node), ours.nodes.get(node), theirs.nodes.get(node))
        if content is not None:
            nodes[node] = content
    edges: dict[EdgeId, EdgeRecord] = {}
    for edge in {**ours.edges, **theirs.edges}:
        kept = merge.edge(base.edges.get(edge), ours.edges.get(edge), theirs.edges.get(edge))
        if kept is not None:
            edges[edge] = kept
    known = ours.nodes.keys() | theirs.nodes.keys()
    # An edge to a node that one side removed goes with it, as it would have on that side.
    edges = {
        name: edge
        for name, edge in edges.items()
        if all(end in nodes or end not in known for end in (edge.source, edge.target))
    }
    return Merged(ProjectFile(title=title, nodes=nodes, edges=edges, extra=extra), tuple(merge.conflicts))


@dataclass
class _Merge:
    prefer: Side
    conflicts: list[str] = field(default_factory=list)

    def node(
        self, base: NodeContent | None, ours: NodeContent | None, theirs: NodeContent | None
    ) -> NodeContent | None:
        if ours is None or theirs is None:
            left = theirs if ours is None else ours
            assert left is not None
            by: Side = "ours" if ours is None else "theirs"
            same = base is not None and in_window_of(base, left) == base
            return self.removed_by_one(base, left, node_name(left.record), by=by, same=same)
        if ours == theirs or (base is not None and in_window_of(base, theirs) == base):
            return ours
        if ours == base and not too_old(ours, theirs):
            return theirs
        name = node_name(ours.record)
        record = self.fields(name, base.record if base else None, ours.record, theirs.record)
        messages, earlier = self.messages(name, base or NodeContent(record=ours.record), ours, theirs)
        return NodeContent(record=record, messages=messages, earlier=earlier)

    def edge(self, base: EdgeRecord | None, ours: EdgeRecord | None, theirs: EdgeRecord | None) -> EdgeRecord | None:
        if ours is None or theirs is None:
            left = theirs if ours is None else ours
            assert left is not None
            by: Side = "ours" if ours is None else "theirs"
            return self.removed_by_one(base, left, f"edge {left.id}", by=by, same=base == left)
        return self.fields(f"edge {ours.id}", base, ours, theirs)

    def removed_by_one(self, base: Kept | None, left: Kept, name: str, *, by: Side, same: bool) -> Kept | None:
        """What is on one side only: new there, or removed on the other. `same`: there it is as in the base."""
        if base is None:
            return left
        if same:
            return None
        other = "theirs" if by == "ours" else "ours"
        self.conflicts.append(f"{name} was removed in {by} and changed in {other}: it is kept")
        return left

    # Messages ---------------------------------------------------------------------------------------------------------

    def messages(
        self, name: str, base: NodeContent, ours: NodeContent, theirs: NodeContent
    ) -> tuple[tuple[Message, ...], int]:
        old, mine, yours = ({message.id: message for message in content.messages} for content in (base, ours, theirs))
        left_out = too_old(base, ours) | too_old(base, theirs)
        kept: dict[str, Message] = {}
        for message in {**mine, **yours}:
            here, there, before = mine.get(message), yours.get(message), old.get(message)
            if here is not None and there is not None:
                kept[message] = self.fields(f"{name}, message {message}", before, here, there)
                continue
            left = there if here is None else here
            assert left is not None
            if message in left_out:
                kept[message] = left
                continue
            by: Side = "ours" if here is None else "theirs"
            found = self.removed_by_one(before, left, f"{name}, message {message}", by=by, same=before == left)
            if found is not None:
                kept[message] = found
        order = merge_order(base.messages, ours.messages, theirs.messages, kept)
        return tuple(kept[message] for message in order), min(ours.earlier, theirs.earlier)

    # Fields -----------------------------------------------------------------------------------------------------------

    def fields(self, name: str, base: Part | None, ours: Part, theirs: Part) -> Part:
        """One record of both sides. Without a base, what differs was added otherwise on either side."""
        if ours == theirs:
            return ours
        start = ours if base is None else base
        one_kind = len({type(getattr(each, "data", None)) for each in (start, ours, theirs)}) == 1
        here: dict[str, Any] = {} if base is None else field_changes(base, ours, one_kind=one_kind)
        there = field_changes(start, theirs, one_kind=one_kind)
        if base is None:
            here = {what: (after, before) for what, (before, after) in there.items()}
        taken = {what: after for what, (_, after) in here.items()}
        for what, (_, after) in there.items():
            if what == "extra":
                before = {} if base is None else base.extra
                taken[what] = self.mapping(name, before, taken.get(what, start.extra), after)
            elif what not in taken or taken[what] == after:
                taken[what] = after
            else:
                self.tell(name, field_label(what), taken[what], after)
                taken[what] = taken[what] if self.prefer == "ours" else after
        return _with(start, taken)

    def mapping(
        self, name: str, base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Fields of a newer version, each by itself."""
        merged: dict[str, Any] = {}
        for key in {**ours, **theirs}:
            of = [side.get(key, MISSING) for side in (base, ours, theirs)]
            value = self.value(f"{name}, {key}", *of)
            if value is not MISSING:
                merged[key] = value
        return merged

    def value(self, name: str, base: Any, ours: Any, theirs: Any) -> Any:
        if ours == theirs or theirs == base:
            return ours
        if ours == base:
            return theirs
        self.tell(name, "", ours, theirs)
        return ours if self.prefer == "ours" else theirs

    def tell(self, name: str, what: str, ours: Any, theirs: Any) -> None:
        where = f"{name}: {what}" if what else name
        self.conflicts.append(f"{where} is {shown(ours)} in ours and {shown(theirs)} in theirs")


def _with(record: Part, values: Mapping[str, Any]) -> Part:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        names = name.split(" ")
        flat.update(zip(names, value, strict=True) if len(names) > 1 else [(name, value)])
    if isinstance(record, NodeRecord):
        made: Part = with_fields(record, flat)
        return made
    return replace(record, **flat)
