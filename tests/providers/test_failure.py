"""D5, D6, D13, D15: what an error body means, how long to wait, what is learned, and that no key is in it."""

from __future__ import annotations

from typing import Any

import pytest

from talkfield.core.ids import ProviderId
from talkfield.errors import ProviderError, ProviderLimited, ProviderRefused, ProviderUnreachable
from talkfield.providers.failure import failure, read_body, statement_of
from talkfield.providers.profile import correction_for
from talkfield.providers.redaction import redact, secrets_of
from talkfield.providers.retry_after import duration_s, retry_after_s
from talkfield.runtime.ports import ProviderConfig


@pytest.mark.parametrize(
    ("status", "body", "wanted"),
    [
        # Every shape of an error (B2)
        (400, b'{"error": {"message": "m1"}}', (ProviderRefused, "bad_request", "m1")),
        (400, b'{"error": "m2"}', (ProviderRefused, "bad_request", "m2")),
        (
            400,
            b'{"code": "invalid-argument", "error": "Incorrect API key"}',
            (ProviderRefused, "bad_key", "Incorrect API key"),
        ),
        (404, b'{"error":"model \'x\' not found"}', (ProviderRefused, "unknown_model", "model 'x' not found")),
        (
            422,
            b'{"detail": [{"loc": ["body", "x"], "msg": "extra"}]}',
            (ProviderRefused, "bad_request", "body.x: extra"),
        ),
        (422, b'{"object": "error", "message": {"detail": [{"msg": "m3"}]}}', (ProviderRefused, "bad_request", "m3")),
        (400, b'[{"error": {"message": "m4", "code": 400}}]', (ProviderRefused, "bad_request", "m4")),
        (400, b'{"message": "m5"}', (ProviderRefused, "bad_request", "m5")),
        (500, b"plain\n words", (ProviderUnreachable, "server_error", "plain words")),
        (502, b"<html><title>Bad &amp; down</title>", (ProviderUnreachable, "server_error", "Bad & down")),
        (502, b"<html>nothing", (ProviderUnreachable, "server_error", "HTTP 502 Bad Gateway")),
        (524, b"", (ProviderUnreachable, "server_error", "HTTP 524 A Timeout Occurred")),
        (418, b"null", (ProviderRefused, "bad_request", "HTTP 418 I'm a Teapot")),
        # What it means (B3, B5, B6, B8, B11)
        (403, b'{"error": {"message": "no access"}}', (ProviderRefused, "forbidden", "no access")),
        (
            403,
            b'{"error": {"message": "flagged by moderation"}}',
            (ProviderRefused, "content_blocked", "flagged by moderation"),
        ),
        (
            402,
            b'{"error": {"message": "Insufficient Balance"}}',
            (ProviderLimited, "no_credit", "Insufficient Balance"),
        ),
        (
            400,
            b'{"error": {"message": "Your credit balance is too low"}}',
            (ProviderLimited, "no_credit", "Your credit balance is too low"),
        ),
        (404, b"not found", (ProviderRefused, "not_found", "not found")),
        (
            413,
            b'{"error": {"type": "request_too_large", "message": "big"}}',
            (ProviderRefused, "request_too_large", "big"),
        ),
        (
            529,
            b'{"error": {"type": "overloaded_error", "message": "Overloaded"}}',
            (ProviderLimited, "overloaded", "Overloaded"),
        ),
        (503, b"", (ProviderLimited, "overloaded", "HTTP 503 Service Unavailable")),
        (408, b"", (ProviderUnreachable, "server_error", "HTTP 408 Request Timeout")),
        (
            500,
            b'{"error": "exceeds the available context size"}',
            (ProviderRefused, "context_too_long", "exceeds the available context size"),
        ),
        (None, b'{"error": {"message": "odd", "code": "whatever"}}', (ProviderError, "provider_error", "odd")),
        (None, b'{"error": {"message": "late", "code": 429}}', (ProviderLimited, "rate_limited", "late")),
        (None, b'{"error": {"message": "gone", "code": "502"}}', (ProviderUnreachable, "server_error", "gone")),
    ],
)
def test_D5_an_error_body_of_any_shape_has_its_meaning(
    status: int | None, body: bytes, wanted: tuple[type[ProviderError], str, str]
) -> None:
    error = failure(read_body(body), status=status)
    assert (type(error), error.code, error.message) == wanted


def test_D5_a_long_message_is_shortened() -> None:
    assert len(failure("x" * 5000, status=400).message) == 600


def test_D5_a_wrong_address_is_named() -> None:
    assert "https://a.com/v1/x" in failure("no", status=404, url="https://a.com/v1/x").hint


@pytest.mark.parametrize(
    ("headers", "message", "wait"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after": "0.5"}, "", 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, "", 0.25),
        ({"retry-after-ms": "0", "retry-after": "1"}, "", 1.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:30 GMT"}, "", 30.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:30 GMT", "date": "Thu, 01 Jan 1970 00:01:20 GMT"}, "", 10.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, "", 0.0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2.5s"}, "", 62.5),
        ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "1m2.5s"}, "", None),
        ({}, "Please try again in 20s. Visit …", 20.0),
        ({}, "Please retry after 26 seconds.", 26.0),
        ({}, "Please try again in 1m12.5s", 72.5),
        ({}, "Please try again later", None),
    ],
)
def test_D6_how_long_to_wait_is_read_from_wherever_it_stands(
    headers: dict[str, str], message: str, wait: float | None
) -> None:
    assert retry_after_s(headers, None, message, now_ms=60_000) == wait


def test_D6_google_says_it_in_the_details() -> None:
    details = [{"@type": "x"}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "48s"}]
    assert retry_after_s({}, {"error": {"details": details}}, "", now_ms=0) == 48.0
    assert retry_after_s({}, [{"error": {"details": details}}], "", now_ms=0) == 48.0


@pytest.mark.parametrize(("text", "seconds"), [("7", 7), ("250ms", 0.25), ("1h", 3600), ("2 minutes", 120), ("", None)])
def test_D6_durations(text: str, seconds: float | None) -> None:
    assert duration_s(text) == seconds


BODY = {"model": "m", "messages": [{"role": "system"}, {"role": "user"}, {"role": "tool"}], "max_tokens": 9000}


@pytest.mark.parametrize(
    ("status", "words", "sent", "correction"),
    [
        (
            400,
            "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead.",
            {},
            {"max_tokens_field": "max_completion_tokens"},
        ),
        (
            422,
            "body.max_completion_tokens: Extra inputs are not permitted",
            {"max_completion_tokens": 9},
            {"max_tokens_field": "max_tokens"},
        ),
        (
            400,
            "Unrecognized request argument supplied: stream_options",
            {"stream_options": {}},
            {"stream_usage": False},
        ),
        (400, "Unrecognized request argument supplied: stream_options", {}, None),
        (500, "Unrecognized request argument supplied: stream_options", {"stream_options": {}}, None),
        (400, "`temperature` is deprecated for this model", {"temperature": 1}, {"temperature": False}),
        (
            400,
            "`temperature` and `top_p` cannot both be specified for this model",
            {"temperature": 1, "top_p": 0.9},
            {"top_p": False},
        ),
        (400, "Unsupported parameter: 'stop' is not supported with this model.", {"stop": ["a"]}, {"stop": False}),
        (400, "stop_sequences: Extra inputs are not permitted", {"stop_sequences": ["a"]}, {"stop": False}),
        (422, "body.seed: extra_forbidden", {"seed": 1}, {"seed_field": ""}),
        (400, "Unknown name 'random_seed'", {"random_seed": 1}, {"seed_field": ""}),
        (400, "Invalid 'temperature': decimal below minimum value", {"temperature": -1}, None),
        (
            400,
            "Unsupported value: 'messages[0].role' does not support 'developer' with this model",
            {"messages": [{"role": "developer"}]},
            {"system_role": "system"},
        ),
        (
            400,
            "Unsupported value: 'messages[0].role' does not support 'system' with this model",
            {},
            {"system_role": "user"},
        ),
        (400, "Unexpected role 'user' after role 'tool'", {}, {"assistant_after_tool": True}),
        (400, "Unknown parameter: 'reasoning_effort'", {"reasoning_effort": "low"}, {"reasoning_parameter": ""}),
        (
            400,
            "Extra inputs are not permitted: chat_template_kwargs",
            {"chat_template_kwargs": {"enable_thinking": False}},
            {"reasoning_parameter": ""},
        ),
        (400, "registry.ollama.ai/library/gemma3 does not support tools", {"tools": []}, {"tools": False}),
        (404, "No endpoints found that support tool use.", {"tools": []}, {"tools": False}),
        (
            400,
            "max_tokens: 9000 > 4096, which is the maximum allowed number of output tokens for claude-3",
            {},
            {"max_output_limit": 4096},
        ),
        (
            400,
            "max_tokens is too large: 9000. This model supports at most 4096 completion tokens, you provided 9000.",
            {},
            {"max_output_limit": 4096},
        ),
        (
            400,
            "`max_tokens` must be less than or equal to `8192`, the maximum value is less than the `context_window`",
            {},
            {"max_output_limit": 8192},
        ),
        (
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 9000. The maximum context length is 40960 tokens",
            {},
            None,
        ),
        (
            400,
            "adaptive thinking is not supported on this model",
            {"thinking": {"type": "adaptive"}},
            {"reasoning_parameter": "thinking"},
        ),
        (
            400,
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"',
            {"thinking": {"type": "enabled"}},
            {"reasoning_parameter": "adaptive"},
        ),
        (
            400,
            "thinking.adaptive.display: Extra inputs are not permitted",
            {"thinking": {"type": "adaptive", "display": "x"}},
            {"thinking_display": ""},
        ),
        (400, "messages.0.content.0.cache_control: Extra inputs are not permitted", {}, {"cache_marks": False}),
        (400, "The reasoning_content in the thinking mode must be passed back", {}, {"reasoning_replay": "always"}),
        (400, "reasoning_content is not a known field", {}, {"reasoning_replay": "none"}),
        (400, "anything else", {"tools": [], "stream_options": {}}, None),
    ],
)
def test_D13_an_error_teaches_what_to_change(
    status: int, words: str, sent: dict[str, Any], correction: dict[str, Any] | None
) -> None:
    assert correction_for(status, words, {**BODY, **sent}) == correction


KEY = "sk-proj-AbCdEfGhIjKlMnOp"


@pytest.mark.parametrize(
    ("text", "key", "told"),
    [
        (f"bad key {KEY}.", KEY, "bad key [key]."),
        (f"bad key {KEY[:8]}****{KEY[-4:]}.", KEY, "bad key [key]."),
        (f"bad key ****{KEY[-4:]}.", KEY, "bad key [key]."),
        (f"it ends in {KEY[-8:]}.", KEY, "it ends in [key]."),
        (f"it begins with {KEY[:7]}… and so on", KEY, "it begins with [key]… and so on"),
        ("test is wrong, the latest is not", "test", "[key] is wrong, the latest is not"),
        ("another sk-" + "q" * 20, KEY, "another [key]"),
        ("Authorization: Bearer abcdefghijklmnop", "", "Authorization: Bearer [key]"),
        ("nothing here", KEY, "nothing here"),
        (f"{KEY} and {KEY}", KEY, "[key] and [key]"),
    ],
)
def test_D15_keys_are_taken_out_whole_masked_and_in_part(text: str, key: str, told: str) -> None:
    assert redact(text, [key]) == told


def test_D15_headers_of_a_person_are_secrets_as_well() -> None:
    provider = ProviderConfig(
        id=ProviderId("p"),
        name="P",
        api="openai",
        base_url="",
        key="k" * 9,
        headers={"X-Token": "t" * 9, "X-Title": "mine"},
    )
    assert secrets_of(provider) == ("k" * 9, "t" * 9)


def test_D5_a_router_hands_on_what_its_upstream_said() -> None:
    error = {"message": "Provider returned error", "metadata": {"raw": "limit of the upstream"}}
    assert statement_of({"error": error}).message == "Provider returned error: limit of the upstream"
