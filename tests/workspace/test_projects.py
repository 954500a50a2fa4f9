"""Whole projects: the archive, the bin, copies."""

from __future__ import annotations

import pytest

from doubles import settle
from session_desk import END, Desk, desk, tool
from talkfield.core.ids import ProjectId
from talkfield.core.records import (
    MessageRecord,
    NodeRecord,
    ProjectRecord,
    ProjectState,
    ToolCallRecord,
    project_record_id,
)
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.providers.scripted import Hold
from talkfield.runtime.ports import CallChunk, FinishChunk, TextChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask


def states(subject: Desk) -> dict[str, ProjectState]:
    return {record.title: record.state for record in subject.studio.projects()}


async def other_project(subject: Desk, title: str = "Other") -> ProjectId:
    return ProjectId((await subject.do(ask.AddProject(title=title))).made[0])


async def test_U6_a_project_is_archived_and_taken_out_again() -> None:
    store = MemoryStore()
    async with desk(store=store) as subject:
        other = await other_project(subject)
        await subject.do(ask.MoveProject(project=other, state="archived"))
        assert states(subject) == {"My canvas": "active", "Other": "archived"}
        assert subject.record(project_record_id(other)).state == "archived"  # every client sees it
    async with desk(store=store) as subject:
        assert states(subject) == {"My canvas": "active", "Other": "archived"}
        await subject.do(ask.MoveProject(project=other, state="active"))
        assert states(subject)["Other"] == "active"


async def test_U6_the_last_project_in_use_stays() -> None:
    async with desk() as subject:
        other = await other_project(subject)
        await subject.do(ask.MoveProject(project=other, state="archived"))
        for state in ("archived", "binned"):
            with pytest.raises(InvalidArgument):
                await subject.do(ask.MoveProject(project=subject.session.project, state=state))
        assert states(subject)["My canvas"] == "active"
        assert subject.studio.projects()[0].title == "My canvas"  # what opens by itself is in use


async def test_U6_what_runs_in_a_project_ends_when_it_goes_to_the_bin() -> None:
    async with desk([TextChunk("half"), Hold()]) as subject:
        await other_project(subject)
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
        await subject.do(ask.MoveProject(project=subject.session.project, state="binned"))
        assert not subject.session.is_busy(node)
        assert subject.texts(node) == [("user", "hi"), ("assistant", "half")]


async def test_U6_only_what_is_in_the_bin_is_destroyed() -> None:
    store = MemoryStore()
    async with desk(store=store) as subject:
        other = await other_project(subject)
        session = await subject.studio.session(other)
        await session.handle(ask.AddNode(kind="chat", x=0, y=0))
        with pytest.raises(InvalidArgument):
            await subject.do(ask.DeleteProject(project=other))
        await subject.do(ask.MoveProject(project=other, state="binned"))
        with pytest.raises(InvalidArgument):
            await session.handle(ask.DeleteProject(project=other))  # it is open there
        await subject.do(ask.DeleteProject(project=other))
        assert states(subject) == {"My canvas": "active"}
        assert subject.record(project_record_id(other)) is None
        with pytest.raises(UnknownThing):
            await subject.studio.session(other)
        with pytest.raises(UnknownThing):
            await subject.do(ask.DeleteProject(project=other))
    assert [project.title for project in store.projects()] == ["My canvas"]


async def test_U6_a_copy_of_a_project_has_its_nodes_and_conversations_and_no_undo() -> None:
    store = MemoryStore()
    async with desk([TextChunk("hello"), END], store=store) as subject:
        node = await subject.chat(title="Talk")
        await subject.say(node, "hi")
        await subject.do(ask.AddNode(kind="sticky", x=700, y=9, text="note"))
        made = ProjectId((await subject.do(ask.DuplicateProject(project=subject.session.project))).made[0])
        assert states(subject) == {"My canvas": "active", "My canvas (copy)": "active"}
    records = store.load(made)
    nodes = [record for record in records if isinstance(record, NodeRecord)]
    assert sorted((each.title, each.x, each.y) for each in nodes) == [("", 700, 9), ("Talk", 1, 2)]
    said = sorted((each.index, each.content) for each in records if isinstance(each, MessageRecord))
    assert said == [(0, "hi"), (1, "hello")]


def test_U6_records_say_where_a_project_is() -> None:
    record = ProjectRecord(id=project_record_id(ProjectId("p")), project=ProjectId("p"), title="P")
    assert record.state == "active"


async def test_U8_other_projects_are_told_what_goes_on_in_one_and_its_own_pages_are_not() -> None:
    async with desk([TextChunk("half"), Hold()]) as subject:
        mine = subject.session.project
        other = await subject.studio.session(await other_project(subject))
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
        record = ProjectRecord(id=project_record_id(mine), project=mine, title="My canvas", live=1)
        assert other.document.get(record.id) == record
        assert record in subject.studio.projects()
        assert subject.record(record.id) == ProjectRecord(id=record.id, project=mine, title="My canvas")

        await subject.do(ask.StopTurn(node=node))
        await settle()
        assert other.document.get(record.id) == ProjectRecord(id=record.id, project=mine, title="My canvas")


async def test_U8_other_projects_are_told_of_cards_that_wait_in_one_as_long_as_they_wait() -> None:
    script = [CallChunk("w", "write", "{}"), FinishChunk("tool_calls")]
    async with desk(script, [END], tools=[tool()]) as subject:
        mine = project_record_id(subject.session.project)
        other = await subject.studio.session(await other_project(subject))

        def told() -> tuple[int, int]:
            record = other.document.get(mine)
            assert isinstance(record, ProjectRecord)
            return record.live, record.waiting

        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
        assert told() == (1, 1)
        [call] = [record for record in subject.session.snapshot() if isinstance(record, ToolCallRecord)]
        await subject.do(ask.DecideCall(node=node, call=call.id, decision="deny"))
        await settle()
        assert told() == (0, 0)
