"""`talkfield ask` as a process: what is printed where, what is piped, and the statuses (Z4)."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.terminal import Ended, environment, opened, run
from talkfield.ask import Printer, question_text
from talkfield.core.events import Delta
from talkfield.core.ids import MessageId, NodeId
from talkfield.errors import InvalidArgument

Run = Callable[..., Ended]


def test_Z4_an_answer_is_printed_and_nothing_else(here: Run, own_home: Path) -> None:
    assert here("ask", "hello there") == Ended(0, "echo: hello there\n", "")
    assert not own_home.exists()


def test_Z4_piped_text_is_asked_or_added(here: Run) -> None:
    assert here("ask", stdin="from a pipe\n") == Ended(0, "echo: from a pipe\n", "")
    assert here("ask", "What is this?", stdin="text\n") == Ended(0, "echo: What is this?\n\ntext\n", "")


def test_Z4_provider_model_and_system_are_passed_on(here: Run) -> None:
    ended = here("ask", "recall", "-p", "scripted", "-m", "scripted-2", "--system", "Be kind.")
    assert ended.status == 0
    assert "Be kind." in ended.out


def test_Z4_one_json_object_says_everything(here: Run) -> None:
    ended = here("ask", "think then answer", "--json")
    assert (ended.status, ended.err, ended.out.count("\n")) == (0, "", 1)
    answer = json.loads(ended.out)
    usage, cost = answer.pop("usage"), answer.pop("cost")
    assert answer.pop("thinking")
    assert answer.pop("text")
    assert answer == {"ok": True, "provider": "scripted", "model": "scripted-1", "stopReason": "end_turn"}
    assert usage["outputTokens"] > 0
    assert cost["estimated"] is False
    assert cost["label"].startswith("$")


def test_D5_a_failed_answer_is_one_line_and_a_status(here: Run) -> None:
    ended = here("ask", "fail 500")
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert ended.err.startswith("talkfield: ")


def test_D4_what_came_before_a_failure_is_kept(here: Run) -> None:
    ended = here("ask", "cut after 2 words")
    assert (ended.status, ended.out) == (1, "word-1 word-2\n")
    as_json = json.loads(here("ask", "cut after 2 words", "--json").out)
    assert (as_json["ok"], as_json["text"], as_json["stopReason"]) == (False, "word-1 word-2", "error")
    assert as_json["error"]["message"]


@pytest.mark.parametrize("json_flag", [(), ("--json",)])
def test_R2_an_unknown_provider_is_told(here: Run, json_flag: tuple[str, ...]) -> None:
    ended = here("ask", "hello", "-p", "nobody", *json_flag)
    assert ended.status == 1
    if json_flag:
        answer = json.loads(ended.out)
        assert (answer["ok"], answer["error"]["code"], answer["stopReason"]) == (False, "no_provider", None)
    else:
        assert (ended.out, ended.err.count("\n")) == ("", 1)


def test_Z4_nothing_to_ask_is_told(here: Run) -> None:
    ended = here("ask")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == 'talkfield: There is nothing to ask. Try: talkfield ask "Why is the sky blue?"\n'


def test_Z4_the_process_says_the_same(own_home: Path) -> None:
    assert run(own_home, "ask", "hello", stdin="there\n") == Ended(0, "echo: hello\n\nthere\n", "")


def test_Z4_it_works_beside_an_open_canvas(own_home: Path) -> None:
    with opened(own_home):
        assert run(own_home, "ask", "hello") == Ended(0, "echo: hello\n", "")


def test_Z4_a_reader_that_goes_away_ends_the_reply(own_home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "talkfield", "ask", "stream 100000 words at 1000/s"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(own_home),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(6) == b"word-1"
        process.stdout.close()
        assert process.wait(20) == 141
        assert process.stderr.read() == b""


def test_Z4_an_interrupted_reply_keeps_what_came(own_home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "talkfield", "ask", "stream 1000 words at 100/s"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(own_home),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(6) == b"word-1"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read() == b""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("out", "printed"), [(Terminal(), "a]52;cb\tc\n[2Jd\n"), (io.StringIO(), None)])
def test_X3_answers_cannot_drive_the_terminal(out: io.StringIO, printed: str | None) -> None:
    text = "a\x1b]52;c\x07b\tc\n\x9b[2J\x00d"
    printer = Printer(out, silent=False)
    printer.take(NodeId("ask"), (Delta(node=NodeId("ask"), message=MessageId("m"), text=text),))
    printer.finish()
    assert out.getvalue() == (printed or text + "\n")
    assert printer.conversation.messages[0].content == text


class Pipe(io.TextIOWrapper):
    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))


def test_X5_what_is_piped_need_not_be_utf_8() -> None:
    assert question_text(None, Pipe(b"caf\xe9 \xf0\x9f\x98\x80\n")) == "caf\ufffd \U0001f600"
    assert question_text("Why?", None) == "Why?"
    assert question_text("Why?", Terminal()) == "Why?"
    assert question_text("Why?", Pipe(b"\n")) == "Why?"
    with pytest.raises(InvalidArgument):
        question_text("  ", Pipe(b""))
