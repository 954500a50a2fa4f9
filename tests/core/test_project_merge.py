"""Two versions of a project become one, and nothing anyone wrote is dropped without a word (W11)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import NODE, assistant, chat, edge, sticky, user
from talkfield.core.ids import EdgeId, MessageId, NodeId, TurnId
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData
from talkfield.core.project import NodeContent, ProjectFile, load_project
from talkfield.core.project_merge import Merged, merge_projects
from talkfield.core.project_text import dump_file
from talkfield.core.records import EdgeRecord, NodeRecord


def node(*messages: Message, earlier: int = 0, **fields: Any) -> NodeContent:
    return NodeContent(record=chat(**fields), messages=messages, earlier=earlier)


def file(*contents: NodeContent, edges: tuple[EdgeRecord, ...] = (), **fields: Any) -> ProjectFile:
    return ProjectFile(
        nodes={content.record.id: content for content in contents}, edges={each.id: each for each in edges}, **fields
    )


def turn(name: str, ts: int) -> tuple[Message, Message]:
    """A question and its answer."""
    common: dict[str, Any] = {"turn": TurnId(f"t{name}")}
    return (
        replace(user(f"q{name}", f"u{name}", **common), ts=ts),
        replace(assistant(f"a{name}", f"a{name}", **common), ts=ts + 1),
    )


def merged_messages(base: NodeContent, ours: NodeContent, theirs: NodeContent) -> tuple[list[str], tuple[str, ...]]:
    merged = merge_projects(file(base), file(ours), file(theirs))
    return [message.id for message in merged.file.nodes[NODE].messages], merged.conflicts


def test_W11_different_fields_of_one_node_are_united() -> None:
    base = file(node())
    ours = file(node(x=50, title="Plans"))
    theirs = file(node(width=700, data=ChatData(model="m")))
    expected = file(node(x=50, title="Plans", width=700, data=ChatData(model="m")))
    assert merge_projects(base, ours, theirs) == Merged(expected)


def test_W11_a_place_is_one_value_and_both_moving_it_is_a_conflict() -> None:
    base, ours, theirs = file(node()), file(node(x=50)), file(node(y=7, title="New"))
    merged = merge_projects(base, ours, theirs)
    assert merged == Merged(file(node(x=50, title="New")), ("node n: place is (50, 0) in ours and (0, 7) in theirs",))
    theirs_first = merge_projects(base, ours, theirs, prefer="theirs")
    assert theirs_first.file == file(node(y=7, title="New"))


def test_W11_the_same_change_on_both_sides_is_no_conflict() -> None:
    both = file(node(user(), x=50))
    assert merge_projects(file(node()), both, both) == Merged(both)


def test_W11_nodes_and_edges_of_both_sides_are_there() -> None:
    a, b, c = (node(node=name) for name in "abc")
    base = file(a)
    ours = file(a, b, edges=(edge("a", "b", "e1"),))
    theirs = file(a, c, edges=(edge("a", "c", "e2"),), title="New", extra={"later": 1})
    merged = merge_projects(base, ours, theirs)
    expected = file(a, b, c, edges=(edge("a", "b", "e1"), edge("a", "c", "e2")), title="New", extra={"later": 1})
    assert merged == Merged(expected)


def test_W11_what_one_side_removed_goes_with_its_edges() -> None:
    a, b = node(node="a"), node(node="b")
    base = file(a, b)
    assert merge_projects(base, file(a), file(a, b, edges=(edge("a", "b"),))) == Merged(file(a))
    assert merge_projects(base, base, file(b)) == Merged(file(b))


def test_W11_what_one_side_removed_and_the_other_changed_is_kept_and_told() -> None:
    base, talked = file(node(title="Plans")), file(node(user(), title="Plans"))
    kept = '"Plans" (n) was removed in ours and changed in theirs: it is kept'
    assert merge_projects(base, file(), talked) == Merged(talked, (kept,))
    assert merge_projects(base, talked, file()).file == talked


def test_W11_messages_appended_on_both_sides_are_both_kept_by_time_and_no_turn_is_torn() -> None:
    first, early, late = turn("1", 10), turn("2", 20), turn("3", 30)
    ids, conflicts = merged_messages(node(*first), node(*first, *late), node(*first, *early))
    assert (ids, conflicts) == (["u1", "a1", "u2", "a2", "u3", "a3"], ())
    slow = (early[0], replace(early[1], ts=99))
    assert merged_messages(node(), node(*slow), node(*late))[0] == ["u2", "a2", "u3", "a3"]


def test_W11_what_goes_on_with_a_turn_stays_with_it() -> None:
    first, other = turn("1", 10), turn("2", 20)
    more = replace(assistant("more", "a1b", turn=TurnId("t1")), ts=50)
    assert merged_messages(node(*first), node(*first, *other), node(*first, more))[0] == ["u1", "a1", "a1b", "u2", "a2"]


def test_W11_removed_messages_go_and_edited_ones_stay() -> None:
    first, second = turn("1", 10), turn("2", 20)
    base = node(*first, *second)
    edited = node(replace(first[0], content="other"), first[1], *second)
    assert merged_messages(base, node(*second), base) == (["u2", "a2"], ())
    ids, conflicts = merged_messages(base, node(*second), edited)
    assert ids == ["u1", "u2", "a2"]
    assert conflicts == ("node n, message u1 was removed in ours and changed in theirs: it is kept",)


def test_W11_both_edited_one_message_otherwise() -> None:
    base, ours, theirs = (file(node(user(text))) for text in ("old", "mine", "yours"))
    merged = merge_projects(base, ours, theirs)
    assert merged == Merged(ours, ('node n, message u1: content is "mine" in ours and "yours" in theirs',))


def test_W11_messages_put_in_another_order_stay_in_it() -> None:
    first, second, third = turn("1", 10), turn("2", 20), turn("3", 30)
    base, turned = node(*first, *second), node(*second, *first)
    assert merged_messages(base, base, turned)[0] == ["u2", "a2", "u1", "a1"]
    assert merged_messages(base, node(*first, *second, *third), turned)[0] == ["u2", "a2", "u3", "a3", "u1", "a1"]


def test_C7_messages_that_one_side_found_too_old_for_its_file_are_not_removed() -> None:
    first, second, third = turn("1", 10), turn("2", 20), turn("3", 30)
    base = node(*first, *second, earlier=4)
    ours = node(replace(first[0], content="edited"), first[1], *second, earlier=4)
    theirs = node(*second, *third, earlier=6)
    merged = merge_projects(file(base), file(ours), file(theirs))
    assert merged.conflicts == ()
    content = merged.file.nodes[NODE]
    assert ([message.id for message in content.messages], content.earlier) == (["u1", "a1", "u2", "a2", "u3", "a3"], 4)


def test_W11_without_a_common_beginning_what_differs_is_a_conflict() -> None:
    merged = merge_projects(file(), file(node(user(), x=1)), file(node(user("other", "u2"), x=1, title="T")))
    assert merged.conflicts == ('node n: title is "" in ours and "T" in theirs',)
    assert [message.id for message in merged.file.nodes[NODE].messages] == ["u1", "u2"]


def test_W11_another_kind_of_node_is_one_conflict() -> None:
    other = NodeContent(record=replace(sticky(), id=NODE))
    merged = merge_projects(file(node()), file(node(data=ChatData(model="m"))), file(other))
    assert [line.partition(":")[0] for line in merged.conflicts] == ["node n"]


def test_C8_unknown_fields_are_merged_each_by_itself() -> None:
    base, ours, theirs = (file(node(extra=extra)) for extra in ({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"b": 3, "c": 4}))
    merged = merge_projects(base, ours, theirs)
    assert merged.file == file(node(extra={"a": 2, "b": 3, "c": 4}))
    assert merged.conflicts == ("node n, a is 2 in ours and not set in theirs",)


# Whatever the versions ------------------------------------------------------------------------------------------------


@st.composite
def versions(draw: st.DrawFn) -> ProjectFile:
    """Versions of one project: some of its nodes, in some place, with some of its messages."""
    nodes = []
    for name in draw(st.sets(st.sampled_from("ab"))):
        turns = draw(st.sets(st.integers(0, 4)))
        said = [
            message if draw(st.booleans()) else replace(message, content="edited")
            for number in sorted(turns)
            for message in turn(f"{name}{number}", number * 10)
        ]
        nodes.append(node(*said, node=name, x=draw(st.integers(0, 2)), title=draw(st.sampled_from(["", "T"]))))
    edges = (edge("a", "b"),) if len(nodes) == 2 and draw(st.booleans()) else ()
    return file(*nodes, edges=edges, title=draw(st.sampled_from(["", "P"])))


@given(versions(), versions())
def test_W11_a_side_that_changed_nothing_changes_nothing(base: ProjectFile, other: ProjectFile) -> None:
    for merged in (
        merge_projects(base, other, base),
        merge_projects(base, base, other),
        merge_projects(base, other, other),
    ):
        assert (merged.file, merged.conflicts) == (other, ())


@given(versions(), versions(), versions())
def test_W11_a_merge_is_a_whole_file_that_holds_what_either_side_added(
    base: ProjectFile, ours: ProjectFile, theirs: ProjectFile
) -> None:
    merged = merge_projects(base, ours, theirs)
    assert load_project(dump_file(merged.file)) == merged.file
    known = messages_of(base)
    united = messages_of(merged.file)
    for side in (ours, theirs):
        for name, message in messages_of(side).items():
            if name not in known or (known[name] != message and not merged.conflicts):
                assert name in united
    assert united.keys() <= messages_of(ours).keys() | messages_of(theirs).keys()
    for name in messages_of(ours).keys() & messages_of(theirs).keys():
        assert name in united
    assert merge_projects(base, theirs, ours, prefer="theirs").file.nodes.keys() == merged.file.nodes.keys()


@given(versions(), versions(), versions())
def test_W11_no_turn_is_torn_apart(base: ProjectFile, ours: ProjectFile, theirs: ProjectFile) -> None:
    for content in merge_projects(base, ours, theirs).file.nodes.values():
        turns = [message.turn for message in content.messages]
        runs = [name for index, name in enumerate(turns) if index == 0 or turns[index - 1] != name]
        assert len(runs) == len(set(runs))


def messages_of(some: ProjectFile) -> dict[str, Message]:
    return {message.id: message for content in some.nodes.values() for message in content.messages}


@pytest.mark.parametrize("kind", [NodeRecord, EdgeRecord, Message])
def test_W11_every_field_of_a_record_takes_part(kind: type[Any]) -> None:
    """A field that is new tomorrow is merged without anyone thinking of it."""
    samples: dict[type[Any], Any] = {NodeRecord: chat(), EdgeRecord: edge(), Message: user()}
    base = samples[kind]
    strange: dict[str, Any] = {
        "extra": {"new": 1},
        "data": ChatData(system="s"),
        "x": 5,
        "y": 5,
        "width": 5,
        "height": 5,
    }
    for name in kind.__struct_fields__:
        if name == "id":
            continue
        theirs = replace(base, **{name: strange.get(name, "changed")})
        merged = merge_projects(wrapped(base), wrapped(base), wrapped(theirs))
        assert merged == Merged(wrapped(theirs)), name


def wrapped(value: Any) -> ProjectFile:
    match value:
        case NodeRecord():
            return ProjectFile(nodes={value.id: NodeContent(record=value)})
        case EdgeRecord():
            return ProjectFile(edges={EdgeId(value.id): value})
        case _:
            return ProjectFile(nodes={NodeId("n"): NodeContent(record=chat(), messages=(value,))})


def test_C8_an_unknown_field_that_one_side_took_away_goes() -> None:
    extras = ({"a": 1, "b": 2}, {"a": 3, "b": 2}, {"a": 1})
    base, ours, theirs = (file(node(extra=extra)) for extra in extras)
    assert merge_projects(base, ours, theirs) == Merged(file(node(extra={"a": 3})))


def test_W11_a_system_message_stays_at_the_beginning_whichever_side_put_it_there() -> None:
    system = Message(id=MessageId("s"), role="system", content="Be kind.", ts=9)
    first, second = turn("1", 1), turn("2", 3)
    base = node(*first)
    for ours, theirs in ((node(*first, *second), node(system, *first)), (node(system, *first), node(*first, *second))):
        assert merged_messages(base, ours, theirs) == (["s", "u1", "a1", "u2", "a2"], ())
    early = (replace(user("q0", "u0"), ts=0), *first)
    assert merged_messages(base, node(*early), node(system, *first)) == (["s", "u0", "u1", "a1"], ())
