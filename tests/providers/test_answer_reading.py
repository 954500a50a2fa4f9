"""What `talkfield replay` says of an answer: the wire's own words, and what the turn does next (D3, D4, D8, D9)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from providers.test_corpus import CORPUS, FOREIGN, STREAMS, body_of, expected_of, variants
from talkfield.core.provider_api import Api
from talkfield.errors import InvalidArgument
from talkfield.providers.answer_reading import read_answer
from talkfield.providers.resolve import api_named

recorded = pytest.mark.skipif(not STREAMS, reason=f"no recorded streams at {CORPUS}")


def api_of(expected: dict[str, Any]) -> Api:
    return "anthropic" if expected["api"] == "anthropic-messages" else "openai"


def as_printed(body: bytes, api: Api | None) -> dict[str, Any]:
    """The reading as `--json` prints it."""
    value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(read_answer([body], api)))
    return value


def expected_reading(expected: dict[str, Any]) -> dict[str, Any]:
    calls = [*expected["tool_calls"], *filter(None, [expected.get("function_call")])]
    usage, error = expected["usage"], expected["error"]
    counts = ("input", "output", "cached_input", "cache_write", "reasoning")
    return {
        "text": expected["text"],
        "thinking": expected["thinking"],
        "tool_calls": [{name: call[name] for name in ("id", "name", "arguments")} for call in calls],
        "finish_reason": expected["finish_reason"],
        "effective_stop": expected["effective_stop"],
        "usage": {name: usage[name] for name in counts} if usage else None,
        "error": error["message"] if error else None,
    }


@recorded
@pytest.mark.corpus
@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: f"{stream.parent.name}/{stream.name}")
def test_D3_the_reading_of_a_recorded_stream_is_exactly_the_expected_one(stream: Path) -> None:
    expected = expected_of(stream)
    wanted = expected_reading(expected)
    for api in (api_of(expected), None):
        printed = as_printed(body_of(stream), api)
        assert {name: printed[name] for name in wanted} == wanted
        assert printed["api"] == api_of(expected)


@recorded
@pytest.mark.corpus
@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: f"{stream.parent.name}/{stream.name}")
def test_check_02_D4_a_cut_stream_is_interrupted_and_calls_nothing(stream: Path) -> None:
    expected = expected_of(stream)
    whole = read_answer([body_of(stream)], api_of(expected))
    for _length, prefix in variants().truncations(body_of(stream), n=20):
        reading = read_answer([prefix], api_of(expected))
        if reading.failed:
            assert reading.effective_stop == "interrupted" or reading.error == whole.error
            assert reading.tool_calls == ()
        else:
            assert reading.tool_calls == whole.tool_calls[: len(reading.tool_calls)]
            assert (reading.text, reading.effective_stop) == (whole.text, whole.effective_stop) or whole.failed


@recorded
@pytest.mark.corpus
@pytest.mark.parametrize("stream", FOREIGN, ids=lambda path: path.stem)
@pytest.mark.parametrize("api", ["openai", "anthropic", None])
def test_D3_a_stream_of_another_wire_reads_as_one_clear_error(stream: Path, api: Api | None) -> None:
    reading = read_answer([stream.read_bytes()], api)
    assert (reading.text, reading.tool_calls, reading.effective_stop, reading.code) == ("", (), "error", "wrong_wire")
    assert reading.error is not None
    assert reading.error.startswith("the address answers with ")
    assert reading.hint


def event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def finished(reason: str | None, **delta: Any) -> bytes:
    return event({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}) + b"data: [DONE]\n\n"


CALL = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a":1}'}}]}
HALF_CALL = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a'}}]}


@pytest.mark.parametrize(
    ("body", "stop", "calls"),
    [
        (finished("stop", content="x"), "end_turn", 0),
        (finished("stop", **CALL), "tool_use", 1),
        (finished("tool_calls", **CALL), "tool_use", 1),
        (finished("tool_calls"), "end_turn", 0),
        (finished(None, content="x"), "missing", 0),
        (finished(None, **CALL), "tool_use", 1),
        (finished("length", content="x"), "max_tokens", 0),
        (finished("length", **HALF_CALL), "max_tokens", 1),
        (finished("model_length"), "max_tokens", 0),
        (finished("content_filter", **CALL), "content_filter", 1),
        (finished("STOP"), "end_turn", 0),
        (finished("never heard of"), "end_turn", 0),
        (finished("error"), "error", 0),
        (event({"error": {"message": "no"}}), "error", 0),
        (event({"choices": [{"delta": CALL}]}), "interrupted", 0),
        (b"", "interrupted", 0),
    ],
)
def test_D4_what_the_turn_does_next_goes_by_the_calls_and_the_proof(body: bytes, stop: str, calls: int) -> None:
    reading = read_answer([body], "openai")
    assert (reading.effective_stop, len(reading.tool_calls)) == (stop, calls)
    assert reading.failed == (stop in ("error", "interrupted"))


def test_D3_the_wire_is_seen_from_the_stream() -> None:
    anthropic = event({"type": "message_start", "message": {}}) + event({"type": "message_stop"})
    assert read_answer([anthropic]).api == "anthropic"
    assert read_answer([anthropic], "openai").code == "wrong_wire"
    assert read_answer([finished("stop", content="x")]).api == "openai"
    assert read_answer([finished("stop", content="x")], "anthropic").code == "wrong_wire"


def test_D9_usage_is_told_as_the_service_states_it() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 6}}
    zeros = {"prompt_tokens": 0, "completion_tokens": 0}
    body = event({"choices": [], "usage": usage}) + event({"choices": [], "usage": zeros}) + finished("stop")
    assert as_printed(body, "openai")["usage"] == {
        "input": 10,
        "output": 4,
        "cached_input": 6,
        "cache_write": None,
        "reasoning": None,
    }
    assert as_printed(finished("stop"), "openai")["usage"] is None


def test_X5_another_wire_is_refused_by_name() -> None:
    assert (api_named(None), api_named("anthropic")) == (None, "anthropic")
    with pytest.raises(InvalidArgument, match="api: has to be one of: openai, anthropic"):
        api_named("grpc")


def test_D8_a_number_in_an_input_that_came_whole_stays_a_number() -> None:
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {"x": 1.5, "much": 10**400}}
    message = {"type": "message", "id": "m", "content": [block], "stop_reason": "tool_use"}
    (call,) = read_answer([json.dumps(message).encode()], "anthropic").tool_calls
    assert json.loads(call.arguments) == block["input"]
