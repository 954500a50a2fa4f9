"""What holds for a turn whatever it is fed."""

from __future__ import annotations

from itertools import chain
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from builders import NODE, TURN, assistant, call, user
from doubles import CountingIds
from talkfield.core.events import ChatEvent, Done, ToolCalled, ToolReturned
from talkfield.core.ids import CallId, MessageId
from talkfield.core.messages import CallStatus, MessageError
from talkfield.core.turn import (
    Allow,
    Ask,
    AskApproval,
    CallArrived,
    CallModel,
    Decided,
    Effect,
    FoundImpossible,
    ModelFailed,
    ModelFinished,
    Refuse,
    RunTool,
    ShellFailed,
    State,
    StopRequested,
    TextArrived,
    ThinkingArrived,
    ToolFinished,
    Turn,
    Verdict,
)
from talkfield.errors import IllegalInput

MAX_ROUNDS = 3
GATED = "write"


def gate(name: str, args_json: str) -> Verdict:
    if args_json == "bad":
        return Refuse("bad arguments")
    return Ask() if name == GATED else Allow()


CALLS = [CallId(f"call-{n}") for n in range(1, 7)]
calls = st.sampled_from(CALLS[:3])
arguments = st.sampled_from(["{}", "bad", '{"a":1}'])
arrivals = st.builds(CallArrived, st.just("0"), st.sampled_from([GATED, "look"]), arguments)
finishes = st.builds(ModelFinished, st.sampled_from(["stop", "tool_calls", "refusal"]), paused=st.booleans())
decisions = st.builds(Decided, calls, st.booleans(), st.none() | arguments)
results = st.builds(ToolFinished, calls, st.just("r"), st.booleans())
anything: st.SearchStrategy[Any] = st.one_of(
    st.builds(TextArrived, st.text("x", max_size=2)),
    st.builds(ThinkingArrived, st.text("y", max_size=2)),
    arrivals,
    finishes,
    decisions,
    results,
    st.builds(FoundImpossible, calls, st.just("no")),
    st.just(StopRequested()),
    st.just(ModelFailed(MessageError(code="cut", message="gone"))),
    st.just(ShellFailed(MessageError(code="internal", message="a bug"))),
)
asks = st.builds(ModelFinished, st.just("tool_calls"))
answers = st.tuples(st.lists(arrivals, max_size=3), asks | finishes).map(lambda parts: [*parts[0], parts[1]])
decided = st.lists(st.none() | arguments, min_size=len(CALLS), max_size=len(CALLS)).map(
    lambda edited: [Decided(call, True, args_json) for call, args_json in zip(CALLS, edited, strict=True)]
)
returned = st.just([ToolFinished(call, "r", is_error=False) for call in CALLS])
"""For each call that there may be; what comes for one that is not there, or not open, is refused."""

rounds = st.tuples(st.lists(arrivals, min_size=1, max_size=2), asks.map(lambda asked: [asked]), decided, returned).map(
    lambda parts: list(chain.from_iterable(parts))
)
stories: st.SearchStrategy[list[Any]] = st.lists(
    st.one_of(rounds, answers, decided, st.lists(decisions | results, max_size=4), st.lists(anything, max_size=3)),
    max_size=8,
).map(lambda parts: list(chain.from_iterable(parts)))
"""Inputs in the order in which they mostly come, with anything else anywhere: of inputs drawn one by one, hardly any
turn would get as far as a decision, and none to its last round.
"""

statuses: st.SearchStrategy[CallStatus] = st.sampled_from(
    ["awaiting", "running", "done", "error", "denied", "cancelled"]
)


def drive(machine: Turn, first: Any, fed: list[Any]) -> tuple[list[ChatEvent], list[Effect]]:
    """Feed everything, then stop; refused inputs must leave no trace, and what runs was approved as it is (T6)."""
    events, effects = list(first.events), list(first.effects)
    approved: dict[str, str] = {}
    for value in [*fed, StopRequested()]:
        if isinstance(value, Decided) and value.approve and machine.is_awaiting(value.call):
            shown = machine.open_calls[value.call].args_json
            approved[value.call] = shown if value.args_json is None else value.args_json
        before = (machine.state, machine.round, dict(machine.open_calls), machine.message)
        try:
            step = machine.feed(value)
        except IllegalInput:
            assert (machine.state, machine.round, dict(machine.open_calls), machine.message) == before
            continue
        if before[0] is State.ENDED:
            assert not step.events
            assert not step.effects
        events += step.events
        effects += step.effects
    assert all(
        approved.get(effect.call) == effect.args_json
        for effect in effects
        if isinstance(effect, RunTool) and effect.name == GATED
    )
    return events, effects


def check(events: list[ChatEvent], effects: list[Effect], *, known: frozenset[str] = frozenset()) -> None:
    ends = [event for event in events if isinstance(event, Done)]
    assert len(ends) == 1
    assert events[-1] is ends[0]
    announced = {event.call.id for event in events if isinstance(event, ToolCalled)} | known
    results = [event.call_id for event in events if isinstance(event, ToolReturned)]
    assert sorted(results) == sorted(announced)
    assert sum(isinstance(effect, CallModel) for effect in effects) <= MAX_ROUNDS
    ran = [effect for effect in effects if isinstance(effect, RunTool)]
    assert len({effect.call for effect in ran}) == len(ran)
    asked = {effect.call for effect in effects if isinstance(effect, AskApproval)}
    assert all(effect.name != GATED or effect.call in asked for effect in ran)
    assert all(effect.args_json != "bad" for effect in ran)


@settings(max_examples=300)
@given(stories)
def test_check_28_R7_T1_T5_any_inputs_end_once_with_every_call_answered(fed: list[Any]) -> None:
    machine = Turn(node=NODE, turn=TURN, reply=MessageId("reply"), ids=CountingIds(), gate=gate, max_rounds=MAX_ROUNDS)
    events, effects = drive(machine, machine.start(), fed)
    check(events, effects)


@settings(max_examples=300)
@given(st.lists(st.tuples(statuses, st.sampled_from([GATED, "look"])), max_size=4), stories)
def test_R14_a_resumed_turn_keeps_the_same_promises_and_runs_nothing_twice(
    before: list[tuple[CallStatus, str]], fed: list[Any]
) -> None:
    tool_calls = tuple(
        call(f"call-{index}", name=name, status=status, result="r" if status not in ("awaiting", "running") else None)
        for index, (status, name) in enumerate(before, 1)
    )
    messages = [user(), assistant(tool_calls=tool_calls)]
    ids = CountingIds()
    for _ in before:
        ids("call")
    machine, first = Turn.resume(messages, node=NODE, turn=TURN, ids=ids, gate=gate, max_rounds=MAX_ROUNDS)
    events, effects = drive(machine, first, fed)
    running = frozenset(str(c.id) for c in tool_calls if c.status == "running")
    check(events, effects, known=running)
    ran = {effect.call for effect in effects if isinstance(effect, RunTool)}
    assert not ran & {c.id for c in tool_calls if c.status != "awaiting"}
