"""The runtime: at most one turn per node, and the four things one can ask of it (R1 to R14).

Knows messages, events, drivers and tools; no HTTP framework, no file, no provider by name. All it needs is injected
through `RuntimePorts`. The register of runs belongs to the instance, so two runtimes never see each other's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from talkfield.core.events import Done
from talkfield.core.ids import CallId, MessageId, NodeId, TurnId
from talkfield.core.recovery import INTERRUPTED
from talkfield.core.turn import Decided
from talkfield.errors import CommandRejected, NodeBusy, NoModel, NoProvider
from talkfield.runtime.ports import Decision, ProviderConfig, RuntimePorts, SendRequest, SendResult
from talkfield.runtime.turn_runner import TurnRunner


class ChatRuntime:
    """See the module. Everything is called on one event loop."""

    def __init__(self, ports: RuntimePorts) -> None:
        self._ports = ports
        self._runners: dict[NodeId, TurnRunner] = {}
        self._tasks: dict[NodeId, asyncio.Task[SendResult]] = {}

    async def send(self, request: SendRequest) -> SendResult:
        """Run a turn to its end. A refused request changes nothing and broadcasts nothing; the result says why (R7).

        Cancelling the caller stops the turn, as `stop` does.
        """
        try:
            task = self.start(request)
        except CommandRejected as error:
            return SendResult(ok=False, code=error.code, error=error.message, hint=error.hint)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if self._tasks.get(request.node) is task:  # else it is over, and another may have begun
                self.stop(request.node)
            await asyncio.shield(task)
            raise

    def start(self, request: SendRequest) -> asyncio.Task[SendResult]:
        """Begin a turn and return the task that performs it. Raises `NodeBusy`, `NoProvider`, `NoModel`.

        The run is registered before this returns, so `stop` and `is_busy` are right from the first tick (R3).
        """
        return self._launch(request, resuming=False)

    def resume(self, request: SendRequest) -> asyncio.Task[SendResult]:
        """Go on with the turn at the end of `request.messages`, from the transcript alone (R14)."""
        return self._launch(request, resuming=True)

    def check(self, request: SendRequest) -> tuple[ProviderConfig, str]:
        """The provider and model that `start` would use. Raises what `start` would; changes nothing."""
        if request.node in self._runners:
            raise NodeBusy
        provider = self._ports.resolve_provider(request)
        if provider is None:
            raise NoProvider("no chat provider is configured")
        model = request.model or provider.model
        if not model:
            raise NoModel(f"no model is chosen for {provider.name}")
        return provider, model

    def stop(self, node: NodeId) -> bool:
        """Stop the node's turn; False when none runs (R10, R11)."""
        runner = self._runners.get(node)
        if runner is None:
            return False
        runner.stop()
        return True

    def approve(
        self, node: NodeId, call: CallId, decision: Decision, *, args_json: str | None = None, reason: str = ""
    ) -> bool:
        """Decide on a call that waits; False when it does not (unknown, late, or decided before): nothing happens then.

        `args_json` replaces the model's arguments; `reason` is told to the model with a denial (R8, T5, T6).
        """
        runner = self._runners.get(node)
        if runner is None:
            return False
        return runner.decide(Decided(call, decision == "approve", args_json, reason))

    def is_busy(self, node: NodeId) -> bool:
        """Whether a turn runs in this node."""
        return node in self._runners

    async def stop_and_wait(self, nodes: Iterable[NodeId]) -> None:
        """Stop the turns of these nodes and return when all of them are over."""
        tasks = [task for node in nodes if (task := self._tasks.get(node)) is not None]
        for node in nodes:
            self.stop(node)
        if tasks:
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Interrupt every turn, because the process ends, and return when nothing of them runs any more (W8)."""
        tasks = list(self._tasks.values())
        for runner in list(self._runners.values()):
            runner.interrupt()
        if tasks:
            await asyncio.wait(tasks)

    def _launch(self, request: SendRequest, *, resuming: bool) -> asyncio.Task[SendResult]:
        provider, model = self.check(request)
        turn = request.turn or TurnId(self._ports.ids("turn"))
        reply = request.reply or MessageId(self._ports.ids("message"))
        request = replace(request, messages=tuple(request.messages))
        runner = TurnRunner(self._ports, request, provider, model, turn=turn, reply=reply, resuming=resuming)
        self._runners[request.node] = runner
        try:
            runner.begin()
        except BaseException:
            del self._runners[request.node]
            raise
        task = asyncio.get_running_loop().create_task(self._run(request.node, runner))
        self._tasks[request.node] = task
        return task

    async def _run(self, node: NodeId, runner: TurnRunner) -> SendResult:
        started = self._ports.clock.monotonic_s()
        closing, done = await runner.run()
        # Released first: whoever sees the end can send at once (R7).
        del self._runners[node]
        del self._tasks[node]
        self._log(node, runner, done, self._ports.clock.monotonic_s() - started)
        if done is None:
            return SendResult(ok=False, code=INTERRUPTED.code, error=INTERRUPTED.message, retryable=True)
        try:
            self._ports.broadcast(node, closing)
        except Exception as error:  # a consumer never breaks a run (R13)
            self._ports.log(f"broadcast for {node} failed: {type(error).__name__}")
        if done.reason != "error" or done.error is None:
            return SendResult(ok=True, stop_reason=done.reason)
        return SendResult(
            ok=False,
            stop_reason="error",
            code=done.error.code,
            error=done.error.message,
            retryable=done.error.retryable,
            hint=done.error.hint,
        )

    def _log(self, node: NodeId, runner: TurnRunner, done: Done | None, seconds: float) -> None:
        tokens_in, tokens_out = runner.tokens()
        reason = "left open" if done is None else done.reason
        self._ports.log(f"chat {node} {reason} in {seconds:.1f} s, {tokens_in} tokens in, {tokens_out} out")
