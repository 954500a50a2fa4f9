"""Exports of other chat tools, read with their branches; and whatever else a file may hold (U13, X4, X5)."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doubles import CountingIds
from talkfield.core.changes import Put
from talkfield.core.document import Document
from talkfield.core.ids import NodeId
from talkfield.core.importing import READERS, read_export
from talkfield.core.importing import base as bounds
from talkfield.core.importing import talkfield as own
from talkfield.core.importing.base import (
    ImportedChat,
    ImportedConversation,
    ImportedMessage,
    TreeMessage,
    chats_of,
    moment,
    path_to,
    seconds,
)
from talkfield.core.importing.placing import place_conversations
from talkfield.core.importing.talkfield import place_canvas
from talkfield.core.records import EdgeRecord, MessageRecord, NodeRecord
from talkfield.errors import InvalidArgument


def read(*conversations: Any) -> tuple[ImportedConversation, ...]:
    return read_export(json.dumps(conversations).encode()).conversations


def node(name: str, parent: str | None, role: str = "", text: str = "", **content: Any) -> dict[str, Any]:
    message = {
        "author": {"role": role},
        "content": {"content_type": "text", "parts": [text], **content},
        "create_time": 1700000000.5,
        "metadata": {"model_slug": "gpt-4o"},
    }
    return {"id": name, "parent": parent, "message": message if role else None}


def said(role: Any, content: str, *, model: str = "") -> ImportedMessage:
    return ImportedMessage(role=role, content=content, ts=1700000000500, model=model)


CHATGPT = {
    "title": " Plans  for\nMay ",
    "create_time": 1700000000,
    "current_node": "a2",
    "mapping": {
        "root": node("root", None),
        "s": node("s", "root", "system", "Be kind."),
        "u1": node("u1", "s", "user", "Where to?"),
        "a1": node("a1", "u1", "assistant", "Rome."),
        "a2": node("a2", "u1", "assistant", "Oslo."),
        "u2": node("u2", "a1", "user", "Why?"),
    },
}


def test_U13_a_chatgpt_export_is_read_with_its_branches() -> None:
    (found,) = read(CHATGPT)
    first, other = said("user", "Where to?"), said("assistant", "Rome.", model="gpt-4o")
    assert found == ImportedConversation(
        title="Plans for May",
        created_at=1700000000000,
        system="Be kind.",
        chats=(
            ImportedChat(messages=(first, said("assistant", "Oslo.", model="gpt-4o"))),
            ImportedChat(messages=(first, other, said("user", "Why?")), came_from=0),
        ),
    )


def test_U13_what_is_no_plain_text_in_a_chatgpt_export_is_named_or_kept_as_a_note() -> None:
    hidden = node("h", "x", "user", "secret")
    hidden["message"]["metadata"]["is_visually_hidden_from_conversation"] = True
    code = {"author": {"role": "assistant"}, "content": {"content_type": "code", "text": "1+1"}}
    pictures = {"content_type": "image_asset_pointer"}
    spoken = {"content_type": "audio_transcription", "text": "spoken"}
    (found,) = read(
        {
            "mapping": {
                "p": node("p", None, "user", parts=[pictures, "look", spoken, 7]),
                "t": node("t", "p", "assistant", content_type="thoughts", parts=[], thoughts=[{"content": "hm"}]),
                "c": node("c", "t", "assistant", content_type="code", parts=[]) | {"message": code},
                "r": node("r", "c", "tool", "2"),
                "e": node("e", "r", "critic", "x"),
                "h": hidden | {"parent": "e"},
            }
        }
    )
    assert [(each.role, each.content) for each in found.chats[0].messages] == [
        ("user", "[image asset pointer]\n\nlook\n\nspoken"),
        ("note", "hm"),
        ("assistant", "```\n1+1\n```"),
        ("note", "2"),
    ]
    assert found.title == "Untitled"


def claude_message(name: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    return {"uuid": name, "sender": sender, "text": text, "created_at": "2024-05-01T10:00:00Z", **more}


def test_U13_a_claude_export_is_read_in_order_or_as_a_tree() -> None:
    flat: dict[str, Any] = {
        "name": "A",
        "created_at": "2024-05-01T10:00:00Z",
        "chat_messages": [claude_message("1", "human", "hi")],
    }
    blocks = [{"type": "thinking", "thinking": "so"}, {"type": "text", "text": "hello"}]
    flat["chat_messages"] += [claude_message("2", "assistant", "", content=blocks, model="claude-x")]
    flat["chat_messages"] += [claude_message("2", "human", ""), claude_message("", "human", "again")]
    (found,) = read(flat)
    at = 1714557600000
    assert found.created_at == at
    assert found.chats == (
        ImportedChat(
            messages=(
                ImportedMessage(role="user", content="hi", ts=at),
                ImportedMessage(role="assistant", content="hello", ts=at, thinking="so", model="claude-x"),
                ImportedMessage(role="user", content="again", ts=at),
            )
        ),
    )
    root = "00000000-0000-4000-8000-000000000000"
    tree = [
        claude_message("u", "human", "q", parent_message_uuid=root),
        claude_message("a", "assistant", "one", parent_message_uuid="u"),
        claude_message("b", "assistant", "two", parent_message_uuid="u"),
    ]
    (found,) = read({"name": "B", "chat_messages": tree, "current_leaf_message_uuid": "a"})
    assert [[each.content for each in chat.messages] for chat in found.chats] == [["q", "one"], ["q", "two"]]
    assert [chat.came_from for chat in found.chats] == [None, 0]


def test_U13_files_of_a_claude_export_come_with_their_text() -> None:
    files = [{"file_name": "a.md", "extracted_content": "```x```"}, {"file_name": "b.png"}, {}]
    (found,) = read({"chat_messages": [claude_message("1", "human", "see", attachments=files)]})
    assert found.chats[0].messages[0].content == "see\n\na.md\n`````\n```x```\n`````\n\n[b.png]"


def test_U13_an_open_webui_export_is_read_with_its_branches() -> None:
    messages = {
        "1": {"parentId": None, "role": "user", "content": "hi", "timestamp": 1700000000},
        "2": {"parentId": "1", "role": "assistant", "content": "a", "model": "llama", "timestamp": 1700000001},
        "3": {"parentId": "1", "role": "assistant", "content": [{"text": "b"}], "model": "qwen"},
        "4": {"parentId": "3", "role": "system", "content": "no"},
    }
    history = {"messages": messages, "currentId": "3"}
    chat = {"title": "T", "params": {"system": "S"}, "history": history, "timestamp": 1700000000000}
    found = read_export(json.dumps({"chat": chat}).encode())  # one chat, without a list
    (conversation,) = found.conversations
    assert (found.source, conversation.title, conversation.system) == ("Open WebUI", "T", "S")
    assert conversation.created_at == 1700000000000
    assert [[each.content for each in chat.messages] for chat in conversation.chats] == [["hi", "b"], ["hi", "a"]]
    assert conversation.chats[1].came_from == 0


def test_U13_what_is_empty_or_of_another_kind_is_left_out_and_counted() -> None:
    found = read_export(json.dumps([CHATGPT, {"mapping": {}}, 7, {"chat_messages": []}]).encode())
    assert (len(found.conversations), found.left_out) == (1, 3)


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"null", b'{"a": 1}', b"\xff\xfe", b"[" * 100_000])
def test_X5_a_file_of_no_known_kind_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidArgument):
        read_export(data)


def test_X4_branches_and_messages_are_bounded() -> None:
    many = {"r": node("r", None, "user", "q")}
    many |= {f"n{each}": node(f"n{each}", "r", "assistant", str(each)) for each in range(100)}
    (found,) = read({"mapping": many})
    assert (len(found.chats), found.left_out) == (bounds.MAX_BRANCHES + 1, 100 - bounds.MAX_BRANCHES - 1)
    long = [claude_message(str(each), "human", "x") for each in range(bounds.MAX_MESSAGES + 1)]
    export = read_export(json.dumps([{"chat_messages": long}, CHATGPT | {"chat_messages": long[:2]}]).encode())
    assert (len(export.conversations), export.left_out) == (1, 1)


def slow_chats_of(tree: dict[str, TreeMessage], current: str, most: int) -> tuple[list[tuple[Any, int | None]], int]:
    """What `chats_of` promises, written down without a thought of time."""
    leaves = [name for name in tree if name not in {each.parent for each in tree.values()}]
    current = current if current in tree else leaves[-1] if leaves else ""
    owner: dict[str, int] = {}
    chats: list[tuple[Any, int | None]] = []
    left_out = 0
    for end in [current, *(leaf for leaf in leaves if leaf != current)]:
        path = path_to(tree, end)
        if not any(name not in owner and tree[name].message is not None for name in path):
            continue
        if len(chats) > most:
            left_out += 1
            continue
        came_from = next((owner[name] for name in reversed(path) if name in owner), None)
        chats.append((tuple(tree[name].message for name in path if tree[name].message is not None), came_from))
        for name in path:
            owner.setdefault(name, len(chats) - 1)
    return chats, left_out


@example(nodes=[(-1, True), (-1, True), (1, True), (1, False), (-1, False), (4, False)], current=0, most=0)
@example(nodes=[(-1, True), (-1, False), (1, False), (1, True)], current=0, most=3)
@example(nodes=[(2, True), (2, True), (-1, False), (2, False)], current=-1, most=1)
@example(nodes=[(5, False), (5, False), *[(0, False)] * 3, (0, True), (-1, True)], current=-1, most=0)
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 12), st.booleans()), max_size=12),
    st.integers(-1, 12),
    st.sampled_from([0, 1, 3, 40]),
)
def test_U13_any_tree_becomes_the_chats_of_its_leaves(nodes: list[tuple[int, bool]], current: int, most: int) -> None:
    tree = {
        str(number): TreeMessage(parent=str(parent), message=said("user", str(number)) if speaks else None)
        for number, (parent, speaks) in enumerate(nodes)
    }
    chats, left_out = chats_of(tree, str(current), most)
    assert ([(chat.messages, chat.came_from) for chat in chats], left_out) == slow_chats_of(tree, str(current), most)


class CountedTree(dict[str, TreeMessage]):
    """Counts how often it is looked into."""

    looks = 0

    def __getitem__(self, name: str) -> TreeMessage:
        self.looks += 1
        return super().__getitem__(name)


@pytest.mark.parametrize("speaks", [True, False])
def test_check_30_X4_a_tree_with_a_leaf_at_each_of_its_steps_is_read_in_its_own_time(speaks: bool) -> None:
    nodes = 3000
    message = said("user", "x") if speaks else None
    tree = CountedTree({str(each): TreeMessage(parent=str(each - 1), message=message) for each in range(nodes)})
    tree |= {f"leaf-{each}": TreeMessage(parent=str(each), message=message) for each in range(nodes)}
    chats, left_out = chats_of(tree, str(nodes - 1))
    assert (len(chats), left_out) == ((bounds.MAX_BRANCHES + 1, nodes - bounds.MAX_BRANCHES) if speaks else (0, 0))
    assert tree.looks < 3 * (bounds.MAX_BRANCHES + 1) * nodes


def test_X5_circles_and_strange_times_are_nothing_to_stumble_over() -> None:
    circle = {"a": node("a", "b", "user", "x"), "b": node("b", "a", "user", "y")}
    (found,) = read({"mapping": circle, "current_node": "a"})
    assert len(found.chats[0].messages) == 2
    assert chats_of({}, "gone") == ((), 0)
    assert [seconds(each) for each in (True, "1", -1, 1e300, float("nan"), 1_700_000_000_000)] == [
        *[0] * 5,
        1700000000000,
    ]
    assert [moment("no"), moment("0001-01-01T00:00:00Z"), moment(7)] == [0, 0, 0]


NAMES = st.sampled_from(
    [
        *("mapping", "current_node", "title", "message", "author", "role"),
        *("content", "parts", "content_type", "parent", "create_time", "metadata"),
        *("chat_messages", "uuid", "sender", "text", "type", "created_at"),
        *("parent_message_uuid", "attachments", "extracted_content", "chat", "history", "messages"),
        *("currentId", "parentId", "params", "system", "timestamp", "user"),
        *("assistant", "a", "b"),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=25,
)


@settings(max_examples=200)
@given(JSON, st.sampled_from(READERS))
def test_X5_whatever_a_conversation_holds_is_read_without_a_fault(value: Any, reader: Any) -> None:
    for wrapped in (
        {"mapping": value, "title": value},
        {"mapping": {"a": value, "b": {"message": value, "parent": "a"}}, "current_node": value},
        {"chat_messages": value},
        {"chat_messages": [value, value], "name": value},
        {"chat": {"history": value}},
        {"chat": {"history": {"messages": {"a": value}, "currentId": value}, "params": value}},
    ):
        conversation = reader.read(wrapped)
        for chat in conversation.chats:
            assert all(message.content.strip() for message in chat.messages)
        place_conversations((conversation,), 0, 0, 5, CountingIds())


@given(st.binary(max_size=200))
def test_X5_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(InvalidArgument):
        read_export(data)


def test_U13_conversations_stand_below_each_other_and_branches_beside_what_they_came_from() -> None:
    conversations = read(*[CHATGPT] * 9)
    made, changes = place_conversations(conversations, 100, 50, 7, CountingIds())
    document = Document()
    document.apply(changes)
    nodes = [document.node(each) for each in made]
    assert all(isinstance(each, NodeRecord) for each in nodes)
    places = [(each.x, each.y) for each in nodes if each is not None]
    assert places[:4] == [(100.0, 50.0), (608.0, 50.0), (100.0, 618.0), (608.0, 618.0)]
    assert (places[16], len(set(places))) == ((100 + 2 * 508 + 48, 50), 18)
    edges = [record for record in document if isinstance(record, EdgeRecord)]
    assert [(edge.source, edge.target, edge.kind) for edge in edges][:1] == [(made[0], made[1], "lineage")]
    first = document.messages(NodeId(made[0]))
    assert [(each.role, each.content, each.finish) for each in first] == [
        ("user", "Where to?", None),
        ("assistant", "Oslo.", "stop"),
    ]
    turns = [each.turn for each in document.messages(NodeId(made[1]))]
    assert len(turns) == 3
    assert (turns[0] == turns[1], turns[1] == turns[2]) == (True, False)
    copies = [each.value for each in changes if isinstance(each, Put) and isinstance(each.value, MessageRecord)]
    assert all(each.usage is None for each in copies)
    chat = document.node(NodeId(made[1]))
    assert chat is not None
    assert chat.title == "Plans for May (branch 1)"


def canvas_file(**edge: Any) -> bytes:
    call = {"id": "c1", "name": "write_file", "argsJson": "{}", "status": "awaiting"}
    chat = {
        "kind": "chat",
        "title": "Plans",
        "x": 500,
        "y": 40,
        "messages": [
            {"id": "m1", "role": "user", "content": "hi", "ts": 7, "turn": "t"},
            {"id": "m2", "role": "assistant", "content": "yo", "ts": 8, "turn": "t", "toolCalls": [call]},
            {"id": "m3", "role": "note", "content": "$0.10", "ts": 9},
        ],
    }
    return json.dumps(
        {
            "talkfield": 1,
            "title": "Atlas",
            "nodes": {
                "n1": chat,
                "n2": {"kind": "sticky", "x": 100, "y": 50, "data": {"text": "Buy  milk"}},
                "n3": {"kind": "sticky", "x": 100, "y": 60},
                "n4": {"kind": "group", "title": "All", "x": 0, "y": 70},
                "n5": {"kind": "group", "x": 0, "y": 80},
                "n6": {"kind": "chat", "x": 0, "y": 90},
                "n7": {"kind": "file", "x": 0, "y": 100, "data": {"path": "docs/plan.md"}},
            },
            "edges": {"e1": {"source": "n1", "target": "n6", **edge}, "e2": {"source": "n2", "target": "n1"}},
        }
    ).encode()


def test_U13_our_own_json_is_read_with_all_that_is_in_it() -> None:
    found = read_export(canvas_file(automatic=True))
    assert [(each.title, len(each.chats[0].messages), each.created_at) for each in found.conversations] == [
        ("Plans", 2, 7),
        ("Note: Buy milk", 0, 0),
        ("Note", 0, 0),
        ("Group: All", 0, 0),
        ("Group", 0, 0),
        ("Untitled", 0, 0),
        ("File: docs/plan.md", 0, 0),
    ]
    assert (found.source, found.left_out) == ("Talkfield", 0)
    assert found.canvas is not None
    made, changes = place_canvas(found.canvas, (0, 5), 10, 20, CountingIds())
    document = Document()
    document.apply(changes)
    plans, other = (document.node(each) for each in made)
    assert plans is not None
    assert other is not None
    assert [(plans.x, plans.y), (other.x, other.y)] == [(510, 20), (10, 70)]
    messages = document.conversation(plans.id)
    assert [(message.role, message.content) for message in messages] == [
        ("user", "hi"),
        ("assistant", "yo"),
        ("note", "$0.10"),
    ]
    assert [call.status for call in messages[1].tool_calls] == ["cancelled"]
    edges = [(each.source, each.target, each.automatic) for each in document if isinstance(each, EdgeRecord)]
    assert edges == [(plans.id, other.id, False)]
    assert place_canvas(found.canvas, (), 10, 20, CountingIds()) == ((), ())


@pytest.mark.parametrize(
    "data",
    [
        b'{"talkfield": 99}',
        b'{"talkfield": "x"}',
        b'{"talkfield": 1, "nodes": {"n": {"kind": "chat", "x": "far"}}}',
        b'{"talkfield": 1, "nodes": {"n": {"kind": "spaceship", "x": 0, "y": 0}}}',
    ],
)
def test_X5_our_own_json_that_makes_no_sense_is_refused_with_the_place(data: bytes) -> None:
    with pytest.raises(InvalidArgument, match=r"^file: "):
        read_export(data)


def test_X4_our_own_json_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "MAX_MESSAGES", 9)
    with pytest.raises(InvalidArgument, match="more than can be imported"):
        read_export(canvas_file())
