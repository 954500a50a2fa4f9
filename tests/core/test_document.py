"""The document: all or nothing, with its indexes in step."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import (
    assistant,
    call,
    call_record,
    chat,
    document,
    edge,
    message_record,
    records_by_id,
    sticky,
    user,
)
from talkfield.core.changes import Append, Change, Put, Remove
from talkfield.core.document import Document, Staged, edge_between, message_of, records_of, removal
from talkfield.core.ids import EdgeId, MessageId, NodeId, RecordId
from talkfield.core.records import HISTORY_ID, EdgeRecord, HistoryRecord, NodeRecord, RunRecord
from talkfield.errors import InvalidChange


def full() -> Document:
    return document(chat(), sticky(), message_record(), call_record(), edge())


def test_W1_changes_apply_and_say_what_really_changed() -> None:
    subject = full()
    grown = message_record(content="ab")
    put, same = Put(chat(title="new")), Put(sticky())
    changes: list[Change] = [put, same, Append(RecordId("m1"), "content", "a"), Append(RecordId("m1"), "content", "b")]
    assert subject.apply(changes) == [(chat(), chat(title="new")), (message_record(), grown)]
    assert subject.get("m1") == grown


def test_W1_a_result_grows_from_nothing() -> None:
    subject = full()
    subject.apply([Append(RecordId("c1"), "result", "out")])
    assert subject.calls(MessageId("m1")) == (call_record(result="out"),)


@pytest.mark.parametrize(
    "bad",
    [
        Append(RecordId("nobody"), "content", "x"),
        Append(RecordId("n"), "content", "x"),
        Append(RecordId("c1"), "content", "x"),
        Put(message_record("m9", node="nobody")),
        Put(call_record("c9", message="nobody")),
        Put(edge("n", "nobody", "e9")),
        Put(message_record("n")),
        Remove(RecordId("n")),
        Remove(RecordId("m1")),
        Put(message_record("m1", node="s")),
    ],
)
def test_X5_a_bad_batch_is_refused_and_changes_nothing(bad: Change) -> None:
    subject = full()
    before = records_by_id(subject)
    with pytest.raises(InvalidChange):
        subject.apply([Put(chat(title="lost")), bad])
    assert records_by_id(subject) == before
    assert subject.messages(NodeId("n")) == (message_record(),)


def test_W1_removing_what_is_not_there_is_nothing() -> None:
    assert full().apply([Remove(RecordId("nobody"))]) == []


def test_W1_a_record_may_come_and_go_in_one_batch() -> None:
    subject = full()
    assert subject.apply([Put(chat("x")), Put(message_record("y", node="x")), Remove(RecordId("y"))]) == [
        (None, chat("x"))
    ]


def test_W1_removal_takes_what_cannot_stand_alone() -> None:
    subject = full()
    subject.apply(removal(subject, "n"))
    assert records_by_id(subject) == {"s": sticky()}
    assert subject.dependents("s") == ()


def test_W1_messages_and_calls_come_in_their_order() -> None:
    subject = document(
        chat(),
        message_record("m2", index=2),
        message_record("m1", index=1),
        call_record("c2", message="m1", index=1),
        call_record("c1", message="m1", index=0),
    )
    assert [message.id for message in subject.messages(NodeId("n"))] == ["m1", "m2"]
    assert [each.id for each in subject.calls(MessageId("m1"))] == ["c1", "c2"]
    assert subject.messages(NodeId("nobody")) == ()


def test_W1_other_kinds_are_no_node() -> None:
    subject = full()
    subject.apply([Put(HistoryRecord(id=HISTORY_ID))])
    assert subject.node(NodeId("m1")) is None
    assert [node.id for node in subject.nodes()] == ["n", "s"]
    assert len(subject) == 6
    assert "n" in subject
    assert "x" not in subject


def test_W1_records_of_a_kind_are_found_in_the_order_in_which_they_came() -> None:
    subject = document(chat("a"), chat("b"), edge("a", "b", "e"), chat("c"))
    subject.apply([Put(replace(chat("a"), x=9.0)), Remove(RecordId("e")), Remove(RecordId("b"))])
    subject.apply([Put(chat("b")), Put(edge("b", "c", "f"))])
    assert [node.id for node in subject.every(NodeRecord)] == ["a", "c", "b"]
    assert [link.id for link in subject.every(EdgeRecord)] == ["f"]
    assert subject.every(RunRecord) == ()


def test_X5_records_that_cannot_stand_are_no_document() -> None:
    with pytest.raises(InvalidChange, match="m1 needs n, which does not exist"):
        document(message_record())


def test_W1_an_edge_from_a_node_to_itself_comes_and_goes() -> None:
    subject = document(chat(), edge("n", "n"))
    assert list(subject.dependents("n")) == ["e1"]
    subject.apply(removal(subject, "n"))
    assert records_by_id(subject) == {}
    assert subject.dependents("n") == ()


def test_L1_one_edge_for_an_ordered_pair() -> None:
    subject = full()
    assert edge_between(subject, NodeId("n"), NodeId("s")) == edge()
    assert edge_between(subject, NodeId("s"), NodeId("n")) is None
    assert edge().id == EdgeId("e1")


def test_M1_a_message_and_its_records_are_the_same_thing() -> None:
    message = assistant(tool_calls=(call("c1"), call("c2")), thinking="hm")
    record, *calls = records_of(message, NodeId("n"), 4)
    assert (record.index, [each.index for each in calls]) == (4, [0, 1])
    assert message_of(record, calls) == message  # type: ignore[arg-type]
    subject = document(chat(), *records_of(user(), NodeId("n"), 0), record, *calls)
    assert subject.conversation(NodeId("n")) == (user(), message)


def test_X5_text_never_grows_on_what_loses_its_ground_in_the_same_batch() -> None:
    subject = full()
    grows = Append(RecordId("m1"), "content", "x")
    with pytest.raises(InvalidChange, match="n cannot go while m1 belongs to it"):
        subject.apply([Remove(RecordId("c1")), Remove(RecordId("e1")), grows, Remove(RecordId("n"))])
    with pytest.raises(InvalidChange, match="append to m1, which does not exist"):
        subject.apply([Remove(RecordId("c1")), Remove(RecordId("m1")), grows])
    with pytest.raises(InvalidChange, match="m1 cannot move to another owner"):
        subject.apply([grows, Put(message_record("m1", node="s"))])
    assert subject.messages(NodeId("n")) == (message_record(),)


def test_C2_staged_changes_are_seen_before_they_are_applied() -> None:
    staged = Staged(full())
    staged.add([Put(message_record("m2", index=7)), Append(RecordId("m1"), "content", "x"), Remove(RecordId("c1"))])
    staged.add([Append(RecordId("nobody"), "content", "x")])
    assert staged.get("nobody") is None
    assert staged.get("m1") == message_record(content="x")
    assert staged.get("c1") is None
    assert staged.last_index(NodeId("n")) == 7
    assert staged.last_index(NodeId("s")) == -1
    assert staged.call_count(MessageId("m1")) == 1


def test_C2_staged_text_grows_in_its_order_whenever_it_is_looked_at() -> None:
    staged = Staged(full())
    more, again = Append(RecordId("m1"), "content", "a"), Append(RecordId("m1"), "content", "b")
    staged.add([more, again])
    assert staged.get("m1") == message_record(content="ab")
    staged.add([more])
    assert staged.get("m1") == message_record(content="aba")
    staged.add([again, Put(message_record(content="new")), more])
    assert staged.get("m1") == message_record(content="newa")
    staged.add([more, Remove(RecordId("m1"))])
    assert staged.get("m1") is None
    assert staged.changes == [
        more,
        again,
        more,
        again,
        Put(message_record(content="new")),
        more,
        more,
        Remove(RecordId("m1")),
    ]
