"""D3: what a decoder makes of a stream does not depend on how the stream was cut into reads."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from providers.wire_reading import Reading, read
from talkfield.providers.answer import Decoder
from talkfield.providers.anthropic import AnthropicDecoder
from talkfield.providers.openai import OpenAiDecoder

words = st.sampled_from(["", "a", " < b", "<think>", "</think>", "<thi", "nk>", "é😀", "\u2028", None, [{"text": "x"}]])
call_deltas = st.fixed_dictionaries(
    {},
    optional={
        "index": st.sampled_from([0, 0, 1, None, "1"]),
        "id": st.sampled_from(["a", "b", "", None]),
        "function": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["f", "g", "", None]),
                "arguments": st.sampled_from(["{}", '{"x":', "1}", "", None, {"y": 1}]),
            },
        ),
    },
)
deltas = st.fixed_dictionaries(
    {},
    optional={
        "content": words,
        "reasoning": st.sampled_from(["r", "", None]),
        "reasoning_content": st.sampled_from(["c", None, 5]),
        "tool_calls": st.lists(call_deltas, max_size=2),
        "refusal": st.sampled_from([None, "no"]),
    },
)
chat_events = st.one_of(
    st.fixed_dictionaries(
        {
            "choices": st.lists(
                st.fixed_dictionaries(
                    {"index": st.sampled_from([0, 0, 0, 1]), "delta": deltas},
                    optional={"finish_reason": st.sampled_from([None, "", "stop", "length", "tool_calls", "error"])},
                ),
                max_size=2,
            )
        },
        optional={"usage": st.sampled_from([None, {"prompt_tokens": 1, "completion_tokens": 2}])},
    ),
    st.sampled_from(["[DONE]", {"error": {"message": "x"}}, {"choices": None}, {}, 7, "{broken"]),
)

blocks = st.sampled_from(
    [
        {"type": "text", "text": ""},
        {"type": "thinking", "thinking": ""},
        {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        {"type": "server_tool_use", "id": "s", "name": "w", "input": {}},
        {"type": "new"},
    ]
)
block_deltas = st.sampled_from(
    [
        {"type": "text_delta", "text": "é"},
        {"type": "thinking_delta", "thinking": "h"},
        {"type": "signature_delta", "signature": "s"},
        {"type": "input_json_delta", "partial_json": '{"a":'},
        {"type": "input_json_delta", "partial_json": "1}"},
        {"type": "citations_delta", "citation": {"u": 1}},
        {"type": "new_delta", "x": "y"},
    ]
)
indexes = st.integers(0, 2)
starts = st.sampled_from(["one", "one", "two"]).map(
    lambda name: {"type": "message_start", "message": {"id": name, "usage": {"input_tokens": 1}}}
)
message_events = st.one_of(
    starts,
    st.tuples(indexes, blocks).map(lambda t: {"type": "content_block_start", "index": t[0], "content_block": t[1]}),
    st.tuples(indexes, block_deltas).map(lambda t: {"type": "content_block_delta", "index": t[0], "delta": t[1]}),
    st.tuples(indexes, block_deltas).map(lambda t: {"type": "content_block_delta", "index": t[0], "delta": t[1]}),
    indexes.map(lambda index: {"type": "content_block_stop", "index": index}),
    st.sampled_from(["end_turn", "tool_use", "max_tokens", "refusal"]).map(
        lambda reason: {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}
    ),
    st.sampled_from(
        [{"type": "ping"}, {"type": "message_stop"}, {"type": "error", "error": {"message": "x"}}, {"type": "x"}]
    ),
)

ENDS = st.sampled_from(["\n\n", "\n\n", "\r\n\r\n", "\r\r", "\n: comment\n\n"])


def body_of(events: list[Any], ends: list[str]) -> bytes:
    return "".join(
        f"data: {event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)}{end}"
        for event, end in zip(events, ends, strict=True)
    ).encode()


def bodies(event: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    return st.lists(st.tuples(event, ENDS), max_size=12).map(
        lambda pairs: body_of([event for event, _ in pairs], [end for _, end in pairs])
    )


def cut(body: bytes, places: list[int]) -> list[bytes]:
    marks = sorted({place % (len(body) + 1) for place in places})
    return [body[a:b] for a, b in zip([0, *marks], [*marks, len(body)], strict=True)]


def same(reading: Reading) -> Reading:
    """Without what may differ: restarts, and how much of a body an error quotes."""
    reading.restarts = 0
    if reading.error is not None:
        reading.error = (*reading.error[:2], "")
    return reading


def check(make: type[OpenAiDecoder] | type[AnthropicDecoder], body: bytes, places: list[int]) -> None:
    def fresh() -> Decoder:
        return make(provider="p", model="m")

    whole = same(read(fresh(), [body]))
    assert same(read(fresh(), cut(body, places))) == whole
    assert same(read(fresh(), [body[i : i + 1] for i in range(len(body))])) == whole
    if whole.finish is None:
        assert whole.calls == []


cuts = st.lists(st.integers(0, 3000), max_size=6)


@settings(max_examples=200, deadline=None)
@given(body=bodies(chat_events), places=cuts)
def test_D3_the_openai_decoder_does_not_depend_on_the_reads(body: bytes, places: list[int]) -> None:
    check(OpenAiDecoder, body, places)


@settings(max_examples=200, deadline=None)
@given(body=bodies(message_events), places=cuts)
def test_D3_the_anthropic_decoder_does_not_depend_on_the_reads(body: bytes, places: list[int]) -> None:
    check(AnthropicDecoder, body, places)


@settings(max_examples=100, deadline=None)
@given(body=st.binary(max_size=200), places=cuts)
def test_D3_no_bytes_at_all_can_break_a_decoder(body: bytes, places: list[int]) -> None:
    for make in (OpenAiDecoder, AnthropicDecoder):
        check(make, body, places)
        check(make, b"data: " + body + b"\n\n", places)
