"""The project file: canonical, whole, and taken in without losing what files do not hold (W11, ST6, ST7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import NODE, assistant, call, chat, document, edge, records_by_id, sticky, user
from talkfield.core.changes import Changes, Put
from talkfield.core.document import Document, records_of
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData
from talkfield.core.project import NodeContent, ProjectFile, load_project, too_old
from talkfield.core.project_change import changes_since
from talkfield.core.project_text import dump_project
from talkfield.core.records import QueuedRecord
from talkfield.errors import ProjectTooNew, ProjectUnreadable


def whole(*messages: Message, **fields: Any) -> Document:
    records = [record for index, message in enumerate(messages) for record in records_of(message, NODE, index)]
    return document(chat(**fields), sticky(), edge(), *records)


def changes_to(subject: Document, file: ProjectFile) -> Changes:
    """What makes a document that is as in its file say what another file says."""
    return changes_since(subject, load_project(dump_project(subject, "")), file)


def test_W11_the_file_is_canonical_with_one_message_a_line() -> None:
    subject = whole(user("hé"), assistant(tool_calls=(call(),)), x=1.04, data=ChatData(model="m", draft="unsent"))
    assert dump_project(subject, "Plans").decode() == (
        "{\n"
        '  "talkfield": 1,\n'
        '  "title": "Plans",\n'
        '  "nodes": {\n'
        '    "n": {\n'
        '      "kind": "chat",\n'
        '      "title": "",\n'
        '      "x": 1,\n'
        '      "y": 0,\n'
        '      "width": 460,\n'
        '      "height": 520,\n'
        '      "data": {"model":"m"},\n'
        '      "messages": [\n'
        '        {"id":"u1","role":"user","content":"hé","ts":1},\n'
        '        {"id":"a1","role":"assistant","content":"hello","ts":2,"toolCalls":'
        '[{"id":"c1","name":"look","argsJson":"{}","status":"done","result":"ok"}]}\n'
        "      ]\n"
        "    },\n"
        '    "s": {\n'
        '      "kind": "sticky",\n'
        '      "title": "",\n'
        '      "x": 0,\n'
        '      "y": 0,\n'
        '      "width": 460,\n'
        '      "height": 520,\n'
        '      "data": {},\n'
        '      "messages": []\n'
        "    }\n"
        "  },\n"
        '  "edges": {\n'
        '    "e1": {"source":"n","target":"s"}\n'
        "  }\n"
        "}\n"
    )


def test_W11_an_empty_project_is_a_file_too() -> None:
    data = dump_project(document(), "")
    assert json.loads(data) == {"talkfield": 1, "title": "", "nodes": {}, "edges": {}}
    assert load_project(data).records == ()


def test_C8_unknown_fields_survive() -> None:
    text = (
        '{"talkfield":1,"title":"t","later":[1],"nodes":{"n":{"kind":"chat","x":1,"y":2,"color":"red",'
        '"data":{"mood":"good"},"messages":[{"id":"m","role":"user","content":"c","ts":1,"stars":5}]}},'
        '"edges":{"e":{"source":"n","target":"n","weight":2}}}'
    )
    file = load_project(text)
    again = json.loads(dump_project(Document(file.records), file.title, extra=file.extra))
    assert again["later"] == [1]
    assert (again["nodes"]["n"]["color"], again["nodes"]["n"]["data"]) == ("red", {"mood": "good"})
    assert again["nodes"]["n"]["messages"][0]["stars"] == 5
    assert again["edges"]["e"]["weight"] == 2


def test_C7_a_chat_is_capped_by_whole_turns_and_says_how_many_are_missing() -> None:
    messages = [user("x" * 50, f"u{index}") for index in range(4)]
    subject = whole(*messages)
    file = load_project(dump_project(subject, "", max_bytes=250))
    assert file.nodes[NODE].earlier == 2
    assert file.nodes[NODE].messages == tuple(messages[2:])
    assert changes_to(subject, file) == ()  # the store keeps everything


def test_ST7_an_outside_change_is_taken_in_and_what_files_do_not_hold_stays() -> None:
    subject = whole(user("one", "u1"), user("two", "u2"), data=ChatData(draft="unsent"))
    queued = QueuedRecord(id=MessageId("q"), node_id=NODE, index=0, text="later", ts=1)
    subject.apply([Put(queued)])
    text = dump_project(subject, "", max_bytes=90).decode()
    edited = text.replace('"content":"two"', '"content":"zwei"').replace('"x": 0', '"x": 7', 1)
    subject.apply(changes_to(subject, load_project(edited)))
    assert [message.content for message in subject.messages(NODE)] == ["one", "zwei"]
    assert (subject.node(NODE), subject.queued(NODE)) == (chat(x=7, data=ChatData(draft="unsent")), (queued,))


def test_ST7_what_the_file_no_longer_has_goes_with_all_that_hangs_on_it() -> None:
    subject = whole(user(), assistant(tool_calls=(call(),)))
    subject.apply([Put(QueuedRecord(id=MessageId("q"), node_id=NODE, index=0, text="later", ts=1))])
    text = dump_project(document(sticky()), "")
    subject.apply(changes_to(subject, load_project(text)))
    assert records_by_id(subject) == {"s": sticky()}


def test_ST7_gaps_and_roundings_are_no_change() -> None:
    subject = document(chat(x=1.26), *records_of(user(), NODE, 3), *records_of(assistant(), NODE, 9))
    assert changes_to(subject, load_project(dump_project(subject, ""))) == ()


def test_ST7_messages_may_be_put_in_another_order() -> None:
    subject = whole(user("one", "u1"), user("two", "u2"))
    other = whole(user("two", "u2"), user("one", "u1"))
    subject.apply(changes_to(subject, load_project(dump_project(other, ""))))
    assert [message.content for message in subject.messages(NODE)] == ["two", "one"]


def test_C7_a_leading_system_message_stays_first() -> None:
    system = Message(id=MessageId("sys"), role="system", content="be brief", ts=0)
    subject = whole(system, *[user("x" * 50, f"u{index}") for index in range(4)])
    file = load_project(dump_project(subject, "", max_bytes=300))
    assert file.nodes[NODE].earlier > 0
    assert changes_to(subject, file) == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "not valid JSON"),
        ("[]", "expected an object"),
        ("{}", "talkfield"),
        ('{"talkfield":true}', "talkfield"),
        ('{"talkfield":1,"title":3}', "title"),
        ('{"talkfield":1,"nodes":[]}', "nodes"),
        ('{"talkfield":1,"nodes":{"n":{}}}', "nodes.n.kind"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":"1"}}}', "nodes.n.x"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1e300}}}', "nodes.n.x"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1,"y":1,"data":{"model":5}}}}', "nodes.n.data"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1,"y":1,"messages":{}}}}', "nodes.n.messages"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1,"y":1,"messages":[{}]}}}', "nodes.n.messages[0]"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1,"y":1,"color":NaN}}}', "nodes.n.color"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1,"y":1,"data":{"y":1e400}}}}', "nodes.n.data.y"),
        ('{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1,"x":2,"y":1}}}', "nodes.n.x"),
        ('{"talkfield":1,"theme":' + "[" * 100 + "]" * 100 + "}", "theme[0]"),
        ('{"talkfield":1,"edges":{"e":{"source":"a","target":"b"}}}', "edges.e"),
        ('{"talkfield":1,"edges":{"e":{"source":1}}}', "edges.e.source"),
        (
            (
                '{"talkfield":1,"nodes":{"n":{"kind":"chat","x":1,"y":1,'
                '"messages":[{"id":"n","role":"user","content":"","ts":1}]}}}'
            ),
            "occurs twice",
        ),
    ],
)
def test_ST9_what_makes_no_sense_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(ProjectUnreadable) as refused:
        load_project(text)
    assert place in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("text", ['{"talkfield":2}', '{"talkfield":1,"nodes":{"n":{"kind":"table","x":1,"y":1}}}'])
def test_ST9_what_a_newer_talkfield_wrote_is_not_guessed_at(text: str) -> None:
    with pytest.raises(ProjectTooNew):
        load_project(text)


words = st.text("ab é\U0001f600\ud800\n", max_size=5)


@given(
    st.lists(st.tuples(st.sampled_from(["n", "s"]), words), max_size=5),
    st.floats(-1000, 1000),
    words,
)
def test_W11_what_was_written_is_read_back_and_written_the_same(
    said: list[tuple[str, str]], x: float, title: str
) -> None:
    subject = document(chat(x=x, title=title), chat("s"), edge())
    for index, (node, text) in enumerate(said):
        subject.apply([Put(record) for record in records_of(user(text, f"m{index}"), NodeId(node), index)])
    data = dump_project(subject, title)
    file = load_project(data)
    assert changes_to(subject, file) == ()
    fresh = Document()
    fresh.apply(changes_to(fresh, file))
    assert dump_project(fresh, file.title) == data
    assert fresh.conversation(NODE) == subject.conversation(NODE)
    assert replace(file.records[0], x=x) == subject.node(NODE)


def test_C7_a_leading_system_message_is_never_too_old() -> None:
    system = Message(id=MessageId("s"), role="system", content="Be kind.", ts=0)
    old, new = user("old", "u1"), user("new", "u2")
    base = NodeContent(record=chat(), messages=(system, old, new))
    assert too_old(base, NodeContent(record=chat(), messages=(system, new), earlier=1)) == {"u1"}


def test_W11_what_an_edge_is_called_and_what_it_is_comes_back() -> None:
    subject = document(chat(), sticky(), replace(edge(), title="feeds", kind="lineage"))
    data = dump_project(subject, "")
    assert '"e1": {"source":"n","target":"s","title":"feeds","kind":"lineage"}' in data.decode()
    again = Document()
    again.apply(changes_to(again, load_project(data)))
    assert records_by_id(again) == records_by_id(subject)
    with pytest.raises(ProjectTooNew, match=r"edges\.e1\.kind is 'wormhole', which this Talkfield does not know"):
        load_project(data.replace(b"lineage", b"wormhole"))
