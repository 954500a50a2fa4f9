"""The single gate to a provider."""

from __future__ import annotations

from builders import assistant, call, note, user
from talkfield.core.estimate import estimate_tokens, estimate_usage
from talkfield.core.messages import Message, ProviderState, Usage
from talkfield.core.result import cap_result
from talkfield.core.transcript import NO_OUTPUT, NOT_ANSWERED, transcript


def test_C4_notes_are_never_sent() -> None:
    assert transcript([user(), note(), assistant()]) == (user(), assistant())


def test_T11_a_call_without_a_result_gets_one() -> None:
    waiting = call("c1", status="awaiting", result=None)
    running = call("c2", status="running", result=None)
    silent = call("c3", result="")
    (sent,) = transcript([assistant(tool_calls=(waiting, running, silent, call("c4")))])
    assert sent.tool_calls == (
        call("c1", status="cancelled", result=NOT_ANSWERED, is_error=True),
        call("c2", status="cancelled", result=NOT_ANSWERED, is_error=True),
        call("c3", result=NO_OUTPUT),
        call("c4"),
    )


def test_D12_nothing_empty_is_sent() -> None:
    tool = Message(id=user().id, role="tool", content="x", ts=1)
    state = ProviderState(provider="p", model="m", data="[]")
    kept = assistant("", provider_state=state)
    assert transcript([user(" \n"), assistant(""), tool, kept, assistant("", tool_calls=(call(),))]) == (
        kept,
        assistant("", tool_calls=(call(),)),
    )


def test_R5_what_needs_no_repair_is_passed_on_as_it_is() -> None:
    message = assistant(tool_calls=(call(),))
    assert transcript([message])[0] is message


def test_M5_an_estimate_is_marked() -> None:
    assert estimate_usage([user("12345678"), assistant("", tool_calls=(call(),))], "1234", "é") == Usage(
        input_tokens=5, output_tokens=1, estimated=True
    )
    assert estimate_tokens("") == 0


def test_T4_a_long_result_says_how_much_was_cut() -> None:
    assert cap_result("short") == "short"
    assert cap_result("é" * 10, max_bytes=5) == "éé\n[cut: 16 of 20 bytes are not shown]"
