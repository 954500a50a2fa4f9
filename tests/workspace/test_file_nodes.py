"""Files of the project on the canvas: their text goes through links, and what changes in them shows (L1, L3)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from doubles import settle
from session_desk import Desk, desk
from talkfield.core.file_state import FileContent, FileStateRecord, file_state_id
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.link_record import link_status_id
from talkfield.core.nodes import FileData
from talkfield.core.records import in_document
from talkfield.errors import InvalidArgument, ToolError
from talkfield.runtime.ports import ToolContext
from talkfield.wire import client as ask
from talkfield.workspace.file_watch import LOOK_S, NO_FILE, NO_FOLDER


@dataclass
class Files:
    """A folder: its texts by path, and what was read of it."""

    texts: dict[str, str] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    async def __call__(self, path: str, context: ToolContext, known: str, /) -> FileContent | None:
        assert context.folder == "/project"
        text = self.texts.get(path)
        if text is None:
            raise ToolError(f"{path}: there is no such file")
        if text == known:
            return None
        self.read.append(path)
        return FileContent(text=text, size_bytes=len(text), modified_at=5, signature=text)

    async def find(self, like: str, context: ToolContext, limit: int, /) -> tuple[str, ...]:
        assert context.folder == "/project"
        return tuple(path for path in self.texts if like in path)[:limit]


@asynccontextmanager
async def folder(files: Files, *scripts: Any) -> AsyncIterator[Desk]:
    async with desk(*scripts, read_file=files, find_files=files.find) as subject:
        project = await subject.studio.add_project("Files", "/project")
        subject.session = await subject.studio.session(project.project)
        subject.session.subscribe(subject.frames.append)
        yield subject


async def file(subject: Desk, path: str, x: float = 0, y: float = 0) -> NodeId:
    made = await subject.do(ask.AddNode(kind="file", path=path, x=x, y=y))
    await settle()
    return NodeId(made.made[0])


def shown(subject: Desk, node: NodeId) -> FileStateRecord:
    found = subject.record(file_state_id(node))
    assert isinstance(found, FileStateRecord)
    return found


async def later(subject: Desk) -> None:
    await subject.clock.advance(LOOK_S + 0.1)


async def test_L1_a_file_shows_what_is_in_it_at_once_and_what_becomes_of_it() -> None:
    files = Files({"plan.md": "one"})
    async with folder(files) as subject:
        node = await file(subject, " plan.md ")
        known = FileStateRecord(id=file_state_id(node), node_id=node, text="one", size_bytes=3, modified_at=5)
        assert (shown(subject, node), in_document(known)) == (known, False)
        files.texts["plan.md"] = "two!"
        await later(subject)
        assert (shown(subject, node).text, shown(subject, node).size_bytes) == ("two!", 4)
        del files.texts["plan.md"]
        await later(subject)
        assert (shown(subject, node).text, shown(subject, node).error) == ("", "plan.md: there is no such file")
        files.texts["plan.md"] = "two!"
        await later(subject)
        assert (shown(subject, node).text, shown(subject, node).error) == ("two!", "")


async def test_L1_a_file_that_does_not_change_is_neither_read_nor_told_of_again() -> None:
    files = Files({"plan.md": "one"})
    async with folder(files) as subject:
        await file(subject, "plan.md")
        before = len(subject.frames)
        for _ in range(3):
            await later(subject)
        assert (files.read, len(subject.frames)) == (["plan.md"], before)


async def test_L1_a_node_may_show_another_file_and_undo_shows_the_one_before() -> None:
    files = Files({"a.md": "A", "b.md": "B"})
    async with folder(files) as subject:
        node = await file(subject, "a.md")
        await subject.do(ask.EditFile(node=node, path="b.md"))
        await settle()
        assert shown(subject, node).text == "B"
        await subject.do(ask.Undo())
        await settle()
        assert (shown(subject, node).text, subject.session.node_record(node).data) == ("A", FileData(path="a.md"))
        chat = await subject.chat()
        with pytest.raises(InvalidArgument, match="not a file"):
            await subject.do(ask.EditFile(node=chat, path="a.md"))


async def test_L1_a_file_that_is_closed_is_looked_at_no_more_and_undo_brings_it_back() -> None:
    files = Files({"a.md": "A"})
    async with folder(files) as subject:
        node = await file(subject, "a.md")
        await subject.do(ask.RemoveNodes(nodes=(node,)))
        assert subject.record(file_state_id(node)) is None
        files.texts["a.md"] = "new"
        await later(subject)
        assert files.read == ["a.md"]
        await subject.do(ask.Undo())
        await settle()
        assert shown(subject, node).text == "new"


async def test_L1_without_a_folder_or_a_path_it_says_what_is_missing() -> None:
    async with folder(Files()) as subject:
        node = await file(subject, "")
        assert shown(subject, node).error == NO_FILE
    async with desk(read_file=Files()) as subject:
        node = await file(subject, "a.md")
        assert shown(subject, node).error == NO_FOLDER
        assert await subject.session.project_files("") == ()


async def test_L1_files_can_be_chosen_from_those_of_the_project() -> None:
    async with folder(Files({"a/plan.md": "", "b.txt": ""})) as subject:
        assert await subject.session.project_files("plan") == ("a/plan.md",)


def state(subject: Desk, edge: EdgeId) -> str:
    return str(subject.record(link_status_id(edge)).state)


async def test_L3_a_file_that_changes_turns_exactly_the_links_from_it_stale_and_they_replace_what_they_said() -> None:
    files = Files({"plan.md": "one", "other.md": "same"})
    async with folder(files) as subject:
        plan, other, target = await file(subject, "plan.md"), await file(subject, "other.md"), await subject.chat()
        edges = [EdgeId((await subject.do(ask.AddEdge(source=each, target=target))).made[0]) for each in (plan, other)]
        for edge in edges:
            await subject.do(ask.RunLink(edge=edge))
        assert [state(subject, edge) for edge in edges] == ["current", "current"]
        files.texts["plan.md"] = "two"
        await later(subject)
        assert [state(subject, edge) for edge in edges] == ["changed", "current"]
        await subject.do(ask.RunLink(edge=edges[0]))
        said = [message.content for message in subject.session.document.messages(target)]
        assert said == ["Context from other.md:\n\nsame", "Context from plan.md:\n\ntwo"]
        assert [state(subject, edge) for edge in edges] == ["current", "current"]


async def test_L1_a_group_says_what_the_files_on_it_say_and_an_automatic_link_follows_the_file() -> None:
    files = Files({"plan.md": "one"})
    async with folder(files) as subject:
        await file(subject, "plan.md", x=5050, y=5050)
        group = NodeId((await subject.do(ask.AddNode(kind="group", x=5000, y=5000, width=900, height=900))).made[0])
        target = await subject.chat()
        edge = EdgeId((await subject.do(ask.AddEdge(source=group, target=target))).made[0])
        await subject.do(ask.EditLink(edge=edge, automatic=True))
        await later(subject)
        files.texts["plan.md"] = "two"
        await later(subject)
        await later(subject)
        (said,) = (message.content for message in subject.session.document.messages(target))
        assert "two" in said


async def test_L1_nothing_leads_to_a_file() -> None:
    async with folder(Files({"a.md": "A"})) as subject:
        node, chat = await file(subject, "a.md"), await subject.chat()
        with pytest.raises(InvalidArgument, match="only a chat takes context"):
            await subject.do(ask.AddEdge(source=chat, target=node))
