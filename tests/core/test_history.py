"""Undo and redo: entries, scopes, locks (UN1 to UN6)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from builders import chat, document, message_record, records_by_id
from talkfield.core.changes import Append, Change, Put, Remove
from talkfield.core.document import Document, removal
from talkfield.core.history import DEPTH, History, Scope, Undo
from talkfield.core.ids import RecordId
from talkfield.errors import NothingToDo, TurnRunning

TURN, OTHER = Scope("turn"), Scope("other")


class Recorded:
    """A document with a history, as whoever owns both uses them."""

    def __init__(self, *records: Any) -> None:
        self.document: Document = document(*records)
        self.history = History()

    def commit(self, *changes: Change, undo: Undo = "own", label: str = "edit") -> None:
        self.history.check(changes, undo)
        self.history.record(self.document.apply(changes), undo, label)

    def undo(self) -> str:
        return self.history.undone(self.document.apply(self.history.undo_changes(self.document))).label

    def redo(self) -> str:
        return self.history.redone(self.document.apply(self.history.redo_changes(self.document))).label

    @property
    def records(self) -> dict[str, Any]:
        return records_by_id(self.document)


def test_UN1_a_turn_is_one_entry() -> None:
    owner = Recorded(chat("n"))
    owner.history.open(TURN, "message")
    owner.commit(Put(message_record("m", "n", content="a")), undo=TURN)
    owner.commit(Append(RecordId("m"), "content", "b"), undo=TURN)
    owner.history.close(TURN)
    assert owner.undo() == "message"
    assert owner.records == {"n": chat("n")}
    assert owner.redo() == "message"
    assert owner.records == {"n": chat("n"), "m": message_record("m", "n", content="ab")}


def test_UN1_without_a_net_effect_there_is_no_entry() -> None:
    owner = Recorded(chat("n", x=1))
    owner.commit(Put(chat("n", x=1)))
    owner.history.open(TURN, "message")
    owner.commit(Put(chat("n", x=2)), undo=TURN)
    owner.commit(Put(chat("n", x=1)), undo=TURN)
    owner.history.close(TURN)
    with pytest.raises(NothingToDo):
        owner.undo()


def test_UN1_a_new_entry_empties_what_could_be_redone() -> None:
    owner = Recorded(chat("n", x=1))
    owner.commit(Put(chat("n", x=2)))
    owner.undo()
    owner.commit(Put(chat("n", x=3)))
    with pytest.raises(NothingToDo):
        owner.redo()


def test_UN1_what_is_not_recorded_touches_neither_stack() -> None:
    owner = Recorded(chat("n", x=1))
    owner.commit(Put(chat("n", x=2)))
    owner.undo()
    owner.commit(Put(chat("n", x=1, title="named")), undo="skip")
    assert owner.redo() == "edit"
    assert owner.records == {"n": chat("n", x=2, title="named")}


def test_UN2_undo_leaves_what_others_changed_since() -> None:
    owner = Recorded(chat("n", x=1))
    owner.commit(Put(chat("n", x=2)))
    owner.commit(Put(chat("n", x=2, title="named")), undo="skip")
    owner.undo()
    assert owner.records == {"n": chat("n", x=1, title="named")}


def test_UN4_redo_restores_what_undo_really_changed() -> None:
    """A message that came to an added node goes with it, and comes back with it."""
    owner = Recorded()
    owner.commit(Put(chat("n")))
    owner.commit(Put(message_record("m", "n")), undo="skip")
    owner.undo()
    assert owner.records == {}
    owner.redo()
    assert owner.records == {"n": chat("n"), "m": message_record("m", "n")}


def test_UN5_what_an_open_turn_touched_is_locked_to_it() -> None:
    owner = Recorded(chat("n"))
    owner.history.open(TURN, "message")
    owner.history.open(OTHER, "message")
    owner.commit(Put(message_record("m", "n")), undo=TURN)
    touching = Append(RecordId("m"), "content", "x")
    undos: tuple[Undo, ...] = ("own", "skip", OTHER)
    for undo in undos:
        with pytest.raises(TurnRunning):
            owner.commit(touching, undo=undo)
    owner.commit(touching, undo=TURN)
    owner.commit(Put(chat("n", x=5)))
    owner.history.close(TURN)
    owner.commit(touching)
    assert owner.records["m"] == message_record("m", "n", content="xx")


def test_UN5_a_node_cannot_go_while_a_turn_holds_its_messages() -> None:
    owner = Recorded(chat("n"))
    owner.history.open(TURN, "message")
    owner.commit(Put(message_record("m", "n")), undo=TURN)
    with pytest.raises(TurnRunning):
        owner.commit(*removal(owner.document, "n"))
    assert owner.records == {"n": chat("n"), "m": message_record("m", "n")}


def test_UN5_undo_of_what_a_turn_stands_on_waits() -> None:
    owner = Recorded()
    owner.commit(Put(chat("n")))
    owner.history.open(TURN, "message")
    owner.commit(Put(message_record("m", "n")), undo=TURN)
    with pytest.raises(TurnRunning):
        owner.undo()
    owner.history.close(TURN)
    assert [owner.undo(), owner.undo()] == ["message", "edit"]
    assert owner.records == {}


def test_UN5_redo_of_what_a_turn_holds_waits() -> None:
    owner = Recorded(chat("n"), message_record("m", "n"))
    owner.commit(Put(message_record("m", "n", content="edited")))
    owner.undo()
    owner.history.open(TURN, "message")
    owner.commit(Append(RecordId("m"), "content", "!"), undo=TURN)
    with pytest.raises(TurnRunning):
        owner.redo()


def test_UN5_two_turns_at_once_are_two_entries() -> None:
    owner = Recorded(chat("n"), chat("o"))
    owner.history.open(TURN, "first")
    owner.history.open(OTHER, "second")
    owner.commit(Put(message_record("m", "n")), undo=TURN)
    owner.commit(Put(message_record("k", "o")), undo=OTHER)
    owner.commit(Append(RecordId("m"), "content", "1"), undo=TURN)
    owner.commit(Append(RecordId("k"), "content", "2"), undo=OTHER)
    owner.history.close(TURN)
    owner.history.close(OTHER)
    assert owner.undo() == "second"
    assert owner.records == {"n": chat("n"), "o": chat("o"), "m": message_record("m", "n", content="1")}


def test_UN6_the_oldest_entries_are_forgotten() -> None:
    owner = Recorded(chat("n", x=0))
    for x in range(1, DEPTH + 11):
        owner.commit(Put(replace(chat("n"), x=x)))
    undone = 0
    while owner.history.next_undo is not None:
        owner.undo()
        undone += 1
    assert undone == DEPTH == 200
    assert owner.records == {"n": chat("n", x=10)}


def test_UN6_removing_and_bringing_back_goes_on_for_ever() -> None:
    owner = Recorded(chat("n"), message_record("m", "n"))
    before = owner.records
    owner.commit(*removal(owner.document, "n"))
    for _ in range(3):
        owner.undo()
        assert owner.records == before
        owner.redo()
        assert owner.records == {}
    assert [change for change in owner.history.undo_changes(owner.document) if isinstance(change, Remove)] == []


def fan(owner: Recorded) -> tuple[Scope, Scope]:
    """Two turns that began as one step and hold what they answer."""
    both = Scope("both")
    owner.history.open(both, "fan-out")
    made: list[Any] = [chat("a"), chat("b"), message_record("ma", "a"), message_record("mb", "b")]
    owner.commit(*(Put(each) for each in made), undo=both)
    owner.history.close(both)
    turns = Scope("a"), Scope("b")
    for turn, held in zip(turns, ("ma", "mb"), strict=True):
        owner.history.open(turn, "message", joins=both, holds=[RecordId(held)])
    return turns


def test_UN1_turns_that_began_together_are_one_entry_whenever_each_ends() -> None:
    owner = Recorded(chat("n", x=1))
    first, second = fan(owner)
    owner.commit(Append(RecordId("ma"), "content", "left"), undo=first)
    owner.history.close(first)
    owner.commit(Put(chat("n", x=2)), label="move")
    owner.commit(Put(message_record("mc", "b")), Append(RecordId("mb"), "content", "right"), undo=second)
    owner.commit(Remove(RecordId("mc")), undo=second)
    owner.history.close(second)
    after = owner.records
    assert [owner.undo(), owner.undo()] == ["move", "fan-out"]
    assert owner.records == {"n": chat("n", x=1)}
    assert [owner.redo(), owner.redo()] == ["fan-out", "move"]
    assert owner.records == after


def test_UN1_what_a_turn_that_joins_did_to_older_things_is_taken_back_as_well() -> None:
    owner = Recorded(chat("n", x=1), chat("gone"))
    first, _ = fan(owner)
    owner.commit(Put(chat("n", x=2)), Remove(RecordId("gone")), undo=first)
    owner.history.close(first)
    owner.history.close(Scope("b"))
    owner.undo()
    assert owner.records == {"n": chat("n", x=1), "gone": chat("gone")}


def test_UN5_what_a_turn_holds_from_its_beginning_cannot_be_undone_under_it() -> None:
    owner = Recorded()
    first, second = fan(owner)
    with pytest.raises(TurnRunning):
        owner.undo()
    owner.history.close(first)
    with pytest.raises(TurnRunning):
        owner.undo()
    owner.history.close(second)
    assert owner.undo() == "fan-out"


def test_UN1_a_turn_whose_entry_is_forgotten_is_an_entry_of_its_own() -> None:
    owner = Recorded(chat("n", x=0))
    first, _ = fan(owner)
    for step in range(1, DEPTH + 1):
        owner.commit(Put(chat("n", x=step)))
    owner.commit(Append(RecordId("ma"), "content", "left"), undo=first)
    owner.history.close(first)
    assert owner.history.labels[0] == "message"
