"""What hardly ever happens in the core, and what happens then."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from builders import NODE, assistant, call, call_record, chat, document, message_record
from talkfield.core.card import HEAD_CHARS, TAIL_CHARS, Card, field_of
from talkfield.core.changes import Diff, Put, grounds_of
from talkfield.core.conversation import Conversation, changes_for
from talkfield.core.events import ChatEvent, ToolCarded, ToolSaid, ToolShowed
from talkfield.core.ids import CallId, MessageId, RecordId, RuleId
from talkfield.core.messages import Attachment
from talkfield.core.records import RuleRecord
from talkfield.core.repetition import TOLD_FROM, Repetition
from talkfield.core.rule import MAX_PATTERN_CHARS, Rule, checked, covers, deciding, offers_for
from talkfield.core.tool_server import ToolServer, checked_server

A1 = MessageId("a1")
PICTURE = Attachment(id="f1", name="picture", media_type="image/png", size_bytes=3, digest="d")


def rule(**fields: Any) -> Rule:
    return Rule(**{"id": RuleId("r"), "action": "allow", "tool": "look", "kind": "any", **fields})


def test_T6_a_value_of_very_many_short_lines_loses_its_middle_and_says_so() -> None:
    line = "x" * 90
    value = "\n".join([line] * 150)
    shown = field_of("content", value)
    left_out = len(value) - HEAD_CHARS - TAIL_CHARS
    assert shown.shortened
    assert shown.text == f"{value[:HEAD_CHARS]}\n⟨{left_out} characters are not shown here⟩\n{value[-TAIL_CHARS:]}"


@pytest.mark.parametrize(
    "event",
    [
        ToolCarded(node=NODE, message=A1, call_id=CallId("c1"), card=Card(digest="d")),
        ToolSaid(node=NODE, message=A1, call_id=CallId("c1"), text="more"),
        ToolCarded(node=NODE, message=A1, call_id=CallId("nobody"), card=Card(digest="d")),
        ToolSaid(node=NODE, message=A1, call_id=CallId("nobody"), text="more"),
        ToolShowed(node=NODE, message=A1, call_id=CallId("c1"), file=PICTURE),
        ToolShowed(node=NODE, message=A1, call_id=CallId("nobody"), file=PICTURE),
    ],
)
def test_C3_cards_and_output_of_calls_that_are_over_or_unknown_are_ignored(event: ChatEvent) -> None:
    subject = Conversation("n", 0, [assistant(tool_calls=(call("c1"),))])
    before = subject.messages
    subject.apply(event)
    assert subject.messages == before


def test_T10_what_a_running_tool_shows_stays_with_its_call() -> None:
    record = call_record("c1", message="a1")
    other = msgspec.structs.replace(PICTURE, id="f2")
    running = document(chat(), message_record("a1"), record)
    events = [ToolShowed(node=NODE, message=A1, call_id=CallId("c1"), file=file) for file in (PICTURE, other)]
    *_, last = changes_for(running, events, 0)
    assert last == Put(msgspec.structs.replace(record, files=(PICTURE, other)))


def test_C3_output_without_a_word_is_no_change() -> None:
    running = document(chat(), message_record("a1"), call_record("c1", message="a1"))
    assert changes_for(running, [ToolSaid(node=NODE, message=A1, call_id=CallId("c1"), text="")], 0) == ()


def test_UN3_a_rule_for_one_chat_stands_on_it_and_one_for_the_project_on_nothing() -> None:
    given: dict[str, Any] = {"action": "allow", "tool": "look", "kind": "any", "created_at": 0}
    assert grounds_of(RuleRecord(id=RuleId("r"), node_id=NODE, **given)) == (RecordId(NODE),)
    assert grounds_of(RuleRecord(id=RuleId("r"), **given)) == ()


def test_UN3_what_stands_on_something_that_does_not_come_back_does_not_either() -> None:
    diff = Diff()
    for record in (call_record(), message_record(), chat()):  # whatever the order in which they went
        diff.fold(record, None)
    del diff.removed[RecordId(NODE)]
    assert diff.inverse(document()) == ()


def test_T1_a_repeated_call_is_told_also_where_its_arguments_are_no_json() -> None:
    repetition = Repetition()
    notes = [repetition.note("look", args) for args in ("{", "{", "{", '{"a":1,"b":2}', '{"b":2,"a":1}')]
    assert [bool(note) for note in notes] == [False] * (TOLD_FROM - 1) + [True, False, False]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tool": ""}, "a rule names a tool"),
        ({"pattern": "x" * (MAX_PATTERN_CHARS + 1)}, f"a pattern has at most {MAX_PATTERN_CHARS} characters"),
        ({"pattern": "x"}, "a rule for every call has no pattern"),
        ({"kind": "exact", "pattern": '{"b":1, "a":2}'}, "the arguments are no JSON object in its one canonical form"),
        ({"kind": "exact", "pattern": "{"}, "the arguments are no JSON object in its one canonical form"),
        ({"kind": "exact", "pattern": "[]"}, "the arguments are no JSON object in its one canonical form"),
        ({"kind": "path", "pattern": "a/../b"}, "a path pattern begins at the project's folder and holds no '..'"),
    ],
)
def test_T7_a_rule_that_makes_no_sense_is_refused_with_what_is_wrong(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        checked(rule(**wrong))


def test_T7_a_rule_is_about_its_own_tool_alone() -> None:
    mine, other = rule(), rule(tool="write_file")
    assert not covers(other, "look", {})
    assert deciding([other, mine, rule(id=RuleId("r2"))], "look", {}) == mine
    assert deciding([other], "look", {}) is None
    ls = rule(kind="command", pattern="ls", argument="command")
    assert [covers(ls, "look", {"command": words}) for words in (["ls"], "ls", [], [7], None)] == [True] + [False] * 4


def test_T7_nothing_is_offered_for_a_call_whose_subject_is_missing() -> None:
    assert offers_for("read_file", "path", "path", {"path": 7}) == ()
    assert offers_for("run_command", "command", "command", {"command": "ls"}) == ()
    assert offers_for("run_command", "command", "command", {}) == ()


def test_T7_arguments_too_long_for_a_rule_are_not_offered_exactly() -> None:
    long = {"text": "x" * MAX_PATTERN_CHARS}
    assert [offer.kind for offer in offers_for("note", None, "", long)] == ["any"]
    assert [offer.kind for offer in offers_for("note", None, "", json.loads('{"text": "x"}'))] == ["exact", "any"]


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ({"name": "a b"}, "a server's name has up to 32 letters, digits, - and _"),
        ({}, "s: a server has either a command or an address"),
        ({"command": ("x",), "url": "http://127.0.0.1"}, "s: a server has either a command or an address"),
        ({"url": "ftp://127.0.0.1"}, "s: the address begins with http:// or https://"),
        ({"command": (" ",)}, "s: the command needs a program's name"),
        ({"command": ("x", "a\0b")}, "s: a part of it is too long, or holds a NUL character"),
        ({"url": "http://127.0.0.1", "headers": {"X": "a\r\nY: b"}}, "s: a header or address is one line"),
    ],
)
def test_T10_a_server_that_makes_no_sense_is_refused_with_what_is_wrong(server: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        checked_server(ToolServer(**{"name": "s", **server}))


def test_T10_a_server_is_told_in_a_line() -> None:
    started, running = ToolServer(name="s", command=("npx", "a b")), ToolServer(name="s", url="http://127.0.0.1:1/mcp")
    assert [checked_server(each).what for each in (started, running)] == ["npx 'a b'", "http://127.0.0.1:1/mcp"]
