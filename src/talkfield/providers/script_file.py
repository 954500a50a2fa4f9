"""Script files: what the scripted provider plays for which request, written by hand as JSON or TOML.

Owns the form of the file and turns a line of it into a step; which steps there are is `script.py`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from talkfield.core.messages import Finish, Usage
from talkfield.errors import StartFailed
from talkfield.providers.recorded_script import RecordedRule, script_of
from talkfield.providers.script import Fail, Hold, Pause, Script, Step, error_for, last_user, paced, words_per_s_default
from talkfield.runtime.ports import CallChunk, FinishChunk, ProviderRequest, TextChunk, ThinkingChunk, UsageChunk


class StepLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step of a script file: exactly one of its fields, `args` and `message` aside."""

    text: str | None = None
    words: str | None = None
    thinking: str | None = None
    call: str | None = None
    args: dict[str, Any] = {}
    pause_s: float | None = None
    hold: Literal[True] | None = None
    fail: int | None = None
    message: str = ""
    usage: Usage | None = None
    finish: Finish | None = None


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Steps for requests whose last user message matches `when` (a regular expression, in any case; absent: all).

    `model` likewise chooses by the model that is asked. `round` counts the replies of one turn from 0: a rule with a
    tool call has another for what comes after it.
    """

    steps: tuple[StepLine, ...]
    when: str = ""
    model: str = ""
    round: int = 0


class RulesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A script file, JSON or TOML: the first rule that fits a request is played."""

    rules: tuple[Rule, ...]


def rules_from(text: str, *, name: str) -> tuple[Rule, ...]:
    """The rules of a script file; TOML where its `name` ends so, else JSON. Raises `StartFailed`, naming the place."""
    try:
        decode = msgspec.toml.decode if name.endswith(".toml") else msgspec.json.decode
        rules = decode(text, type=RulesFile).rules
        for at, rule in enumerate(rules):
            re.compile(rule.when)
            re.compile(rule.model)
            for step_at, step in enumerate(rule.steps):
                if len(_kinds(step)) != 1:
                    raise msgspec.ValidationError(f"a step has exactly one kind - at `$.rules[{at}].steps[{step_at}]`")
    except (msgspec.DecodeError, re.error, ValueError) as error:
        raise StartFailed(f"the script file {name} cannot be used: {error}") from error
    return rules


def script_by_rules(rules: Sequence[Rule | RecordedRule], request: ProviderRequest) -> Script | None:
    """The script of the first rule that fits, None where none does."""
    asked, since = last_user(request.messages)
    for rule in rules:
        if isinstance(rule, RecordedRule):
            if rule.fits(request):
                return script_of(rule.record)
        elif rule.round == len(since) and _fits(rule, asked, request.model):
            return _script_of(rule, request)
    return None


def _fits(rule: Rule, asked: str, model: str) -> bool:
    pairs = ((rule.when, asked), (rule.model, model))
    return all(re.search(pattern, text, re.IGNORECASE) for pattern, text in pairs)


def _kinds(step: StepLine) -> list[str]:
    fields = ("text", "words", "thinking", "call", "pause_s", "hold", "fail", "usage", "finish")
    return [field for field in fields if getattr(step, field) is not None]


def _script_of(rule: Rule, request: ProviderRequest) -> Script:
    steps: list[Step] = []
    for at, line in enumerate(rule.steps):
        match _kinds(line)[0]:
            case "text":
                steps.append(TextChunk(line.text or ""))
            case "words":
                steps.extend(paced(line.words or "", words_per_s_default, TextChunk))
            case "thinking":
                steps.append(ThinkingChunk(line.thinking or ""))
            case "call":
                steps.append(CallChunk(f"call_{at}", line.call or "", json.dumps(line.args)))
            case "pause_s":
                steps.append(Pause(line.pause_s or 0))
            case "hold":
                steps.append(Hold())
            case "fail":
                steps.append(Fail(error_for(line.fail or 500, line.message)))
            case "usage" if line.usage:
                steps.append(UsageChunk(line.usage, model=request.model))
            case "finish" if line.finish:
                steps.append(FinishChunk(line.finish, raw=line.finish))
    last = steps[-1] if steps else None
    if not isinstance(last, FinishChunk | Fail):
        steps.append(FinishChunk("tool_calls" if any(isinstance(step, CallChunk) for step in steps) else "stop"))
    return Script(tuple(steps))
