"""Decisions on tool calls through the owner: bound to what was shown, remembered where asked, listed and revocable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from doubles import KeptConfiguration, settle
from session_desk import END, Desk, desk
from talkfield.core.audit import AuditQuery
from talkfield.core.changes import Append
from talkfield.core.ids import CallId, NodeId, RuleId
from talkfield.core.records import RuleRecord, RunRecord, ToolCallRecord, run_id
from talkfield.core.rule import RuleAction
from talkfield.errors import AlreadyDecided, InvalidArgument, NothingToDo, SaveFailed, UnknownThing
from talkfield.runtime.ports import CallChunk, FinishChunk, RuleSubject, Tool, ToolContext
from talkfield.storage.memory import MemoryStore
from talkfield.tools import run_command, write_file
from talkfield.wire import client as ask

WRITE, RUN = "write_file", "run_command"


def asks(name: str, *arguments: str) -> list[Any]:
    return [*(CallChunk("w", name, args) for args in arguments), FinishChunk("tool_calls")]


def tool(name: str = WRITE) -> Tool:
    """A project tool that only says what it would have done."""

    async def run(arguments: Mapping[str, Any], _context: ToolContext) -> str:
        return f"did {dict(arguments)}"

    real = write_file.TOOL if name == WRITE else run_command.TOOL
    return Tool(name=name, description="", schema={}, run=run, concern=real.concern, subject=real.subject)


async def opened(made: Desk, node: NodeId, text: str = "go") -> ToolCallRecord:
    """Say something and wait for the card that it leads to."""
    await made.do(ask.SendMessage(node=node, text=text))
    await settle()
    return cards(made, node)[-1]


def cards(made: Desk, node: NodeId) -> list[ToolCallRecord]:
    return [
        call
        for message in made.session.document.messages(node)
        for call in made.session.document.calls(message.id)
        if call.status == "awaiting"
    ]


async def over(made: Desk, node: NodeId) -> None:
    """Wait until the chat's turn has ended: tools start when their start is on the disk."""
    while made.session.is_busy(node):
        await settle(1)


def rules(made: Desk) -> list[RuleRecord]:
    return [record for record in made.session.snapshot() if isinstance(record, RuleRecord)]


def approve(call: ToolCallRecord, **more: Any) -> ask.DecideCall:
    return ask.DecideCall(node=call.node_id, call=call.id, **{"decision": "approve", **more})


def remember(pattern: str, kind: Any = "path", scope: Any = "project") -> ask.Remember:
    return ask.Remember(scope=scope, kind=kind, pattern=pattern)


async def test_T6_the_card_is_on_the_record_of_its_call() -> None:
    async with desk(asks(WRITE, '{"path":"a"}'), [END], tools=[tool()]) as made:
        call = await opened(made, await made.chat())
        assert call.card is not None
        assert (call.card.ready, [field.name for field in call.card.fields]) == (True, ["path"])
        await made.do(approve(call, digest=call.card.digest))
        await over(made, call.node_id)
        done = made.record(call.id)
        assert (done.status, done.result, done.card) == ("done", "did {'path': 'a'}", call.card)


async def test_check_42_R8_a_decision_is_for_exactly_the_card_that_was_shown() -> None:
    async with desk(asks(WRITE, '{"path":"a"}'), [END], tools=[tool()]) as made:
        call = await opened(made, await made.chat())
        with pytest.raises(InvalidArgument, match="card has changed"):
            await made.do(approve(call, digest="0" * 64))
        assert made.record(call.id).status == "awaiting"
        await made.do(approve(call))
        with pytest.raises(AlreadyDecided):
            await made.do(approve(call, decision="deny"))
        await over(made, call.node_id)
        with pytest.raises(UnknownThing):
            await made.do(ask.DecideCall(node=call.node_id, call=CallId("gone"), decision="approve"))


async def test_T7_a_decision_is_remembered_for_the_project_and_listed_and_taken_back() -> None:
    scripts = [*[asks(WRITE, '{"path":"src/a"}'), [END]] * 2, asks(WRITE, '{"path":"src/a"}')]
    async with desk(*scripts, tools=[tool()]) as made:
        first, second = await made.chat(), await made.chat()
        call = await opened(made, first)
        outcome = await made.do(approve(call, remember=remember("src/**")))
        await over(made, call.node_id)
        [rule] = rules(made)
        assert rule == RuleRecord(
            id=RuleId(outcome.made[0]),
            action="allow",
            tool=WRITE,
            kind="path",
            pattern="src/**",
            argument="path",
            created_at=made.clock.now_ms(),
        )
        await made.say(second, "again")
        assert cards(made, second) == []
        await made.do(ask.RemoveRule(rule=rule.id))
        assert rules(made) == []
        assert (await opened(made, second)).status == "awaiting"
        with pytest.raises(NothingToDo):
            await made.do(ask.RemoveRule(rule=rule.id))


async def test_T7_a_decision_for_this_chat_does_not_reach_another_and_goes_with_it() -> None:
    scripts = [asks(WRITE, '{"path":"src/a"}'), [END], asks(WRITE, '{"path":"src/a"}')]
    async with desk(*scripts, tools=[tool()]) as made:
        first, second = await made.chat(), await made.chat()
        await made.do(approve(await opened(made, first), remember=remember("src/**", scope="chat")))
        await over(made, first)
        assert len(cards(made, first)) == 0
        call = await opened(made, second)
        await made.do(ask.StopTurn(node=second))
        await settle()
        assert call.status == "awaiting"
        await made.do(ask.RemoveNodes(nodes=(first,)))
        assert rules(made) == []
        await made.do(ask.Undo())
        assert [rule.node_id for rule in rules(made)] == [first]


async def test_T7_never_is_remembered_too_and_wins() -> None:
    async with desk(
        asks(WRITE, '{"path":"src/a"}'), [END], asks(WRITE, '{"path":"src/b"}'), [END], tools=[tool()]
    ) as made:
        node = await made.chat()
        await made.do(ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="docs/**"))
        call = await opened(made, node)
        await made.do(approve(call, decision="deny", reason="no", remember=remember("src/**", scope="chat")))
        await over(made, call.node_id)
        assert made.record(call.id).result == "denied by user: no"
        await made.say(node, "again")
        last = made.session.document.calls(made.session.document.messages(node)[-2].id)[-1]
        assert (last.status, last.result) == ("denied", "denied by a rule of the user")


@pytest.mark.parametrize(
    ("name", "args", "given", "why"),
    [
        (WRITE, '{"path":"src/a"}', remember("docs/**"), "would not have matched"),
        (WRITE, '{"path":"src/a"}', remember("git status", "command"), "not about a command"),
        (WRITE, '{"path":"src/a"}', remember("../**"), "begins at the project's folder"),
        (WRITE, '{"path":"src/a"}', remember("{}", "exact"), "would not have matched"),
        (WRITE, '{"path":".bashrc"}', remember("**"), "asked about each time"),
        (RUN, '{"command":["git","status"]}', remember("git push *", "command"), "would not have matched"),
        (RUN, '{"command":["git","status"]}', remember("git *", "command"), "can run anything"),
        (RUN, '{"command":["git","status"]}', remember("*", "command"), "has to name a program"),
        (RUN, '{"command":["git","status"]}', remember("", "any"), "every command"),
        (RUN, '{"command":["git","status",";","rm"]}', remember("git status *", "command"), "would not have matched"),
        (RUN, '{"command":["sudo","ls"]}', remember("sudo ls", "command"), "asked about each time"),
    ],
)
async def test_T7_a_rule_that_would_not_have_matched_cannot_be_saved_from_its_card(
    name: str, args: str, given: ask.Remember, why: str
) -> None:
    async with desk(asks(name, args), tools=[tool(name)]) as made:
        call = await opened(made, await made.chat())
        with pytest.raises(InvalidArgument, match=why):
            await made.do(approve(call, remember=given))
        assert (made.record(call.id).status, rules(made)) == ("awaiting", [])
        await made.do(ask.StopTurn(node=call.node_id))


async def test_T7_every_offer_of_a_card_can_be_saved() -> None:
    for name, args in ((WRITE, '{"path":"src/a.py"}'), (RUN, '{"command":["git","status","-s"]}')):
        offered = 3 if name == WRITE else 2
        scripts = [asks(name, args), *[asks(name, args), [END]] * offered]
        async with desk(*scripts, tools=[tool(name)]) as made:
            node = await made.chat()
            offers = (await opened(made, node)).card.offers  # type: ignore[union-attr]
            await made.do(ask.StopTurn(node=node))
            await settle()
            for offer in offers[:offered]:
                call = await opened(made, node)
                await made.do(approve(call, remember=remember(offer.pattern, offer.kind)))
                await over(made, call.node_id)
                [rule] = rules(made)
                await made.do(ask.RemoveRule(rule=rule.id))


async def test_T7_edited_arguments_are_what_a_rule_has_to_match() -> None:
    async with desk(asks(WRITE, '{"path":"src/a"}'), [END], tools=[tool()]) as made:
        call = await opened(made, await made.chat())
        edited = '{"path":"docs/a"}'
        with pytest.raises(InvalidArgument, match="would not have matched"):
            await made.do(approve(call, args_json=edited, remember=remember("src/**")))
        await made.do(approve(call, args_json=edited, remember=remember("docs/**")))
        await over(made, call.node_id)
        assert made.record(call.id).result == "did {'path': 'docs/a'}"
        assert made.record(call.id).card.fields[0].text == "docs/a"


async def test_T7_the_same_rule_twice_is_one_rule_and_can_be_changed() -> None:
    async with desk(tools=[tool()]) as made:
        node = await made.chat()
        save = ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="src/**")
        first = await made.do(save)
        assert (await made.do(save)).made == first.made
        narrower = ask.SaveRule(action="deny", tool=WRITE, kind="path", pattern="src/x", rule=RuleId(first.made[0]))
        await made.do(narrower)
        assert [(rule.action, rule.pattern) for rule in rules(made)] == [("deny", "src/x")]
        for bad in (
            ask.SaveRule(action="allow", tool="", kind="any"),
            ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern=""),
            ask.SaveRule(action="allow", tool="x" * 201, kind="any"),
            ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="x" * 5000),
            ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="a", node=NodeId("gone")),
            ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="a", rule=RuleId("gone")),
            ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="a", node=node, rule=RuleId(first.made[0])),
        ):
            with pytest.raises((InvalidArgument, UnknownThing)):
                await made.do(bad)
        assert len(rules(made)) == 1


async def test_T7_exact_arguments_are_kept_in_one_form_however_they_are_written() -> None:
    async with desk(tools=[tool()]) as made:
        saved = await made.do(
            ask.SaveRule(action="allow", tool="x", kind="exact", pattern='{ "b": 1,\n "a": "\\u00fc"}')
        )
        change = ask.SaveRule(action="allow", tool="x", kind="exact", pattern='{"a": 2}', rule=RuleId(saved.made[0]))
        assert [rule.pattern for rule in rules(made)] == ['{"a":"ü","b":1}']
        await made.do(change)
        assert [rule.pattern for rule in rules(made)] == ['{"a":2}']
        for pattern in ("{", "[]", ""):
            with pytest.raises(InvalidArgument, match="JSON object"):
                await made.do(ask.SaveRule(action="allow", tool="x", kind="exact", pattern=pattern))


async def test_T7_rules_are_no_part_of_undo_and_survive_a_restart() -> None:
    store, settings = MemoryStore(), KeptConfiguration()
    async with desk(tools=[tool()], store=store) as made:
        await made.chat()
        await made.do(ask.SaveRule(action="deny", tool=WRITE, kind="path", pattern="src/**"))
        await made.do(ask.Undo())
        before = rules(made)
        assert len(before) == 1
    async with desk(tools=[tool()], store=store) as made:
        assert rules(made) == before
    assert settings.saved.settings.id == "settings"


async def test_T7_a_rule_can_be_tried_on_the_calls_there_were() -> None:
    calls = asks(WRITE, '{"path":"src/a"}', '{"path":"docs/b\\u202e"}')
    async with desk(calls, [END], tools=[tool()]) as made:
        node = await made.chat()
        await opened(made, node)
        for call in cards(made, node):
            await made.do(approve(call))
        await over(made, call.node_id)
        trial = await made.session.try_rule(ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="src/**"))
        assert trial.words == "Let write_file run without asking in this project: files that fit src/**."
        assert [(tried.matched, tried.asked, tried.summary) for tried in trial.calls] == [
            (False, False, '{"path":"docs/b\\u202e"}'),
            (True, False, '{"path":"src/a"}'),
        ]
        assert rules(made) == []
        with pytest.raises(InvalidArgument):
            await made.session.try_rule(ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="/x"))


async def test_T7_a_rule_on_trial_does_not_claim_what_is_asked_about_each_time() -> None:
    async with desk(asks(WRITE, '{"path":"src/.env"}', '{"path":"src/a"}'), [END], tools=[tool()]) as made:
        node = await made.chat()
        await opened(made, node)
        for call in cards(made, node):
            await made.do(approve(call, decision="deny"))
        await over(made, node)
        other = await made.chat()
        await made.do(ask.RemoveNodes(nodes=(node,)))
        actions: tuple[RuleAction, ...] = ("allow", "deny")
        for action, asked in zip(actions, ({True, False}, {False}), strict=True):
            described = ask.SaveRule(action=action, tool=WRITE, kind="path", pattern="src/**")
            calls = (await made.session.try_rule(described)).calls
            assert [tried.matched for tried in calls] == [True, True]
            assert {tried.asked for tried in calls} == asked
        here = ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="src/**", node=other)
        assert (await made.session.try_rule(here)).calls == ()


async def test_T7_a_rule_says_whether_it_would_answer_for_the_call_at_hand() -> None:
    calls = asks(WRITE, '{"path":"src/a"}', '{"path":"src/.env"}')
    async with desk(calls, tools=[tool()]) as made:
        node = await made.chat()
        await opened(made, node)
        plain, loud = cards(made, node)

        async def fits(call: str, pattern: str, action: RuleAction = "allow") -> bool | None:
            rule = ask.SaveRule(action=action, tool=WRITE, kind="path", pattern=pattern)
            return (await made.session.try_rule(rule, CallId(call))).fits

        assert (await fits(plain.id, "src/**"), await fits(plain.id, "docs/**")) == (True, False)
        assert (await fits(loud.id, "src/**"), await fits(loud.id, "src/**", "deny")) == (False, True)
        assert await fits("gone", "src/**") is False


async def test_T8_what_ran_is_read_back_the_newest_first_and_as_it_is_asked_for() -> None:
    calls = asks(WRITE, '{"path":"src/a"}', '{"path":"src/b"}')
    async with desk(calls, [END], tools=[tool()]) as made:
        node = await made.chat()
        await opened(made, node)
        first, second = cards(made, node)
        await made.do(approve(first))
        await made.do(approve(second, decision="deny"))
        await over(made, node)
        denied, ran = await made.session.recent_audit(AuditQuery())
        assert (denied.entry.outcome, ran.entry.outcome) == ("denied", "done")
        assert await made.session.recent_audit(AuditQuery(outcome="done", words="src a PERSON")) == (ran,)


async def test_W8_a_card_of_a_dead_process_is_bound_to_the_same_digest() -> None:
    store = MemoryStore()
    async with desk(asks(WRITE, '{"path":"src/a"}'), tools=[tool()], store=store) as made:
        before = await opened(made, await made.chat())
        await made.studio.close()
    async with desk([END], tools=[tool()], store=store) as made:
        [call] = cards(made, before.node_id)
        assert call.card == before.card
        await made.do(approve(call, digest=before.card.digest, remember=remember("src/**")))  # type: ignore[union-attr]
        await over(made, call.node_id)
        assert made.record(call.id).status == "done"
        assert len(rules(made)) == 1


async def test_T9_what_a_tool_says_grows_on_its_call_and_stays_there() -> None:
    async def run(_arguments: Mapping[str, Any], context: ToolContext) -> str:
        context.report("one ")
        context.report("two")
        return "done"

    talking = Tool(name=WRITE, description="", schema={}, run=run, needs_approval=False)
    async with desk(asks(WRITE, "{}"), [END], tools=[talking]) as made:
        node = await made.chat()
        await made.say(node, "go")
        [call] = [record for record in made.session.snapshot() if isinstance(record, ToolCallRecord)]
        assert (call.output, call.result, call.status) == ("one two", "done", "done")
        grown = [c for frame in made.frames for c in frame.changes if isinstance(c, Append) and c.field == "output"]
        assert [change.text for change in grown] == ["one ", "two"]


async def test_R10_a_turn_that_waits_for_a_card_says_so() -> None:
    async with desk(asks(WRITE, '{"path":"a"}'), tools=[tool()]) as made:
        call = await opened(made, await made.chat())
        run = made.record(run_id(call.node_id))
        assert isinstance(run, RunRecord)
        assert run.phase == "awaiting"
        assert RuleSubject(kind="path", argument="path") == tool().subject
        await made.do(ask.StopTurn(node=call.node_id))


async def test_check_42_T8_what_ran_and_what_was_denied_is_in_the_audit_log_by_whose_word() -> None:
    calls = asks(WRITE, '{"path":"a"}', '{"path":"b"}', '{"path":"docs/c"}', '{"path":"secret/d"}')
    async with desk(calls, [END], tools=[tool()]) as made:
        node = await made.chat()
        allow = await made.do(ask.SaveRule(action="allow", tool=WRITE, kind="path", pattern="docs/**"))
        deny = await made.do(ask.SaveRule(action="deny", tool=WRITE, kind="path", pattern="secret/**"))
        await opened(made, node)
        first, second = cards(made, node)
        await made.do(approve(first, args_json='{"path":"A"}'))
        await made.do(approve(second, decision="deny"))
        await over(made, node)
        logged = {line.entry.args_json: line.entry for line in await made.session.audit()}
        assert {args: (entry.decision, entry.outcome) for args, entry in logged.items()} == {
            '{"path":"A"}': ("person, arguments edited", "done"),
            '{"path":"b"}': ("person", "denied"),
            '{"path":"docs/c"}': (f"rule {allow.made[0]}", "done"),
            '{"path":"secret/d"}': (f"rule {deny.made[0]}", "denied"),
        }
        entry = logged['{"path":"A"}']
        assert (entry.node, entry.tool, entry.at, entry.duration_ms) == (node, WRITE, made.clock.now_ms(), 0)


async def test_T8_W8_a_tool_does_not_start_before_its_start_is_on_record() -> None:
    store = MemoryStore()
    seen: list[str] = []

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        seen.extend(line.entry.outcome for line in store.audit(made.session.project))
        return "done"

    quiet = Tool(name=WRITE, description="", schema={}, run=run, needs_approval=False)
    async with desk(asks(WRITE, "{}"), [END], tools=[quiet], store=store) as made:
        await made.say(await made.chat(), "go")
        assert seen == ["started"]
        assert [line.entry.outcome for line in await made.session.audit()] == ["done"]


class FullDisk(MemoryStore):
    """Refuses every write that would begin a tool."""

    def put(self, batches: Any) -> None:
        if any(entry.outcome == "started" for batch in batches for entry in batch.audit):
            raise SaveFailed("the disk is full")
        super().put(batches)


async def test_W9_a_tool_that_cannot_be_put_on_record_does_not_run() -> None:
    ran: list[str] = []

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        ran.append("ran")
        return ""

    quiet = Tool(name=WRITE, description="", schema={}, run=run, needs_approval=False)
    async with desk(asks(WRITE, "{}"), [END], tools=[quiet], store=FullDisk()) as made:
        node = await made.chat()
        await made.do(ask.SendMessage(node=node, text="go"))
        await over(made, node)
        await made.clock.advance(60)
        [call] = [record for record in made.session.snapshot() if isinstance(record, ToolCallRecord)]
        assert (ran, call.status, call.result) == ([], "error", "the disk is full")
        assert [line.entry.outcome for line in await made.session.audit()] == ["error"]
