"""`talkfield replay`: captures and records read from files and pipes, where it is printed, and the statuses (D3)."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import Ended, run
from talkfield.providers.recorded_call import RecordedCall, RecordedRequest, encode_record, response_of

Run = Callable[..., Ended]

CALL = {"index": 0, "id": "call_7", "function": {"name": "add", "arguments": '{"a": 1}'}}
USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
STREAM = b"".join(
    b"data: " + json.dumps(event).encode() + b"\n\n"
    for event in (
        {"model": "m-1", "choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]},
        {"choices": [{"index": 0, "delta": {"content": "I add\x1b[2J."}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [CALL]}, "finish_reason": "tool_calls"}], "usage": USAGE},
    )
)
READING: dict[str, Any] = {
    "api": "openai",
    "model": "m-1",
    "text": "I add\x1b[2J.",
    "thinking": "Hm.",
    "tool_calls": [{"id": "call_7", "name": "add", "arguments": '{"a": 1}'}],
    "finish_reason": "tool_calls",
    "effective_stop": "tool_use",
    "usage": {"input": 9, "output": 4, "cached_input": None, "cache_write": None, "reasoning": None},
    "error": None,
    "code": None,
    "hint": "",
    "refusal": "",
}


@pytest.fixture
def capture(tmp_path: Path) -> Callable[[bytes], str]:
    def write(data: bytes) -> str:
        path = tmp_path / "answer.sse"
        path.write_bytes(data)
        return str(path)

    return write


def record(body: bytes, *, status: int = 200, ended: str = "") -> bytes:
    reads = [(at, body[at : at + 7]) for at in range(0, len(body), 7)]
    request = RecordedRequest(method="POST", url="https://box.example/v1/chat/completions")
    return encode_record(
        RecordedCall(api="openai", request=request, response=response_of(status, {}, reads), ended=ended)
    )


@pytest.mark.parametrize("packed", [lambda data: data, gzip.compress, record], ids=["body", "gzip", "record"])
def test_D3_one_json_object_says_what_an_answer_is(
    here: Run, capture: Callable[[bytes], str], packed: Callable[[bytes], bytes], own_home: Path
) -> None:
    ended = here("replay", capture(packed(STREAM)), "--json")
    assert (ended.status, ended.err, ended.out.count("\n")) == (0, "", 1)
    assert json.loads(ended.out) == READING
    assert not own_home.exists()


def test_D3_text_goes_to_one_place_and_what_is_said_of_it_to_another(
    here: Run, capture: Callable[[bytes], str]
) -> None:
    ended = here("replay", capture(STREAM), "--api", "openai")
    assert (ended.status, ended.out) == (0, "I add\x1b[2J.\n")
    assert ended.err.splitlines() == [
        "talkfield: thinking: Hm.",
        'talkfield: calls add {"a": 1} (id call_7)',
        "talkfield: usage: input 9, output 4",
        "talkfield: read on the openai wire; then: tool_use (finish reason tool_calls)",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_X3_a_capture_cannot_drive_the_terminal(
    here: Run, capture: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = capture(STREAM)
    screen = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", screen)
        here("replay", path)
    assert screen.getvalue() == "I add[2J.\n"


@pytest.mark.parametrize(
    ("data", "stop", "error"),
    [
        (STREAM[:150], "interrupted", "the answer broke off before its end"),
        (b"", "interrupted", "the answer broke off before it began"),
        (b'{"error": {"message": "no such model"}}', "error", "no such model"),
        (
            b'data: {"type":"response.created","response":{}}\n\n',
            "error",
            "the address answers with OpenAI's Responses API",
        ),
        (record(b'{"error":{"message":"slow down"}}', status=429), "error", "slow down"),
        (
            record(STREAM[:150], ended="the connection broke: X"),
            "interrupted",
            "the answer broke off before its end: the",
        ),
    ],
    ids=["cut", "empty", "error", "another wire", "refused", "broken"],
)
def test_D4_an_error_or_a_cut_answer_has_status_1(
    here: Run, capture: Callable[[bytes], str], data: bytes, stop: str, error: str
) -> None:
    path = capture(data)
    ended = here("replay", path, "--json")
    printed = json.loads(ended.out)
    assert (ended.status, ended.err, printed["effective_stop"]) == (1, "", stop)
    assert printed["error"].startswith(error)
    assert printed["tool_calls"] == []
    told = here("replay", path)
    assert told.status == 1
    assert told.err.splitlines()[-1].startswith(f"talkfield: {error}")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("no-such-file",), "no-such-file cannot be read: No such file or directory."),
        (("/dev/null", "--api", "grpc"), "api: has to be one of: openai, anthropic"),
    ],
)
def test_X5_what_cannot_be_read_is_told(here: Run, arguments: tuple[str, ...], says: str) -> None:
    assert here("replay", *arguments) == Ended(1, "", f"talkfield: {says}\n")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x1f\x8bnot really", "gzip that cannot be unpacked"),
        (b'{"talkfieldRecord": 1, "api": "smtp"}', "the record cannot be read"),
    ],
)
def test_X5_a_damaged_capture_is_told(here: Run, capture: Callable[[bytes], str], data: bytes, says: str) -> None:
    ended = here("replay", capture(data))
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert says in ended.err


def test_D3_the_process_reads_a_pipe(own_home: Path) -> None:
    ended = run(own_home, "replay", "-", "--json", stdin=STREAM)
    assert (ended.status, ended.err, json.loads(ended.out)) == (0, "", READING)


def test_D8_half_a_character_in_a_call_is_printed(here: Run, capture: Callable[[bytes], str]) -> None:
    half = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '"\ud83d"'}}
    event = {"choices": [{"index": 0, "delta": {"tool_calls": [half]}, "finish_reason": "tool_calls"}]}
    ended = here("replay", capture(b"data: " + json.dumps(event).encode() + b"\n\n"), "--json")
    assert (ended.status, json.loads(ended.out)["tool_calls"][0]["id"]) == (0, "c")
