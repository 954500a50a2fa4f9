"""D4, D7, D8: no bytes make a decoder raise, lie about the end, or take more time and memory than the input is worth.

A short run of `scripts/fuzz_decoders.py`; what longer runs have found stands below it, one case each.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talkfield.core.provider_api import APIS, Api
from talkfield.errors import ProviderError
from talkfield.providers.json_body import encode_body, encode_opaque, object_of
from talkfield.providers.openai_decoder import OpenAiDecoder
from talkfield.runtime.ports import Chunk

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fuzz_decoders.py"


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_decoders", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


fuzz = loaded()
SEEDS = fuzz.seeds()


def event(value: Any, name: str = "") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + json.dumps(value).encode() + b"\n\n"


def delta(**fields: Any) -> bytes:
    return event({"choices": [{"index": 0, "delta": fields}]})


def block(start: dict[str, Any], *parts: bytes) -> bytes:
    begin = event({"type": "message_start", "message": {"id": "m", "usage": {}}})
    return begin + event({"type": "content_block_start", "index": 0, "content_block": start}) + b"".join(parts)


def part(**fields: Any) -> bytes:
    return event({"type": "content_block_delta", "index": 0, "delta": fields})


def test_check_30_D4_a_short_run_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.run(6000, 20.0, 1, tmp_path) == 0
    assert "inputs of" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@given(st.randoms(use_true_random=False), st.sampled_from(APIS))
def test_D4_damaged_streams_never_make_a_decoder_raise(source: random.Random, api: Api) -> None:
    mutator = fuzz.Mutator(SEEDS, source)
    fuzz.check(api, mutator.input(), source)


@given(
    st.binary(max_size=400),
    st.sampled_from(APIS),
    st.sampled_from([b"", b"data: ", b"{", b"<", b"event: error\ndata:"]),
)
def test_D4_any_bytes_never_make_a_decoder_raise(data: bytes, api: Api, start: bytes) -> None:
    fuzz.check(api, start + data, random.Random(0), thoroughly=True)


class Planted(OpenAiDecoder):
    """Loses its head over a refusal."""

    def finish(self) -> list[Chunk]:
        if self._refusal:
            raise KeyError("planted")
        return super().finish()


def test_D4_the_run_itself_sees_a_bug(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    makers = {**fuzz.DECODERS, "openai": Planted}
    assert fuzz.run(6000, 20.0, 1, tmp_path, makers) == 1
    assert "KeyError after" in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 1


DEEP = b'{"a":' * 3000 + b"1" + b"}" * 3000
DEEP_LIST = b"[" * 100_000 + b"]" * 100_000
HALF = "\ud83d"


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "body",
    [
        b"data: " + DEEP + b"\n\n",
        DEEP,
        DEEP_LIST,
        b'data: {"error":' + DEEP_LIST + b"}\n\n",
        b'data: {"error":' + b"[" * 700 + b'"x"' + b"]" * 700 + b"}\n\n",
        b'data: {"error":{"message":' + b"[" * 500 + b'"x"' + b"]" * 500 + b"}}\n\n",
        b'data: {"choices":[{"delta":{"content":' + b'[{"text":' * 300 + b'"x"' + b"}]" * 300 + b"}}]}\n\n",
        b'data: {"type":"content_block_start","index":0,"content_block":' + DEEP + b"}\n\n",
    ],
    ids=lambda body: f"{body[:40]!r}",
)
def test_D4_an_answer_that_is_nested_too_deeply_is_an_error(api: Api, body: bytes) -> None:
    """Found by fuzzing: a `RecursionError` came out."""
    _, _, end, calls, error = fuzz.outcome(api, [body])
    assert (end, calls) == ("", [])
    assert error


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "number",
    [b"1" * 400, b"1" * 6000, b"-1", b"1e999", b"NaN", b"1e-400", b"1e99999999999999999999", b'"' + b"9" * 5000 + b'"'],
)
def test_check_31_D9_counts_of_any_size_are_read(api: Api, number: bytes) -> None:
    """Found by fuzzing: an `OverflowError`, and Python's own bound on digits."""
    usage = b'"usage":{"prompt_tokens":%s,"input_tokens":%s,"completion_tokens":2,"output_tokens":2}' % (number, number)
    openai = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],%s}\n\n' % usage
    anthropic = b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},%s}\n\n' % usage
    assert fuzz.check(api, openai if api == "openai" else anthropic, random.Random(0), thoroughly=True) == "stop"


INDEXES = [
    b"1e99999999999999999999",
    b"-1e99999999999999999999",
    b"1e999999",
    b"Infinity",
    b"-Infinity",
    b"NaN",
    b"1.5",
]


@pytest.mark.parametrize(
    "index", [*INDEXES, b"1" * 6000, b'"' + b"7" * 6000 + b'"', b"true"], ids=lambda n: f"{n[:24]!r}"
)
def test_D8_an_index_of_any_size_is_only_a_key(index: bytes) -> None:
    """Found by fuzzing: a `MemoryError` when a huge exponent was written out."""
    call = b'{"index":%s,"id":"c","function":{"name":"f","arguments":"{}"}}' % index
    body = b'data: {"choices":[{"delta":{"tool_calls":[%s]},"finish_reason":"tool_calls"}]}\n\n' % call
    assert fuzz.outcome("openai", [body])[2:] == ("tool_calls", [("c", "f", "{}")], "")
    beside = b'data: {"choices":[{"index":%s,"delta":{"content":"x"}}]}\n\ndata: [DONE]\n\n' % index
    for api in APIS:
        fuzz.check(api, beside, random.Random(0), thoroughly=True)


@pytest.mark.parametrize("cost", [b"1e999999", b"1e99999999999999999999", b"-1", b"1" * 6000, b'"much"', b"1e9"])
def test_P6_a_price_beyond_all_sense_is_none(cost: bytes) -> None:
    usage = b'{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"cost":%s}}' % cost
    (chunk,) = fuzz.decoder_of("openai").feed(b"data: " + usage + b"\n\n")
    assert chunk.usd is None


def test_D8_halves_of_characters_can_be_written_down() -> None:
    """Found by fuzzing: what came out could neither be stored nor sent to a browser."""
    openai = delta(tool_calls=[{"id": f"i{HALF}", "function": {"name": f"n{HALF}", "arguments": f'{{"a": "{HALF}"}}'}}])
    openai += delta(extra_content={"signature": HALF}) + event({"choices": [{"finish_reason": "tool_calls"}]})
    *_, calls, error = fuzz.outcome("openai", [openai])
    assert (calls, error) == ([("i\ufffd", "n\ufffd", '{"a": "\ufffd"}')], "")
    anthropic = block(
        {"type": "tool_use", "id": HALF, "name": HALF, "input": {}, "more": HALF},
        part(type="input_json_delta", partial_json=f'{{"a": "{HALF}'),
        part(type="input_json_delta", partial_json='\ude00"}'),
        event({"type": "content_block_stop", "index": 0}),
        event({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
    )
    *_, calls, error = fuzz.outcome("anthropic", [anthropic])
    assert (calls, error) == ([("\ufffd", "\ufffd", '{"a": "\U0001f600"}')], "")
    words = block(
        {"type": "text", "text": ""},
        *(part(type="text_delta", text=text) for text in ("a", HALF, "\ude00b")),
        event({"type": "message_stop"}),
    )
    assert fuzz.outcome("anthropic", [words]) == ("a\U0001f600b", "", "stop", [], "")
    failing = fuzz.decoder_of("openai")
    failing.feed(event({"error": {"message": f"no {HALF}"}}))
    with pytest.raises(ProviderError) as raised:
        failing.finish()
    assert raised.value.message == "no \ufffd"


@pytest.mark.parametrize("half", ["", HALF, "\x00"])
def test_D11_state_that_is_nested_too_deeply_is_not_kept(half: str) -> None:
    """Found by fuzzing: halves of characters deep inside of what a provider wants back."""
    value: Any = half
    for _ in range(700):
        value = {"a": value}
    text = encode_opaque(value)
    assert text is None or json.loads(text)
    assert len(fuzz.outcome("openai", [delta(extra_content={"signature": value}) + event({"choices": []})])) == 5


@pytest.mark.parametrize("depth", [10, 400, 940, 960, 990, 5000])
@pytest.mark.parametrize("inner", ['"x"', '"\\u0000"'])
def test_D12_arguments_that_cannot_be_sent_back_are_told_in_words(depth: int, inner: str) -> None:
    args_json = '{"a":' * depth + inner + "}" * depth
    body = encode_body({"messages": [{"content": [{"input": object_of(args_json)}]}]})
    assert b'"a"' in body or b"invalid_arguments" in body


GROWING: dict[str, tuple[Api, Callable[[int], bytes]]] = {
    "signatures": ("anthropic", lambda n: block({"type": "thinking"}, part(signature="s" * 50) * n)),
    "citations": ("anthropic", lambda n: block({"type": "text"}, part(type="citations_delta", citation={}) * n)),
    "unknown deltas": ("anthropic", lambda n: block({"type": "new"}, part(type="new", data="d" * 50) * n)),
    "arguments": ("anthropic", lambda n: block({"type": "tool_use"}, part(partial_json="j" * 50) * n)),
    "calls": (
        "openai",
        lambda n: b"".join(
            delta(tool_calls=[{"index": 0, "id": str(at), "function": {"name": "f"}}]) for at in range(n)
        ),
    ),
    "named arguments": (
        "openai",
        lambda n: (
            delta(tool_calls=[{"function": {"name": "f", "arguments": '{"a":"'}}])
            + delta(tool_calls=[{"function": {"name": "f", "arguments": "{}"}}]) * n
        ),
    ),
    "reasoning details": ("openai", lambda n: delta(reasoning_details=[{"type": "t", "data": "d" * 50}]) * n),
    "white space": ("openai", lambda n: delta(content="  ") * n),
    "titles": ("openai", lambda n: b"<html>" + b"<title>" * 8 * n),
    "open tags": ("openai", lambda n: b"<html><title>" + b"<" * 32 * n + b"</title>"),
    "carriage returns": ("openai", lambda n: b"data: x\r" * 4 * n),
    "a long line": ("openai", lambda n: b"data: {}\ndata: " + b"x" * 64 * n),
    "leading blanks": ("openai", lambda n: b" " * 32 * n),
}


def seconds(api: Api, body: bytes) -> float:
    """The quickest of three readings in small reads, by the processor's time."""
    best = 1e9
    for _ in range(2):
        decoder = fuzz.decoder_of(api)
        began = time.process_time()
        for at in range(0, len(body), 16):
            decoder.feed(body[at : at + 16])
        decoder.rest()
        with suppress(ProviderError):
            decoder.finish()
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("name", list(GROWING))
def test_check_08_D7_time_and_memory_grow_with_the_input_alone(name: str) -> None:
    """Found by measuring: several of these took the square of the input's size, and the event loop with it."""
    api, make = GROWING[name]
    small, large = make(500), make(8000)
    grew = len(large) / len(small)
    assert seconds(api, large) < 2.5 * grew * seconds(api, small)
    tracemalloc.start()
    try:
        fuzz.outcome(api, [large[at : at + 1000] for at in range(0, len(large), 1000)])
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1_000_000 + 20 * len(large)
