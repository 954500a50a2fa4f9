"""What a file that someone else changed asks of a document that has gone on itself (ST7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import NODE, assistant, call_record, chat, document, edge, records_by_id, sticky, user
from talkfield.core.changes import Put, Remove
from talkfield.core.document import Document, records_of
from talkfield.core.ids import NodeId, RecordId
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData, StickyData
from talkfield.core.project import ProjectFile, load_project
from talkfield.core.project_change import changed_since, changes_since, changes_uniting
from talkfield.core.project_text import dump_project
from talkfield.core.records import ToolCallRecord
from talkfield.core.turn import NOT_RUN


def said(subject: Document, *messages: Message, node: NodeId = NODE) -> Document:
    """More messages at the end of a chat."""
    start = len(subject.messages(node))
    for index, message in enumerate(messages, start):
        subject.apply([Put(record) for record in records_of(message, node, index)])
    return subject


def copy(subject: Document) -> Document:
    return Document(subject)


def file_of(subject: Document, max_bytes: int = 200_000) -> ProjectFile:
    return load_project(dump_project(subject, "", max_bytes=max_bytes))


def texts(subject: Document) -> list[str]:
    return [message.content for message in subject.messages(NODE)]


def numbered(*numbers: int) -> list[Message]:
    return [user(f"{number:04}", f"u{number:04}") for number in numbers]


LINE_BYTES = 60
"""About what one of those messages takes in a file."""


def test_ST7_what_changed_on_both_sides_is_united() -> None:
    base = said(document(chat(), sticky(), edge()), user(), assistant())
    ours, theirs = copy(base), copy(base)
    ours.apply([Put(chat(title="Mine", x=1.26, data=ChatData(draft="unsent")))])
    said(ours, user("mine", "u2"))
    theirs.apply([Put(chat(width=700)), Put(chat("new")), Remove(RecordId("e1")), Remove(RecordId("s"))])
    said(theirs, user("theirs", "u3"))
    ours.apply(changes_since(ours, file_of(base), file_of(theirs)))
    assert texts(ours) == ["hi", "hello", "mine", "theirs"]
    united = chat(title="Mine", x=1.3, width=700, data=ChatData(draft="unsent"))
    assert (ours.node(NODE), ours.nodes()[1:], ours.get("e1")) == (united, (chat("new"),), None)


def test_ST7_what_they_did_not_touch_is_not_looked_at() -> None:
    base = said(document(chat(), chat("other")), user())
    ours, theirs = copy(base), copy(base)
    theirs.apply([Put(chat("other", x=9))])
    said(ours, user("streaming", "u2"))
    assert changed_since(file_of(base), file_of(theirs)) == {"other"}
    assert changes_since(ours, file_of(base), file_of(theirs)) == (Put(chat("other", x=9)),)


def test_ST7_where_both_changed_the_same_theirs_counts() -> None:
    base = said(document(chat()), user())
    ours, theirs = copy(base), copy(base)
    for subject, text in ((ours, "mine"), (theirs, "theirs")):
        subject.apply([Put(replace(subject.messages(NODE)[0], content=text))])
    ours.apply(changes_since(ours, file_of(base), file_of(theirs)))
    assert texts(ours) == ["theirs"]


def test_ST7_a_chat_that_went_on_here_survives_its_removal_there() -> None:
    base = said(document(chat(), chat("idle")), user())
    ours = said(copy(base), user("more", "u2"))
    ours.apply(changes_since(ours, file_of(base), ProjectFile()))
    assert (texts(ours), ours.node(NodeId("idle"))) == (["hi", "more"], None)


def test_ST7_an_edge_to_a_node_that_is_gone_here_is_not_taken() -> None:
    base = document(chat(), sticky())
    ours, theirs = document(chat()), document(chat(), sticky(), edge())
    ours.apply(changes_since(ours, file_of(base), file_of(theirs)))
    assert records_by_id(ours) == {"n": chat()}


def test_C7_a_machine_that_never_had_the_old_messages_says_so_in_its_file() -> None:
    """Otherwise the one that has them would take them for removed."""
    full = said(document(chat()), *numbered(*range(10)))
    shared = dump_project(full, "", max_bytes=4 * LINE_BYTES)
    other = Document()
    other.apply(changes_uniting(other, load_project(shared)))
    hidden = load_project(shared).nodes[NODE].earlier
    assert (hidden > 0, len(other.messages(NODE))) == (True, 10 - hidden)
    said(other, *numbered(10))
    back = dump_project(other, "", max_bytes=4 * LINE_BYTES)
    assert load_project(back).nodes[NODE].earlier == hidden + 1
    full.apply(changes_since(full, load_project(shared), load_project(back)))
    assert texts(full) == [f"{number:04}" for number in range(11)]


def test_C7_a_removal_in_the_window_counts_and_one_before_it_loses_nothing_else() -> None:
    cap = 4 * LINE_BYTES
    full = said(document(chat()), *numbered(*range(10)))
    hidden = file_of(full, cap).nodes[NODE].earlier
    for gone in (hidden, hidden - 2):  # the oldest that is in the file; one that is not
        other = copy(full)
        other.apply([Remove(RecordId(f"u{gone:04}"))])
        taken = copy(full)
        taken.apply(changes_since(taken, file_of(full, cap), file_of(other, cap)))
        left = set(range(10)) - ({gone} if gone == hidden else set())
        assert {int(text) for text in texts(taken)} == left


def test_C7_clearing_a_chat_clears_what_its_file_showed() -> None:
    full = said(document(chat()), *numbered(*range(10)))
    full.apply(changes_since(full, file_of(full), file_of(document(chat()))))
    assert texts(full) == []


def test_ST7_where_nobody_knows_what_both_started_from_nothing_is_removed() -> None:
    ours = said(document(chat(), chat("mine"), sticky(), edge()), user("both", "u1"), user("mine", "u2"))
    ours.apply([Put(call_record("c1", "u1", status="done", result="ok", output="live"))])
    theirs = said(document(chat(x=9), chat("theirs")), user("both, edited", "u1"), user("theirs", "u3"))
    theirs.apply([Put(call_record("c1", "u1", status="done", result="ok"))])
    ours.apply(changes_uniting(ours, file_of(theirs)))
    assert texts(ours) == ["both, edited", "mine", "theirs"]
    assert {node.id for node in ours.nodes()} == {"n", "s", "mine", "theirs"}
    assert (ours.node(NODE), ours.get("e1")) == (chat(x=9), edge())
    assert ours.get("c1") == call_record("c1", "u1", status="done", result="ok", output="live")
    assert changes_uniting(ours, file_of(ours)) == ()


def test_C7_a_window_that_moved_on_their_side_removes_nothing_here() -> None:
    cap = 4 * LINE_BYTES
    full = said(document(chat()), *numbered(0, 1))
    theirs = said(copy(full), *numbered(*range(2, 9)))
    full.apply(changes_since(full, file_of(full, cap), file_of(theirs, cap)))
    assert texts(full)[:2] == ["0000", "0001"]


def test_C7_a_chat_that_is_longer_than_its_file_can_be_removed_there() -> None:
    cap = 4 * LINE_BYTES
    full = said(document(chat(), sticky()), *numbered(*range(9)))
    full.apply(changes_since(full, file_of(full, cap), file_of(document(sticky()))))
    assert records_by_id(full) == {"s": sticky()}


@pytest.mark.parametrize("known", [True, False])
def test_R14_a_file_never_opens_a_card(known: bool) -> None:
    """Neither one that was decided here since the file was written, nor one that somebody sent."""
    theirs = said(document(chat()), assistant())
    theirs.apply([Put(call_record("c1", "a1", status="awaiting"))])
    ours = said(document(chat()), assistant()) if known else document(chat())
    if known:
        ours.apply([Put(call_record("c1", "a1", status="done", result="ran", output="live"))])
    ours.apply(changes_uniting(ours, file_of(theirs)))
    left = ours.get("c1")
    assert isinstance(left, ToolCallRecord)
    assert (left.status, left.result) == (("done", "ran") if known else ("cancelled", NOT_RUN))


def test_R14_a_card_that_is_open_here_stays_open() -> None:
    ours = said(document(chat()), assistant())
    ours.apply([Put(call_record("c1", "a1", status="awaiting", output="kept"))])
    theirs = copy(ours)
    theirs.apply([Put(chat(x=5))])
    ours.apply(changes_since(ours, file_of(ours), file_of(theirs)))
    assert ours.get("c1") == call_record("c1", "a1", status="awaiting", output="kept")


numbers = st.sets(st.integers(0, 6))


@given(numbers, numbers, numbers, st.sampled_from([3, 6, 1000]), st.sampled_from(["neither", "mine", "yours"]))
def test_ST7_new_messages_of_both_sides_stay_and_removed_ones_go(
    before: set[int], mine: set[int], yours: set[int], lines: int, unchanged: str
) -> None:
    """Whatever the windows of the files: what a file left out is not removed."""
    mine, yours = (before if unchanged == name else side for name, side in (("mine", mine), ("yours", yours)))
    cap = lines * LINE_BYTES
    base, ours, theirs = (said(document(chat()), *numbered(*sorted(each))) for each in (before, mine, yours))
    visible = {int(message.content) for message in file_of(base, cap).nodes[NODE].messages}
    ours.apply(changes_since(ours, file_of(base, cap), file_of(theirs)))
    left = {int(text) for text in texts(ours)}
    # A message that they put among those that the file left out cannot be told from these.
    added = {number for number in yours - before if before == visible or number > min(visible)}
    assert left >= (mine - (visible - yours)) | added
    assert not left & (visible - mine)
    assert not left & (visible - yours)
    assert left <= mine | yours


def test_ST7_a_note_that_they_wrote_in_is_taken_as_it_is() -> None:
    base = document(sticky())
    theirs = document(chat("s", data=StickyData(text="theirs")))
    ours = copy(base)
    ours.apply(changes_since(ours, file_of(base), file_of(theirs)))
    assert records_by_id(ours) == records_by_id(theirs)
