"""Finds out by a dozen short calls what an endpoint accepts, and writes it down as a profile that drivers obey (D13).

Each probe asks the same with and without the one thing it is about, so what an endpoint refuses is found whatever words
it has for it. Nothing is found from a service's name. A probe that an outage, a limit or a wrong key spoils finds
nothing and says so. Probes run one after the other; each is told as soon as it is done.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from talkfield.core.ids import CallId, MessageId
from talkfield.core.messages import Attachment, Message, ToolCall
from talkfield.core.provider_api import Api
from talkfield.errors import ProviderError
from talkfield.providers.probe_call import USUAL_LIMIT, Endpoint, Outcome, reasoning_field
from talkfield.runtime.ports import Parameters, ToolSpec

State = Literal["good", "note", "broken"]
LIMIT = 16
EFFORT_LIMIT = 1600
"""Room for the least budget of thinking that Anthropic takes."""

EFFORT_WAYS: dict[Api, tuple[str, ...]] = {
    "openai": ("reasoning_effort", ""),
    "anthropic": ("adaptive", "thinking", ""),
}
"""How effort may be asked for on each wire, best first; the empty way is not to ask."""

STRANGE_MODEL = "talkfield-probe-no-such-model"


@dataclass(frozen=True)
class Finding:
    """One line of the report. `broken`: the endpoint cannot be chatted with."""

    state: State
    subject: str
    words: str


@dataclass
class Report:
    """What was found. `profile` holds the fields that differ from what a driver does unasked."""

    findings: list[Finding] = field(default_factory=list)
    profile: dict[str, Any] = field(default_factory=dict)
    usable: bool = True


SUBJECTS = {
    "streaming": "a question without anything optional",
    "usage": "the option that asks for token counts",
    "output limit": "max_tokens, else max_completion_tokens",
    "system prompt": "the role system, else developer, else user",
    "reasoning": "an effort, and the field that thinking comes in",
    "tools": "a tool with one parameter",
    "empty arguments": "a tool without parameters, and the conversation after its call",
    "parallel tools": "two calls in one answer",
    "images": "a small red square",
    "stop": "an answer that is stopped, and a question right after it",
    "errors": "a model that there is not",
}
"""The probes in their order, and what each sends."""


class Probes:
    """The probes of one endpoint. `told` is called with each finding."""

    def __init__(self, endpoint: Endpoint, told: Callable[[Finding], None] = lambda _finding: None) -> None:
        self.report = Report(profile=endpoint.profile)
        self._endpoint = endpoint
        self._told = told
        self._first = Outcome()
        self._takes_tools = True

    @property
    def failed_with(self) -> str:
        """The code of what kept the first question from being answered; empty where it was."""
        return "" if self._first.error is None else self._first.error.code

    async def run(self) -> Report:
        """All of them; only the first where that one fails."""
        probes: dict[str, Callable[[], Awaitable[Finding]]] = {
            "streaming": self.streaming,
            "usage": self.usage,
            "output limit": self.limit,
            "system prompt": self.system,
            "reasoning": self.reasoning,
            "tools": self.tools,
            "empty arguments": self.empty_arguments,
            "parallel tools": self.parallel_tools,
            "images": self.images,
            "stop": self.stop,
            "errors": self.errors,
        }
        for subject in SUBJECTS:
            finding = await probes[subject]()
            self.report.findings.append(finding)
            self._told(finding)
            if not self.report.usable:
                break
        return self.report

    # One question ----------------------------------------------------------------------------------------------------

    async def streaming(self) -> Finding:
        """The least that a chat needs: a question, an answer, and proof that it is whole (D4)."""
        # Nothing optional is sent, so that nothing optional can spoil it.
        profile = {"stream_usage": False} if self._endpoint.api == "openai" else {}
        answer = self._first = await self._endpoint.ask(said("Name three colours."), profile=profile)
        if answer.error is not None:
            self.report.usable = False
            return Finding("broken", "streaming", f"{answer.reason} {answer.error.hint}".strip())
        if not answer.text and not answer.thinking:
            return Finding("note", "streaming", "an empty answer")
        words = f"{answer.events} events, first words after {answer.first_words_s or 0:.1f} s"
        if answer.events <= 1:
            return Finding("note", "streaming", "answers, but in one piece: words do not come as they are made")
        return Finding("good", "streaming", words)

    async def usage(self) -> Finding:
        if self._endpoint.api == "anthropic":
            return _about_usage(self._first, "reported")
        answer = await self._endpoint.ask(said("Name a colour."), profile={"stream_usage": True})
        if answer.refused:
            self._learn(stream_usage=False)
            return _about_usage(
                self._first,
                f"the option is refused ({answer.reason}); reported unasked",
                "the option is refused, and nothing is reported unasked",
            )
        if answer.error is not None:
            return _spoilt("usage", answer)
        return _about_usage(answer, "reported", "the option is taken, but nothing is reported")

    async def limit(self) -> Finding:
        """Which field limits an answer, and whether it does."""
        if self._endpoint.api == "anthropic":
            answer = await self._limited({})
            return _spoilt("output limit", answer) if answer.error else _about_limit(answer, "max_tokens")
        usual, newer = "max_tokens", "max_completion_tokens"
        first = await self._limited({"max_tokens_field": usual})
        if first.error is not None and not first.refused:
            return _spoilt("output limit", first)
        if first.ok and _is_limited(first):
            self._endpoint.usual_limit = USUAL_LIMIT
            return _about_limit(first, usual)
        second = await self._limited({"max_tokens_field": newer})
        if second.ok and (first.refused or _is_limited(second)):
            self._learn(max_tokens_field=newer)
            self._endpoint.usual_limit = USUAL_LIMIT
            why = "refused" if first.refused else "ignored"
            return Finding("good", "output limit", f"{newer}; {usual} is {why}")
        if first.ok:
            return Finding("note", "output limit", "neither field limits the answer")
        return Finding("note", "output limit", f"no field is taken: {second.reason or first.reason}")

    async def _limited(self, profile: Mapping[str, Any]) -> Outcome:
        question = said("Count from one to two hundred in words, without stopping.")
        return await self._endpoint.ask(question, parameters=Parameters(max_output_tokens=LIMIT), profile=profile)

    async def system(self) -> Finding:
        refusals: list[str] = []
        for role in ("system", "developer", "user") if self._endpoint.api == "openai" else ("system",):
            answer = await self._endpoint.ask(
                said("Name a colour."), system="Answer with one word.", profile={"system_role": role}
            )
            if answer.ok:
                if role != "system":
                    self._learn(system_role=role)
                words = "taken" if role == "system" else f"system is refused; sent as {role}"
                return Finding("good", "system prompt", words)
            if not answer.refused:
                return _spoilt("system prompt", answer)
            refusals.append(answer.reason)
        return Finding("note", "system prompt", f"refused: {refusals[0]}")

    async def reasoning(self) -> Finding:
        """Where thinking comes in, and how effort is asked for."""
        ways = EFFORT_WAYS[self._endpoint.api]
        base = self._endpoint.provider.profile.get("reasoning_parameter")
        if base:
            ways = (base, *(way for way in ways if way != base))
        limit = None if self._endpoint.usual_limit is None else EFFORT_LIMIT
        refusal = ""
        for way in ways:
            answer = await self._endpoint.ask(
                said("How many r are in strawberry?"),
                parameters=Parameters(reasoning_effort="low", max_output_tokens=limit),
                profile={"reasoning_parameter": way},
            )
            if not answer.ok and not answer.refused:
                return _spoilt("reasoning", answer)
            if answer.ok:
                if refusal:
                    self._learn(reasoning_parameter=way)
                return _about_reasoning(self._first if not answer.thinking else answer, way, refusal)
            refusal = refusal or answer.reason
        return Finding("note", "reasoning", refusal)

    # Tools -----------------------------------------------------------------------------------------------------------

    async def tools(self) -> Finding:
        question = said("What is the weather in Bern? Use the tool.")
        answer = await self._endpoint.ask(question, tools=(WEATHER,))
        if answer.refused:
            self._takes_tools = False
            self._learn(tools=False)
            return Finding("note", "tools", f"refused: {answer.reason}")
        if answer.error is not None:
            self._takes_tools = False
            return _spoilt("tools", answer)
        if not answer.calls:
            return Finding("note", "tools", "taken, but the model called none")
        call = answer.calls[0]
        if _object_in(call.args_json) is None:
            return Finding("note", "tools", f"calls {call.name}, with arguments that are no JSON object")
        return Finding("good", "tools", f"calls {call.name} {call.args_json[:60]}")

    async def empty_arguments(self) -> Finding:
        """A tool without parameters, and the conversation after its call: a message without words, and `{}`."""
        if not self._takes_tools:
            return Finding("note", "empty arguments", "not asked: tools are not taken")
        question = said("What time is it? Use the tool.")
        answer = await self._endpoint.ask(question, tools=(TIME,))
        came = f"came as {answer.calls[0].args_json}" if answer.calls else "no call came by itself"
        refusals: list[str] = []
        for form in ("null", "empty", "omit") if self._endpoint.api == "openai" else ("null",):
            after = await self._endpoint.ask(question, CALLED_TIME, tools=(TIME,), profile={"empty_content": form})
            if after.ok:
                if form != "null":
                    self._learn(empty_content=form)
                words = (
                    "" if form == "null" else f"; a message with calls alone is refused with content null, not {form}"
                )
                return Finding("good", "empty arguments", f"{came}; a call with {{}} and its result are taken{words}")
            if not after.refused:
                return _spoilt("empty arguments", after)
            refusals.append(after.reason)
        return Finding("note", "empty arguments", f"{came}; a call and its result are refused: {refusals[0]}")

    async def parallel_tools(self) -> Finding:
        if not self._takes_tools:
            return Finding("note", "parallel tools", "not asked: tools are not taken")
        question = said("What is the weather in Bern, and in Oslo? Call the tool for both at once.")
        profile = {"parallel_tool_calls": True} if self._endpoint.api == "openai" else {}
        answer = await self._endpoint.ask(question, tools=(WEATHER,), profile=profile)
        option = ""
        if answer.refused and profile:
            if self._endpoint.provider.profile.get("parallel_tool_calls") is not None:
                self._learn(parallel_tool_calls=None)
            option = "the option is refused; without it "
            answer = await self._endpoint.ask(question, tools=(WEATHER,), profile={"parallel_tool_calls": None})
        if answer.error is not None:
            return _spoilt("parallel tools", answer)
        count = len(answer.calls)
        ids = {call.wire_id for call in answer.calls}
        if count > 1:
            told = "" if len(ids) == count else ", whose ids are not distinct"
            return Finding("good", "parallel tools", f"{option}{count} calls in one answer{told}")
        return Finding(
            "note", "parallel tools", f"{option}{count or 'no'} call{'' if count == 1 else 's'} in one answer"
        )

    # The rest --------------------------------------------------------------------------------------------------------

    async def images(self) -> Finding:
        answer = await self._endpoint.ask(PICTURE, files={PICTURE_DIGEST: RED_SQUARE}, profile={"images": True})
        if answer.refused:
            self._learn(images=False)
            return Finding("note", "images", f"refused: {answer.reason}")
        if answer.error is not None:
            return _spoilt("images", answer)
        if "red" in answer.text.lower():
            return Finding("good", "images", "seen")
        return Finding("note", "images", "taken, but the answer does not show that it was seen")

    async def stop(self) -> Finding:
        """Ends an answer in its middle, and asks something at once: an endpoint that goes on with the first is slow."""
        question = said("Count from one to five hundred in words, without stopping.")
        stopped = await self._endpoint.ask(question, stop_early=True)
        if stopped.error is not None:
            return _spoilt("stop", stopped)
        after = await self._endpoint.ask(said("Name a colour."))
        if after.error is not None:
            return Finding("note", "stop", f"after an answer was stopped: {after.reason}")
        waited, usual = after.first_words_s or 0.0, self._first.first_words_s or 0.0
        words = f"the connection is closed at once; the next answer began after {waited:.1f} s"
        if waited > 2.0 + 4 * usual:
            return Finding("note", "stop", f"{words}, so the endpoint may go on with what was stopped")
        return Finding("good", "stop", words)

    async def errors(self) -> Finding:
        """The error for a model that there is not."""
        answer = await self._endpoint.ask(said("Hello."), model=STRANGE_MODEL)
        if answer.ok:
            return Finding(
                "note", "errors", "a model that there is not answers as well: names of models are not looked at"
            )
        echo = "; it echoes the key, which is taken out of what you see" if answer.echoes_key else ""
        assert answer.error is not None
        if answer.error.code == "unknown_model":
            return Finding("good", "errors", f"{answer.reason}{echo}")
        return Finding("note", "errors", f"read as {answer.error.code}: {answer.reason}{echo}")

    def _learn(self, **fields: Any) -> None:
        self._endpoint.profile.update(fields)


async def chosen_model(endpoint: Endpoint) -> str:
    """The first model in its list that can chat, as far as names tell. Raises `ProviderError` where there is none."""
    models = await endpoint.models()
    named = next((model.id for model in models if "embed" not in model.id.lower()), None)
    if named is None:
        raise ProviderError("its list of models is empty", code="no_models", hint="Name one with --model.")
    return named


# What is asked --------------------------------------------------------------------------------------------------------


def said(text: str) -> Message:
    return Message(id=MessageId("probe"), role="user", content=text, ts=0)


def red_square(side: int = 32) -> bytes:
    """A PNG of one colour."""

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\x00" + b"\xff\x00\x00" * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


RED_SQUARE = red_square()
PICTURE_DIGEST = hashlib.sha256(RED_SQUARE).hexdigest()
PICTURE = Message(
    id=MessageId("probe"),
    role="user",
    content="Which colour is this picture? One word.",
    ts=0,
    attachments=(
        Attachment(
            id="picture",
            name="square.png",
            media_type="image/png",
            size_bytes=len(RED_SQUARE),
            digest=PICTURE_DIGEST,
        ),
    ),
)
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = ToolSpec(name="get_weather", description="The weather in a city, now.", schema=CITY)
TIME = ToolSpec(name="get_time", description="What time it is now.", schema={"type": "object", "properties": {}})
CALLED_TIME = Message(
    id=MessageId("call"),
    role="assistant",
    content="",
    ts=0,
    tool_calls=(
        ToolCall(id=CallId("probe"), name="get_time", args_json="{}", status="done", result="12:34", wire_id="call_1"),
    ),
)

# What is told ---------------------------------------------------------------------------------------------------------


def _spoilt(subject: str, outcome: Outcome) -> Finding:
    return Finding("note", subject, f"not found out: {outcome.reason}")


def _is_limited(outcome: Outcome) -> bool:
    """By its own word, or by the count of what came."""
    if outcome.finish is not None and outcome.finish.finish == "length":
        return True
    return outcome.usage is not None and 0 < outcome.usage.output_tokens <= 2 * LIMIT


def _about_limit(outcome: Outcome, name: str) -> Finding:
    if _is_limited(outcome):
        return Finding("good", "output limit", name)
    return Finding("note", "output limit", f"{name} is taken, but does not limit the answer")


def _about_usage(outcome: Outcome, found: str, missing: str = "nothing is reported") -> Finding:
    usage = outcome.usage
    if usage is None:
        return Finding("note", "usage", f"{missing}: costs can only be estimated")
    return Finding("good", "usage", f"{found}: {usage.input_tokens} tokens in, {usage.output_tokens} out")


def _about_reasoning(outcome: Outcome, way: str, refusal: str) -> Finding:
    place = reasoning_field(outcome)
    came = f"thinking comes in {place}" if place else "no thinking comes"
    if not way:
        return Finding("note", "reasoning", f"{came}; effort cannot be asked for: {refusal}")
    return Finding("good" if place else "note", "reasoning", f"{came}; effort is taken as {way}")


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
