"""The offline provider that plays a script: for demos, end-to-end tests and faults on order. It never opens a socket.

Two ways to say what is played. In Python, one script for each expected call: `ScriptedDriver([TextChunk("hi"),
FinishChunk("stop")])`; a call more than there are scripts is refused and `assert_played` tells. In the running product
(`TALKFIELD_SCRIPTED=1`) the chat's own words choose, see `script.script_for`; `TALKFIELD_SCRIPTED=<file>` puts the
rules of a script file before them, or a record of a real call (`TALKFIELD_RECORD`), or a folder of records.

Each stream plays its own script; nothing is shared between streams but the list of requests.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import assert_never

from talkfield.core.messages import ModelInfo
from talkfield.errors import InvalidArgument, ProviderRefused, StartFailed
from talkfield.providers.recorded_call import RecordedCall, decode_record, is_record
from talkfield.providers.recorded_script import RecordedRule, recorded_rules
from talkfield.providers.script import MODELS, Fail, Hold, Pause, Script, Step, script_for
from talkfield.providers.script_file import Rule, rules_from, script_by_rules
from talkfield.runtime.ports import (
    CallChunk,
    Chunk,
    Clock,
    FinishChunk,
    ProviderConfig,
    ProviderRequest,
    RestartChunk,
    RetryChunk,
    TextChunk,
    ThinkingChunk,
    UsageChunk,
)

__all__ = ["Fail", "Hold", "Pause", "Script", "ScriptedDriver", "script_for", "scripted_rules"]

switch_variable = "TALKFIELD_SCRIPTED"


class ScriptedDriver:
    """Plays scripts instead of asking anyone.

    `scripts` are played one for each call, in order. After them, or without any, `choose` says what is played; without
    `choose` a further call is refused. `clock` measures the pauses; without it they are real.
    """

    def __init__(
        self,
        *scripts: Iterable[Step] | Script,
        choose: Callable[[ProviderRequest], Script] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.requests: list[ProviderRequest] = []
        self.closed = False
        self._queue = deque(script if isinstance(script, Script) else Script(tuple(script)) for script in scripts)
        self._choose = choose
        self._sleep = clock.sleep_s if clock else asyncio.sleep
        self._held: set[Hold] = set()
        self._unexpected = 0
        self._playing = 0

    async def stream(self, request: ProviderRequest) -> AsyncIterator[list[Chunk]]:
        self.requests.append(request)
        script = self._next(request)
        self._playing += 1
        try:
            for step in script.steps:
                match step:
                    case Pause(seconds):
                        await self._sleep(seconds)
                    case Fail(error):
                        raise error
                    case Hold():
                        await self._hold(step)
                    case (
                        TextChunk()
                        | ThinkingChunk()
                        | CallChunk()
                        | UsageChunk()
                        | FinishChunk()
                        | RestartChunk()
                        | RetryChunk()
                    ):
                        yield [step]
                    case Sequence():
                        yield list(step)
                    case _ as never:
                        assert_never(never)
        finally:
            self._playing -= 1

    async def models(self, provider: ProviderConfig) -> list[ModelInfo]:
        return list(scripted_models)

    async def close(self) -> None:
        self.closed = True
        self.release()

    def release(self) -> None:
        """Let every stream go on that waits at a `Hold` now."""
        for hold in list(self._held):
            hold.release()

    def assert_played(self) -> None:
        """Every script was asked for, none was missing, no stream is still open. A stopped stream counts as played."""
        assert not self._queue, f"{len(self._queue)} scripts were never asked for"
        assert not self._unexpected, f"{self._unexpected} calls had no script"
        assert not self._playing, f"{self._playing} streams are still open"

    def _next(self, request: ProviderRequest) -> Script:
        if self._queue:
            return self._queue.popleft()
        if self._choose:
            return self._choose(request)
        self._unexpected += 1
        raise ProviderRefused(
            f"the scripted provider was asked {len(self.requests)} times and has no script left",
            provider=request.provider.id,
            code="script_over",
        )

    async def _hold(self, hold: Hold) -> None:
        self._held.add(hold)
        try:
            await hold.wait()
        finally:
            self._held.discard(hold)


scripted_models = (
    ModelInfo(id=MODELS[0], name="Scripted, says its price", context_tokens=128_000),
    ModelInfo(id=MODELS[1], name="Scripted, price unknown", context_tokens=8_000),
)


def scripted_rules(environment: Mapping[str, str]) -> tuple[Rule | RecordedRule, ...] | None:
    """What `TALKFIELD_SCRIPTED` asks for: None, it is off; no rules, the chat's own words alone; else those of a script
    file, a record, or a folder of records.

    Reads the disk: call it before the loop runs. Raises `StartFailed` when that cannot be used.
    """
    value = environment.get(switch_variable, "").strip()
    if value.lower() in {"", "0", "false", "no", "off"}:
        return None
    if value.lower() in {"1", "true", "yes", "on"}:
        return ()
    path = Path(value)
    try:
        if path.is_dir():
            return recorded_rules([_record(file) for file in sorted(path.glob("*.json"))])
        data = path.read_bytes()
        if is_record(data):
            return recorded_rules([_record(path)])
        text = data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise StartFailed(f"{switch_variable} names a script file that cannot be read: {value} ({error})") from error
    return rules_from(text, name=value)


def _record(path: Path) -> RecordedCall:
    try:
        return decode_record(path.read_bytes())
    except InvalidArgument as error:
        raise StartFailed(f"{switch_variable}: {path}: {error.message}", hint=error.hint) from error


def chooser(rules: Sequence[Rule | RecordedRule]) -> Callable[[ProviderRequest], Script]:
    """The first rule that fits, else the chat's own words."""

    def choose(request: ProviderRequest) -> Script:
        return script_by_rules(rules, request) or script_for(request)

    return choose
