"""Cards, rules, live output and the audit log around the tool calls of a turn (T6 to T9)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from builders import NODE, assistant, call, user
from doubles import FakeClock, Recorder, ports, settle
from talkfield.core.audit import AuditEntry
from talkfield.core.card import Card, CardField, Preview, digest_of
from talkfield.core.concern import Concern
from talkfield.core.events import ToolCalled, ToolCarded, ToolReturned, ToolSaid, ToolShowed
from talkfield.core.ids import CallId, RuleId
from talkfield.core.messages import Attachment
from talkfield.core.rule import Rule, RuleOffer
from talkfield.errors import SaveFailed, ToolError
from talkfield.providers.scripted import ScriptedDriver
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.live_output import MAX_CHARS, NO_MORE
from talkfield.runtime.ports import CallChunk, FinishChunk, RuleSubject, SendRequest, Tool, ToolContext
from talkfield.runtime.tool_call_runner import MAX_FILE_BYTES, MAX_FILES

END = [FinishChunk("stop")]
C1 = CallId("call-1")


def asks(*calls: tuple[str, str]) -> list[Any]:
    return [*(CallChunk("w", name, args) for name, args in calls), FinishChunk("tool_calls")]


class Desk:
    """One chat with one tool; what ran and what was said of it."""

    def __init__(self, *scripts: Any, tool: Tool, rules: list[Rule] | None = None, **more: Any) -> None:
        self.recorder, self.clock, self.audit = Recorder(), FakeClock(), list[AuditEntry]()
        self.rules = [] if rules is None else rules
        driver = ScriptedDriver(*scripts)
        given = ports(
            driver,
            self.recorder,
            tools=[tool],
            clock=self.clock,
            rules_for=lambda _request: tuple(self.rules),
            audit=self.audit.append,
            **more,
        )
        self.driver = driver
        self.runtime = ChatRuntime(given)

    def start(self, *messages: Any) -> asyncio.Task[Any]:
        request = SendRequest(node=NODE, messages=messages or (user(),), folder="/proj")
        return self.runtime.resume(request) if messages else self.runtime.start(request)

    def events(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.recorder.events if isinstance(event, kind)]

    def results(self) -> list[tuple[str, str]]:
        return [(event.status, event.result) for event in self.events(ToolReturned)]


def tool(run: Any = None, **more: Any) -> Tool:
    async def answer(arguments: Mapping[str, Any], _context: ToolContext) -> str:
        return f"did {dict(arguments)}"

    given: dict[str, Any] = {"name": "write", "description": "", "schema": {}, "run": run or answer}
    return Tool(**{**given, **more})


def allow(**more: Any) -> Rule:
    return Rule(**{"id": RuleId("r1"), "action": "allow", "tool": "write", "kind": "any", **more})


async def test_T6_the_card_comes_with_its_call_and_is_completed_by_the_preview() -> None:
    async def preview(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
        assert context.folder == "/proj"
        return Preview(diff=f"+{arguments['content']}", added=1, arguments=("content",), basis="b1")

    seen: list[str] = []

    async def run(_arguments: Mapping[str, Any], context: ToolContext) -> str:
        seen.append(context.basis)
        return "done"

    args = '{"path":"a","content":"x"}'
    desk = Desk(
        asks(("write", args)), END, tool=tool(run, preview=preview, subject=RuleSubject(kind="path", argument="path"))
    )
    task = desk.start()
    await settle()
    first, second = desk.events(ToolCarded)
    batch = next(batch for batch in desk.recorder.batches if any(isinstance(e, ToolCarded) for e in batch))
    assert [type(event) for event in batch][-2:] == [ToolCalled, ToolCarded]  # no browser sees a card without words
    whole = Card(
        digest=digest_of(C1, "write", args),
        fields=(
            CardField(name="path", text="a", size_bytes=1),
            CardField(name="content", text="x", size_bytes=1),
        ),
        offers=(
            RuleOffer(kind="path", pattern="a", words="a"),
            RuleOffer(kind="path", pattern="**", words="every file of the project"),
        ),
    )
    assert first.card == whole
    assert (second.card.fields, second.card.diff, second.card.ready) == (whole.fields[:1], "+x", True)
    desk.runtime.approve(NODE, C1, "approve")
    assert (await task).ok
    assert seen == ["b1"]


async def test_T9_a_call_that_cannot_be_done_is_told_to_the_model_and_nobody_is_asked() -> None:
    async def preview(_arguments: Mapping[str, Any], _context: ToolContext) -> Preview:
        raise ToolError("old_text is not in it")

    desk = Desk(asks(("write", "{}")), END, tool=tool(preview=preview))
    assert (await desk.start()).ok
    assert desk.results() == [("error", "old_text is not in it")]
    assert desk.audit == []


async def test_T6_a_preview_that_fails_leaves_a_card_that_says_so() -> None:
    async def preview(_arguments: Mapping[str, Any], _context: ToolContext) -> Preview:
        raise RuntimeError("bug")

    desk = Desk(asks(("write", '{"a":1}')), tool=tool(preview=preview))
    task = desk.start()
    await settle()
    last = desk.events(ToolCarded)[-1].card
    assert (last.note, last.ready, len(last.fields)) == ("What this would change could not be shown.", True, 1)
    desk.runtime.stop(NODE)
    await task


async def test_T6_edited_arguments_get_a_card_of_their_own_and_no_old_basis() -> None:
    async def preview(_arguments: Mapping[str, Any], _context: ToolContext) -> Preview:
        return Preview(diff="+old", basis="b1")

    seen: list[Any] = []

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> str:
        seen.append((dict(arguments), context.basis))
        return "done"

    desk = Desk(asks(("write", '{"a":1}')), END, tool=tool(run, preview=preview))
    task = desk.start()
    await settle()
    desk.runtime.approve(NODE, C1, "approve", args_json='{"a":2}')
    assert (await task).ok
    assert seen == [({"a": 2}, "")]
    last = desk.events(ToolCarded)[-1].card
    assert (last.digest, last.diff, last.fields[0].text) == (digest_of(C1, "write", '{"a":2}'), "", "2")
    assert [(entry.decision, entry.args_json, entry.outcome) for entry in desk.audit] == [
        ("person, arguments edited", '{"a":2}', "started"),
        ("person, arguments edited", '{"a":2}', "done"),
    ]


async def test_R14_a_card_that_is_open_again_is_shown_again() -> None:
    waiting = call("c1", name="write", args_json='{"a":1}', status="awaiting", result=None)
    desk = Desk(tool=tool())
    task = desk.start(user(), assistant("", tool_calls=(waiting,)))
    await settle()
    assert desk.events(ToolCarded)[-1].card.digest == digest_of(CallId("c1"), "write", '{"a":1}')
    desk.runtime.stop(NODE)
    await task


async def test_T7_a_rule_that_allows_runs_without_asking() -> None:
    desk = Desk(asks(("write", "{}")), END, tool=tool(), rules=[allow()])
    assert (await desk.start()).ok
    assert desk.events(ToolCarded) == []
    assert [entry.decision for entry in desk.audit] == ["rule r1", "rule r1"]


async def test_T7_a_rule_that_denies_wins_and_is_on_the_record() -> None:
    deny = allow(id=RuleId("r2"), action="deny")
    desk = Desk(asks(("write", "{}")), END, tool=tool(needs_approval=False), rules=[allow(), deny])
    assert (await desk.start()).ok
    assert desk.results() == [("denied", "denied by a rule of the user")]
    assert [(entry.decision, entry.outcome) for entry in desk.audit] == [("rule r2", "denied")]


async def test_T9_a_call_with_a_concern_is_asked_about_whatever_rules_there_are() -> None:
    def worry(_arguments: Mapping[str, Any]) -> Concern:
        return Concern(why="It runs by itself.")

    desk = Desk(asks(("write", "{}")), END, tool=tool(concern=worry, needs_approval=False), rules=[allow()])
    task = desk.start()
    await settle()
    assert (desk.events(ToolCarded)[0].card.loud, desk.events(ToolCarded)[0].card.offers) == ("It runs by itself.", ())
    desk.runtime.approve(NODE, C1, "deny", reason="no")
    assert (await task).ok
    assert [(entry.decision, entry.outcome) for entry in desk.audit] == [("person", "denied")]


async def test_T9_what_a_tool_refuses_nobody_is_asked_about() -> None:
    desk = Desk(
        asks(("write", "{}")), END, tool=tool(concern=lambda _: Concern(why="never", refused=True)), rules=[allow()]
    )
    assert (await desk.start()).ok
    assert desk.results() == [("error", "never")]


async def test_T9_a_tool_that_fails_to_judge_is_asked_about() -> None:
    def fail(_arguments: Mapping[str, Any]) -> Concern:
        raise RuntimeError

    desk = Desk(asks(("write", "{}")), tool=tool(concern=fail), rules=[allow()])
    task = desk.start()
    await settle()
    assert "could not say" in desk.events(ToolCarded)[0].card.loud
    desk.runtime.stop(NODE)
    await task


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rules: rules.clear(), "not run: the rule that allowed it was taken back"),
        (lambda rules: rules.append(allow(id=RuleId("r2"), action="deny")), "denied by a rule of the user"),
    ],
)
async def test_check_42_T7_a_rule_that_changes_before_the_tool_starts_counts(change: Any, said: str) -> None:
    desk: Desk

    async def before_tool(_node: Any, _call: Any) -> None:
        change(desk.rules)

    desk = Desk(asks(("write", "{}")), END, tool=tool(), rules=[allow()], before_tool=before_tool)
    assert (await desk.start()).ok
    assert desk.results() == [("error", said)]


async def test_T7_a_path_rule_goes_with_the_call_so_that_links_cannot_lead_it_astray() -> None:
    seen: list[Any] = []

    async def run(_arguments: Mapping[str, Any], context: ToolContext) -> str:
        seen.append((context.allowed_path, context.denied_paths))
        return ""

    rules = [
        allow(kind="path", pattern="src/**", argument="path"),
        allow(id=RuleId("r2"), action="deny", kind="path", pattern="secret/**", argument="path"),
    ]
    desk = Desk(asks(("write", '{"path":"src/a"}')), asks(("write", '{"path":"b"}')), END, tool=tool(run), rules=rules)
    task = desk.start()
    await settle()
    desk.runtime.approve(NODE, CallId("call-2"), "approve")
    assert (await task).ok
    assert seen == [("src/**", ("secret/**",)), (None, ("secret/**",))]


async def test_T9_output_is_told_at_once_and_then_four_times_a_second() -> None:
    go, said = asyncio.Event(), asyncio.Event()

    async def run(_arguments: Mapping[str, Any], context: ToolContext) -> str:
        for number in range(1000):
            context.report(f"{number} ")
        said.set()
        await go.wait()
        context.report("end")
        return "done"

    desk = Desk(asks(("write", "{}")), END, tool=tool(run, needs_approval=False))
    task = desk.start()
    await said.wait()
    await settle()
    assert [event.text for event in desk.events(ToolSaid)] == ["0 "]
    await desk.clock.advance(0.25)
    assert [len(event.text.split()) for event in desk.events(ToolSaid)] == [1, 999]
    await desk.clock.advance(1)
    go.set()
    assert (await task).ok
    assert [event.text for event in desk.events(ToolSaid)][2:] == ["end"]
    assert desk.results() == [("done", "done")]


async def test_T9_endless_output_is_cut_with_a_word() -> None:
    async def run(_arguments: Mapping[str, Any], context: ToolContext) -> str:
        for _ in range(100):
            context.report("x" * 10_000)
        return "done"

    desk = Desk(asks(("write", "{}")), END, tool=tool(run, needs_approval=False))
    assert (await desk.start()).ok
    told = "".join(event.text for event in desk.events(ToolSaid))
    assert told == "x" * MAX_CHARS + NO_MORE


async def kept(name: str, media_type: str, data: bytes) -> Attachment:
    if data == b"full":
        raise SaveFailed("the disk is full")
    return Attachment(id="f", name=name, media_type=media_type, size_bytes=len(data), digest="d")


def showing(*files: bytes) -> Tool:
    async def run(_arguments: Mapping[str, Any], context: ToolContext) -> str:
        for data in files:
            await context.show("picture", "image/png", data)
        return "done"

    return tool(run, needs_approval=False)


async def test_T10_what_a_tool_shows_is_kept_and_told_and_no_part_of_its_result() -> None:
    desk = Desk(asks(("write", "{}")), END, tool=showing(b"one", b"full", b"x" * (MAX_FILE_BYTES + 1)), keep_file=kept)
    assert (await desk.start()).ok
    told = [(event.call_id, event.file.size_bytes) for event in desk.events(ToolShowed)]
    assert (told, desk.results()) == ([(C1, 3)], [("done", "done")])


async def test_T10_a_tool_shows_no_more_than_a_few_files_and_none_where_nobody_keeps_them() -> None:
    many = showing(*[b"one"] * (MAX_FILES + 5))
    for keep_file, shown in ((kept, MAX_FILES), (None, 0)):
        desk = Desk(asks(("write", "{}")), END, tool=many, keep_file=keep_file)
        assert (await desk.start()).ok
        assert (len(desk.events(ToolShowed)), desk.results()) == (shown, [("done", "done")])


async def test_T10_a_tool_that_is_previewed_or_called_by_itself_shows_nothing() -> None:
    await ToolContext(node=NODE).show("picture", "image/png", b"")


async def test_T8_what_runs_is_on_the_record_before_it_starts_and_after_it_ends() -> None:
    desk: Desk

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        assert [entry.outcome for entry in desk.audit] == ["started"]
        await desk.clock.sleep_s(1.5)
        raise ToolError("no")

    desk = Desk(asks(("write", '{"a": 1}')), END, tool=tool(run, needs_approval=False, source="server"))
    task = desk.start()
    await settle()
    await desk.clock.advance(2)
    assert (await task).ok
    started = AuditEntry(
        call=C1,
        node=NODE,
        turn=desk.audit[0].turn,
        tool="write",
        source="server",
        args_json='{"a": 1}',
        decision="tool needs no approval",
        at=1_000_000,
        outcome="started",
    )
    ended = AuditEntry(
        **{name: getattr(started, name) for name in started.__struct_fields__}
        | {"outcome": "error", "duration_ms": 1500}
    )
    assert desk.audit == [started, ended]


async def test_T8_a_stopped_run_is_on_the_record_as_cancelled() -> None:
    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        await asyncio.Event().wait()
        return ""

    desk = Desk(asks(("write", "{}")), tool=tool(run, needs_approval=False))
    task = desk.start()
    await settle()
    desk.runtime.stop(NODE)
    assert (await task).stop_reason == "stopped"
    assert [entry.outcome for entry in desk.audit] == ["started", "cancelled"]


async def test_check_22_R10_nothing_runs_after_stop() -> None:
    ran: list[str] = []

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        ran.append("ran")
        return ""

    desk = Desk(asks(("write", "{}")), tool=tool(run))
    task = desk.start()
    await settle()
    desk.runtime.stop(NODE)
    assert desk.runtime.approve(NODE, C1, "approve") is False
    await task
    assert desk.runtime.approve(NODE, C1, "approve") is False
    assert (ran, desk.audit) == ([], [])


async def test_check_22_R10_an_approval_in_the_tick_of_a_stop_runs_nothing() -> None:
    """Approved, the tool's start is being made durable, and then stopped: it never starts."""
    held = asyncio.Event()
    ran: list[str] = []

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        ran.append("ran")
        return ""

    async def before_tool(_node: Any, _call: Any) -> None:
        await held.wait()

    desk = Desk(asks(("write", "{}")), tool=tool(run), before_tool=before_tool)
    task = desk.start()
    await settle()
    assert desk.runtime.approve(NODE, C1, "approve")
    desk.runtime.stop(NODE)
    held.set()
    await task
    assert ran == []


async def test_check_23_the_same_wire_id_everywhere_is_still_one_card_each() -> None:
    desk = Desk(asks(("write", '{"n":1}'), ("write", '{"n":2}')), asks(("write", '{"n":3}')), END, tool=tool())
    task = desk.start()
    await settle()
    desk.runtime.approve(NODE, CallId("call-2"), "deny")
    desk.runtime.approve(NODE, C1, "approve")
    await settle()
    desk.runtime.approve(NODE, CallId("call-3"), "approve")
    assert (await task).ok
    assert desk.results() == [
        ("denied", "denied by user"),
        ("done", "did {'n': 1}"),
        ("done", "did {'n': 3}"),
    ]


@pytest.mark.parametrize("args", ["{", '{"a":NaN}', "[]", '"x"', "null", "{}{}", '{"a":1e999}'])
async def test_check_26_broken_arguments_are_an_error_result_and_run_nothing(args: str) -> None:
    desk = Desk(asks(("write", args)), END, tool=tool(needs_approval=False))
    assert (await desk.start()).ok
    [(status, said)] = desk.results()
    if args != '{"a":1e999}':  # a number beyond all bounds is still a number to Python
        assert (status, desk.audit) == ("error", [])
        assert "arguments" in said or "JSON" in said


async def test_check_27_ten_thousand_calls_in_one_answer_are_answered_and_bounded() -> None:
    ran: list[str] = []

    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        ran.append("x")
        return ""

    desk = Desk(asks(*[("write", "{}")] * 10_000), END, tool=tool(run, needs_approval=False))
    assert (await desk.start()).ok
    assert len(ran) == 50
    assert len(desk.results()) == 10_000
    assert all(one.result is not None for one in desk.driver.requests[1].messages[-1].tool_calls)


async def test_check_27_a_model_that_never_ends_meets_the_limit() -> None:
    desk = Desk(*[asks(("write", "{}"))] * 10, tool=tool(needs_approval=False))
    assert (await desk.start()).stop_reason == "max_iterations"
    assert "9 times" in desk.results()[8][1]


async def test_T10_tools_that_come_during_a_turn_are_there_for_the_next_call() -> None:
    here: list[Tool] = []
    prepared: list[int] = []

    async def prepare(_request: SendRequest) -> None:
        prepared.append(len(here))
        here.append(tool(name=f"t{len(here)}", needs_approval=False))

    desk = Desk(
        asks(("t0", "{}")), asks(("t1", "{}")), END, tool=tool(), tools_for=lambda _: here, prepare_tools=prepare
    )
    assert (await desk.start()).ok
    assert [status for status, _ in desk.results()] == ["done", "done"]
    assert [[spec.name for spec in request.tools] for request in desk.driver.requests] == [
        ["t0"],
        ["t0", "t1"],
        ["t0", "t1", "t2"],
    ]


async def test_T4_a_result_that_not_every_service_takes_is_made_whole() -> None:
    async def run(_arguments: Mapping[str, Any], _context: ToolContext) -> str:
        return "a\0b\ud800c\ud83d\ude00"

    desk = Desk(asks(("write", "{}")), END, tool=tool(run, needs_approval=False))
    assert (await desk.start()).ok
    assert desk.results() == [("done", "a\ufffdb\ufffdc\U0001f600")]
