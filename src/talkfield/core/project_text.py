"""A project as the text of `talkfield.json` (W11).

Canonical: the same project is the same bytes. Nodes and edges stand in the order of their ids, each node's fields on
lines of their own, one message a line; so branches that touch different nodes merge without a conflict, and moving a
node does not collide with talking in it. Nothing volatile and nothing of this machine is in it: no drafts, no queue,
no run, no key, no path.

A node's text depends on that node alone: whoever writes the file often keeps the texts of nodes that did not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from talkfield.core.document import Document
from talkfield.core.ids import NodeId
from talkfield.core.message_format import Json, encode_json, encode_message
from talkfield.core.project import (
    EARLIER,
    EDGE_FIELDS,
    FILE_FIELDS,
    NODE_FIELDS,
    PLACES,
    VERSION,
    NodeContent,
    ProjectFile,
    content_of,
)
from talkfield.core.records import EdgeRecord, NodeRecord
from talkfield.core.window import DEFAULT_MAX_BYTES, cap_conversation_messages

NOT_SHARED = frozenset({"draft", "draftFiles"})
"""Fields of a node's data that are about this machine and this moment."""


def dump_project(
    document: Document, title: str, *, extra: Json | None = None, max_bytes: int = DEFAULT_MAX_BYTES
) -> bytes:
    """The bytes of a document's file. Each chat is capped to `max_bytes` by whole turns (C7)."""
    texts = {node.id: node_text(content_of(document, node), max_bytes) for node in document.nodes()}
    return project_text(title, texts, document.every(EdgeRecord), extra)


def dump_file(file: ProjectFile, *, max_bytes: int = DEFAULT_MAX_BYTES) -> bytes:
    """The bytes of a file that was read, or put together from several."""
    texts = {node: node_text(content, max_bytes) for node, content in file.nodes.items()}
    return project_text(file.title, texts, file.edges.values(), file.extra)


def project_text(
    title: str, nodes: Mapping[NodeId, str], edges: Iterable[EdgeRecord], extra: Json | None = None
) -> bytes:
    """The file's bytes, of the texts of its nodes."""
    unknown = extra or {}
    lines = ["{", f'  "talkfield": {VERSION},', f'  "title": {_json(title)},']
    lines += [f"  {_json(name)}: {_json(unknown[name])}," for name in sorted(set(unknown) - FILE_FIELDS)]
    lines += _block("nodes", [nodes[node] for node in sorted(nodes)], last=False)
    by_id = sorted(edges, key=lambda edge: edge.id)
    lines += _block("edges", [f"    {_json(edge.id)}: {_edge(edge)}" for edge in by_id], last=True)
    return ("\n".join([*lines, "}"]) + "\n").encode()


def _block(name: str, entries: list[str], *, last: bool) -> list[str]:
    end = "" if last else ","
    if not entries:
        return [f'  "{name}": {{}}{end}']
    return [f'  "{name}": {{', *(f"{entry}," for entry in entries[:-1]), entries[-1], f"  }}{end}"]


def node_text(content: NodeContent, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """A node's lines, its conversation capped to `max_bytes` by whole turns (C7)."""
    node = content.record
    data = _data(node)
    fields: list[tuple[str, str]] = [
        ("kind", _json(data.pop("kind"))),
        ("title", _json(node.title)),
        *((name, _number(getattr(node, name))) for name in PLACES),
        ("data", _json(data)),
        *((name, _json(node.extra[name])) for name in sorted(set(node.extra) - NODE_FIELDS)),
    ]
    lines = [f"    {_json(node.id)}: {{", *(f"      {_json(name)}: {value}," for name, value in fields)]
    window = cap_conversation_messages(content.messages, max_bytes)
    earlier = content.earlier + window.dropped
    if earlier:
        lines.append(f'      "{EARLIER}": {earlier},')
    if not window.messages:
        return "\n".join([*lines, '      "messages": []', "    }"])
    lines.append('      "messages": [')
    texts = [encode_message(message).decode() for message in window.messages]
    lines += [f"        {text}," for text in texts[:-1]]
    return "\n".join([*lines, f"        {texts[-1]}", "      ]", "    }"])


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
    if edge.kind != "link":
        value["kind"] = edge.kind
    if edge.behavior is not None:
        known: Json = msgspec.to_builtins(edge.behavior)
        unknown = edge.extra.get("behavior", {})
        merged = {**(unknown if isinstance(unknown, dict) else {}), **known}
        value["behavior"] = {name: merged[name] for name in sorted(merged)}
    value |= {name: True for name in ("automatic", "pinned") if getattr(edge, name)}
    value |= {name: edge.extra[name] for name in sorted(set(edge.extra) - EDGE_FIELDS)}
    return _json(value)


def _json(value: object) -> str:
    return encode_json(value).decode()


def _number(value: float) -> str:
    """Canvas pixels to a tenth: a whole one without a point, so that 5 and 5.0 are the same bytes."""
    rounded = round(float(value), 1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)
