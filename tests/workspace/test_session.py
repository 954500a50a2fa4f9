"""A session as the server uses it: commands in, frames and events out, with a scripted provider behind it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from builders import chat
from doubles import CountingIds, OneProvider, settle
from session_desk import END, desk, tool
from talkfield.core.changes import Append
from talkfield.core.document import Document
from talkfield.core.events import Done, kind_of
from talkfield.core.ids import CallId, NodeId, ProviderId
from talkfield.core.messages import Message
from talkfield.core.records import (
    HISTORY_ID,
    SETTINGS_ID,
    HistoryRecord,
    NamedModel,
    PriceOverride,
    RunRecord,
    SettingsRecord,
    TotalsRecord,
    run_id,
    totals_id,
)
from talkfield.errors import (
    AlreadyDecided,
    InvalidArgument,
    NodeBusy,
    NoProvider,
    NothingToDo,
    ProviderRefused,
    TalkfieldError,
    TurnRunning,
    UnknownThing,
)
from talkfield.providers.scripted import Fail, Hold, ScriptedDriver
from talkfield.runtime.ports import CallChunk, FinishChunk, RetryChunk, TextChunk, UsageChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask


async def test_W1_a_turn_is_one_undo_entry_and_its_end_one_frame() -> None:
    async with desk([TextChunk("hel"), TextChunk("lo"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        assert subject.texts(node) == [("user", "hi"), ("assistant", "hello")]
        assert subject.record(run_id(node)) is None
        assert subject.frames[-1].cause == "done"
        removed = [change for change in subject.frames[-1].changes if getattr(change, "id", "") == run_id(node)]
        assert len(removed) == 1
        assert subject.record(HISTORY_ID) == HistoryRecord(id=HISTORY_ID, undo="message")
        await subject.do(ask.Undo())
        assert subject.texts(node) == []
        assert subject.record(HISTORY_ID) == HistoryRecord(id=HISTORY_ID, undo="new chat", redo="message")


async def test_W4_undoing_a_turn_hands_its_text_back_and_redo_restores_it() -> None:
    async with desk([TextChunk("hello"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "what is this?")
        before = subject.session.document.conversation(node)
        undone = await subject.do(ask.Undo())
        assert (undone.made, undone.text) == ((node,), "what is this?")
        redone = await subject.do(ask.Redo())
        assert (redone.made, redone.text) == ((node,), "what is this?")
        assert subject.session.document.conversation(node) == before


async def test_check_25_W4_while_a_turn_runs_undo_of_what_it_touches_is_refused() -> None:
    hold = Hold()
    async with desk([TextChunk("x"), END], [hold, END]) as subject:
        node = await subject.chat()
        await subject.say(node, "one")
        await subject.do(ask.SendMessage(node=node, text="two"))
        await hold.reached()
        first = subject.session.document.messages(node)[0]
        await subject.do(ask.RenameNode(node=node, title="still allowed"))
        await subject.do(ask.Undo())
        assert subject.record(node).title == "one"
        await subject.do(ask.Undo())  # turn one: nothing of it is held by turn two
        with pytest.raises(TurnRunning):
            await subject.do(ask.Undo())  # the node itself would take turn two with it
        assert subject.record(first.id) is None
        hold.release()
        await settle()


async def test_W5_a_run_is_a_record_that_lives_as_long_as_the_run() -> None:
    hold = Hold()
    async with desk([hold, TextChunk("x"), Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        run = subject.record(run_id(node))
        assert isinstance(run, RunRecord)
        assert (run.phase, run.started_at) == ("waiting", subject.clock.now_ms())
        hold.release()
        await settle()
        assert subject.record(run_id(node)).phase == "streaming"
        await subject.do(ask.StopTurn(node=node))
        await settle()
        assert subject.record(run_id(node)) is None
        assert subject.session.document.messages(node)[-1].stopped


async def test_R1_a_busy_chat_refuses_and_changes_nothing() -> None:
    async with desk([Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="one"))
        seq, before = subject.session.seq, subject.texts(node)
        with pytest.raises(NodeBusy):
            await subject.do(ask.SendMessage(node=node, text="two", when_busy="prompt"))
        assert (subject.session.seq, subject.texts(node)) == (seq, before)


async def test_W12_queue_sends_each_when_the_turn_before_it_ends() -> None:
    first, second = Hold(), Hold()
    async with desk([first, TextChunk("1"), END], [second, TextChunk("2"), END], [TextChunk("3"), END]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="one"))
        for said in ("two", "four", "three"):
            await subject.do(ask.SendMessage(node=node, text=said))
        waiting = subject.session.document.queued(node)
        assert [each.text for each in waiting] == ["two", "four", "three"]
        await subject.do(ask.EditQueued(queued=waiting[2].id, place=1))
        await subject.do(ask.EditQueued(queued=waiting[2].id, text="drei"))
        taken = await subject.do(ask.RemoveQueued(queued=waiting[1].id))
        assert (taken.made, taken.text) == ((node,), "four")
        first.release()
        await second.reached()
        assert [each.text for each in subject.session.document.queued(node)] == ["drei"]
        second.release()
        await settle()
        assert [said for role, said in subject.texts(node) if role == "user"] == ["one", "two", "drei"]
        for command in (
            ask.SendQueued(node=node),
            ask.RemoveQueued(queued=waiting[0].id),
            ask.EditQueued(queued=waiting[0].id, text="x"),
        ):
            with pytest.raises(TalkfieldError):
                await subject.do(command)


async def test_W12_an_edited_text_keeps_its_place_after_others_have_left_the_queue() -> None:
    async with desk([Hold()]) as subject:
        node = await subject.chat()
        for said in ("one", "two", "three", "four"):
            await subject.do(ask.SendMessage(node=node, text=said))
        gone, edited, _ = subject.session.document.queued(node)
        await subject.do(ask.RemoveQueued(queued=gone.id))
        await subject.do(ask.EditQueued(queued=edited.id, text="drei"))
        assert [each.text for each in subject.session.document.queued(node)] == ["drei", "four"]


async def test_W12_stop_gives_the_queue_back_to_the_composer() -> None:
    async with desk([Hold()]) as subject:
        node = await subject.chat()
        for said in ("one", "two", "three"):
            await subject.do(ask.SendMessage(node=node, text=said))
        with pytest.raises(InvalidArgument):
            await subject.do(ask.EditQueued(queued=subject.session.document.queued(node)[0].id, text=" "))
        stopped = await subject.do(ask.StopTurn(node=node))
        assert (stopped.made, stopped.text) == ((node,), "two\n\nthree")
        assert subject.session.document.queued(node) == ()
        await settle()
        assert [said for role, said in subject.texts(node) if role == "user"] == ["one"]


async def test_W12_send_stops_waits_for_the_release_and_sends_now() -> None:
    async with desk([TextChunk("x"), Hold()], [TextChunk("2"), END]) as subject:
        node = await subject.chat()
        await subject.do(ask.ChangeSettings(enter_behavior="send"))
        await subject.do(ask.SendMessage(node=node, text="one"))
        await settle()
        await subject.do(ask.SendMessage(node=node, text="two"))
        await settle()
        assert subject.texts(node) == [("user", "one"), ("assistant", "x"), ("user", "two"), ("assistant", "2")]
        assert subject.session.document.messages(node)[1].stopped


async def test_W12_after_an_error_the_queue_waits_for_a_person() -> None:
    hold = Hold()
    async with desk([hold, Fail(ProviderRefused("no"))], [TextChunk("2"), END]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="one"))
        await subject.do(ask.SendMessage(node=node, text="two"))
        hold.release()
        await settle()
        assert [each.text for each in subject.session.document.queued(node)] == ["two"]
        await subject.do(ask.SendQueued(node=node))
        await settle()
        assert subject.texts(node)[-2:] == [("user", "two"), ("assistant", "2")]
        assert (await subject.do(ask.Undo())).text == "two"
        assert subject.session.document.queued(node) == ()


async def test_R2_a_send_without_a_provider_changes_nothing() -> None:
    driver = ScriptedDriver()
    async with desk(directory=OneProvider(driver, usable=False)) as subject:
        node = await subject.chat()
        with pytest.raises(NoProvider):
            await subject.do(ask.SendMessage(node=node, text="hi"))
        assert subject.texts(node) == []


async def test_M7_events_carry_node_message_and_the_seq_of_their_frame() -> None:
    async with desk([TextChunk("a"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        assert [(kind_of(event), event.node) for event in subject.events] == [
            ("delta", node),
            ("usage", node),
            ("finish", node),
            ("done", node),
        ]
        seqs = [event.seq for event in subject.events]
        assert seqs == sorted(seqs)
        assert subject.events[0].message == subject.session.document.messages(node)[1].id
        frame = next(frame for frame in subject.frames if frame.seq == seqs[0])
        assert Append(subject.events[0].message, "content", "a") in frame.changes  # type: ignore[arg-type]


async def test_W6_frames_after_a_snapshot_lead_to_the_same_state() -> None:
    async with desk([TextChunk("a"), TextChunk("b"), END]) as subject:
        mirror, seq = Document(subject.session.snapshot()), subject.session.seq
        node = await subject.chat()
        await subject.say(node, "hi")
        frames = subject.session.since("epoch", seq)
        assert frames is not None
        for frame in frames:
            mirror.apply(frame.changes)
        assert {r.id: r for r in mirror} == {r.id: r for r in subject.session.snapshot()}
        assert subject.session.since("another life", seq) is None
        assert subject.session.since("epoch", subject.session.seq + 1) is None


async def test_U15_a_chat_is_called_by_its_first_line_without_an_undo_entry() -> None:
    async with desk([END], [END]) as subject:
        node = await subject.chat()
        await subject.say(node, "  Tell me   about\n\nrivers")
        assert subject.record(node).title == "Tell me about"
        await subject.say(node, "More")
        assert subject.record(node).title == "Tell me about"
        long = await subject.chat()
        subject.session.document.node(long)
        with pytest.raises(TalkfieldError):
            await subject.do(ask.SendMessage(node=long, text=" "))


async def test_P5_totals_follow_the_messages() -> None:
    from builders import usage

    async with desk([UsageChunk(usage(100, 20)), TextChunk("x"), END]) as subject:
        node = await subject.chat()
        assert subject.record(totals_id(node)).label == "$0.00"
        await subject.say(node, "hi")
        totals = subject.record(totals_id(node))
        assert isinstance(totals, TotalsRecord)
        assert (totals.input_tokens, totals.output_tokens, totals.label) == (100, 20, "n/a")
        assert (totals.context_tokens, totals.context_limit) == (120, 1000)
        await subject.do(ask.Undo())
        assert subject.record(totals_id(node)).input_tokens == 0


async def test_R11_an_error_stays_with_the_reply_and_retry_replaces_the_attempt() -> None:
    refused = ProviderRefused("no such model", code="model_not_found")
    async with desk([TextChunk("par"), Fail(refused)], [TextChunk("better"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        failed = subject.session.document.messages(node)[-1]
        assert (failed.content, failed.error.code) == ("par", "model_not_found")  # type: ignore[union-attr]
        before = len(subject.events)
        await subject.do(ask.RetryTurn(node=node))
        while not any(isinstance(event, Done) for event in subject.events[before:]):
            await settle(1)
        assert subject.texts(node) == [("user", "hi"), ("assistant", "better")]
        await subject.do(ask.Undo())
        assert subject.texts(node) == [("user", "hi"), ("assistant", "par")]


async def test_W13_there_is_nothing_to_retry_or_continue_in_an_empty_chat() -> None:
    async with desk() as subject:
        node = await subject.chat()
        for command in (ask.RetryTurn(node=node), ask.ContinueTurn(node=node)):
            with pytest.raises(InvalidArgument):
                await subject.do(command)


async def test_C10_slash_commands_are_local_and_undoable_as_they_should_be() -> None:
    async with desk([TextChunk("x"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        await subject.do(ask.SendMessage(node=node, text="/model other"))
        await subject.do(ask.SendMessage(node=node, text="/system be  brief"))
        assert (subject.record(node).data.model, subject.record(node).data.system) == ("other", "be  brief")
        await subject.do(ask.SendMessage(node=node, text="/cost"))
        assert subject.texts(node)[-1][0] == "note"
        assert subject.record(HISTORY_ID).undo == "/system"
        await subject.do(ask.SendMessage(node=node, text="/clear"))
        assert subject.texts(node) == []
        await subject.do(ask.Undo())
        assert [role for role, _ in subject.texts(node)] == ["user", "assistant", "note"]
        await subject.do(ask.Undo())
        assert subject.record(node).data.system == ""


async def test_check_25_C10_clear_waits_for_the_running_reply() -> None:
    async with desk([Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        with pytest.raises(NodeBusy):
            await subject.do(ask.SendMessage(node=node, text="/clear"))


async def test_T6_cards_are_decided_once_and_the_turn_goes_on() -> None:
    asked = [CallChunk("1", "write", "{}"), CallChunk("2", "write", "{}"), FinishChunk("tool_calls")]
    async with desk(asked, [TextChunk("done"), END], tools=[tool()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="write"))
        await settle()
        assert subject.record(run_id(node)).phase == "awaiting"
        reply = subject.session.document.messages(node)[1]
        first, second = (call.id for call in subject.session.document.calls(reply.id))
        await subject.do(ask.DecideCall(node=node, call=first, decision="deny", reason="not now"))
        with pytest.raises(AlreadyDecided):
            await subject.do(ask.DecideCall(node=node, call=first, decision="approve"))
        with pytest.raises(UnknownThing):
            await subject.do(ask.DecideCall(node=node, call=CallId("nobody"), decision="approve"))
        assert subject.record(run_id(node)).phase == "awaiting"
        await subject.do(ask.DecideCall(node=node, call=second, decision="approve"))
        await settle()
        assert [call.status for call in subject.session.document.calls(reply.id)] == ["denied", "done"]
        assert subject.texts(node)[-1] == ("assistant", "done")


async def test_D6_a_retry_shows_until_when_it_waits() -> None:
    async with desk([RetryChunk(2, 3.0, "busy"), Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
        run = subject.record(run_id(node))
        assert (run.phase, run.retry_at, run.detail) == ("retrying", subject.clock.now_ms() + 3000, "busy")


async def test_check_25_UN5_closing_a_busy_chat_stops_its_reply_first_and_is_two_entries() -> None:
    async with desk([TextChunk("x"), Hold()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
        await subject.do(ask.RemoveNodes(nodes=(node,)))
        assert subject.record(node) is None
        await subject.do(ask.Undo())
        assert subject.texts(node) == [("user", "hi"), ("assistant", "x")]
        assert subject.session.document.messages(node)[-1].stopped
        await subject.do(ask.Undo())
        assert subject.texts(node) == []


async def test_U6_the_canvas_commands() -> None:
    async with desk() as subject:
        node = await subject.chat(title=" My   chat ", width=10)
        note = NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text="t"))).made[0])
        record = subject.record(node)
        assert (record.title, record.x, record.y, record.width) == ("My chat", 1, 2, 320)
        places = (ask.NodePlace(id=node, x=5, y=6), ask.NodePlace(id=note, x=7, y=8, width=300, height=1))
        await subject.do(ask.PlaceNodes(places=places))
        assert (subject.record(node).x, subject.record(note).width, subject.record(note).height) == (5, 300, 90)
        await subject.do(ask.Undo())
        assert (subject.record(node).x, subject.record(note).x) == (1, 0)
        await subject.do(ask.RenameNode(node=node, title="x"))
        await subject.do(ask.ConfigureChat(node=node, provider="p", model=" m ", system="s"))
        assert subject.record(node).data.model == "m"
        await subject.do(ask.ConfigureChat(node=node, provider="", model="", system=""))
        assert subject.record(node).data == chat().data
        await subject.do(ask.EditSticky(node=note, text="new", color="blue"))
        assert (subject.record(note).data.text, subject.record(note).data.color) == ("new", "blue")
        await subject.do(ask.SaveDraft(node=node, text="unsent"))
        assert subject.record(node).data.draft == "unsent"
        assert subject.record(HISTORY_ID).undo == "edit note"
        made = (await subject.do(ask.AddEdge(source=note, target=node))).made
        assert (await subject.do(ask.AddEdge(source=note, target=node))).made == made
        await subject.do(ask.RemoveEdges(edges=made))  # type: ignore[arg-type]
        assert subject.record(made[0]) is None


@pytest.mark.parametrize(
    "bad",
    [
        ask.AddNode(kind="chat", x=float("nan"), y=0),
        ask.PlaceNodes(places=(ask.NodePlace(id=NodeId("nobody"), x=0, y=0),)),
        ask.RenameNode(node=NodeId("nobody"), title="x"),
        ask.RemoveNodes(nodes=(NodeId("nobody"),)),
        ask.SendMessage(node=NodeId("nobody"), text="x"),
        ask.StopTurn(node=NodeId("nobody")),
        ask.AddEdge(source=NodeId("nobody"), target=NodeId("nobody")),
        ask.RemoveMessage(message="nobody"),  # type: ignore[arg-type]
        ask.AddProject(title=" "),
        ask.ChangeSettings(price_overrides=(PriceOverride(prefix="m", input=Decimal(-1), output=Decimal(0)),)),
        ask.RenameProject(project="nobody", title="x"),  # type: ignore[arg-type]
    ],
)
async def test_X5_bad_requests_are_refused_and_change_nothing(bad: ask.Command) -> None:
    async with desk() as subject:
        before = subject.session.snapshot()
        with pytest.raises(TalkfieldError):
            await subject.do(bad)
        assert subject.session.snapshot() == before


async def test_X5_kinds_are_checked() -> None:
    async with desk() as subject:
        node = await subject.chat()
        note = NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0))).made[0])
        for command in (
            ask.SendMessage(node=note, text="x"),
            ask.EditSticky(node=node, text="x"),
            ask.AddEdge(source=node, target=node),
            ask.SendMessage(node=node, text="x" * (4 * 1024 * 1024 + 1)),
        ):
            with pytest.raises(InvalidArgument):
                await subject.do(command)
        with pytest.raises(NothingToDo):
            await subject.do(ask.Redo())


async def test_W15_settings_reach_every_open_project_at_once() -> None:
    async with desk() as subject:
        other = await subject.studio.session((await subject.studio.add_project("Other")).project)
        await subject.do(ask.ChangeSettings(theme="dark", enter_behavior="prompt", default_model="m"))
        expected = SettingsRecord(id=SETTINGS_ID, theme="dark", enter_behavior="prompt", default_model="m")
        assert subject.record(SETTINGS_ID) == other.document.get(SETTINGS_ID) == expected
        await subject.do(ask.ChangeSettings(default_model=""))
        assert subject.record(SETTINGS_ID).default_model is None
        hidden = (NamedModel(provider=ProviderId("scripted"), model="m"),)
        await subject.do(ask.ChangeSettings(hidden_models=hidden, provider_order=(ProviderId("scripted"),)))
        settings = other.document.get(SETTINGS_ID)
        assert isinstance(settings, SettingsRecord)
        assert (settings.hidden_models, settings.provider_order) == (hidden, ("scripted",))


async def test_W15_providers_come_and_go_in_every_open_project() -> None:
    driver = ScriptedDriver()
    directory = OneProvider(driver)
    async with desk(directory=directory) as subject:
        assert subject.record("provider:scripted") is not None
        directory.set_usable(False)
        assert subject.record("provider:scripted") is None
        directory.set_usable(True)
        await subject.do(ask.RefreshProvider(provider="scripted"))  # type: ignore[arg-type]
        assert directory.refreshed == ["scripted"]
        made = await subject.do(ask.SaveProvider(name="mine", api="openai", base_url="http://x"))
        assert made.made == ("mine",)
        await subject.do(ask.RemoveProvider(provider="scripted"))  # type: ignore[arg-type]


async def test_W10_what_was_acknowledged_is_in_the_store() -> None:
    store = MemoryStore()
    async with desk([TextChunk("hello"), END], store=store) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        project = subject.session.project
    async with desk(store=store) as again:
        assert again.session.project == project
        assert again.texts(node) == [("user", "hi"), ("assistant", "hello")]
        assert again.session.document.messages(node)[-1].finish == "stop"
        assert not again.session.is_busy(node)


async def test_W8_a_reply_that_a_dead_process_left_is_interrupted_and_goes_on() -> None:
    store = MemoryStore()
    async with desk([TextChunk("par"), Hold()], store=store) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="hi"))
        await settle()
        await subject.do(ask.SaveDraft(node=node, text=""))  # flushes what has come so far
        killed = MemoryStore()
        for project in store.projects():
            killed.add_project(project)
            killed.write([_batch(project.id, store.load(project.id))])
    async with desk([TextChunk("tial"), END], store=killed, ids=CountingIds("second-")) as again:
        again.session.listen(node, again.events.append)
        left = again.session.document.messages(node)[-1]
        assert (left.content, left.finish, left.error.code) == ("par", "cut", "interrupted")  # type: ignore[union-attr]
        await again.do(ask.ContinueTurn(node=node))
        await settle()
        assert again.texts(node) == [("user", "hi"), ("assistant", "par"), ("assistant", "tial")]


async def test_check_12_W8_open_cards_of_a_dead_process_are_open_and_work() -> None:
    store = MemoryStore()
    asked = [CallChunk("1", "write", "{}"), FinishChunk("tool_calls")]
    async with desk(asked, store=store, tools=[tool()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="write"))
        await settle()
        await subject.do(ask.SaveDraft(node=node, text=""))
        killed = MemoryStore()
        for project in store.projects():
            killed.add_project(project)
            killed.write([_batch(project.id, store.load(project.id))])
    async with desk([TextChunk("done"), END], store=killed, tools=[tool()], ids=CountingIds("second-")) as again:
        reply = again.session.document.messages(node)[-1]
        (card,) = again.session.document.calls(reply.id)
        assert card.status == "awaiting"
        await again.do(ask.DecideCall(node=node, call=card.id, decision="approve"))
        await settle()
        assert [c.status for c in again.session.document.calls(reply.id)] == ["done"]
        assert again.texts(node)[-1] == ("assistant", "done")


def _batch(project: Any, records: Any) -> Any:
    from talkfield.storage.base import WriteBatch

    return WriteBatch(project=project, puts=tuple(records))


async def test_R14_sending_on_cancels_cards_that_nobody_decided() -> None:
    store = MemoryStore()
    asked = [CallChunk("1", "write", "{}"), FinishChunk("tool_calls")]
    async with desk(asked, store=store, tools=[tool()]) as subject:
        node = await subject.chat()
        await subject.do(ask.SendMessage(node=node, text="write"))
        await settle()
        await subject.do(ask.StopTurn(node=node))
        await settle()
        reply = subject.session.document.messages(node)[1]
        assert [call.status for call in subject.session.document.calls(reply.id)] == ["cancelled"]


async def test_W6_a_node_is_found_in_whichever_project_holds_it() -> None:
    store = MemoryStore()
    async with desk(store=store) as subject:
        node = await subject.chat()
        await subject.studio.add_project("Newer")
    async with desk(store=store) as again:
        assert (await again.studio.session_of(node)).node(node).node.id == node
        with pytest.raises(UnknownThing):
            await again.studio.session_of(NodeId("nobody"))
        with pytest.raises(UnknownThing):
            await again.studio.session("nobody")  # type: ignore[arg-type]


async def test_U6_projects_are_listed_last_opened_first_and_can_be_renamed() -> None:
    async with desk() as subject:
        (first,) = subject.studio.projects()
        assert first.title == "My canvas"
        subject.clock._now_s += 1
        made = (await subject.do(ask.AddProject(title="Second"))).made[0]
        await subject.do(ask.RenameProject(project=made, title="Renamed"))  # type: ignore[arg-type]
        assert [project.title for project in subject.studio.projects()] == ["Renamed", "My canvas"]
        assert subject.record(f"project:{made}").title == "Renamed"
        subject.clock._now_s += 1
        folder = await subject.studio.open_folder("/home/me/notes")
        assert (folder.title, folder.folder) == ("notes", "/home/me/notes")
        assert (await subject.studio.open_folder("/home/me/notes")).project == folder.project


async def test_W6_a_view_of_a_node_for_scripts() -> None:
    async with desk([TextChunk("x"), END]) as subject:
        node = await subject.chat()
        await subject.say(node, "hi")
        view = subject.session.node(node)
        assert view.project == subject.session.project
        assert [message.content for message in view.messages] == ["hi", "x"]
        assert all(isinstance(message, Message) for message in view.messages)
        assert view.totals == subject.record(totals_id(node))
        assert not view.running
        assert [record.id for record in subject.session.nodes()] == [node]
