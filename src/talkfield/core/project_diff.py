"""What differs between two versions of a project, in words, one line each (W11). Pure."""

from __future__ import annotations

from collections.abc import Iterator

from talkfield.core.ids import NodeId
from talkfield.core.messages import Message
from talkfield.core.project import NodeContent, ProjectFile, too_old
from talkfield.core.project_words import MISSING, field_changes, field_label, node_name, shown
from talkfield.core.records import EdgeRecord, NodeRecord

INDENT = "  "


def diff_projects(before: ProjectFile, after: ProjectFile) -> tuple[str, ...]:
    """The lines; none where both say the same. What belongs to one node stands below it, indented."""
    return tuple(_lines(before, after))


def _lines(before: ProjectFile, after: ProjectFile) -> Iterator[str]:
    if before.title != after.title:
        yield f"the project is called {shown(after.title)}, before {shown(before.title)}"
    for name in sorted({*before.extra, *after.extra}):
        old, new = before.extra.get(name, MISSING), after.extra.get(name, MISSING)
        if old != new:
            yield f"{name} is {shown(new)}, before {shown(old)}"
    for node in sorted({*before.nodes, *after.nodes}):
        yield from _node(before.nodes.get(node), after.nodes.get(node))
    for edge in sorted({*before.edges, *after.edges}):
        yield from _edge(before, after, before.edges.get(edge), after.edges.get(edge))


def _node(before: NodeContent | None, after: NodeContent | None) -> Iterator[str]:
    if before is None or after is None:
        content = after if before is None else before
        assert content is not None
        word = "added" if before is None else "removed"
        yield f"{word} {_called(content.record)}{_with_messages(content)}"
        return
    lines = [*_fields(before.record, after.record), *_messages(before, after)]
    if lines:
        yield f"{_called(after.record)}:"
        yield from (INDENT + line for line in lines)


def _called(node: NodeRecord) -> str:
    return f"{type(node.data).__struct_config__.tag} {node_name(node).removeprefix('node ')}"


def _with_messages(content: NodeContent) -> str:
    count = len(content.messages) + content.earlier
    return "" if not count else f" with {count} message{'' if count == 1 else 's'}"


def _fields(before: NodeRecord, after: NodeRecord) -> Iterator[str]:
    for field, (old, new) in sorted(field_changes(before, after).items()):
        match field:
            case "title":
                yield f"renamed from {shown(old)}"
            case "x y":
                yield f"moved from {shown(old)} to {shown(new)}"
            case "width height":
                yield f"resized from {shown(old)} to {shown(new)}"
            case _:
                yield f"{field_label(field)} is {shown(new or None)}, before {shown(old or None)}"


def _messages(before: NodeContent, after: NodeContent) -> Iterator[str]:
    old = {message.id: message for message in before.messages}
    new = {message.id: message for message in after.messages}
    left_out = too_old(before, after)
    if left_out:
        yield f"{len(left_out)} of the oldest messages are too old for the file now"
    reappeared = too_old(after, before)
    for message in before.messages:
        if message.id not in new and message.id not in left_out:
            yield f"removed {_said(message)}"
    for message in after.messages:
        known = old.get(message.id)
        if known is None:
            if message.id not in reappeared:
                yield f"added {_said(message)}"
        elif known != message:
            yield from _edited(known, message)
    common = [name for name in old if name in new]
    if common != [name for name in new if name in old]:
        yield "the messages stand in another order"


def _said(message: Message) -> str:
    text = message.content or ", ".join(f"calls {call.name}" for call in message.tool_calls)
    return f"{message.role} message {shown(text)}"


def _edited(before: Message, after: Message) -> Iterator[str]:
    for field, (old, new) in field_changes(before, after).items():
        if field == "content":
            yield f"edited {after.role} message: {shown(new)}, before {shown(old)}"
        else:
            yield f"{field_label(field)} changed in {_said(after)}"


def _edge(before: ProjectFile, after: ProjectFile, old: EdgeRecord | None, new: EdgeRecord | None) -> Iterator[str]:
    if old == new:
        return
    if old is None or new is None:
        edge, file, word = (new, after, "added") if old is None else (old, before, "removed")
        assert edge is not None
        yield f"{word} edge from {_end(file, edge.source)} to {_end(file, edge.target)}"
    else:
        yield f"edge from {_end(after, new.source)} to {_end(after, new.target)} changed"


def _end(file: ProjectFile, node: NodeId) -> str:
    return node_name(file.nodes[node].record) if node in file.nodes else f"node {node}"
