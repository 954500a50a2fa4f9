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
from talkfield.providers.anthropic import AnthropicDecoder
from talkfield.providers.base import Decoder
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
def test_D3_a_quirk_is_read_right_in_every_segmentation(case: Path) -> None:
    expected = json.loads(case.with_suffix(".expected.json").read_bytes())
    wanted = reading_of(expected)
    for name, reads in segmentations(case.read_bytes()):
        reading = read(decoder_for(expected), reads)
        assert comparable(reading, wanted) == wanted, name


def test_D3_every_row_of_the_notes_that_a_stream_can_show_has_a_case() -> None:
    rows = {case.parent.name for case in CASES}
    assert rows >= {f"A{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20)}
    assert rows >= {f"B{n}" for n in (1, 2, 7, 10, 11, 12)} | {f"C{n}" for n in range(1, 17)}
    assert rows >= {f"D{n}" for n in (1, 2, 3, 4, 6, 7)} | {f"G{n}" for n in range(1, 9)}
    assert rows >= {f"E{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23)}


def event(**delta: Any) -> bytes:
    return b"data: " + msgspec.json.encode({"choices": [{"index": 0, "delta": delta}]}) + b"\n\n"


def test_D7_a_line_of_many_kilobytes_is_read() -> None:
    reading = read(OpenAiDecoder(), [event(reasoning="x" * 300_000), event(content="done"), b"data: [DONE]\n\n"])
    assert (len(reading.thinking), reading.text, reading.finish) == (300_000, "done", "stop")


def test_D7_an_event_over_the_bound_ends_the_answer_and_keeps_what_came() -> None:
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
