"""The file in a project's folder, as a person with an editor and git sees it (W11, ST6, ST7)."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from builders import NODE, TURN, chat, document, edge, message_record, sticky, user
from doubles import CountingIds, FakeClock, services, settle
from session_desk import END, Desk
from talkfield.core.changes import Append, Put, Remove
from talkfield.core.document import Document, records_of
from talkfield.core.ids import NodeId, RecordId
from talkfield.core.project import load_project
from talkfield.core.project_text import dump_project
from talkfield.core.records import HISTORY_ID, SAVE_ID, NodeRecord, RunRecord, SaveRecord, run_id
from talkfield.errors import InvalidArgument, ProviderRefused, SaveFailed
from talkfield.providers.scripted import Fail, Hold, ScriptedDriver
from talkfield.runtime.ports import TextChunk
from talkfield.storage.base import WriteBatch, Written
from talkfield.storage.memory import MemoryStore
from talkfield.storage.project_file import DiskProjectFile
from talkfield.wire import client as ask
from talkfield.workspace.shared_text import SharedText
from talkfield.workspace.studio import open_studio


class WatchedFile(DiskProjectFile):
    """Counts its writes, and refuses while it is told to."""

    writes = 0
    failure: SaveFailed | None = None
    on_write: Callable[[], None] = staticmethod(lambda: None)

    def write(self, data: bytes) -> Written:
        self.on_write()
        if self.failure is not None:
            raise self.failure
        self.writes += 1
        return super().write(data)


class Folder:
    """A folder with a project in it, and the files that were opened there."""

    def __init__(self, path: Path) -> None:
        self.folder = path
        self.path = path / "talkfield.json"
        self.store = MemoryStore()
        self.files: list[WatchedFile] = []
        self.lives = 0

    def open_file(self, folder: str, digests: tuple[str, ...]) -> WatchedFile:
        file = WatchedFile(Path(folder), digests=digests)
        self.files.append(file)
        return file

    @property
    def writes(self) -> int:
        return self.files[-1].writes

    def read(self) -> Any:
        return json.loads(self.path.read_bytes())

    def set_aside(self) -> list[Path]:
        return list(self.folder.glob("talkfield.json.damaged-*"))

    def edit(self, change: Callable[[Any], None]) -> None:
        """What another program does: read, change, write."""
        value = self.read()
        change(value)
        self.path.write_text(json.dumps(value))

    @asynccontextmanager
    async def desk(self, *scripts: Any) -> AsyncIterator[Desk]:
        self.lives += 1
        clock = FakeClock(1_000_000 * self.lives)
        driver = ScriptedDriver(*scripts, clock=clock)
        given = services(
            driver,
            store=self.store,
            clock=clock,
            ids=CountingIds(f"{self.lives}-"),
            open_file=self.open_file,
        )
        studio = await open_studio(given, lambda: f"epoch-{self.lives}")
        try:
            project = await studio.open_folder(str(self.folder))
            made = Desk(studio, await studio.session(project.project), clock)
            made.session.subscribe(made.frames.append)
            yield made
        finally:
            await studio.close()


HOPS = 20
"""More than any write or look goes to and fro between the loop and its threads."""


async def idle(subject: Desk) -> None:
    """Let the threads that write do all that they were asked, and what follows from it."""
    for _ in range(HOPS):
        await subject.studio._folders.work(lambda: None)
        await subject.studio._saver.call(lambda _store: None)
        await settle(5)


def copy_of(store: MemoryStore) -> MemoryStore:
    """What a disk would still have if the process died now."""
    copy = MemoryStore()
    for project in store.projects():
        copy.add_project(project)
        copy.write([WriteBatch(project=project.id, puts=store.load(project.id))])
    return copy


async def passes(subject: Desk, seconds: float) -> None:
    await idle(subject)
    await subject.clock.advance(seconds)
    await idle(subject)


def save_state(subject: Desk) -> SaveRecord:
    record = subject.record(SAVE_ID)
    assert isinstance(record, SaveRecord)
    return record


def save_states(subject: Desk) -> list[str]:
    """What clients were told of saving, in order."""
    puts = [change.value for frame in subject.frames for change in frame.changes if isinstance(change, Put)]
    return [record.state for record in puts if isinstance(record, SaveRecord)]


def title(subject: Desk) -> str:
    return next(each.title for each in subject.studio.projects() if each.project == subject.session.project)


async def test_ST6_an_edit_is_in_the_file_half_a_second_later_and_not_before(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        await passes(subject, 5)
        assert not folder.path.exists()  # an empty canvas leaves no file behind
        node = await subject.chat(title="Plans")
        await passes(subject, 0.4)
        assert not folder.path.exists()
        await passes(subject, 0.2)
        assert folder.read()["nodes"][node]["title"] == "Plans"
        assert folder.read()["title"] == tmp_path.name


async def test_W11_what_changes_no_byte_writes_nothing(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat()
        await passes(subject, 1)
        stamp = os.stat(folder.path)
        await subject.do(ask.SaveDraft(node=node, text="unsent"))
        await subject.do(ask.PlaceNodes(places=(ask.NodePlace(id=node, x=1.01, y=2),)))
        await passes(subject, 5)
        assert (folder.writes, os.stat(folder.path).st_mtime_ns) == (1, stamp.st_mtime_ns)
    async with folder.desk() as again:
        await passes(again, 5)
        assert (folder.writes, os.stat(folder.path).st_mtime_ns) == (0, stamp.st_mtime_ns)


async def test_W1_a_streaming_turn_is_not_in_the_file_until_it_ends(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    hold, end = Hold(), Hold()
    async with folder.desk([TextChunk("hel"), hold, TextChunk("lo"), end, END]) as subject:
        node, other = await subject.chat(title="busy"), await subject.chat(title="idle")
        await passes(subject, 1)
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await passes(subject, 5)
        hold.release()
        await passes(subject, 5)
        assert folder.writes == 1
        await subject.do(ask.RenameNode(node=other, title="renamed"))  # an edit elsewhere does not let it out
        await passes(subject, 1)
        assert (folder.writes, folder.read()["nodes"][node]["messages"]) == (2, [])
        assert folder.read()["nodes"][other]["title"] == "renamed"
        end.release()
        await idle(subject)
        assert [message["content"] for message in folder.read()["nodes"][node]["messages"]] == ["hi", "hello"]


async def test_W1_W13_while_a_turn_is_tried_again_the_file_keeps_the_failed_attempt(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk([TextChunk("par"), Fail(ProviderRefused("no"))], [Hold()]) as subject:
        node, other = await subject.chat(), await subject.chat()
        await subject.say(node, "hi")
        await passes(subject, 1)
        failed = folder.read()["nodes"][node]["messages"]
        await subject.do(ask.RetryTurn(node=node))
        await subject.do(ask.RenameNode(node=other, title="renamed"))
        await passes(subject, 1)
        assert folder.read()["nodes"][other]["title"] == "renamed"
        assert folder.read()["nodes"][node]["messages"] == failed


async def test_ST6_a_node_that_came_back_is_in_the_file_though_a_turn_runs_in_it() -> None:
    run = RunRecord(id=run_id(NODE), node_id=NODE, turn=TURN, phase="streaming", started_at=0)
    subject = document(chat(), sticky(), edge())
    text = SharedText(subject)
    for seen in (True, False):  # whether its going was written before it came back
        text.render(await text.take(), "t", {})
        text.note(subject.apply([Remove(RecordId("e1")), Remove(RecordId(NODE))]))
        if seen:
            text.render(await text.take(), "t", {})
        text.note(subject.apply([Put(chat()), Put(edge()), Put(run)]))
        written = load_project(text.render(await text.take(), "t", {}))
        assert (sorted(written.nodes), sorted(written.edges)) == (["n", "s"], ["e1"])
        text.note(subject.apply([Remove(run.id)]))


def test_W1_text_that_grows_asks_for_nothing() -> None:
    run = RunRecord(id=run_id(NODE), node_id=NODE, turn=TURN, phase="streaming", started_at=0)
    subject = document(chat(), message_record(), run)
    text = SharedText(subject)
    grown = subject.apply([Append(RecordId("m1"), "content", "word")])
    assert text.note(grown) == "none"
    ended = subject.apply([Remove(run.id)])
    assert text.note(ended) == "turn"


async def test_W1_a_new_chat_is_in_the_file_without_its_running_turn(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk([Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await passes(subject, 1)
        assert folder.read()["nodes"][node]["messages"] == []


async def test_W12_a_turn_is_in_the_file_though_the_next_begins_at_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    first = Hold()
    async with folder.desk([first, TextChunk("1"), END], [Hold()]) as subject:
        node = await subject.chat()
        await passes(subject, 1)
        await subject.do(ask.SendMessage(node=node, text="one"))
        await subject.do(ask.SendMessage(node=node, text="two"))
        first.release()
        await idle(subject)
        assert subject.session.is_busy(node)
        assert [message["content"] for message in folder.read()["nodes"][node]["messages"]] == ["one", "1"]


async def test_ST7_a_change_on_disk_is_one_undoable_commit(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk([TextChunk("hello"), END]) as subject:
        node = await subject.chat(title="Plans")
        await subject.say(node, "hi")
        await passes(subject, 1)

        def change(file: Any) -> None:
            file["nodes"][node]["title"] = "Theirs"
            file["nodes"][node]["messages"][1]["content"] = "edited"
            file["nodes"]["new"] = {"kind": "sticky", "x": 5, "y": 6}
            file["title"] = "Renamed"

        folder.edit(change)
        seq = subject.session.seq
        await passes(subject, 2)
        assert [frame.cause for frame in subject.frames if frame.seq > seq][:1] == ["changedOnDisk"]
        assert (subject.record(node).title, subject.texts(node)[1]) == ("Theirs", ("assistant", "edited"))
        assert isinstance(subject.record("new"), NodeRecord)
        assert title(subject) == "Renamed"
        assert subject.record(HISTORY_ID).undo == "change on disk"
        await passes(subject, 1)  # made canonical again
        assert folder.path.read_bytes() == dump_project(subject.session.document, "Renamed")
        await subject.do(ask.Undo())
        assert (subject.record(node).title, subject.record("new")) == ("Plans", None)
        await passes(subject, 1)
        assert folder.read()["nodes"][node]["title"] == "Plans"


async def test_ST7_what_changed_here_meanwhile_is_united_with_it(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk([TextChunk("hello"), END], [TextChunk("more"), END]) as subject:
        node = await subject.chat(title="Plans")
        await subject.say(node, "hi")
        await passes(subject, 1)

        def change(file: Any) -> None:
            added = {"id": "theirs", "role": "user", "content": "from elsewhere", "ts": 1}
            file["nodes"][node]["messages"].append(added)
            file["nodes"][node]["x"] = 99

        await subject.say(node, "again")  # its end asks for a write, which finds the file changed
        folder.edit(change)
        await subject.do(ask.RenameNode(node=node, title="Mine"))
        await passes(subject, 3)
        said = [text for _, text in subject.texts(node)]
        assert sorted(said) == ["again", "from elsewhere", "hello", "hi", "more"]
        assert (subject.record(node).title, subject.record(node).x) == ("Mine", 99)
        await passes(subject, 1)
        assert folder.path.read_bytes() == dump_project(subject.session.document, tmp_path.name)


async def test_ST7_a_change_to_a_chat_that_runs_waits_for_the_end_of_its_turn(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    hold = Hold()
    async with folder.desk([TextChunk("a"), END], [hold, TextChunk("b"), END]) as subject:
        node = await subject.chat(title="Plans")
        await subject.say(node, "one")
        await passes(subject, 1)
        await subject.do(ask.SendMessage(node=node, text="two"))
        folder.edit(lambda file: file["nodes"][node].update(title="Theirs"))
        await passes(subject, 5)
        assert subject.record(node).title == "Plans"
        hold.release()
        await idle(subject)
        await passes(subject, 2)
        assert subject.record(node).title == "Theirs"
        assert [text for _, text in subject.texts(node)] == ["one", "a", "two", "b"]
        await passes(subject, 1)
        assert [message["content"] for message in folder.read()["nodes"][node]["messages"]] == ["one", "a", "two", "b"]


async def test_ST7_a_change_while_talkfield_was_closed_is_taken_in_when_it_opens(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat(title="Plans")
    assert folder.read()["nodes"][node]["title"] == "Plans"  # closing writes what waited
    folder.edit(lambda file: file["nodes"][node].update(title="Theirs"))
    async with folder.desk() as again:
        assert again.record(node).title == "Theirs"
        assert again.record(HISTORY_ID).undo == "change on disk"
    async with folder.desk() as third:
        assert third.record(HISTORY_ID).undo is None


async def test_ST7_what_was_taken_in_at_the_start_is_in_the_file_afterwards(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat(title="Plans")
    folder.edit(lambda file: file["nodes"][node].update(title="Theirs", x=77))
    async with folder.desk() as again:
        await passes(again, 1)
        assert (folder.read()["nodes"][node]["title"], folder.read()["nodes"][node]["x"]) == ("Theirs", 77)
        assert folder.path.read_bytes() == dump_project(again.session.document, title(again))


async def test_ST7_what_was_saved_but_not_yet_in_the_file_survives_a_change_of_it(tmp_path: Path) -> None:
    """Killed between an edit and its place in the file, and someone else changed the file: nobody knows what both
    started from, so nothing is removed."""
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat(title="Plans")
        await passes(subject, 1)
        made = (await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text="saved"))).made[0]
        killed, left = copy_of(folder.store), folder.path.read_bytes()
    folder.store = killed
    folder.path.write_bytes(left)
    folder.edit(lambda file: file["nodes"][node].update(title="Theirs"))
    async with folder.desk() as again:
        assert (again.record(node).title, again.record(made).data.text) == ("Theirs", "saved")
        await passes(again, 1)
        assert set(folder.read()["nodes"]) == {node, made}


async def test_W11_a_folder_that_holds_a_project_nobody_knows_is_loaded(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    subject = Document([chat("n1", title="Plans"), *records_of(user("hi"), NodeId("n1"), 0)])
    folder.path.write_bytes(dump_project(subject, "Ours", extra={"later": 1}))
    async with folder.desk() as desk:
        assert desk.texts(NodeId("n1")) == [("user", "hi")]
        assert title(desk) == "Ours"
        assert desk.record(HISTORY_ID).undo is None  # undo must not empty the file
        await desk.do(ask.RenameNode(node=NodeId("n1"), title="New"))
        await passes(desk, 1)
        assert (folder.read()["nodes"]["n1"]["title"], folder.read()["later"]) == ("New", 1)
    async with folder.desk() as again:
        await again.do(ask.RenameNode(node=NodeId("n1"), title="Newer"))
        await passes(again, 1)
        assert folder.read()["later"] == 1


async def test_ST9_a_broken_file_is_told_and_only_set_aside_when_there_is_something_to_write(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat()
        await passes(subject, 1)
        folder.path.write_text("{broken")
        await passes(subject, 10)
        assert folder.path.read_text() == "{broken"
        assert save_state(subject).state == "failed"
        assert str(folder.path) in save_state(subject).message
        await subject.do(ask.RenameNode(node=node, title="go on"))
        await passes(subject, 1)
        assert folder.read()["nodes"][node]["title"] == "go on"
        (aside,) = folder.set_aside()
        assert aside.read_text() == "{broken"
        assert (save_state(subject).state, str(aside) in save_state(subject).message) == ("saved", True)


async def test_ST9_a_broken_file_that_is_put_right_is_taken_in(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat(title="Plans")
        await passes(subject, 1)
        whole = folder.read()
        folder.path.write_text("")
        await passes(subject, 2)
        assert save_state(subject).state == "failed"
        whole["nodes"][node]["title"] = "Mended"
        folder.path.write_text(json.dumps(whole))
        await passes(subject, 2)
        assert (subject.record(node).title, save_state(subject).state) == ("Mended", "saved")


async def test_ST9_a_file_in_the_middle_of_a_merge_is_not_touched(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat(title="Plans")
        await passes(subject, 1)
        ours = folder.path.read_text()
        conflict = ours.replace("{\n", "{\n<<<<<<< HEAD\n", 1)
        folder.path.write_text(conflict)
        await subject.do(ask.RenameNode(node=node, title="go on"))
        await passes(subject, 10)
        assert (folder.path.read_text(), save_state(subject).state) == (conflict, "failed")
        assert "conflict" in save_state(subject).message
        folder.path.write_text(ours.replace('"x": 1', '"x": 7'))
        await passes(subject, 40)
        assert (subject.record(node).x, subject.record(node).title) == (7, "go on")
        assert (folder.read()["nodes"][node]["title"], save_state(subject).state) == ("go on", "saved")


async def test_ST9_what_a_newer_talkfield_wrote_is_never_replaced(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.path.write_text('{"talkfield": 99}')
    async with folder.desk() as subject:
        await subject.chat()
        await passes(subject, 10)
        assert folder.path.read_text() == '{"talkfield": 99}'
        assert save_state(subject).state == "failed"


async def test_ST9_a_file_that_contradicts_the_project_is_told_and_left(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk([TextChunk("x"), END]) as subject:
        node, other = await subject.chat(), await subject.chat()
        await subject.say(node, "hi")
        await passes(subject, 1)

        def move(file: Any) -> None:
            file["nodes"][other]["messages"], file["nodes"][node]["messages"] = file["nodes"][node]["messages"], []

        folder.edit(move)
        before = subject.session.document.conversation(node)
        await passes(subject, 2)
        assert subject.session.document.conversation(node) == before
        assert save_state(subject).state == "failed"


async def test_W9_a_failed_write_is_told_by_name_kept_and_tried_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat(title="one")
        await passes(subject, 1)
        file = folder.files[-1]
        file.failure = SaveFailed(f"{folder.path} could not be written: disk full.", hint="Free some space.")
        await subject.do(ask.RenameNode(node=node, title="two"))
        await passes(subject, 1)
        expected = f"{folder.path} could not be written: disk full. Free some space."
        assert save_state(subject) == SaveRecord(id=SAVE_ID, state="failed", message=expected)
        assert folder.read()["nodes"][node]["title"] == "one"
        file.failure = None
        await passes(subject, 2)
        assert (folder.read()["nodes"][node]["title"], save_state(subject).state) == ("two", "saved")


async def test_W9_the_pauses_between_tries_grow(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        await subject.chat()
        tries: list[float] = []
        file = folder.files[-1]
        file.failure, file.on_write = SaveFailed("no"), lambda: tries.append(subject.clock.monotonic_s())
        for _ in range(200):
            await passes(subject, 0.5)
            if len(tries) >= 5:
                break
        pauses = [later - earlier for earlier, later in pairwise(tries)]
        assert pauses == sorted(pauses)
        assert pauses[-1] >= 4 * pauses[0]
        assert save_states(subject) == ["failed"]  # and not "saved" whenever the file was only looked at
        file.failure = None


async def test_W9_a_folder_that_is_gone_is_told_and_written_when_it_is_back(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "work")
    folder.folder.mkdir()
    async with folder.desk() as subject:
        node = await subject.chat(title="one")
        await passes(subject, 1)
        folder.folder.rename(tmp_path / "away")
        await subject.do(ask.RenameNode(node=node, title="two"))
        await passes(subject, 1)
        assert (save_state(subject).state, str(folder.folder) in save_state(subject).message) == ("failed", True)
        (tmp_path / "away").rename(folder.folder)
        await passes(subject, 5)
        assert (folder.read()["nodes"][node]["title"], save_state(subject).state) == ("two", "saved")


async def test_W9_a_file_that_was_deleted_is_written_again_with_the_next_edit(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        node = await subject.chat(title="one")
        await passes(subject, 1)
        folder.path.unlink()
        await passes(subject, 5)
        assert subject.record(node).title == "one"
        await subject.do(ask.RenameNode(node=node, title="two"))
        await passes(subject, 1)
        assert folder.read()["nodes"][node]["title"] == "two"


async def test_check_46_X2_no_key_no_path_and_no_draft_reaches_the_file(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk([TextChunk("hello"), END], [Hold()]) as subject:
        node = await subject.chat(provider="scripted", system="be brief")
        await subject.do(ask.SaveProvider(name="mine", api="openai", base_url="http://x", key="sk-secret-key"))
        await subject.say(node, "hi")
        await subject.do(ask.SendMessage(node=node, text="running"))
        await subject.do(ask.SendMessage(node=node, text="queued words"))
        await subject.do(ask.SaveDraft(node=node, text="unsent words"))
        other = await subject.chat()
        await passes(subject, 1)
        text = folder.path.read_text()
        assert other in text
        for hidden in ("sk-secret-key", str(tmp_path), "queued words", "unsent words", "running"):
            assert hidden not in text


async def test_W11_two_projects_never_share_a_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with folder.desk() as subject:
        with pytest.raises(InvalidArgument, match="folder"):
            await subject.studio.add_project("Second", str(tmp_path))


async def test_W11_a_large_project_is_taken_in_pieces_and_written_whole(tmp_path: Path) -> None:
    subject = document(*(chat(f"n{number}") for number in range(130)))
    text = SharedText(subject)
    snapshot = await text.take()
    assert text.render(snapshot, "t", {}) == dump_project(subject, "t")
    moved = chat("n5", x=9)
    transitions = subject.apply([Put(moved)])
    assert text.note(transitions) == "edit"
    assert (await text.take()).nodes.keys() == {"n5"}
