"""Any interleaving of edits, turns, undo, redo and resuming clients (UN1 to UN6, CH3, W4).

Undo everything leads to the start, redo everything to the end, nothing hangs in the air, and a client that drops out
and resumes at any point sees what the server has.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from builders import chat, message_record
from talkfield.core.changes import Append, Frame, Put, grounds_of
from talkfield.core.document import Document, removal
from talkfield.core.history import Scope
from talkfield.core.ids import RecordId
from talkfield.core.records import MessageRecord, NodeRecord, Record, in_document
from talkfield.errors import NothingToDo, TurnRunning
from talkfield.workspace.frame_log import FrameLog
from talkfield.workspace.workspace import Workspace

encode = msgspec.json.Encoder(decimal_format="string").encode
decode = msgspec.json.Decoder(Frame).decode


class WorkspaceMachine(RuleBasedStateMachine):
    @initialize(keep=st.sampled_from([1, 3, 500]))
    def start(self, keep: int) -> None:
        self.workspace = Workspace("e", [chat("n0"), chat("n1")])
        self.workspace.log = FrameLog("e", max_frames=keep)
        self.initial = self.saved()
        self.clients: dict[int, tuple[int, dict[str, Record]]] = {
            number: (0, {record.id: record for record in self.workspace.snapshot()}) for number in (0, 1)
        }
        self.count = 0
        self.turns: dict[str, tuple[Scope, RecordId]] = {}
        self.unrecorded: dict[str, Record] = {}

    def saved(self) -> dict[str, Record]:
        """What is saved, but for titles: those are also set without an entry, by design."""
        return {
            record.id: replace(record, title="") if isinstance(record, NodeRecord) else record
            for record in self.workspace.document
            if in_document(record)
        }

    def new_id(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def node(self, pick: int) -> NodeRecord | None:
        nodes = self.workspace.document.nodes()
        return nodes[pick % len(nodes)] if nodes else None

    def commit(self, changes: Any, undo: Any = "own") -> None:
        try:
            self.workspace.commit(changes, "test", undo)
        except TurnRunning:
            assert self.turns

    @rule(pick=st.integers(0, 9), x=st.integers(0, 5))
    def move(self, pick: int, x: int) -> None:
        node = self.node(pick)
        if node is not None:
            self.commit([Put(replace(node, x=x))])

    @rule()
    def create(self) -> None:
        self.commit([Put(chat(self.new_id("n")))])

    @rule(pick=st.integers(0, 9))
    def delete(self, pick: int) -> None:
        node = self.node(pick)
        if node is not None and node.id not in self.turns:
            self.commit(removal(self.workspace.document, node.id))

    @rule(pick=st.integers(0, 9), text=st.text("ab", max_size=3))
    def send(self, pick: int, text: str) -> None:
        node = self.node(pick)
        if node is None or node.id in self.turns:
            return
        scope = Scope(self.new_id("turn"))
        said, reply = self.new_id("m"), self.new_id("m")
        self.workspace.open_scope(scope, "message")
        self.workspace.commit(
            [
                Put(message_record(said, node.id, role="user", content=text, index=self.count)),
                Put(message_record(reply, node.id, index=self.count + 1)),
            ],
            "send",
            scope,
        )
        self.turns[node.id] = (scope, RecordId(reply))

    @rule(pick=st.integers(0, 9), text=st.text("xyz", min_size=1, max_size=3))
    def grow(self, pick: int, text: str) -> None:
        if self.turns:
            scope, reply = list(self.turns.values())[pick % len(self.turns)]
            self.workspace.commit([Append(reply, "content", text)], "delta", scope)

    @rule(pick=st.integers(0, 9))
    def edit_what_is_written(self, pick: int) -> None:
        if self.turns:
            _, reply = list(self.turns.values())[pick % len(self.turns)]
            message: Any = self.workspace.document.get(reply)
            with pytest.raises(TurnRunning):
                self.workspace.commit([Put(replace(message, content="e"))], "test")

    @rule(pick=st.integers(0, 9))
    def end(self, pick: int) -> None:
        if self.turns:
            node = list(self.turns)[pick % len(self.turns)]
            scope, reply = self.turns.pop(node)
            message: Any = self.workspace.document.get(reply)
            self.workspace.commit([Put(replace(message, finish="stop"))], "done", scope, close=scope)
            assert self.workspace.history.next_undo is not None

    @rule(pick=st.integers(0, 99), text=st.sampled_from(["e1", "e2"]))
    def edit(self, pick: int, text: str) -> None:
        messages = [r for r in self.workspace.document if isinstance(r, MessageRecord) and r.role != "note"]
        if messages:
            self.commit([Put(replace(messages[pick % len(messages)], content=text))])

    @rule(pick=st.integers(0, 9))
    def note(self, pick: int) -> None:
        """A message without an entry, as injected context and `/cost` make them."""
        node = self.node(pick)
        if node is not None:
            added = message_record(self.new_id("m"), node.id, role="note", index=self.count)
            self.unrecorded[added.id] = added
            before = (self.workspace.history.next_undo, self.workspace.history.next_redo)
            self.commit([Put(added)], "skip")
            assert before == (self.workspace.history.next_undo, self.workspace.history.next_redo)

    @rule(pick=st.integers(0, 9))
    def title(self, pick: int) -> None:
        """An automatic title: no entry, on a record that other entries touch."""
        node = self.node(pick)
        if node is not None:
            self.commit([Put(replace(node, title=self.new_id("t")))], "skip")

    @rule()
    def undo(self) -> None:
        with suppress(NothingToDo, TurnRunning):
            self.workspace.undo()

    @rule()
    def redo(self) -> None:
        with suppress(NothingToDo, TurnRunning):
            self.workspace.redo()

    @rule(client=st.integers(0, 1))
    def resume(self, client: int) -> None:
        seq, records = self.clients[client]
        frames = self.workspace.log.since("e", seq)
        if frames is None:
            records = {record.id: record for record in self.workspace.snapshot()}
            seq = self.workspace.seq
        else:
            mirror = Document(records.values())
            for frame in frames:
                assert frame.seq == seq + 1
                seq = frame.seq
                mirror.apply(decode(encode(frame)).changes)
            records = {record.id: record for record in mirror}
        assert seq == self.workspace.seq
        assert records == {record.id: record for record in self.workspace.snapshot()}
        self.clients[client] = (seq, records)

    @invariant()
    def nothing_hangs_in_the_air(self) -> None:
        if hasattr(self, "workspace"):
            document = self.workspace.document
            assert all(ground in document for record in document for ground in grounds_of(record))
            assert document.nodes() == tuple(record for record in document if isinstance(record, NodeRecord))

    def teardown(self) -> None:
        if not hasattr(self, "workspace"):
            return
        while self.turns:
            self.end(0)
        final = self.saved()
        entries = 0
        while self.workspace.history.next_undo is not None:
            self.workspace.undo()
            entries += 1
        left = {**self.initial, **{k: v for k, v in self.unrecorded.items() if v.node_id in self.initial}}  # type: ignore[union-attr, operator]
        assert self.saved() == {k: v for k, v in left.items() if k in self.workspace.document}
        assert set(self.initial) <= set(self.saved())
        for _ in range(entries):
            self.workspace.redo()
        assert {k: v for k, v in self.saved().items() if k not in self.unrecorded} == {
            k: v for k, v in final.items() if k not in self.unrecorded
        }
        for client in (0, 1):
            self.resume(client)


TestWorkspaceMachine = WorkspaceMachine.TestCase
TestWorkspaceMachine.settings = settings(
    max_examples=150, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
