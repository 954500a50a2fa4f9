"""D3: every recorded stream gives exactly what it should, in every segmentation, and is safe wherever it is cut.

The recordings are not part of the repository: they are looked for where `TALKFIELD_CORPUS` points, else beside it.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from providers.wire_reading import Reading, read
from talkfield.providers.answer import Decoder
from talkfield.providers.anthropic import AnthropicDecoder
from talkfield.providers.failure import failure, read_body
from talkfield.providers.openai import OpenAiDecoder
from talkfield.providers.redaction import redact
from talkfield.providers.thinking_tag import TAGS

PLACE = os.environ.get("TALKFIELD_CORPUS") or Path(__file__).parents[3] / "shared" / "corpus"
CORPUS = Path(PLACE)
STREAMS = sorted(path.with_suffix("").with_suffix("") for path in CORPUS.glob("*/*.expected.json"))
FOREIGN = sorted((CORPUS / "other").glob("*.sse"))
ERRORS = sorted((CORPUS / "errors").glob("*.json"))
RAN = {"variants": 0, "cuts": 0}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not STREAMS, reason=f"no recorded streams at {CORPUS}"),
]

FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "missing": "stop",
    "tool_use": "tool_calls",
}
FINISH |= {"max_tokens": "length", "refusal": "refusal", "content_filter": "content_filter"}


@pytest.fixture(scope="module", autouse=True)
def _tell_how_many(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    if reporter is not None and capture is not None:
        told = f"{len(STREAMS)} streams in {RAN['variants']} variants, {RAN['cuts']} cuts, {len(ERRORS)} error bodies"
        with capture.global_and_fixture_disabled():
            reporter.write_line(f"\nrecorded streams read: {told}, {len(FOREIGN)} foreign streams")


@cache
def variants() -> Any:
    spec = importlib.util.spec_from_file_location("corpus_variants", CORPUS / "variants.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def body_of(stream: Path) -> bytes:
    return stream.with_name(stream.name + ".sse").read_bytes()


@cache
def expected_of(stream: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(stream.with_name(stream.name + ".expected.json").read_bytes())
    return value


def decoder_for(expected: dict[str, Any]) -> Decoder:
    return AnthropicDecoder() if expected["api"] == "anthropic-messages" else OpenAiDecoder()


def check(reading: Reading, expected: dict[str, Any]) -> None:
    check_words(reading, expected)
    check_end(reading, expected)
    check_usage(reading, expected)


def check_words(reading: Reading, expected: dict[str, Any]) -> None:
    if expected.get("inline_think"):
        # The recording has its thinking inside the text: nothing of either may be lost.
        assert visible(reading.thinking + reading.text) == visible(expected["thinking"] + expected["text"])
        assert reading.thinking.strip()
        return
    assert reading.text == expected["text"]
    assert reading.thinking == expected["thinking"]


def visible(text: str) -> str:
    for tag in TAGS:
        text = text.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    return "".join(text.split())


def check_end(reading: Reading, expected: dict[str, Any]) -> None:
    stop = expected["effective_stop"]
    error = expected["error"]
    if error is not None:
        assert reading.error is not None
        said = error if isinstance(error, str) else error.get("message", "")
        assert reading.error[2].startswith(str(said)[:200])
        assert reading.calls == []
        return
    assert calls_of(reading) == expected_calls(expected)
    if stop == "missing" and not expected["done_marker"]:
        assert reading.error is not None
        return
    assert reading.error is None
    assert reading.raw == (expected["finish_reason"] or "")
    refusal = expected.get("refusal") or ""
    assert reading.finish == ("refusal" if refusal else FINISH[stop])
    assert reading.detail.startswith(refusal)


def calls_of(reading: Reading) -> list[tuple[str, str, Any]]:
    return [(wire_id, name, parsed(args)) for wire_id, name, args in reading.calls]


def expected_calls(expected: dict[str, Any]) -> list[tuple[str, str, Any]]:
    calls = list(expected["tool_calls"])
    if expected.get("function_call"):
        calls.append({**expected["function_call"], "id": ""})
    if expected["effective_stop"] in ("max_tokens", "refusal", "content_filter"):
        calls = [call for call in calls if call["arguments_valid"] and expected["effective_stop"] == "max_tokens"]
    return [(call["id"] or "", call["name"], parsed(call["arguments"] or "{}")) for call in calls]


def parsed(args_json: str) -> Any:
    try:
        return json.loads(args_json)
    except ValueError:
        return args_json


def check_usage(reading: Reading, expected: dict[str, Any]) -> None:
    said = expected["usage"]
    if said is None or not (said["input"] or said["output"] or expected["api"] == "anthropic-messages"):
        assert reading.usage is None
        return
    assert reading.usage is not None
    cached, written = said["cached_input"] or 0, said["cache_write"] or 0
    beside = cached + written if expected["api"] == "anthropic-messages" else 0
    reasoning = said["reasoning"] or 0
    apart = reasoning and said["total"] == (said["input"] or 0) + (said["output"] or 0) + reasoning
    usage = reading.usage
    assert (usage.input_tokens, usage.output_tokens) == (
        (said["input"] or 0) + beside,
        (said["output"] or 0) + (reasoning if apart else 0),
    )
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == (cached, written)
    if expected["api"] == "openai-chat":
        assert usage.reasoning_tokens == reasoning
    if said["cost"] is not None and isinstance(said["cost"], int | float):
        assert reading.usd is not None
        assert abs(reading.usd - Decimal(str(said["cost"]))) < Decimal("1e-12")


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: f"{stream.parent.name}/{stream.name}")
def test_check_01_D3_a_recorded_stream_is_read_exactly(stream: Path) -> None:
    expected = expected_of(stream)
    body = body_of(stream)
    for name, reads, headers in variants().preserving(body):
        if headers.get("content-encoding") == "gzip":
            reads = [gzip.decompress(b"".join(reads))]  # what the HTTP library does before us
        RAN["variants"] += 1
        try:
            check(read(decoder_for(expected), reads), expected)
        except AssertionError as error:
            raise AssertionError(f"variant {name}: {error}") from error
    segments = stream.with_name(stream.name + ".segments.json")
    if segments.exists():
        RAN["variants"] += 1
        check(read(decoder_for(expected), as_received(body, json.loads(segments.read_bytes()))), expected)


def as_received(body: bytes, lengths: list[int]) -> list[bytes]:
    reads = []
    at = 0
    for length in lengths:
        reads.append(body[at : at + length])
        at += length
    return [*reads, body[at:]]


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: f"{stream.parent.name}/{stream.name}")
def test_check_02_D4_a_stream_is_safe_wherever_it_is_cut(stream: Path) -> None:
    expected = expected_of(stream)
    whole = read(decoder_for(expected), [body_of(stream)])
    for _length, prefix in variants().truncations(body_of(stream), n=60):
        RAN["cuts"] += 1
        reading = read(decoder_for(expected), [prefix])
        if expected.get("message_starts", 1) == 1:
            assert whole.text.startswith(reading.text)
            assert whole.thinking.startswith(reading.thinking)
        if reading.finish is None:
            assert reading.error is not None
            assert reading.calls == []
        else:
            assert reading.calls == whole.calls[: len(reading.calls)]
            assert is_proven(prefix, expected)


def is_proven(prefix: bytes, expected: dict[str, Any]) -> bool:
    """Whether the prefix holds one of the proofs of D4."""
    if expected["api"] == "anthropic-messages":
        return b'"message_stop"' in prefix or b'"stop_reason":"' in prefix.replace(b'": "', b'":"')
    return b"[DONE]" in prefix or b'"finish_reason":"' in prefix.replace(b'": "', b'":"')


@pytest.mark.parametrize("stream", FOREIGN, ids=lambda path: path.stem)
@pytest.mark.parametrize("decoder", [OpenAiDecoder, AnthropicDecoder])
def test_check_07_D3_a_stream_of_another_wire_is_one_clear_error(stream: Path, decoder: type[Any]) -> None:
    reading = read(decoder(), [stream.read_bytes()])
    assert (reading.text, reading.calls, reading.finish) == ("", [], None)
    assert reading.error is not None
    assert reading.error[:2] == ("ProviderGarbled", "wrong_wire")


NO_RETRY = ("ProviderRefused", False)
MEANINGS = {
    "api-anthropic-com-400-2": (*NO_RETRY, "context_too_long"),
    "api-deepseek-com-400-2": (*NO_RETRY, "context_too_long"),
    "api-openai-com-400-10": (*NO_RETRY, "context_too_long"),
    "api-perplexity-ai-400-1": (*NO_RETRY, "context_too_long"),
    "ollama-com-400-1": (*NO_RETRY, "context_too_long"),
    "openrouter-ai-400-1": (*NO_RETRY, "context_too_long"),
    "aiplatform-googleapis-com-400-2": (*NO_RETRY, "context_too_long"),
    "api-x-ai-400-1": (*NO_RETRY, "bad_key"),
    "generativelanguage-googleapis-com-400-1": (*NO_RETRY, "bad_key"),
    "azure-404-1": (*NO_RETRY, "unknown_model"),
    "127-0-0-1-11434-404-1": (*NO_RETRY, "unknown_model"),
    "api-openai-com-400-1": (*NO_RETRY, "unknown_model"),
    "api-openai-com-400-14": (*NO_RETRY, "unknown_model"),
    "api-groq-com-400-1": ("ProviderRefused", True, "tool_use_failed"),
    "api-groq-com-400-2": ("ProviderRefused", True, "tool_use_failed"),
    "azure-429-1": ("ProviderLimited", True, "rate_limited"),
    "openrouter-ai-429-1": ("ProviderLimited", True, "rate_limited"),
    "generativelanguage-googleapis-com-429-1": ("ProviderLimited", True, "rate_limited"),
}
BY_STATUS = {400: (*NO_RETRY, "bad_request"), 401: (*NO_RETRY, "bad_key"), 404: (*NO_RETRY, "unknown_model")}
WAITS = {"azure-429-1": 1.0, "generativelanguage-googleapis-com-429-1": 48.0}


@pytest.mark.parametrize("path", ERRORS, ids=lambda path: path.stem)
def test_D5_a_recorded_error_body_has_its_class_message_and_retry(path: Path) -> None:
    case = json.loads(path.read_bytes())
    body = read_body(case["body_text"].encode())
    error = failure(body, status=case["status"], headers=case["headers"])
    meaning = MEANINGS.get(path.stem) or BY_STATUS.get(case["status"])
    if meaning is not None:
        assert (type(error).__name__, error.retryable, error.code) == meaning
    assert error.status == case["status"]
    assert error.retry_after == WAITS.get(path.stem)
    assert first_words(body) in error.message
    assert len(error.message) <= 600


def first_words(body: Any) -> str:
    """The service's own message, as far as it is kept for certain."""
    error = body["error"] if isinstance(body, dict) else body
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(message).split())[:100]


@pytest.mark.parametrize(
    ("name", "key"), [("api-openai-com-401-1", "invalid-key"), ("api-openai-com-401-2", "test-context-key")]
)
def test_D15_a_key_that_an_error_echoes_is_not_in_its_message(name: str, key: str) -> None:
    path = CORPUS / "errors" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no {name} in {CORPUS}")
    error = failure(read_body(json.loads(path.read_bytes())["body_text"].encode()), status=401)
    told = redact(error.message, [key])
    assert (
        told
        == "Incorrect API key provided: [key]. You can find your API key at https://platform.openai.com/account/api-keys."
    )
