"""Links between nodes: what they put into chats, what they remember, when they run by themselves (L1 to L3, W2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.document import Document
from talkfield.core.events import ContextAdded
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.link_order import links_of
from talkfield.core.links import InjectContext, WriteFile
from talkfield.core.messages import Source
from talkfield.core.records import (
    HISTORY_ID,
    LinkMemoryRecord,
    MessageRecord,
    in_document,
    link_memory_id,
    link_status_id,
)
from talkfield.errors import CommandRejected, InvalidArgument, ToolError
from talkfield.providers.script import Hold
from talkfield.runtime.ports import TextChunk, ToolContext
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask
from talkfield.workspace.session import Session


async def note(subject: Desk, text: str, title: str = "Plan") -> NodeId:
    made = await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text=text, title=title))
    return NodeId(made.made[0])


async def link(subject: Desk, source: NodeId, target: NodeId, behavior: Any = None, **fields: Any) -> EdgeId:
    edge = EdgeId((await subject.do(ask.AddEdge(source=source, target=target))).made[0])
    if behavior is not None or fields:
        await subject.do(ask.EditLink(edge=edge, behavior=behavior, **fields))
    return edge


def state(subject: Desk, edge: EdgeId) -> str:
    return str(subject.record(link_status_id(edge)).state)


def memory(subject: Desk, edge: EdgeId) -> LinkMemoryRecord:
    found = subject.record(link_memory_id(edge))
    assert isinstance(found, LinkMemoryRecord)
    return found


def given(subject: Desk, node: NodeId) -> Sequence[MessageRecord]:
    return [message for message in subject.session.document.messages(node) if message.source is not None]


async def test_L1_L2_W2_a_link_adds_context_that_the_model_sees_at_once_and_without_an_undo_entry() -> None:
    store = MemoryStore()
    async with desk([TextChunk("ok"), END], store=store) as subject:
        source, target = await note(subject, "use tabs"), await subject.chat()
        edge = await link(subject, source, target)
        undo = subject.record(HISTORY_ID).undo
        await subject.do(ask.RunLink(edge=edge))
        (added,) = given(subject, target)
        assert (added.role, added.content) == ("user", "Context from Plan:\n\nuse tabs")
        assert added.source == Source(node=source, link=edge)
        assert subject.record(HISTORY_ID).undo == undo
        assert isinstance(subject.events[-1], ContextAdded)
        assert added.id in {record.id for record in store.load(subject.session.project)}  # saved before it is told
        await subject.say(target, "go")
        assert subject.texts(target) == [
            ("user", "Context from Plan:\n\nuse tabs"),
            ("user", "go"),
            ("assistant", "ok"),
        ]
        reply = subject.session.document.messages(target)[-1]
        assert reply.receipt is not None
        assert [part.source for part in reply.receipt.parts] == ["you", "links"]


async def test_L3_a_changed_source_marks_its_link_and_running_it_again_replaces() -> None:
    async with desk([TextChunk("ok"), END]) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target, InjectContext(wrapped=False))
        assert state(subject, edge) == "new"
        await subject.do(ask.RunLink(edge=edge))
        assert state(subject, edge) == "current"
        await subject.say(target, "go")
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "changed"
        await subject.do(ask.RunLink(edge=edge))
        assert state(subject, edge) == "current"
        assert [text for _, text in subject.texts(target)] == ["go", "ok", "two"]
        await subject.do(ask.RunLink(edge=edge))
        assert memory(subject, edge).outcome == "up to date"
        await subject.do(ask.EditSticky(node=source, text="three"))
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "current"  # what counts is what it says, not that it was touched


async def test_L3_undo_of_clear_does_not_bring_a_second_copy() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target, InjectContext(wrapped=False))
        await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.SendMessage(node=target, text="/clear"))
        assert given(subject, target) == []
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.Undo())
        await subject.do(ask.Undo())
        assert [message.content for message in given(subject, target)] == ["two"]


async def test_L3_a_pinned_link_stays_as_it_is() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.EditLink(edge=edge, pinned=True))
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "pinned"
        with pytest.raises(InvalidArgument, match="pinned"):
            await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.EditLink(edge=edge, pinned=False, title="  Style  guide "))
        assert (state(subject, edge), subject.record(edge).title) == ("changed", "Style guide")


async def test_L1_context_can_wait_for_what_is_said_next() -> None:
    async with desk([TextChunk("ok"), END]) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target, InjectContext(when="nextSend", wrapped=False))
        await subject.do(ask.RunLink(edge=edge))
        assert (state(subject, edge), subject.texts(target)) == ("armed", [])
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.say(target, "go")
        assert subject.texts(target) == [("user", "two"), ("user", "go"), ("assistant", "ok")]
        assert (state(subject, edge), memory(subject, edge).armed) == ("current", False)


async def test_L1_while_a_reply_runs_in_the_target_context_waits_for_its_end() -> None:
    async with desk([TextChunk("o"), Hold(), TextChunk("k"), END]) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.SendMessage(node=target, text="go"))
        await settle()
        await subject.do(ask.RunLink(edge=edge))
        assert (given(subject, target), memory(subject, edge).outcome) == ([], "waits for the reply to end")
        await subject.do(ask.StopTurn(node=target))
        await settle()
        await subject.clock.advance(3)
        assert [role for role, _ in subject.texts(target)] == ["user", "assistant", "user"]


async def test_L3_a_circle_is_refused_with_its_path() -> None:
    async with desk() as subject:
        a, b, c = [await subject.chat(title=name) for name in "ABC"]
        await link(subject, a, b)
        await link(subject, b, c)
        with pytest.raises(InvalidArgument, match="C → A → B → C"):
            await subject.do(ask.AddEdge(source=c, target=a))


@pytest.mark.parametrize("kind", ["sticky", "group"])
async def test_L1_nothing_leads_to_what_takes_no_context(kind: Any) -> None:
    async with desk() as subject:
        node = await subject.chat()
        other = NodeId((await subject.do(ask.AddNode(kind=kind, x=0, y=0))).made[0])
        with pytest.raises(InvalidArgument, match="leads to a chat"):
            await subject.do(ask.AddEdge(source=node, target=other))


async def test_X5_what_a_link_cannot_do_is_refused_and_changes_nothing() -> None:
    async with desk([TextChunk("ok"), END], [TextChunk("more"), END]) as subject:
        node, target = await subject.chat(), await subject.chat()
        empty = await link(subject, node, target)
        await subject.say(node, "hi")
        await subject.do(ask.RegenerateReply(message=subject.session.document.messages(node)[-1].id))
        await settle()
        lineage = next(each for each in subject.session.document if getattr(each, "kind", "") == "lineage")
        before = subject.session.snapshot()
        for command in (
            ask.RunLink(edge=EdgeId("nothing")),
            ask.RunLink(edge=EdgeId(lineage.id)),
            ask.EditLink(edge=EdgeId(lineage.id), pinned=True),
        ):
            with pytest.raises(CommandRejected):
                await subject.do(command)
        assert subject.session.snapshot() == before
        assert state(subject, empty) == "new"


async def test_L1_L3_automatic_links_run_in_order_when_the_source_is_quiet_once_per_change() -> None:
    async with desk() as subject:
        source = await note(subject, "one")
        middle, last = await subject.chat(title="Middle"), await subject.chat(title="Last")
        everything = InjectContext(part="conversation", wrapped=False)
        second = await link(subject, middle, last, everything, automatic=True)
        first = await link(subject, source, middle, everything, automatic=True)
        await subject.clock.advance(0.5)
        assert given(subject, middle) == []
        await subject.clock.advance(3)
        assert [given(subject, node)[0].content for node in (middle, last)] == ["one", "Context: one"]
        before = subject.session.seq
        await subject.clock.advance(10)
        assert subject.session.seq == before
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.clock.advance(3)
        assert [[m.content for m in given(subject, node)] for node in (middle, last)] == [["two"], ["Context: two"]]
        assert (state(subject, first), state(subject, second)) == ("current", "current")
        ran = [frame.cause for frame in subject.frames if frame.cause == "context-added"]
        assert len(ran) == 4


async def test_L3_a_link_goes_with_its_memory_and_comes_back_with_it() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
        kept = {record.id: record for record in subject.session.document if in_document(record)}
        await subject.do(ask.RemoveEdges(edges=(edge,)))
        assert subject.record(link_memory_id(edge)) is subject.record(link_status_id(edge)) is None
        await subject.do(ask.Undo())
        assert {record.id: record for record in subject.session.document if in_document(record)} == kept
        assert state(subject, edge) == "current"
        await subject.do(ask.RemoveNodes(nodes=(source,)))
        await subject.do(ask.Undo())
        assert state(subject, edge) == "current"


async def test_L3_what_was_delivered_is_known_after_a_restart() -> None:
    store = MemoryStore()
    async with desk(store=store) as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
    async with desk(store=store) as subject:
        assert state(subject, edge) == "current"
        await subject.do(ask.EditSticky(node=source, text="two"))
        assert state(subject, edge) == "changed"
        document = Document(record for record in subject.session.document if in_document(record))
        assert document.get(edge) == subject.record(edge)


class Disk:
    """Takes what links write; the disk may be full."""

    def __init__(self) -> None:
        self.written: list[tuple[str, str, bool]] = []
        self.full = False

    async def __call__(self, path: str, text: str, context: ToolContext, /, *, append: bool) -> str:
        assert context.folder == "/project"
        if self.full:
            raise ToolError(f"{path}: no space left on device")
        self.written.append((path, text, append))
        return "made it"


async def in_folder(subject: Desk) -> Session:
    project = await subject.studio.add_project("Files", "/project")
    return await subject.studio.session(project.project)


async def test_L1_a_link_that_writes_is_allowed_once_and_asks_again_for_another_file() -> None:
    disk = Disk()
    async with desk(write_file=disk) as subject:
        subject.session = await in_folder(subject)
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target, WriteFile(path="notes.md"))
        for allowed in ("", "overwrite notes.md"):
            with pytest.raises(CommandRejected, match=r"may not append notes\.md yet"):
                await subject.do(ask.RunLink(edge=edge, allow=allowed))
        await subject.do(ask.RunLink(edge=edge, allow="append notes.md"))
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.do(ask.RunLink(edge=edge))
        assert disk.written == [("notes.md", "## Plan\n\none\n", True), ("notes.md", "## Plan\n\ntwo\n", True)]
        assert (memory(subject, edge).outcome, state(subject, edge)) == ("made it", "current")
        await subject.do(ask.EditLink(edge=edge, behavior=WriteFile(path="other.md")))
        with pytest.raises(CommandRejected, match=r"may not append other\.md yet"):
            await subject.do(ask.RunLink(edge=edge))


async def test_L1_a_failing_link_says_so_is_tried_once_per_change_and_disturbs_no_other() -> None:
    disk = Disk()
    async with desk(write_file=disk) as subject:
        subject.session = await in_folder(subject)
        source, target, other = await note(subject, "one"), await subject.chat(), await subject.chat()
        failing = await link(subject, source, target, WriteFile(path="notes.md"))
        await subject.do(ask.RunLink(edge=failing, allow="append notes.md"))
        disk.full = True
        await subject.do(ask.EditLink(edge=failing, automatic=True))
        working = await link(subject, source, other, automatic=True)
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.clock.advance(3)
        assert memory(subject, failing).error == "notes.md: no space left on device"
        assert state(subject, failing) == "changed"
        assert [message.content for message in given(subject, other)] == ["Context from Plan:\n\ntwo"]
        assert state(subject, working) == "current"
        tried = memory(subject, failing).ran_at
        await subject.clock.advance(10)
        assert memory(subject, failing).ran_at == tried
        disk.full = False
        await subject.do(ask.EditSticky(node=source, text="three"))
        await subject.clock.advance(3)
        assert (memory(subject, failing).error, state(subject, failing)) == ("", "current")


async def test_L1_an_automatic_link_writes_nothing_that_nobody_allowed() -> None:
    disk = Disk()
    async with desk(write_file=disk) as subject:
        subject.session = await in_folder(subject)
        edge = await link(
            subject, await note(subject, "one"), await subject.chat(), WriteFile(path="notes.md"), automatic=True
        )
        await subject.clock.advance(3)
        assert disk.written == []
        assert memory(subject, edge).error.startswith("It has to be allowed first")


@pytest.mark.parametrize(("path", "folder"), [("", True), ("notes.md", False)])
async def test_L1_a_link_without_a_file_or_a_folder_says_what_is_missing(path: str, folder: bool) -> None:
    async with desk(write_file=Disk()) as subject:
        if folder:
            subject.session = await in_folder(subject)
        edge = await link(subject, await note(subject, "one"), await subject.chat(), WriteFile(path=path))
        await subject.do(ask.RunLink(edge=edge, allow=f"append {path}"))
        assert ("name a file first" if folder else "has no folder to write to") in memory(subject, edge).error


async def test_L3_a_link_whose_context_was_cleared_away_is_not_up_to_date() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
        await subject.do(ask.SendMessage(node=target, text="/clear"))
        assert state(subject, edge) == "new"
        await subject.do(ask.Undo())
        assert (state(subject, edge), len(given(subject, target))) == ("current", 1)
        await subject.do(ask.SendMessage(node=target, text="/clear"))
        await subject.do(ask.RunLink(edge=edge))
        assert (state(subject, edge), len(given(subject, target))) == ("current", 1)


async def test_L3_context_in_a_copy_belongs_to_the_copied_link_or_to_none() -> None:
    async with desk() as subject:
        source, target = await note(subject, "one"), await subject.chat()
        edge = await link(subject, source, target)
        await subject.do(ask.RunLink(edge=edge))
        alone = NodeId((await subject.do(ask.DuplicateNodes(nodes=(target,), dx=9, dy=9))).made[0])
        assert [message.source for message in given(subject, alone)] == [Source(node=source)]
        both = await subject.do(ask.DuplicateNodes(nodes=(source, target), dx=9, dy=9))
        twin_source, twin = NodeId(both.made[0]), NodeId(both.made[1])
        (twin_edge,) = [each.id for each in links_of(subject.session.document) if each.target == twin]
        assert [message.source for message in given(subject, twin)] == [Source(node=twin_source, link=twin_edge)]
        await subject.do(ask.EditSticky(node=twin_source, text="two"))
        await subject.do(ask.RunLink(edge=twin_edge))
        assert [message.content for message in given(subject, twin)] == ["Context from Plan:\n\ntwo"]
        assert [message.content for message in given(subject, target)] == ["Context from Plan:\n\none"]


async def test_L1_a_target_that_is_deleted_while_its_link_waits_disturbs_nothing_else() -> None:
    async with desk([TextChunk("o"), Hold(), TextChunk("k"), END]) as subject:
        source, target, other = await note(subject, "one"), await subject.chat(), await subject.chat()
        doomed = await link(subject, source, target)
        working = await link(subject, source, other, automatic=True)
        await subject.do(ask.SendMessage(node=target, text="go"))
        await settle()
        await subject.do(ask.RunLink(edge=doomed))
        await subject.do(ask.RemoveNodes(nodes=(target,)))
        await subject.clock.advance(3)
        assert subject.record(link_memory_id(doomed)) is None
        assert (state(subject, working), len(given(subject, other))) == ("current", 1)


async def grouped(subject: Desk) -> tuple[NodeId, NodeId]:
    """A group, and a chat that stands on it."""
    group = NodeId((await subject.do(ask.AddNode(kind="group", x=0, y=0, width=900, height=900, title="All"))).made[0])
    return group, await subject.chat(title="Member")


async def test_L1_L3_a_groups_link_runs_by_itself_after_what_leads_to_its_members_once_per_change() -> None:
    async with desk() as subject:
        group, member = await grouped(subject)
        far = NodeId((await subject.do(ask.AddNode(kind="chat", x=5000, y=0))).made[0])
        source = NodeId((await subject.do(ask.AddNode(kind="sticky", x=5000, y=2000, text="one"))).made[0])
        everything = InjectContext(part="conversation", wrapped=False)
        last = await link(subject, group, far, everything, automatic=True)
        await link(subject, source, member, everything, automatic=True)
        await subject.clock.advance(3)
        assert [message.content for message in given(subject, far)] == ["## 1. Member\n\nContext: one"]
        before = len(subject.frames)
        await subject.do(ask.EditSticky(node=source, text="two"))
        await subject.clock.advance(6)
        assert [message.content for message in given(subject, far)] == ["## 1. Member\n\nContext: two"]
        ran = [frame.cause for frame in subject.frames[before:] if frame.cause == "context-added"]
        assert (len(ran), state(subject, last)) == (2, "current")


async def test_L1_a_groups_link_waits_while_a_reply_is_written_on_it() -> None:
    async with desk([TextChunk("o"), Hold(), TextChunk("k"), END]) as subject:
        group, member = await grouped(subject)
        far = NodeId((await subject.do(ask.AddNode(kind="chat", x=5000, y=0))).made[0])
        await link(subject, group, far, InjectContext(part="conversation"), automatic=True)
        await subject.do(ask.AddNode(kind="sticky", x=20, y=600, text="noted"))
        await subject.do(ask.SendMessage(node=member, text="go"))
        await settle()
        await subject.clock.advance(5)
        assert given(subject, far) == []
        await subject.do(ask.StopTurn(node=member))
        await settle()
        await subject.clock.advance(3)
        assert len(given(subject, far)) == 1


async def test_L3_a_group_feeds_no_chat_that_feeds_it_and_one_that_is_dragged_onto_it_ends_its_runs() -> None:
    async with desk() as subject:
        group, member = await grouped(subject)
        with pytest.raises(InvalidArgument, match="All → Member → All"):
            await subject.do(ask.AddEdge(source=group, target=member))
        await subject.do(ask.AddNode(kind="sticky", x=20, y=600, text="one"))
        far = NodeId((await subject.do(ask.AddNode(kind="chat", x=5000, y=0, title="Far"))).made[0])
        edge = await link(subject, group, far, automatic=True)
        with pytest.raises(InvalidArgument, match="Far → Member → All → Far"):
            await subject.do(ask.AddEdge(source=far, target=member))
        await subject.clock.advance(3)
        assert len(given(subject, far)) == 1
        await subject.do(ask.PlaceNodes(places=(ask.NodePlace(id=far, x=400, y=20),)))
        before = subject.session.seq
        await subject.clock.advance(10)
        assert subject.session.seq == before
        with pytest.raises(InvalidArgument, match="part of a circle"):
            await subject.do(ask.RunLink(edge=edge))
