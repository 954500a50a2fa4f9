"""Copies of a conversation beside where it came from (W13)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from builders import call_record, chat, document, message_record, usage
from doubles import CountingIds
from talkfield.core.branch import GAP, branch, free_place, quotation
from talkfield.core.changes import Put
from talkfield.core.ids import EdgeId, MessageId, NodeId, TurnId
from talkfield.core.messages import MessageCost
from talkfield.core.nodes import ChatData
from talkfield.core.records import EdgeRecord, MessageRecord, ToolCallRecord


def test_W13_a_branch_has_copies_with_ids_of_their_own_and_counts_money_once() -> None:
    paid: dict[str, Any] = {"usage": usage(), "cost": MessageCost(usd=Decimal("0.1"), source="table")}
    source = chat(title="Plans", x=10, y=20, data=ChatData(model="m", draft="unsent"))
    kept = [
        message_record("u1", role="user", turn=TurnId("t1")),
        message_record("a1", turn=TurnId("t1"), index=4, **paid),
    ]
    moved = [message_record("u2", role="user", turn=TurnId("t2"), index=7), message_record("a2", index=9, **paid)]
    subject = document(source, *kept, *moved, call_record("c1", "a2", status="done"))
    made = branch(subject, source, kept, moved, CountingIds("new-"))
    beside = chat("new-node-1", title="Plans (earlier)", x=10 + 460 + GAP, y=20, data=ChatData(model="m"))
    assert made.node == beside
    edge = EdgeRecord(id=EdgeId("new-edge-1"), source=source.id, target=beside.id, kind="lineage")
    puts = [change.value for change in made.changes if isinstance(change, Put)]
    assert puts[:2] == [beside, edge]
    messages = [record for record in puts if isinstance(record, MessageRecord)]
    expected = [
        replace(original, node_id=NodeId("new-node-1"), index=index, copied_from=original.id)
        for index, original in enumerate((*kept, *moved))
    ]
    turns = [TurnId("new-turn-1"), TurnId("new-turn-1"), TurnId("new-turn-2"), None]
    assert messages == [
        replace(each, id=MessageId(f"new-message-{number}"), turn=turn, **free)
        for number, (each, turn, free) in enumerate(
            zip(expected, turns, [{}, {"usage": None, "cost": None}, {}, {}], strict=True), 1
        )
    ]
    (call,) = [record for record in puts if isinstance(record, ToolCallRecord)]
    assert call == call_record("new-call-1", "new-message-4", "new-node-1", status="done")
    subject.apply(made.changes)


def test_U6_what_is_put_beside_a_node_covers_nothing() -> None:
    nodes = [chat("a", x=0, y=0), chat("b", x=540, y=100), chat("c", x=600, y=700), chat("far", x=5000, y=0)]
    x, y = free_place(nodes, 540, 0, 460, 520)
    assert (x, y) == (540, 700 + 520 + GAP)
    assert free_place(nodes, 2000, 5, 10, 10) == (2000, 5)


def test_L4_a_quotation_is_every_line_in_markdown_with_room_below() -> None:
    assert quotation("one\r\n  two\n\nthree \n") == "> one\n>   two\n>\n> three\n\n"
    assert quotation(" \n ") == ""
