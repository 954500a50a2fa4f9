"""The turn machine, input by input. What holds for any sequence is in `tests/properties/test_turn_properties.py`."""

from __future__ import annotations

from typing import Any

import pytest

from builders import NODE, TURN, assistant, call, note, user
from doubles import CountingIds
from talkfield.core.events import (
    Delta,
    Done,
    MessageFinished,
    MessageRestarted,
    NoteAdded,
    ToolCalled,
    ToolReturned,
    UsageReported,
)
from talkfield.core.ids import CallId, MessageId
from talkfield.core.messages import Message, MessageError, ToolCall, Usage
from talkfield.core.turn import (
    BY_PERSON,
    BY_PERSON_EDITED,
    DENIED,
    INTERRUPTED,
    MAX_CALLS,
    NOT_RUN,
    TABLE,
    UNKNOWN_OUTCOME,
    Allow,
    AnswerRestarted,
    Ask,
    AskApproval,
    CallArrived,
    CallModel,
    CancelWork,
    Decided,
    FoundImpossible,
    ModelFailed,
    ModelFinished,
    Refuse,
    RunTool,
    State,
    StopRequested,
    TextArrived,
    ThinkingArrived,
    ToolFinished,
    Turn,
    UsageArrived,
    Verdict,
)
from talkfield.errors import IllegalInput

REPLY = MessageId("reply")
C1, C2, C3 = CallId("call-1"), CallId("call-2"), CallId("call-3")


def gate(name: str, args_json: str) -> Verdict:
    if name == "unknown" or args_json == "bad":
        return Refuse(f"no {name}")
    return Ask() if name.startswith("write") else Allow()


def turn(max_rounds: int = 10) -> Turn:
    return Turn(node=NODE, turn=TURN, reply=REPLY, ids=CountingIds(), gate=gate, max_rounds=max_rounds)


def started(max_rounds: int = 10) -> Turn:
    machine = turn(max_rounds)
    machine.start()
    return machine


def settling(*names: str, max_rounds: int = 10) -> Turn:
    """A turn whose model has asked for calls with these names."""
    machine = started(max_rounds)
    for name in names:
        machine.feed(CallArrived("w", name, "{}"))
    machine.feed(ModelFinished("tool_calls"))
    return machine


def returned(call_id: CallId, result: str, status: Any = "done", message: MessageId = REPLY) -> ToolReturned:
    return ToolReturned(
        node=NODE,
        message=message,
        call_id=call_id,
        result=result,
        status=status,
        is_error=status != "done",
        turn=TURN,
    )


def called(call_id: CallId, name: str, status: Any, args_json: str = "{}") -> ToolCalled:
    tool_call = ToolCall(id=call_id, name=name, args_json=args_json, status=status, wire_id="w")
    return ToolCalled(node=NODE, message=REPLY, call=tool_call, turn=TURN)


def done(reason: Any, message: MessageId = REPLY, error: MessageError | None = None) -> Done:
    return Done(node=NODE, reason=reason, message=message, error=error, turn=TURN)


def finished(finish: Any) -> MessageFinished:
    return MessageFinished(node=NODE, message=REPLY, finish=finish, turn=TURN)


def test_T1_a_turn_starts_with_a_provider_call_into_the_given_reply() -> None:
    assert turn().start().effects == [CallModel(REPLY, 1)]


def test_R3_a_turn_can_be_stopped_before_it_starts() -> None:
    machine = turn()
    assert machine.feed(Decided(C1, approve=True)).events == []
    assert machine.feed(StopRequested()).events == [done("stopped")]


def test_T1_a_turn_cannot_start_twice() -> None:
    machine = started()
    with pytest.raises(IllegalInput):
        machine.start()


def test_R6_text_and_thinking_become_events_as_they_come() -> None:
    machine = started()
    assert machine.feed(TextArrived("hi")).events == [Delta(node=NODE, message=REPLY, text="hi", turn=TURN)]
    assert machine.feed(TextArrived("")).events == []
    assert [type(e).__name__ for e in machine.feed(ThinkingArrived("hm")).events] == ["ThinkingDelta"]
    assert machine.feed(ThinkingArrived("")).events == []


def test_M4_usage_goes_to_the_message_of_its_provider_call() -> None:
    machine = settling("look")
    machine.feed(ToolFinished(C1, "found"))
    used = Usage(input_tokens=3, output_tokens=4)
    assert machine.feed(UsageArrived(used, model="m", provider="p")).events == [
        UsageReported(node=NODE, message=MessageId("message-1"), usage=used, model="m", provider="p", turn=TURN)
    ]


def test_R11_a_reply_without_calls_ends_the_turn() -> None:
    step = started().feed(ModelFinished("stop"))
    assert (step.events, step.effects) == ([finished("stop"), done("end_turn")], [])


def test_T1_calls_run_and_the_model_is_called_again_when_all_have_results() -> None:
    machine = started()
    machine.feed(CallArrived("w", "look", "{}"))
    machine.feed(CallArrived("w", "list", "{}"))
    step = machine.feed(ModelFinished("tool_calls"))
    assert step.events == [finished("tool_calls"), called(C1, "look", "running"), called(C2, "list", "running")]
    assert step.effects == [RunTool(C1, "look", "{}"), RunTool(C2, "list", "{}")]
    first = machine.feed(ToolFinished(C2, "two"))
    assert (first.events, first.effects) == ([returned(C2, "two")], [])
    second = machine.feed(ToolFinished(C1, "boom", is_error=True))
    assert second.events == [returned(C1, "boom", "error")]
    assert second.effects == [CallModel(MessageId("message-1"), 2)]


def test_D4_whether_calls_run_is_decided_by_the_calls_not_by_the_finish_word() -> None:
    machine = started()
    machine.feed(CallArrived("w", "look", "{}"))
    assert machine.feed(ModelFinished("stop")).effects == [RunTool(C1, "look", "{}")]


@pytest.mark.parametrize("finish", ["refusal", "content_filter"])
def test_D4_calls_of_a_refused_answer_are_not_run(finish: Any) -> None:
    machine = started()
    machine.feed(CallArrived("w", "look", "{}"))
    step = machine.feed(ModelFinished(finish))
    assert (step.events, step.effects) == ([finished(finish), done("end_turn")], [])


def test_check_02_D4_calls_of_a_cut_answer_are_not_run() -> None:
    machine = started()
    machine.feed(CallArrived("w", "look", "{}"))
    error = MessageError(code="cut", message="gone")
    step = machine.feed(ModelFailed(error))
    assert (step.events, step.effects) == ([finished("cut"), done("error", error=error)], [])


def test_D4_a_restarted_answer_forgets_its_calls() -> None:
    machine = started()
    machine.feed(CallArrived("w", "look", "{}"))
    assert machine.feed(AnswerRestarted()).events == [MessageRestarted(node=NODE, message=REPLY, turn=TURN)]
    assert machine.feed(ModelFinished("stop")).effects == []


def test_R11_an_error_of_the_provider_ends_the_turn_with_that_error() -> None:
    error = MessageError(code="provider_refused", message="no")
    assert started().feed(ModelFailed(error)).events == [done("error", error=error)]


def test_D1_a_paused_answer_is_continued_in_a_new_message() -> None:
    step = started().feed(ModelFinished("stop", paused=True))
    assert (step.events, step.effects) == ([finished("stop")], [CallModel(MessageId("message-1"), 2)])


def test_check_27_T4_a_refused_call_gets_its_error_and_the_loop_goes_on() -> None:
    machine = started()
    machine.feed(CallArrived("w", "unknown", "{}"))
    step = machine.feed(ModelFinished("tool_calls"))
    assert step.events == [
        finished("tool_calls"),
        called(C1, "unknown", "running"),
        returned(C1, "no unknown", "error"),
    ]
    assert step.effects == [CallModel(MessageId("message-1"), 2)]


def test_T6_all_cards_of_a_turn_are_shown_at_once_and_free_calls_run_meanwhile() -> None:
    machine = started()
    for name in ("write_a", "look", "write_b"):
        machine.feed(CallArrived("w", name, "{}"))
    step = machine.feed(ModelFinished("tool_calls"))
    assert step.events[1:] == [
        called(C1, "write_a", "awaiting"),
        called(C2, "look", "running"),
        called(C3, "write_b", "awaiting"),
    ]
    assert step.effects == [AskApproval(C1), RunTool(C2, "look", "{}"), AskApproval(C3)]


def test_T5_a_denial_settles_its_call_and_leaves_its_siblings_alone() -> None:
    machine = settling("write_a", "write_b")
    step = machine.feed(Decided(C1, approve=False, reason="not this file"))
    assert (step.events, step.effects) == ([returned(C1, f"{DENIED}: not this file", "denied")], [])
    assert machine.is_awaiting(C2)
    step = machine.feed(Decided(C2, approve=False))
    assert (step.events, step.effects) == (
        [returned(C2, DENIED, "denied")],
        [CallModel(MessageId("message-1"), 2)],
    )


def test_check_42_T6_what_runs_is_what_was_approved() -> None:
    machine = settling("write_a")
    step = machine.feed(Decided(C1, approve=True, args_json='{"x":1}'))
    assert step.events == [called(C1, "write_a", "running", '{"x":1}')]
    assert step.effects == [RunTool(C1, "write_a", '{"x":1}', BY_PERSON_EDITED)]


def test_T6_edited_arguments_are_judged_again() -> None:
    machine = settling("write_a")
    step = machine.feed(Decided(C1, approve=True, args_json="bad"))
    assert step.events == [returned(C1, "no write_a", "error")]
    assert step.effects == [CallModel(MessageId("message-1"), 2)]


def test_R8_a_late_second_or_unknown_decision_does_nothing() -> None:
    machine = settling("write_a")
    machine.feed(Decided(C1, approve=True))
    for late in (Decided(C1, approve=False), Decided(CallId("nobody"), approve=True)):
        step = machine.feed(late)
        assert (step.events, step.effects) == ([], [])
    streaming = started().feed(Decided(C1, approve=True))
    assert (streaming.events, streaming.effects) == ([], [])


def test_R10_stop_says_which_calls_had_started() -> None:
    machine = settling("write_a", "look")
    step = machine.feed(StopRequested())
    assert step.effects == [CancelWork()]
    assert step.events == [
        returned(C1, NOT_RUN, "cancelled"),
        returned(C2, INTERRUPTED, "cancelled"),
        done("stopped"),
    ]


def test_R7_after_done_it_yields_nothing() -> None:
    machine = started()
    machine.feed(StopRequested())
    for value in (StopRequested(), Decided(C1, approve=True)):
        step = machine.feed(value)
        assert (step.events, step.effects) == ([], [])
    with pytest.raises(IllegalInput):
        machine.feed(TextArrived("late"))


def test_check_27_T2_the_limit_is_told_and_ends_the_turn() -> None:
    machine = settling("look", max_rounds=1)
    step = machine.feed(ToolFinished(C1, "found"))
    text = "Stopped after 1 provider calls in one turn. Continue to let it go on."
    limit = NoteAdded(node=NODE, message=MessageId("message-1"), text=text, turn=TURN)
    assert step.events == [returned(C1, "found"), limit, done("max_iterations")]
    assert step.effects == []


def test_T1_an_input_the_table_does_not_have_changes_nothing() -> None:
    machine = settling("look")
    before = (machine.state, dict(machine.open_calls), machine.round)
    for value in (TextArrived("x"), ModelFinished("stop"), ToolFinished(CallId("nobody"), "x")):
        with pytest.raises(IllegalInput):
            machine.feed(value)
    assert (machine.state, dict(machine.open_calls), machine.round) == before


def test_T1_the_table_names_every_state_an_input_may_lead_to() -> None:
    assert {state for row in TABLE.values() for state in row.to} == set(State)


# Resume ---------------------------------------------------------------------------------------------------------------


def resumed(*messages: Message) -> tuple[Turn, Any]:
    return Turn.resume(messages, node=NODE, turn=TURN, ids=CountingIds(), gate=gate)


def test_R14_a_transcript_that_ends_with_the_user_calls_the_model() -> None:
    _, step = resumed(user("old"), assistant(finish="stop"), user("new", "u2"))
    assert (step.events, step.effects) == ([], [CallModel(MessageId("message-1"), 1)])


def test_R14_a_finished_reply_is_a_finished_turn() -> None:
    _, step = resumed(user(), assistant(finish="stop"), note())
    assert step.events == [done("end_turn", MessageId("a1"))]


@pytest.mark.parametrize(
    "broken",
    [
        {"finish": None},
        {"finish": "cut"},
        {"finish": "stop", "stopped": True},
        {"finish": "stop", "error": MessageError(code="x", message="y")},
    ],
)
def test_R14_a_reply_that_broke_off_is_asked_for_again(broken: Any) -> None:
    _, step = resumed(user(), assistant(**broken))
    assert (step.events, step.effects) == ([], [CallModel(MessageId("message-1"), 1)])


def test_R14_open_cards_are_asked_again_and_work() -> None:
    open_call = call("c9", name="write_a", status="awaiting", result=None)
    machine, step = resumed(user(), assistant(tool_calls=(open_call, call("c8"))))
    assert step.effects == [AskApproval(CallId("c9"))]
    assert machine.feed(Decided(CallId("c9"), approve=True)).effects == [
        RunTool(CallId("c9"), "write_a", "{}", BY_PERSON)
    ]


def test_check_13_R14_a_call_that_had_started_is_not_run_again() -> None:
    running = call("c9", status="running", result=None)
    _, step = resumed(user(), assistant(tool_calls=(running,)))
    assert step.events == [returned(CallId("c9"), UNKNOWN_OUTCOME, "error", MessageId("a1"))]
    assert step.effects == [CallModel(MessageId("message-1"), 1)]


def test_R14_a_turn_between_its_rounds_calls_the_model() -> None:
    _, step = resumed(user(), assistant(tool_calls=(call("c9"),), finish="tool_calls"))
    assert (step.events, step.effects) == ([], [CallModel(MessageId("message-1"), 1)])


def denying(name: str, _args_json: str) -> Verdict:
    return Refuse("denied by a rule of the user", denied=True, by="rule r1") if name == "no" else Ask()


def test_T7_a_call_that_a_rule_denies_is_denied_and_the_loop_goes_on() -> None:
    machine = Turn(node=NODE, turn=TURN, reply=REPLY, ids=CountingIds(), gate=denying)
    machine.start()
    machine.feed(CallArrived("w", "no", "{}"))
    step = machine.feed(ModelFinished("tool_calls"))
    assert step.events[-1] == returned(C1, "denied by a rule of the user", "denied")
    assert isinstance(step.effects[0], CallModel)


def test_T7_a_rule_that_came_while_a_card_was_open_counts() -> None:
    refused = False

    def judge(_name: str, _args_json: str) -> Verdict:
        return Refuse("no more", denied=True) if refused else Ask()

    machine = Turn(node=NODE, turn=TURN, reply=REPLY, ids=CountingIds(), gate=judge)
    machine.start()
    machine.feed(CallArrived("w", "write", "{}"))
    machine.feed(ModelFinished("tool_calls"))
    refused = True
    step = machine.feed(Decided(C1, approve=True))
    assert step.events[0] == returned(C1, "no more", "denied")
    assert not any(isinstance(effect, RunTool) for effect in step.effects)


def test_T7_what_a_rule_allows_runs_by_that_rule() -> None:
    machine = Turn(node=NODE, turn=TURN, reply=REPLY, ids=CountingIds(), gate=lambda *_: Allow("rule r1"))
    machine.start()
    machine.feed(CallArrived("w", "write", "{}"))
    assert machine.feed(ModelFinished("tool_calls")).effects == [RunTool(C1, "write", "{}", "rule r1")]


def test_T9_nobody_is_asked_about_what_could_not_be_done() -> None:
    machine = settling("write_a", "write_b")
    assert machine.feed(FoundImpossible(C1, "no such file")).events == [returned(C1, "no such file", "error")]
    assert machine.feed(FoundImpossible(C1, "again")).events == []
    assert machine.feed(Decided(C1, approve=True)).events == []
    step = machine.feed(FoundImpossible(C2, "nor that"))
    assert isinstance(step.effects[0], CallModel)


def test_R14_an_open_card_that_nobody_judged_is_judged_when_the_turn_goes_on() -> None:
    """A transcript may come from a file that someone else wrote."""
    bad = call("c9", name="write_a", args_json="bad", status="awaiting", result=None)
    fine = call("c8", name="look", status="awaiting", result=None)
    machine, step = resumed(user(), assistant(tool_calls=(bad, fine)))
    assert [e.status for e in step.events if isinstance(e, ToolReturned)] == ["error"]
    assert step.effects == [AskApproval(CallId("c8"))]
    assert machine.is_awaiting(CallId("c8"))


def test_check_27_T1_only_so_many_calls_of_one_answer_are_looked_at() -> None:
    machine = started()
    for _ in range(10_000):
        machine.feed(CallArrived("w", "look", "{}"))
    step = machine.feed(ModelFinished("tool_calls"))
    ran = [effect for effect in step.effects if isinstance(effect, RunTool)]
    refused = [event for event in step.events if isinstance(event, ToolReturned)]
    assert (len(ran), len(refused)) == (MAX_CALLS, 10_000 - MAX_CALLS)
    assert {event.result for event in refused} == {"not run: one answer may hold 50 calls; ask for it again"}


def test_check_27_T1_a_model_that_repeats_itself_is_told() -> None:
    machine = started(max_rounds=10)
    said = []
    for number in range(1, 5):
        machine.feed(CallArrived("w", "look", '{"b":1,"a":2}' if number % 2 else '{"a":2, "b":1}'))
        machine.feed(CallArrived("w", "look", f'{{"n":{number}}}'))
        step = machine.feed(ModelFinished("tool_calls"))
        for effect in step.effects:
            assert isinstance(effect, RunTool)
            said.append(machine.feed(ToolFinished(effect.call, "r")).events[0].result)  # type: ignore[union-attr]
    assert [result.partition("\n")[2] for result in said[::2]] == [
        "",
        "",
        "[You have made this same call 3 times in this turn. If it does not help, try something else.]",
        "[You have made this same call 4 times in this turn. If it does not help, try something else.]",
    ]
    assert set(said[1::2]) == {"r"}
