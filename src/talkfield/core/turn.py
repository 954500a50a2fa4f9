"""One chat turn as a state machine with no I/O.

A turn is a user message and all that answers it. The machine is fed inputs (text came, a call came, a person decided,
a tool returned, stop) and answers with a `Step`: events for the world, effects for the shell. What it may do in which
state stands in `TABLE`; anything else raises `IllegalInput` and leaves it unchanged.

Guarantees, whatever it is fed (tested as properties):

* `Done` comes exactly once, as the last event; afterwards it yields nothing;
* every call it announces gets exactly one result;
* nothing that needs approval runs without one, and what runs is what was approved (T6);
* the number of provider calls is bounded (T1).

Calls are announced when the model has finished, not before: a reply that breaks off must leave no call behind (D4).
The shell is `runtime/turn_runner.py`. `scripts/draw_turn.py` draws the table into `docs/spec/turn.mmd`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, assert_never

from msgspec.structs import replace

from talkfield.core.events import (
    ChatEvent,
    Delta,
    Done,
    MessageFinished,
    MessageRestarted,
    NoteAdded,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    UsageReported,
)
from talkfield.core.ids import CallId, Ids, MessageId, NodeId, TurnId
from talkfield.core.messages import (
    FINAL_STATUSES,
    CallStatus,
    DoneReason,
    Finish,
    Message,
    MessageCost,
    MessageError,
    ProviderState,
    ToolCall,
    Usage,
)
from talkfield.core.repetition import Repetition
from talkfield.errors import IllegalInput

DENIED = "denied by user"
NOT_RUN = "cancelled: not run"
INTERRUPTED = "cancelled: interrupted while running"
BY_PERSON = "person"
BY_PERSON_EDITED = "person, arguments edited"
MAX_CALLS = 50
"""Calls of one answer that are looked at; the others get an error result."""

UNKNOWN_OUTCOME = (
    "unknown outcome: Talkfield ended while this tool ran. It may have finished, partly or not at all; "
    "it was not run again."
)

# Verdicts of the gate -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Allow:
    """The call may run at once. `by` says why nobody is asked: its tool needs no approval, or a rule says so."""

    by: str = ""


@dataclass(frozen=True)
class Ask:
    """A person decides first."""


@dataclass(frozen=True)
class Refuse:
    """The call can't run; `why` goes back to the model as its error result (T3, T4). `denied`: a rule says no."""

    why: str
    denied: bool = False
    by: str = ""


Verdict = Allow | Ask | Refuse
Gate = Callable[[str, str], Verdict]
"""Judges a call by its name and its arguments as JSON text, and by the rules there are at that moment (T7)."""

# Inputs ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TextArrived:
    text: str


@dataclass(frozen=True)
class ThinkingArrived:
    text: str


@dataclass(frozen=True)
class CallArrived:
    """A whole call; `wire_id` is the provider's, which proves nothing (M3)."""

    wire_id: str
    name: str
    args_json: str


@dataclass(frozen=True)
class AnswerRestarted:
    """The answer began again from nothing; what came of it so far is void."""


@dataclass(frozen=True)
class UsageArrived:
    usage: Usage
    model: str | None = None
    provider: str | None = None
    cost: MessageCost | None = None


@dataclass(frozen=True)
class ModelFinished:
    """The provider call is complete. `paused`: the provider wants its message back to go on with it.

    `refusal` is what the provider says of an answer that it refused.
    """

    finish: Finish
    provider_state: ProviderState | None = None
    paused: bool = False
    refusal: str = ""


@dataclass(frozen=True)
class ModelFailed:
    """The provider call ended without proof of completeness (D4)."""

    error: MessageError


@dataclass(frozen=True)
class Decided:
    """A person's word on one call. `args_json` replaces the model's arguments (T6); `reason` is told to the model."""

    call: CallId
    approve: bool
    args_json: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class ToolFinished:
    call: CallId
    result: str
    is_error: bool = False


@dataclass(frozen=True)
class FoundImpossible:
    """A call that waits for a decision could not be done anyway; `why` goes to the model, and nobody is asked."""

    call: CallId
    why: str


@dataclass(frozen=True)
class StopRequested:
    pass


@dataclass(frozen=True)
class ShellFailed:
    """What performs the turn has a fault and cannot go on with it: a bug, not a provider's or a tool's failure."""

    error: MessageError


Input = (
    TextArrived
    | ThinkingArrived
    | CallArrived
    | AnswerRestarted
    | UsageArrived
    | ModelFinished
    | ModelFailed
    | Decided
    | ToolFinished
    | FoundImpossible
    | StopRequested
    | ShellFailed
)

# Effects --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CallModel:
    """Ask the model, into the assistant message `message`; the `round`-th provider call of the turn, from 1."""

    message: MessageId
    round: int


@dataclass(frozen=True)
class AskApproval:
    call: CallId


@dataclass(frozen=True)
class RunTool:
    """Run exactly this (T6). `by` says who or what allowed it (T8)."""

    call: CallId
    name: str
    args_json: str
    by: str = ""


@dataclass(frozen=True)
class CancelWork:
    """Cut the provider call and every running tool."""


Effect = CallModel | AskApproval | RunTool | CancelWork


@dataclass
class Step:
    """What one input led to."""

    events: list[ChatEvent] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)


class State(Enum):
    """`READY` has not begun; `STREAMING` has a provider call open; `SETTLING` waits for calls; `ENDED` is over."""

    READY = "ready"
    STREAMING = "streaming"
    SETTLING = "settling"
    ENDED = "ended"


class Turn:
    """See the module. `message` is the assistant message at work; `open_calls` the calls without a result."""

    def __init__(
        self,
        *,
        node: NodeId,
        turn: TurnId,
        reply: MessageId,
        ids: Ids,
        gate: Gate,
        max_rounds: int = 10,
        max_calls: int = MAX_CALLS,
    ) -> None:
        self.node = node
        self.turn = turn
        self.message = reply
        self.round = 0
        self.state = State.READY
        self.open_calls: dict[CallId, ToolCall] = {}
        self._announced: list[CallArrived] = []
        self._ids = ids
        self._gate = gate
        self._max_rounds = max_rounds
        self._max_calls = max_calls
        self._repetition = Repetition()

    def start(self) -> Step:
        """Begin: the first effect is the first provider call."""
        if self.state is not State.READY:
            raise IllegalInput(f"start in state {self.state.value}")
        return self._call_model(self.message)

    @classmethod
    def resume(
        cls,
        messages: Iterable[Message],
        *,
        node: NodeId,
        turn: TurnId,
        ids: Ids,
        gate: Gate,
        max_rounds: int = 10,
    ) -> tuple[Turn, Step]:
        """The machine in the state that a transcript implies, and what to do next (R14).

        Open cards are asked again; a call that had started is not run a second time, its outcome is unknown; when
        every call has a result the model is called; a finished reply is a finished turn. Rounds count from one again:
        going on is a person's decision each time (T2).
        """
        replies = _replies_of_last_turn(messages)
        machine = cls(
            node=node,
            turn=turn,
            reply=replies[-1].id if replies else MessageId(ids("message")),
            ids=ids,
            gate=gate,
            max_rounds=max_rounds,
        )
        if not replies:
            return machine, machine._call_model(machine.message)
        last = replies[-1]
        if not last.tool_calls:
            if last.finish not in (None, "cut") and last.error is None and not last.stopped:
                return machine, machine._end("end_turn")
            return machine, machine._next_round(Step())
        return machine, machine._resume_calls(last)

    def is_awaiting(self, call: CallId) -> bool:
        """Whether a decision on this call would count."""
        known = self.open_calls.get(call)
        return self.state is State.SETTLING and known is not None and known.status == "awaiting"

    def feed(self, value: Input) -> Step:
        """Take in one input. Raises `IllegalInput` where the table has no entry; then nothing has changed."""
        row = TABLE.get((self.state, type(value)))
        if row is None:
            raise IllegalInput(f"{type(value).__name__} in state {self.state.value}")
        return row.handler(self, value)

    # Handlers ---------------------------------------------------------------------------------------------------------

    def _text(self, value: TextArrived) -> Step:
        if not value.text:
            return Step()
        return Step([Delta(node=self.node, message=self.message, text=value.text, turn=self.turn)])

    def _thinking(self, value: ThinkingArrived) -> Step:
        if not value.text:
            return Step()
        return Step([ThinkingDelta(node=self.node, message=self.message, text=value.text, turn=self.turn)])

    def _call(self, value: CallArrived) -> Step:
        self._announced.append(value)
        return Step()

    def _restarted(self, _value: AnswerRestarted) -> Step:
        self._announced = []
        return Step([MessageRestarted(node=self.node, message=self.message, turn=self.turn)])

    def _usage(self, value: UsageArrived) -> Step:
        return Step(
            [
                UsageReported(
                    node=self.node,
                    message=self.message,
                    usage=value.usage,
                    model=value.model,
                    provider=value.provider,
                    cost=value.cost,
                    turn=self.turn,
                )
            ]
        )

    def _model_finished(self, value: ModelFinished) -> Step:
        step = Step(
            [
                MessageFinished(
                    node=self.node,
                    message=self.message,
                    finish=value.finish,
                    error=MessageError(code="refused", message=value.refusal) if value.refusal else None,
                    provider_state=value.provider_state,
                    turn=self.turn,
                )
            ]
        )
        announced, self._announced = self._announced, []
        if value.finish in ("refusal", "content_filter"):
            announced = []  # what a refused answer asks for is not run
        if not announced:
            return self._next_round(step) if value.paused else self._end("end_turn", step)
        self.state = State.SETTLING
        for index, arrived in enumerate(announced):
            call = ToolCall(
                id=CallId(self._ids("call")),
                name=arrived.name,
                args_json=arrived.args_json,
                status="running",
                wire_id=arrived.wire_id,
            )
            if index < self._max_calls:
                self._judge(call, step)
            else:
                self._refuse(call, f"not run: one answer may hold {self._max_calls} calls; ask for it again", step)
        return self._settled(step)

    def _model_failed(self, value: ModelFailed) -> Step:
        self._announced = []
        step = Step()
        if value.error.code in ("cut", "interrupted"):
            step.events.append(MessageFinished(node=self.node, message=self.message, finish="cut", turn=self.turn))
        return self._end("error", step, error=value.error)

    def _decided(self, value: Decided) -> Step:
        if not self.is_awaiting(value.call):
            return Step()  # late, or a second click (R8)
        call = self.open_calls[value.call]
        step = Step()
        if not value.approve:
            self._settle(call, f"{DENIED}: {value.reason}" if value.reason else DENIED, "denied", step)
            return self._settled(step)
        by = BY_PERSON
        if value.args_json is not None and value.args_json != call.args_json:
            call = replace(call, args_json=value.args_json)
            by = BY_PERSON_EDITED
        verdict = self._gate(call.name, call.args_json)  # anew: a rule may have come since, or the arguments be others
        if isinstance(verdict, Refuse):
            self._settle(call, verdict.why, "denied" if verdict.denied else "error", step)
            return self._settled(step)
        self._run(call, by, step)
        return step

    def _impossible(self, value: FoundImpossible) -> Step:
        if not self.is_awaiting(value.call):
            return Step()
        step = Step()
        self._settle(self.open_calls[value.call], value.why, "error", step)
        return self._settled(step)

    def _tool_finished(self, value: ToolFinished) -> Step:
        call = self.open_calls.get(value.call)
        if call is None or call.status != "running":
            raise IllegalInput(f"no running call {value.call}")
        step = Step()
        result = value.result + self._repetition.note(call.name, call.args_json)
        self._settle(call, result, "error" if value.is_error else "done", step)
        return self._settled(step)

    def _stop(self, _value: StopRequested) -> Step:
        return self._end("stopped", Step(effects=[CancelWork()]))

    def _shell_failed(self, value: ShellFailed) -> Step:
        return self._end("error", Step(effects=[CancelWork()]), error=value.error)

    def _ignore(self, _value: Input) -> Step:
        return Step()

    # Parts ------------------------------------------------------------------------------------------------------------

    def _call_model(self, message: MessageId) -> Step:
        self.state = State.STREAMING
        self.message = message
        self.round += 1
        return Step(effects=[CallModel(message, self.round)])

    def _next_round(self, step: Step) -> Step:
        if self.round >= self._max_rounds:
            text = f"Stopped after {self.round} provider calls in one turn. Continue to let it go on."
            note = MessageId(self._ids("message"))
            step.events.append(NoteAdded(node=self.node, message=note, text=text, turn=self.turn))
            return self._end("max_iterations", step)
        step.effects += self._call_model(MessageId(self._ids("message"))).effects
        return step

    def _judge(self, call: ToolCall, step: Step) -> None:
        match self._gate(call.name, call.args_json):
            case Allow(by):
                self._run(call, by, step)
            case Ask():
                self._ask(replace(call, status="awaiting"), step)
            case Refuse(why, denied):
                self._refuse(call, why, step, status="denied" if denied else "error")
            case _ as never:
                assert_never(never)

    def _ask(self, call: ToolCall, step: Step) -> None:
        self._announce(call, step)
        step.effects.append(AskApproval(call.id))

    def _refuse(self, call: ToolCall, why: str, step: Step, *, status: CallStatus = "error") -> None:
        self._announce(call, step)
        self._settle(call, why, status, step)

    def _announce(self, call: ToolCall, step: Step) -> None:
        self.open_calls[call.id] = call
        step.events.append(ToolCalled(node=self.node, message=self.message, call=call, turn=self.turn))

    def _run(self, call: ToolCall, by: str, step: Step) -> None:
        running = replace(call, status="running")
        self._announce(running, step)
        step.effects.append(RunTool(running.id, running.name, running.args_json, by))

    def _settle(self, call: ToolCall, result: str, status: CallStatus, step: Step) -> None:
        self.open_calls.pop(call.id, None)
        step.events.append(
            ToolReturned(
                node=self.node,
                message=self.message,
                call_id=call.id,
                result=result,
                status=status,
                is_error=status != "done",
                turn=self.turn,
            )
        )

    def _settled(self, step: Step) -> Step:
        """Go on when the last open call has its result: the model then sees them all (T5)."""
        return step if self.open_calls else self._next_round(step)

    def _resume_calls(self, last: Message) -> Step:
        self.state = State.SETTLING
        step = Step()
        for call in last.tool_calls:
            if call.status in FINAL_STATUSES:
                continue
            self.open_calls[call.id] = call
            if call.status == "running":
                self._settle(call, UNKNOWN_OUTCOME, "error", step)
                continue
            # A transcript may come from anywhere: a call that nobody judged must not run on one click. Nor does one run
            # by itself that a person was asked about.
            verdict = self._gate(call.name, call.args_json)
            if isinstance(verdict, Refuse):
                self._refuse(call, verdict.why, step, status="denied" if verdict.denied else "error")
            else:
                self._ask(call, step)
        return self._settled(step)

    def _end(self, reason: DoneReason, step: Step | None = None, *, error: MessageError | None = None) -> Step:
        step = step or Step()
        for call in list(self.open_calls.values()):
            self._settle(call, INTERRUPTED if call.status == "running" else NOT_RUN, "cancelled", step)
        self._announced = []
        self.state = State.ENDED
        step.events.append(Done(node=self.node, reason=reason, message=self.message, error=error, turn=self.turn))
        return step


def _replies_of_last_turn(messages: Iterable[Message]) -> list[Message]:
    replies: list[Message] = []
    for message in messages:
        if message.role == "user":
            replies = []
        elif message.role == "assistant":
            replies.append(message)
    return replies


@dataclass(frozen=True)
class Row:
    """What the machine does with an input, and the states it may be in afterwards."""

    handler: Callable[[Turn, Any], Step]
    to: tuple[State, ...]


_R, _S, _T, _E = State.READY, State.STREAMING, State.SETTLING, State.ENDED

TABLE: dict[tuple[State, type[Any]], Row] = {
    (_R, Decided): Row(Turn._ignore, (_R,)),
    (_R, FoundImpossible): Row(Turn._ignore, (_R,)),
    (_R, StopRequested): Row(Turn._stop, (_E,)),
    (_R, ShellFailed): Row(Turn._shell_failed, (_E,)),
    (_S, TextArrived): Row(Turn._text, (_S,)),
    (_S, ThinkingArrived): Row(Turn._thinking, (_S,)),
    (_S, CallArrived): Row(Turn._call, (_S,)),
    (_S, AnswerRestarted): Row(Turn._restarted, (_S,)),
    (_S, UsageArrived): Row(Turn._usage, (_S,)),
    (_S, ModelFinished): Row(Turn._model_finished, (_S, _T, _E)),
    (_S, ModelFailed): Row(Turn._model_failed, (_E,)),
    (_S, Decided): Row(Turn._ignore, (_S,)),
    (_S, FoundImpossible): Row(Turn._ignore, (_S,)),
    (_S, StopRequested): Row(Turn._stop, (_E,)),
    (_S, ShellFailed): Row(Turn._shell_failed, (_E,)),
    (_T, Decided): Row(Turn._decided, (_S, _T, _E)),
    (_T, FoundImpossible): Row(Turn._impossible, (_S, _T, _E)),
    (_T, ToolFinished): Row(Turn._tool_finished, (_S, _T, _E)),
    (_T, StopRequested): Row(Turn._stop, (_E,)),
    (_T, ShellFailed): Row(Turn._shell_failed, (_E,)),
    (_E, Decided): Row(Turn._ignore, (_E,)),
    (_E, FoundImpossible): Row(Turn._ignore, (_E,)),
    (_E, StopRequested): Row(Turn._ignore, (_E,)),
    (_E, ShellFailed): Row(Turn._ignore, (_E,)),
}
