"""D3, D4, D8 to D10: one small stream for each quirk of real services, read in every segmentation.

`wire/<row>/<case>.sse` is a body, `<case>.expected.json` what it comes to; fields that are not there are empty. The
rows are those of the notes on wire quirks: A bytes and framing, B errors, C chunks and ends, D reasoning, E calls,
G usage; R are the rules above them all. `usage` is input, output, cache read, cache write, reasoning.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from providers.wire_reading import Reading, joined, read
from talkfield.core.messages import Usage
from talkfield.providers.answer import Decoder
from talkfield.providers.anthropic import AnthropicDecoder
from talkfield.providers.openai import OpenAiDecoder
from talkfield.providers.profile import profile_of

CASES = sorted((Path(__file__).parent / "wire").glob("*/*.sse"))


def decoder_for(expected: dict[str, Any]) -> Decoder:
    if expected.get("api") == "anthropic":
        return AnthropicDecoder(provider="p", model="m")
    return OpenAiDecoder(provider="p", model="m", profile=profile_of(expected.get("profile", {})))


def reading_of(expected: dict[str, Any]) -> Reading:
    usage = expected.get("usage")
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    return Reading(
        text=expected.get("text", ""),
        thinking=expected.get("thinking", ""),
        calls=[(wire_id, name, args) for wire_id, name, args in expected.get("calls", [])],
        finish=expected.get("finish"),
        raw=expected.get("raw", ""),
        detail=expected.get("detail", ""),
        state=expected.get("state"),
        usage=Usage(**dict(zip(names, usage, strict=True))) if usage else None,
        usd=Decimal(expected["usd"]) if expected.get("usd") else None,
        model=expected.get("model"),
        error=tuple(expected["error"]) if expected.get("error") else None,
    )


def comparable(reading: Reading, wanted: Reading) -> Reading:
    """State as a value; of an error's message as much as the case gives; restarts are another test's."""
    state = json.loads(reading.state) if reading.state is not None else None
    error = reading.error
    if error is not None and wanted.error is not None:
        error = (error[0], error[1], error[2][: len(wanted.error[2])])
    return replace(reading, state=state, error=error, restarts=0)


def segmentations(body: bytes) -> Iterator[tuple[str, list[bytes]]]:
    yield "whole", [body]
    yield "byte by byte", [body[i : i + 1] for i in range(len(body))]
    yield "with empty reads", [b"", body[: len(body) // 2], b"", body[len(body) // 2 :], b""]
    stride = max(1, len(body) // 120)
    for at in range(1, len(body), stride):
        yield f"cut at {at}", [body[:at], body[at:]]
    source = random.Random(len(body))
    for _ in range(5):
        places = sorted(source.randrange(len(body) + 1) for _ in range(8))
        yield f"cut at {places}", [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True)]


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_check_01_D3_a_quirk_is_read_right_in_every_segmentation(case: Path) -> None:
    expected = json.loads(case.with_suffix(".expected.json").read_bytes())
    wanted = reading_of(expected)
    for name, reads in segmentations(case.read_bytes()):
        reading = read(decoder_for(expected), reads)
        assert comparable(reading, wanted) == wanted, name


SECTIONS = {"A": 23, "B": 12, "C": 16, "D": 9, "E": 23, "F": 11, "G": 8}
"""How many rows the notes have in each."""

OTHER_ROWS = {
    "A15": "test_D7_a_line_of_many_kilobytes_is_read",
    "A16": "test_check_01_D3_a_quirk_is_read_right_in_every_segmentation",
    "A17": "test_D7_compressed_answers_are_read_as_they_come",
    "A21": "test_check_06_D7_silence_before_the_first_words_ends_after_600_s",
    "A22": "test_check_09_D15_redirects_are_not_followed",
    "A23": "test_D14_addresses_as_people_paste_them",
    "B3": "test_D5_an_error_body_of_any_shape_has_its_meaning",
    "B4": "test_D15_keys_are_taken_out_whole_masked_and_in_part",
    "B5": "test_check_04_D6_a_limit_is_waited_for_as_long_as_asked",
    "B6": "test_D6_a_connection_that_breaks_before_the_answer_is_tried_again",
    "B8": "test_D5_an_error_body_of_any_shape_has_its_meaning",
    "B9": "test_D13_an_error_teaches_what_to_change",
    "D5": "test_D11_thinking_goes_back_within_its_tool_loop_alone",
    "D8": "test_check_29_D11_thinking_from_a_change_on_is_dropped_and_the_text_stays",
    "D9": "test_check_29_D11_thinking_of_another_model_does_not_go_out",
    "E10": "test_check_08_D7_time_and_memory_grow_with_the_input_alone",
    "E11": "test_check_42_T6_what_runs_is_what_was_approved",
    "E14": "test_D12_ids_of_another_provider_become_nine_letters_and_digits",
    "E15": "test_check_27_T3_arguments_are_checked_before_any_card",
    "F1": "test_D12_the_whole_of_a_plain_request",
    "F2": "test_D12_results_come_first_in_the_next_message_and_alternation_holds",
    "F3": "test_D12_every_call_has_a_result_right_after_it",
    "F4": "test_check_28_D12_any_history_is_one_that_anthropic_takes",
    "F5": "test_D12_neighbours_of_one_role_become_one",
    "F6": "test_check_29_C4_no_note_reaches_a_wire",
    "F7": "test_D12_every_call_has_a_result_right_after_it",
    "F8": "test_D9_usage_is_asked_for_and_not_again_where_it_is_refused",
    "F9": "test_D13_schemas_lose_what_a_dialect_refuses",
    "F10": "test_D12_what_json_cannot_carry_is_replaced",
    "F11": "test_C7_a_call_is_never_separated_from_its_results",
}
"""Rows that one stream cannot show: requests, connections, errors with a status, what a turn does."""


def test_D3_every_row_of_the_notes_has_a_case_or_a_test_of_its_own() -> None:
    rows = {f"{section}{number}" for section, last in SECTIONS.items() for number in range(1, last + 1)}
    cases = {case.parent.name for case in CASES}
    assert cases - rows == {"R1", "R2"}
    assert rows - cases == OTHER_ROWS.keys()
    written = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert {name for name in OTHER_ROWS.values() if f"def {name}(" not in written} == set()


def event(**delta: Any) -> bytes:
    return b"data: " + msgspec.json.encode({"choices": [{"index": 0, "delta": delta}]}) + b"\n\n"


def test_D7_a_line_of_many_kilobytes_is_read() -> None:
    reading = read(OpenAiDecoder(), [event(reasoning="x" * 300_000), event(content="done"), b"data: [DONE]\n\n"])
    assert (len(reading.thinking), reading.text, reading.finish) == (300_000, "done", "stop")


def test_check_08_D7_an_event_over_the_bound_ends_the_answer_and_keeps_what_came() -> None:
    reads = [event(content="kept"), b"data: " + b"x" * (16 * 1024 * 1024), b"x"]
    reading = read(OpenAiDecoder(), reads)
    assert (reading.text, reading.error and reading.error[:2]) == ("kept", ("ProviderGarbled", "too_large"))


def test_D3_neighbouring_text_of_one_read_is_one_chunk() -> None:
    decoder = OpenAiDecoder()
    chunks = decoder.feed(event(reasoning="a") + event(reasoning="b") + event(content="c") + event(content="d"))
    assert joined(chunks)
    assert len(chunks) == 2


def test_D7_keep_alives_and_pings_are_no_progress() -> None:
    openai, anthropic = OpenAiDecoder(), AnthropicDecoder()
    openai.feed(b": keep-alive\n\n" * 5)
    anthropic.feed(b'event: ping\ndata: {"type": "ping"}\n\n' * 5)
    assert (openai.progress, anthropic.progress) == (0, 0)


def test_D11_a_restart_is_told_only_where_something_had_been_given_out() -> None:
    body = next(case for case in CASES if case.stem == "another_message").read_bytes()
    whole, halves = (read(AnthropicDecoder(), reads) for reads in ([body], [body[:600], body[600:]]))
    assert (whole.restarts, halves.restarts) == (0, 1)
    assert whole.text == halves.text == "Hi there"
