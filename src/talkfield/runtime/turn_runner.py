"""Performs one turn: feeds the machine what providers, tools and people say, and does what it asks for.

Owns the tasks of its turn and nothing else. Everything happens on one event loop; `Turn` is synchronous, so an input
is taken in where it arises, without a queue or a task of its own. An input that arises while another is being
performed (a consumer that stops the turn from inside `broadcast`, say) waits until that one is done.

However the turn ends, its tasks are cancelled and awaited, its open cards are settled, and its last events are kept
for one closing batch, which the runtime broadcasts after it has released the node (R7, R9).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, assert_never

from talkfield.core.conversation import Conversation
from talkfield.core.estimate import estimate_usage
from talkfield.core.events import ChatEvent, Done, RetryWaiting, ToolSaid, ToolShowed
from talkfield.core.ids import CallId, MessageId, TurnId
from talkfield.core.messages import Message, MessageCost, MessageError
from talkfield.core.recovery import INTERRUPTED as REPLY_INTERRUPTED
from talkfield.core.transcript import transcript
from talkfield.core.turn import (
    AnswerRestarted,
    AskApproval,
    CallArrived,
    CallModel,
    CancelWork,
    Decided,
    FoundImpossible,
    Input,
    ModelFailed,
    ModelFinished,
    RunTool,
    ShellFailed,
    State,
    Step,
    StopRequested,
    TextArrived,
    ThinkingArrived,
    ToolFinished,
    Turn,
    UsageArrived,
)
from talkfield.errors import ProviderCut, TalkfieldError
from talkfield.runtime.gate import CallGate
from talkfield.runtime.ports import (
    CallChunk,
    Chunk,
    FinishChunk,
    ProviderConfig,
    ProviderRequest,
    RestartChunk,
    RetryChunk,
    RuntimePorts,
    SendRequest,
    TextChunk,
    ThinkingChunk,
    Tool,
    UsageChunk,
)
from talkfield.runtime.tool_call_runner import Impossible, ToolCallRunner

PAUSED = "pause_turn"
"""Anthropic's word for: send this back to me and I go on."""

CANCEL_GRACE_S = 0.5
"""How long a cancelled provider call or tool may take to clean up before the turn ends without it (R10)."""


class TurnRunner:
    """One turn from its request to its closing batch. `begin`, then `run`, are called once each."""

    def __init__(
        self,
        ports: RuntimePorts,
        request: SendRequest,
        provider: ProviderConfig,
        model: str,
        *,
        turn: TurnId,
        reply: MessageId,
        resuming: bool = False,
    ) -> None:
        self.turn = turn
        self.request = request
        self._ports = ports
        self._provider = provider
        self._model = model
        self._resuming = resuming
        self._driver = ports.driver_for(provider)
        self._tools: tuple[Tool, ...] = ()
        self._gate = self._gate_now()
        self._calls = ToolCallRunner(ports, request, turn, lambda: self._gate)
        self._taken_in = Conversation(request.node, 0, request.messages)
        self._told: list[ChatEvent] = []
        self._told_at = 0
        self._machine = Turn(
            node=request.node,
            turn=turn,
            reply=reply,
            ids=ports.ids,
            gate=lambda name, args_json: self._gate(name, args_json),
            max_rounds=ports.max_provider_calls(),
        )
        self._inbox: deque[Input] = deque()
        self._feeding = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._usage: UsageChunk | None = None
        self._sent: tuple[Message, ...] = ()
        self._closing: tuple[ChatEvent, ...] | None = None
        self._left = False
        """Interrupted where it waited: nothing that still comes is taken in."""
        self._ended = asyncio.Event()

    def begin(self) -> None:
        """Take the first step, at once: a card that is open again can be decided on from the same tick (R14)."""
        if not self._resuming:
            self._perform(self._machine.start())
            return
        self._machine, step = Turn.resume(
            self._conversation().messages,
            node=self.request.node,
            turn=self.turn,
            ids=self._ports.ids,
            gate=lambda name, args_json: self._gate(name, args_json),
            max_rounds=self._ports.max_provider_calls(),
        )
        self._perform(step)

    async def run(self) -> tuple[tuple[ChatEvent, ...], Done | None]:
        """Perform the begun turn; returns its closing batch and the `Done` that ends it. Cancelled: ends as stopped.

        Interrupted where it waited for a person or a tool: nothing, and no `Done`. The turn is not over.
        """
        try:
            await self._ended.wait()
        except asyncio.CancelledError:
            self.stop()
        await self._end_tasks()
        if self._closing is None:
            return (), None
        done = self._closing[-1]
        assert isinstance(done, Done)
        return self._closing, done

    def stop(self) -> None:
        """End the turn; what came is kept (R10)."""
        self._feed(StopRequested())

    def interrupt(self) -> None:
        """End here because the process ends. A reply that is being written ends as interrupted, what it used counted.

        Where the turn waits for a person or a tool, it is left as it stands: open cards stay open, and the next process
        goes on from the transcript (W8, R14).
        """
        if self._machine.state is State.STREAMING:
            self._feed(ModelFailed(REPLY_INTERRUPTED))
        elif self._machine.state is not State.ENDED:
            self._left = True
            self._ended.set()

    def decide(self, decided: Decided) -> bool:
        """Whether the decision counted: the first on an open card does, any other does not (R8)."""
        if not self._machine.is_awaiting(decided.call):
            return False
        self._feed(decided)
        return True

    def tokens(self) -> tuple[int, int]:
        """Input and output tokens of this turn's provider calls."""
        used = [m.usage for m in self._conversation().messages if m.turn == self.turn and m.usage is not None]
        return sum(usage.input_tokens for usage in used), sum(usage.output_tokens for usage in used)

    # Inputs -----------------------------------------------------------------------------------------------------------

    def _feed(self, *inputs: Input) -> None:
        if self._left:
            return
        self._inbox.extend(inputs)
        if self._feeding:
            return
        self._feeding = True
        try:
            while self._inbox:
                batch = Step()
                while self._inbox:
                    value = self._inbox.popleft()
                    if isinstance(value, StopRequested | ModelFailed) and self._machine.state is State.STREAMING:
                        self._report_broken_usage(batch)
                    if self._machine.state is State.ENDED and not isinstance(value, StopRequested | Decided):
                        continue  # what was under way when the turn ended
                    step = self._machine.feed(value)
                    batch.events += step.events
                    batch.effects += step.effects
                self._perform(batch)
        finally:
            self._feeding = False

    def _perform(self, step: Step) -> None:
        """Tell the events, then do the effects."""
        feeding, self._feeding = self._feeding, True
        try:
            if step.events:
                self._tell(self._with_cards(step.events))
            for effect in step.effects:
                match effect:
                    case CallModel(message):
                        self._spawn(self._call_model(message))
                    case RunTool():
                        self._spawn(self._run_tool(effect))
                    case CancelWork():
                        self._cancel_tasks()
                    case AskApproval(call):
                        self._spawn(self._preview(call))
                    case _ as never:
                        assert_never(never)
        finally:
            self._feeding = feeding
        if not feeding and self._inbox:
            self._feed()

    def _with_cards(self, events: Sequence[ChatEvent]) -> tuple[ChatEvent, ...]:
        try:
            return tuple(self._calls.with_cards(events))
        except Exception as error:  # what a call shows must not cost what a turn said, its end least of all
            self._ports.log(f"card in {self.request.node} failed: {type(error).__name__}")
            return tuple(events)

    def _tell(self, events: tuple[ChatEvent, ...]) -> None:
        if not self._told:
            self._told_at = self._ports.clock.now_ms()
        self._told += events
        if isinstance(events[-1], Done):
            self._closing = events
            self._ended.set()
            return
        self._broadcast(events)

    def _conversation(self) -> Conversation:
        """The conversation with all that was told so far. Nobody looks at it while text comes, so it is made then."""
        if self._told:
            self._taken_in.apply(*self._told, at=self._told_at)
            self._told.clear()
        return self._taken_in

    def _broadcast(self, events: tuple[ChatEvent, ...]) -> None:
        try:
            self._ports.broadcast(self.request.node, events)
        except Exception as error:  # a consumer never breaks a run (R13)
            self._ports.log(f"broadcast for {self.request.node} failed: {type(error).__name__}")

    # Effects ----------------------------------------------------------------------------------------------------------

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        """A fault of our own, or of what was handed in, ends the turn: without this it would never end (R7)."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        name = type(error).__name__
        self._ports.log(f"turn in {self.request.node} failed: {name}")
        self._inbox.clear()
        self._feed(ShellFailed(MessageError(code="internal", message=f"Talkfield itself failed: {name}")))

    def _cancel_tasks(self) -> None:
        current = asyncio.current_task()
        for task in self._tasks:
            if task is not current:
                task.cancel()

    async def _end_tasks(self) -> None:
        self._cancel_tasks()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CANCEL_GRACE_S)

    async def _call_model(self, message: MessageId) -> None:
        self._usage = None
        try:
            await self._stream(message)
        except asyncio.CancelledError:
            if self._machine.state is not State.ENDED:
                self._feed(StopRequested())  # an abort that a driver raised by itself is a stop as well (R11)
            raise
        except TalkfieldError as error:
            self._feed(ModelFailed(error_of(error)))
        except Exception as error:
            if self._machine.state is State.SETTLING:
                raise  # the answer was whole: the fault is not the driver's
            self._ports.log(f"provider call for {self.request.node} failed: {type(error).__name__}")
            text = f"{type(error).__name__} in the driver for {self._provider.name}"
            self._feed(ModelFailed(MessageError(code="internal", message=text, retryable=True)))

    async def _stream(self, message: MessageId) -> None:
        if self._ports.prepare_tools is not None:
            await self._ports.prepare_tools(self.request)
        self._gate = self._gate_now()
        conversation = self._conversation().messages
        self._sent = transcript(conversation)
        files = await self._ports.files(self._sent) if self._ports.files is not None else {}
        request = ProviderRequest(
            provider=self._provider,
            model=self._model,
            messages=self._sent,
            system=self.request.system,
            tools=tuple(tool.spec for tool in self._tools),
            parameters=self.request.parameters,
            files=files,
        )
        if self._ports.reserve is not None:
            await self._ports.reserve(self.request.node, message, request)
        try:
            self._ports.asked(self.request.node, message, conversation, request)
        except Exception as error:  # who keeps receipts never breaks a run (R13)
            self._ports.log(f"receipt in {self.request.node} failed: {type(error).__name__}")
        finish: FinishChunk | None = None
        stream = self._driver.stream(request)
        try:
            async for chunks in stream:
                finish = self._take_in(chunks, message) or finish
                if self._machine.state is State.ENDED:
                    return
        finally:
            close: Callable[[], Awaitable[None]] | None = getattr(stream, "aclose", None)
            if close is not None:
                await close()
        if finish is None:
            raise ProviderCut(f"{self._provider.name} ended its answer without saying that it was complete")
        paused = finish.raw == PAUSED
        finished = ModelFinished(finish.finish, finish.provider_state, paused=paused, refusal=finish.detail)
        self._feed(self._usage_input(), finished)

    def _take_in(self, chunks: list[Chunk], message: MessageId) -> FinishChunk | None:
        """Feed one read of the socket as one batch; usage is kept until the call is over (D9: the last one wins)."""
        finish: FinishChunk | None = None
        inputs: list[Input] = []
        for chunk in chunks:
            match chunk:
                case TextChunk(text):
                    inputs.append(TextArrived(text))
                case ThinkingChunk(text):
                    inputs.append(ThinkingArrived(text))
                case CallChunk(wire_id, name, args_json):
                    inputs.append(CallArrived(wire_id, name, args_json))
                case RestartChunk():
                    inputs.append(AnswerRestarted())
                case UsageChunk():
                    self._usage = chunk
                case FinishChunk():
                    finish = chunk
                case RetryChunk(attempt, wait_s, reason):
                    self._broadcast((self._retry(message, attempt, wait_s, reason),))
                case _ as never:
                    assert_never(never)
        if inputs:
            self._feed(*inputs)
        return finish

    def _retry(self, message: MessageId, attempt: int, wait_s: float, reason: str) -> RetryWaiting:
        return RetryWaiting(
            node=self.request.node,
            message=message,
            attempt=attempt,
            retry_at=self._ports.clock.now_ms() + round(wait_s * 1000),
            reason=reason,
            turn=self.turn,
        )

    def _report_broken_usage(self, batch: Step) -> None:
        """What an answer that broke off had used, where the provider told it or something came."""
        if self._usage is not None or self._output():
            batch.events += self._machine.feed(self._usage_input()).events

    def _usage_input(self) -> UsageArrived:
        """The usage of the call at work, priced; estimated where the provider told none (P6)."""
        reported, self._usage = self._usage, None
        if reported is None:
            reported = UsageChunk(estimate_usage(self._sent, self.request.system, self._output()))
        model = reported.model or self._model
        cost: MessageCost | None = None
        try:
            cost = self._ports.price(model, self._provider, reported.usage, reported.usd)
        except Exception as error:
            self._ports.log(f"price for {model} failed: {type(error).__name__}")
        return UsageArrived(reported.usage, model=model, provider=self._provider.id, cost=cost)

    def _output(self) -> str:
        """What came of the provider call at work."""
        current = self._conversation().message(self._machine.message)
        return current.content + current.thinking if current is not None else ""

    # Tools ------------------------------------------------------------------------------------------------------------

    def _gate_now(self) -> CallGate:
        """A gate over the tools that there are now; before each provider call they may be others."""
        self._tools = tuple(self._ports.tools_for(self.request))
        return CallGate(self._tools, self._ports.check_arguments, lambda: self._ports.rules_for(self.request))

    async def _preview(self, call: CallId) -> None:
        """Complete a card, or tell the model at once that the call could not be done."""
        try:
            carded = await self._calls.preview(call)
        except Impossible as error:
            self._feed(FoundImpossible(call, error.message))
            return
        if carded is not None and self._machine.is_awaiting(call):
            self._tell((carded,))

    async def _run_tool(self, effect: RunTool) -> None:
        def tell(said: ToolSaid | ToolShowed) -> None:
            if effect.call in self._machine.open_calls:
                self._tell((said,))

        try:
            result, is_error = await self._calls.run(effect, tell)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            result, is_error = "the tool was cancelled, and not by a person", True  # it waited for what was
        if self._machine.state is State.SETTLING and effect.call in self._machine.open_calls:
            self._feed(ToolFinished(effect.call, result, is_error))


def error_of(error: TalkfieldError) -> MessageError:
    """An error as it is kept with the message it ended."""
    retryable = bool(getattr(error, "retryable", False)) or isinstance(error, ProviderCut)
    return MessageError(code=error.code, message=error.message, retryable=retryable, hint=error.hint)
