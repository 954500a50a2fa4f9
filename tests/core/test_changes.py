"""Diffs: the net change per field, and what takes it back."""

from __future__ import annotations

from builders import call_record, chat, document, edge, message_record, sticky
from talkfield.core.changes import Diff, Put, Remove, changed_fields, grounds_of, with_fields
from talkfield.core.ids import RecordId
from talkfield.core.nodes import ChatData, StickyData
from talkfield.core.records import HISTORY_ID, HistoryRecord, RunRecord


def test_UN2_only_the_fields_that_changed_are_kept() -> None:
    diff = Diff()
    diff.fold(chat(), chat(x=5))
    diff.fold(chat(x=5), chat(x=9, data=ChatData(model="m")))
    assert diff.updated == {"n": {"x": (0, 9), "data.model": (None, "m")}}
    assert diff.inverse(document(chat(x=9, title="by another", data=ChatData(model="m", system="s")))) == (
        Put(chat(title="by another", data=ChatData(system="s"))),
    )


def test_UN1_what_is_taken_back_leaves_no_trace() -> None:
    diff = Diff()
    diff.fold(chat(), chat(x=5))
    diff.fold(chat(x=5), chat())
    diff.fold(None, sticky())
    diff.fold(sticky(), None)
    diff.fold(edge(), None)
    diff.fold(None, edge())
    diff.fold(None, None)
    assert not diff
    assert diff.ids() == set()


def test_UN2_a_removal_remembers_what_was_there_at_the_start() -> None:
    diff = Diff()
    diff.fold(chat(), chat(x=5))
    diff.fold(chat(x=5), None)
    assert diff.removed == {"n": chat()}
    diff.fold(None, chat(title="again"))
    assert (diff.removed, diff.updated) == ({}, {"n": {"title": ("", "again")}})


def test_UN2_an_added_record_keeps_its_newest_state() -> None:
    diff = Diff()
    diff.fold(None, chat())
    diff.fold(chat(), chat(x=5))
    assert diff.added == {"n": chat(x=5)}


def test_UN3_what_is_gone_is_skipped() -> None:
    diff = Diff()
    diff.fold(None, chat("gone"))
    diff.fold(sticky(), sticky(x=4))
    assert diff.inverse(document()) == ()


def test_UN3_what_hangs_on_an_added_node_goes_with_it() -> None:
    diff = Diff()
    diff.fold(None, chat())
    now = document(chat(), message_record(), call_record())
    assert diff.inverse(now) == (Remove(RecordId("c1")), Remove(RecordId("m1")), Remove(RecordId("n")))


def test_UN3_nothing_comes_back_without_its_ground() -> None:
    diff = Diff()
    for record in (message_record(), call_record(), edge()):
        diff.fold(record, None)
    assert diff.inverse(document(sticky())) == ()
    assert diff.inverse(document(chat())) == (Put(message_record()), Put(call_record()))


def test_UN3_a_field_of_a_record_that_goes_is_not_put() -> None:
    diff = Diff()
    diff.fold(None, chat())
    diff.fold(message_record(), message_record(content="x"))
    assert Put(message_record()) not in diff.inverse(document(chat(), message_record(content="x")))


def test_UN2_fields_of_another_kind_of_data_are_one_field() -> None:
    assert changed_fields(chat(), chat(data=StickyData())) == {"data": (ChatData(), StickyData())}
    assert with_fields(chat(), {}) == chat()
    assert with_fields(chat(), {"x": 3, "data.model": "m"}) == chat(x=3, data=ChatData(model="m"))
    assert with_fields(message_record(), {"content": "x"}) == message_record(content="x")


def test_UN3_records_of_a_node_stand_on_it() -> None:
    run = RunRecord(id=RecordId("run:n"), node_id=chat().id, turn="t", phase="waiting", started_at=1)  # type: ignore[arg-type]
    assert grounds_of(run) == ("n",)
    assert grounds_of(HistoryRecord(id=HISTORY_ID)) == ()


def test_check_42_R14_undo_opens_no_card_that_was_decided() -> None:
    subject = document(chat(), message_record(), call_record(status="awaiting"))
    diff = Diff()
    for before, after in subject.apply([Put(call_record(status="done", result="ran"))]):
        diff.fold(before, after)  # type: ignore[arg-type]
    assert diff.inverse(subject) == ()
    diff = Diff()
    for before, after in subject.apply([Put(call_record(status="error", result="no"))]):
        diff.fold(before, after)  # type: ignore[arg-type]
    assert diff.inverse(subject) == (Put(call_record(status="done", result="ran")),)


def test_UN1_a_diff_absorbs_what_came_after_it() -> None:
    earlier, later = Diff(), Diff()
    earlier.fold(None, sticky())
    earlier.fold(chat(), chat(x=5))
    later.fold(sticky(), None)
    later.fold(chat(x=5), None)
    later.fold(None, edge())
    earlier.absorb(later)
    assert (dict(earlier.added), dict(earlier.updated), dict(earlier.removed)) == ({"e1": edge()}, {}, {"n": chat()})
