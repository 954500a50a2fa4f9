"""What differs between two versions of a project, in words (W11)."""

from __future__ import annotations

from msgspec.structs import replace

from builders import assistant, call, chat, edge, sticky, user
from talkfield.core.nodes import ChatData
from talkfield.core.project import NodeContent, ProjectFile
from talkfield.core.project_diff import diff_projects


def file(*contents: NodeContent, **fields: object) -> ProjectFile:
    return ProjectFile(nodes={content.record.id: content for content in contents}, **fields)  # type: ignore[arg-type]


def test_W11_nothing_differs_in_equal_files() -> None:
    same = file(NodeContent(record=chat(), messages=(user(),)), title="Plans")
    assert diff_projects(same, same) == ()


def test_W11_what_differs_is_told_in_words() -> None:
    before = file(
        NodeContent(record=chat("a", title="Old"), messages=(user(), assistant(), user("gone", "u2"))),
        NodeContent(record=sticky("b")),
        NodeContent(record=chat("d")),
        edges={"e1": edge("a", "b")},
        title="Plans",
    )
    after = file(
        NodeContent(
            record=chat("a", title="New", x=5, width=500, data=ChatData(model="m")),
            messages=(
                replace(user(), content="edited"),
                replace(assistant(), stopped=True),
                assistant("", "a2", tool_calls=(call(),)),
            ),
        ),
        NodeContent(record=chat("c", title="Fresh"), messages=(user(),), earlier=2),
        NodeContent(record=chat("d")),
        edges={"e2": edge("a", "c", "e2")},
        title="Plans 2",
        extra={"theme": "dark"},
    )
    assert diff_projects(before, after) == (
        'the project is called "Plans 2", before "Plans"',
        'theme is "dark", before not set',
        'chat "New" (a):',
        '  model is "m", before not set',
        '  renamed from "Old"',
        "  resized from (460, 520) to (500, 520)",
        "  moved from (0, 0) to (5, 0)",
        '  removed user message "gone"',
        '  edited user message: "edited", before "hi"',
        '  stopped changed in assistant message "hello"',
        '  added assistant message "calls look"',
        "removed sticky b",
        'added chat "Fresh" (c) with 3 messages',
        'removed edge from "Old" (a) to node b',
        'added edge from "New" (a) to "Fresh" (c)',
    )


def test_C7_what_is_too_old_for_the_file_was_not_removed() -> None:
    before = file(NodeContent(record=chat(), messages=(user(), assistant())))
    after = file(NodeContent(record=chat(), messages=(user("new", "u2"),), earlier=2))
    assert diff_projects(before, after) == (
        "chat n:",
        "  2 of the oldest messages are too old for the file now",
        '  added user message "new"',
    )
    assert diff_projects(after, before) == ("chat n:", '  removed user message "new"')


def test_W11_another_order_is_told() -> None:
    said = (user("one", "u1"), user("two", "u2"))
    before, after = (file(NodeContent(record=chat(), messages=each)) for each in (said, said[::-1]))
    assert diff_projects(before, after) == ("chat n:", "  the messages stand in another order")


def test_W11_an_edge_may_change() -> None:
    nodes = [NodeContent(record=chat(name)) for name in ("n", "s")]
    before, after = (file(*nodes, edges={"e1": each}) for each in (edge(), replace(edge(), title="feeds")))
    assert diff_projects(before, after) == ("edge from node n to node s changed",)


def test_W11_what_is_the_same_on_both_sides_is_not_told() -> None:
    nodes = [NodeContent(record=chat(name)) for name in ("n", "s")]
    same = {"edges": {"e1": edge()}, "extra": {"theme": "dark"}}
    assert diff_projects(file(*nodes, title="Old", **same), file(*nodes, title="New", **same)) == (
        'the project is called "New", before "Old"',
    )
