"""What a commit takes away that was paid for (W14)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from builders import NODE, TURN, call, call_record, chat, document, message_record, usage
from talkfield.core.changes import Append, Change, Put, Remove
from talkfield.core.document import Document, removal
from talkfield.core.ids import MessageId, RecordId
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData
from talkfield.core.records import MessageRecord, RunRecord, run_id
from talkfield.core.shelf import ShelfItem, shelf_items, without_paid
from talkfield.core.turn import NOT_RUN


def said() -> list[MessageRecord]:
    return [
        message_record("u1", role="user", content="hi", index=0),
        message_record("a1", content="hello", index=1),
        message_record("u2", role="user", content="more", index=2),
        message_record("a2", content="", thinking="hm", index=3),
    ]


def shelved(subject: Document, *changes: Change, cause: str = "removeMessage") -> tuple[ShelfItem, ...]:
    return shelf_items(subject, subject.apply(changes), cause, at=7)


def ids(items: tuple[ShelfItem, ...]) -> list[list[str]]:
    return [[message.id for message in item.messages] for item in items]


def test_W14_what_is_deleted_is_shelved_whole_with_its_node() -> None:
    node = chat(title="Plans", data=ChatData(model="m", draft="unsent"))
    subject = document(node, message_record("a1", content="hello"), call_record("c2", index=1, message="a1"))
    subject.apply([Put(call_record("c1", "a1", status="done", result="found"))])
    (item,) = shelved(subject, *removal(subject, "a1"))
    calls = (
        call("c1", result="found"),
        replace(call("c2"), status="cancelled", result=NOT_RUN, is_error=True),
    )
    message = Message(id=MessageId("a1"), role="assistant", content="hello", ts=1, tool_calls=calls)
    expected = ShelfItem(
        id=item.id,
        why="message deleted",
        taken_at=7,
        node=replace(node, data=ChatData(model="m")),
        messages=(message,),
    )
    assert item == expected


def test_W14_each_node_is_an_item_and_its_messages_keep_their_order() -> None:
    other = message_record("b1", "other", content="there")
    subject = document(chat(), chat("other"), *said()[::-1], other)
    gone = [*removal(subject, "n"), *removal(subject, "other")]
    items = shelved(subject, *gone, cause="removeNodes")
    assert ids(items) == [["u1", "a1", "u2", "a2"], ["b1"]]
    assert {item.why for item in items} == {"chat closed"}


@pytest.mark.parametrize(
    "record",
    [
        message_record("x", role="user", content="my own words"),
        message_record("x", role="note", content="a note"),
        message_record("x", content=""),
    ],
)
def test_W14_what_cost_nothing_is_not_shelved(record: MessageRecord) -> None:
    subject = document(chat(), record)
    assert shelved(subject, Remove(RecordId("x"))) == ()


def test_W14_what_is_still_somewhere_is_not_shelved() -> None:
    subject = document(chat(), chat("branch"), *said())
    copy = replace(said()[1], id=MessageId("copy"), node_id=chat("branch").id, copied_from=MessageId("a1"))
    assert shelved(subject, Put(copy), Remove(RecordId("a1"))) == ()  # moved
    original = said()[1]
    assert shelved(subject, Put(original), Remove(RecordId("copy"))) == ()  # and back
    subject.apply([Put(copy)])
    assert shelved(subject, Remove(RecordId("copy"))) == ()
    subject.apply([Put(copy), Remove(RecordId("a1"))])
    assert ids(shelved(subject, Remove(RecordId("copy")))) == [["copy"]]


def test_W14_a_reply_whose_text_was_exchanged_keeps_the_old_one() -> None:
    subject = document(chat(), *said())
    edited = replace(said()[1], content="other words")
    (item,) = shelved(subject, Put(edited), cause="changedOnDisk")
    assert (item.text, item.why) == ("hello", "changed on disk")
    assert shelved(subject, Put(replace(said()[0], content="asked otherwise"))) == ()
    assert shelved(subject, Put(replace(edited, content="other words and more"))) == ()


def test_W14_growing_text_and_a_reply_that_begins_again_are_not_shelved() -> None:
    run = RunRecord(id=run_id(NODE), node_id=NODE, turn=TURN, phase="streaming", started_at=0)
    subject = document(chat(), *said(), run)
    assert shelved(subject, Append(RecordId("a1"), "content", "!"), cause="delta") == ()
    assert shelved(subject, Put(replace(said()[1], content="")), cause="restart") == ()


def test_W14_the_same_text_is_the_same_item() -> None:
    def item_of(**fields: Any) -> str:
        subject = document(chat(), replace(said()[1], **fields))
        (item,) = shelved(subject, *(Remove(RecordId(record.id)) for record in subject if record.id != "n"))
        return item.id

    assert item_of() == item_of(id=MessageId("another"), index=9)
    assert len({item_of(), item_of(ts=5), item_of(content="x"), item_of(thinking="x")}) == 4


def test_P5_what_comes_back_costs_nothing_where_the_same_call_is_counted_already() -> None:
    paid: dict[str, Any] = {"content": "hello", "usage": usage(10, 5)}
    copy = message_record("copy", "other", copied_from=MessageId("a1"), **paid)
    back = [
        message_record("a1", **paid),
        message_record("a2", **{**paid, "content": "hello again"}),
        message_record("a3", content="hello"),
        message_record("a4", **{**paid, "ts": 2}),
    ]
    free = [replace(back[0], usage=None), *back[1:]]
    assert without_paid(document(chat(), chat("other"), copy), back) == free
    assert without_paid(document(chat(), chat("other"), replace(copy, usage=None)), back) == back
