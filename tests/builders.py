"""Tiny builders for values that tests are about; everything not said is at its plainest."""

from __future__ import annotations

from typing import Any

from talkfield.core.document import Document
from talkfield.core.ids import CallId, EdgeId, MessageId, NodeId, TurnId
from talkfield.core.messages import Message, ToolCall, Usage
from talkfield.core.nodes import ChatData, StickyData
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord, Record, ToolCallRecord

NODE = NodeId("n")


def chat(node: str = "n", **fields: Any) -> NodeRecord:
    data = fields.pop("data", ChatData())
    return NodeRecord(id=NodeId(node), **{"x": 0, "y": 0, "width": 460, "height": 520, "data": data, **fields})


def sticky(node: str = "s", **fields: Any) -> NodeRecord:
    return chat(node, data=StickyData(), **fields)


def user(content: str = "hi", message: str = "u1", **fields: Any) -> Message:
    return Message(id=MessageId(message), role="user", content=content, ts=1, **fields)


def assistant(content: str = "hello", message: str = "a1", **fields: Any) -> Message:
    return Message(id=MessageId(message), role="assistant", content=content, ts=2, **fields)


def note(content: str = "a note", message: str = "note1", **fields: Any) -> Message:
    return Message(id=MessageId(message), role="note", content=content, ts=3, **fields)


def call(call_id: str = "c1", **fields: Any) -> ToolCall:
    given = {"name": "look", "args_json": "{}", "status": "done", "result": "ok"}
    return ToolCall(id=CallId(call_id), **{**given, **fields})


def usage(input_tokens: int = 10, output_tokens: int = 5, **fields: Any) -> Usage:
    return Usage(input_tokens=input_tokens, output_tokens=output_tokens, **fields)


def message_record(message: str = "m1", node: str = "n", **fields: Any) -> MessageRecord:
    given = {"role": "assistant", "content": "", "ts": 1, "index": 0}
    return MessageRecord(id=MessageId(message), node_id=NodeId(node), **{**given, **fields})


def call_record(call_id: str = "c1", message: str = "m1", node: str = "n", **fields: Any) -> ToolCallRecord:
    given = {"name": "look", "args_json": "{}", "status": "running", "index": 0}
    return ToolCallRecord(
        id=CallId(call_id), message_id=MessageId(message), node_id=NodeId(node), **{**given, **fields}
    )


def edge(source: str = "n", target: str = "s", edge_id: str = "e1") -> EdgeRecord:
    return EdgeRecord(id=EdgeId(edge_id), source=NodeId(source), target=NodeId(target))


def document(*records: Record) -> Document:
    return Document(records)


def records_by_id(document: Document) -> dict[str, Record]:
    return {record.id: record for record in document}


TURN = TurnId("t1")
