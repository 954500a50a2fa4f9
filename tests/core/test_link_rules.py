"""What goes through links, which may be, and in what order they run (L1, L3)."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import chat, document, sticky
from talkfield.core.changes import Put, grounds_of
from talkfield.core.document import Document, removal
from talkfield.core.duplicate import duplicate
from talkfield.core.ids import CallId, EdgeId, MessageId, NodeId, RecordId, TurnId
from talkfield.core.link_content import content_digest, link_content
from talkfield.core.link_order import in_order, links_of, loop_through, pair_refusal, path_between, titles
from talkfield.core.links import LINK_KINDS, InjectContext, WriteFile, context_text, file_text, permission
from talkfield.core.messages import MessageError, Source
from talkfield.core.nodes import GroupData, StickyData
from talkfield.core.project import load_project
from talkfield.core.project_change import changes_since
from talkfield.core.project_text import dump_project
from talkfield.core.records import (
    EdgeRecord,
    LinkMemoryRecord,
    LinkStatusRecord,
    MessageRecord,
    RunRecord,
    ToolCallRecord,
    link_memory_id,
    link_status_id,
    run_id,
)
from talkfield.errors import ProjectTooNew, ProjectUnreadable

N = NodeId("n")


def link(source: str, target: str, **fields: Any) -> EdgeRecord:
    given_ = {"id": EdgeId(f"{source}>{target}"), "behavior": InjectContext(), **fields}
    return EdgeRecord(source=NodeId(source), target=NodeId(target), **given_)


def said(name: str, role: Any, content: str, index: int, turn: str | None = None, **fields: Any) -> MessageRecord:
    return MessageRecord(
        id=MessageId(name),
        node_id=N,
        index=index,
        role=role,
        content=content,
        ts=1,
        turn=TurnId(turn) if turn else None,
        **fields,
    )


TALK = (
    said("u1", "user", "one?", 0, "t1"),
    said("a1", "assistant", "one", 1, "t1"),
    said("c", "user", "given", 2, source=Source(node=NodeId("other"))),
    said("note", "note", "for you", 3),
    said("u2", "user", "two?", 4, "t2"),
    said("a2", "assistant", "two", 5, "t2"),
    said("a3", "assistant", "and more ", 6, "t2"),
)


def test_L1_what_of_a_chat_goes_through_a_link() -> None:
    there = Document([chat("n"), *TALK])
    node = there.node(N)
    assert node is not None
    assert link_content(there, node, "lastReply") == "two\n\nand more"
    assert link_content(there, node, "lastTurn") == "User: two?\n\nAssistant: two\n\nAssistant: and more"
    assert link_content(there, node, "conversation") == (
        "User: one?\n\nAssistant: one\n\nContext: given\n\nUser: two?\n\nAssistant: two\n\nAssistant: and more"
    )
    assert link_content(Document([chat("n"), *TALK[:1]]), node, "lastReply") == ""


def test_L1_a_reply_without_a_turn_is_one_by_itself() -> None:
    there = Document([chat("n"), said("a", "assistant", "old", 0), said("b", "assistant", "new", 1)])
    node = there.node(N)
    assert node is not None
    assert link_content(there, node, "lastReply") == "new"


def test_L3_a_reply_that_is_being_written_or_failed_says_nothing_yet() -> None:
    failed = said("bad", "assistant", "half", 7, "t3", error=MessageError(code="x", message="y"))
    run = RunRecord(id=run_id(N), node_id=N, turn=TurnId("t2"), phase="streaming", started_at=1)
    live = Document([chat("n"), *TALK, run])
    ended = Document([chat("n"), *TALK, failed])
    node = live.node(N)
    assert node is not None
    assert link_content(live, node, "lastReply") == "one"
    assert link_content(ended, node, "lastReply") == "two\n\nand more"


def test_L1_a_sticky_note_says_its_text_and_a_group_what_stands_on_it() -> None:
    note = chat("s", data=StickyData(text=" idea \n"), title="Note", x=10, y=300, width=20, height=20)
    far = chat("far", data=StickyData(text="elsewhere"), x=5000)
    inner = chat("inner", data=GroupData(), x=1, y=1, width=30, height=30)
    area = chat("g", data=GroupData(), x=0, y=0, width=600, height=600)
    empty = chat("empty", x=0, y=5, width=10, height=10)
    there = Document([chat("n"), *TALK, note, far, inner, area, empty])
    assert link_content(there, note, "lastReply") == "idea"
    assert link_content(there, area, "lastReply") == "## 1. Untitled\n\ntwo\n\nand more\n\n## 2. Note\n\nidea"
    assert content_digest("a") == content_digest("a") != content_digest("b")


def test_L1_what_is_delivered_names_its_source_unless_it_is_bare() -> None:
    assert context_text(InjectContext(), "Plan", "text") == "Context from Plan:\n\ntext"
    assert context_text(InjectContext(), "", "text") == "Context from another node:\n\ntext"
    assert context_text(InjectContext(wrapped=False), "Plan", "text") == "text"
    assert file_text(WriteFile(path="a"), "", "text") == "## Untitled\n\ntext\n"
    assert file_text(WriteFile(path="a", header=False), "Plan", "text\n") == "text\n"
    assert permission(WriteFile(path="a.md", mode="overwrite")) == "overwrite a.md"
    assert {name: kind.asks for name, kind in LINK_KINDS.items()} == {"injectContext": False, "writeFile": True}


def test_L1_only_meaningful_pairs_are_joined() -> None:
    assert pair_refusal(chat("a"), chat("b")) is None
    assert pair_refusal(sticky("a"), chat("b")) is None
    assert pair_refusal(chat("a"), sticky("b")) == "a link leads to a chat: only a chat takes context"
    assert pair_refusal(chat("a"), chat("a")) == "a node can't be joined to itself"


def test_L3_memory_and_status_go_with_their_link() -> None:
    memory = LinkMemoryRecord(id=link_memory_id(EdgeId("a>b")), edge_id=EdgeId("a>b"))
    status = LinkStatusRecord(id=link_status_id(EdgeId("a>b")), edge_id=EdgeId("a>b"), state="new")
    there = document(chat("a"), chat("b"), link("a", "b"), memory, status)
    assert grounds_of(memory) == grounds_of(status) == (RecordId("a>b"),)
    there.apply(removal(there, "a"))
    assert [record.id for record in there] == ["b"]


def test_L3_a_circle_is_told_by_its_way() -> None:
    there = Document([chat("a", title="A"), chat("b"), chat("c", title="C"), link("a", "b"), link("b", "c")])
    there.apply([Put(link("c", "a", kind="lineage")), Put(link("b", "a", behavior=None))])
    loop = loop_through(links_of(there), NodeId("c"), NodeId("a"))
    assert loop == ("c", "a", "b", "c")
    assert titles(there, (*loop, NodeId("gone"))) == "C → A → untitled (b) → C → gone"
    assert loop_through(links_of(there), NodeId("a"), NodeId("c")) is None
    assert path_between(links_of(there), NodeId("b"), NodeId("b")) == ("b",)


PAIRS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), unique=True, max_size=14)


@given(PAIRS)
def test_L3_links_run_after_all_that_lead_to_their_source_and_never_in_a_circle(pairs: list[tuple[str, str]]) -> None:
    links = [link(*pair) for pair in pairs]
    order = in_order(links)
    place = {each.id: at for at, each in enumerate(order)}
    assert len(place) == len(order)
    for each in order:
        others = [other for other in links if other.id != each.id]
        assert loop_through(others, each.source, each.target) is None
        for before in links:
            if before.target == each.source:
                assert place[before.id] < place[each.id]
    loops = {each.id for each in links if loop_through(links, each.source, each.target) is not None}
    if not loops:
        assert len(order) == len(links)


def test_W11_links_stand_in_the_project_file_and_nothing_of_what_they_did() -> None:
    edges = [
        link("a", "b", behavior=WriteFile(path="notes.md"), automatic=True),
        link("b", "c", pinned=True, extra={"behavior": {"newer": 1}}),
    ]
    memory = LinkMemoryRecord(id=link_memory_id(EdgeId("a>b")), edge_id=EdgeId("a>b"), allowed="append notes.md")
    there = document(chat("a"), chat("b"), chat("c"), *edges, memory)
    written = dump_project(there, "")
    assert b"append notes.md" not in written
    assert {record.id: record for record in load_project(written).records if isinstance(record, EdgeRecord)} == {
        edge.id: edge for edge in edges
    }


@pytest.mark.parametrize(
    ("edge", "problem"),
    [
        ({"behavior": {"kind": "newer"}}, "does not know"),
        ({"behavior": {"kind": "writeFile", "path": 1}}, "Expected `str`"),
        ({"behavior": 1}, "expected an object"),
        ({"automatic": 1}, "expected true or false"),
    ],
)
def test_W11_a_link_that_cannot_be_read_is_told_by_its_place(edge: dict[str, Any], problem: str) -> None:
    nodes = {name: {"kind": "chat", "x": 0, "y": 0} for name in ("a", "b")}
    file = {"talkfield": 1, "nodes": nodes, "edges": {"e": {"source": "a", "target": "b", **edge}}}
    with pytest.raises((ProjectUnreadable, ProjectTooNew), match=problem):
        load_project(json.dumps(file))


def test_ST7_a_link_that_went_from_the_file_takes_its_memory_along() -> None:
    memory = LinkMemoryRecord(id=link_memory_id(EdgeId("a>b")), edge_id=EdgeId("a>b"))
    there = document(chat("a"), chat("b"), link("a", "b"), memory)
    base = load_project(dump_project(there, ""))
    theirs = load_project(dump_project(document(chat("a")), ""))
    there.apply(changes_since(there, base, theirs))
    assert [record.id for record in there] == ["a"]


def test_L3_copies_of_calls_and_of_what_was_typed_go_along_as_they_are() -> None:
    call = ToolCallRecord(
        id=CallId("k"), node_id=N, message_id=MessageId("a1"), index=0, name="look", args_json="{}", status="done"
    )
    there = document(chat("n"), *TALK[:2], call)
    node = there.node(N)
    assert node is not None
    numbers = count(1)
    made = duplicate(there, [node], 5, 5, set(), lambda kind: f"{kind}{next(numbers)}")
    copies = [change.value for change in made.changes if isinstance(change, Put)]
    assert [each.id for each in copies] == ["node1", "message3", "message4", "call5"]
