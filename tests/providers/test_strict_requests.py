"""D12, F2 to F10: whatever the history, what is sent is what the strictest server takes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.histories import requests
from talkfield.errors import ProviderRefused
from talkfield.providers import anthropic_request, openai_request
from talkfield.providers.http_request import HttpRequest
from talkfield.runtime.ports import ProviderRequest
from talkfield.testing import strict_anthropic, strict_openai


def has_words(request: ProviderRequest) -> bool:
    """Whether there is anything that a model could be sent."""
    return any(
        (message.role == "user" and (message.content.strip() or message.attachments))
        or (message.role == "assistant" and (message.content.strip() or message.tool_calls or message.provider_state))
        for message in request.messages
    )


def sent_by(module: ModuleType, request: ProviderRequest, profile: dict[str, Any]) -> HttpRequest | None:
    """What is sent; None where there is nothing to send."""
    try:
        sent: HttpRequest = module.request_for(request, profile)
    except ProviderRefused as refused:
        if refused.code != "empty_request":
            raise
        return None
    return sent


profiles = st.fixed_dictionaries(
    {},
    optional={
        "reasoning_replay": st.sampled_from(["none", "tool_loop", "always"]),
        "images": st.booleans(),
        "documents": st.booleans(),
        "assistant_after_tool": st.booleans(),
        "user_first": st.booleans(),
        "system_role": st.sampled_from(["system", "developer", "user"]),
        "reasoning_parameter": st.sampled_from(
            ["", "thinking", "adaptive", "reasoning", "enable_thinking", "chat_template_kwargs"]
        ),
        "max_output_limit": st.sampled_from([100, 3000]),
        "tools": st.booleans(),
    },
)


@settings(max_examples=200, deadline=None)
@given(request=requests("openai"), profile=profiles)
def test_check_28_D12_any_history_is_one_that_the_strictest_openai_dialect_takes(
    request: ProviderRequest, profile: dict[str, Any]
) -> None:
    sent = sent_by(openai_request, request, profile)
    if sent is None:
        return
    assert has_words(request)
    assert strict_openai.problems_in(sent.body) == []
    assert openai_request.request_for(request, profile) == sent


@settings(max_examples=200, deadline=None)
@given(request=requests("anthropic"), profile=profiles)
def test_check_28_D12_any_history_is_one_that_anthropic_takes(
    request: ProviderRequest, profile: dict[str, Any]
) -> None:
    sent = sent_by(anthropic_request, request, profile)
    if sent is None:
        return
    assert has_words(request)
    assert strict_anthropic.problems_in(sent.body) == []
    assert anthropic_request.request_for(request, profile) == sent


@settings(max_examples=100, deadline=None)
@given(request=requests("openai"))
def test_check_29_C4_no_note_reaches_a_wire(request: ProviderRequest) -> None:
    marked = tuple(
        msgspec.structs.replace(message, content="only for the reader") if message.role == "note" else message
        for message in request.messages
    )
    request = ProviderRequest(provider=request.provider, model=request.model, messages=marked)
    for module in (openai_request, anthropic_request):
        sent = sent_by(module, request, {})
        assert sent is None or b"only for the reader" not in sent.body


TOOL = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
USER = {"role": "user", "content": "a"}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [USER, USER],
        [{"role": "user", "content": " "}],
        [USER, {"role": "system", "content": "s"}],
        [USER, {"role": "assistant", "content": None}],
        [USER, {"role": "note", "content": "n"}],
        [USER, {"role": "assistant", "content": None, "tool_calls": [{"id": "1", **TOOL}]}],
        [USER, {"role": "assistant", "content": None, "tool_calls": [{"id": "1", **TOOL}]}, USER],
        [USER, {"role": "tool", "tool_call_id": "1", "content": "r"}],
        [
            USER,
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1", **TOOL}, {"id": "1", **TOOL}]},
            {"role": "tool", "tool_call_id": "1", "content": "r"},
        ],
    ],
)
def test_D12_the_strict_openai_server_refuses_what_it_should(messages: list[Any]) -> None:
    assert strict_openai.problems_in(msgspec.json.encode({"model": "m", "stream": True, "messages": messages}))


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


USE = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "1", "content": "r"}


@pytest.mark.parametrize(
    "contents",
    [
        [],
        [[]],
        [[text(" ")]],
        [[text("a")], [text("b ")]],
        [[text("a")], [USE]],
        [[text("a")], [USE], [text("b")]],
        [[text("a")], [USE], [text("b"), RESULT]],
        [[RESULT]],
        [[text("a")], [USE], [RESULT], [USE], [RESULT]],
        [[text("a")], [{**USE, "id": "a.b"}], [{**RESULT, "tool_use_id": "a.b"}]],
        [[text("a")], [{"type": "thinking", "thinking": "x", "signature": "of another prefix"}]],
        [[text("a")], [{"type": "server_tool_use", "id": "s", "name": "w", "input": {}}], [text("b")]],
    ],
)
def test_D12_the_strict_anthropic_server_refuses_what_it_should(contents: list[Any]) -> None:
    messages = [{"role": "assistant" if n % 2 else "user", "content": content} for n, content in enumerate(contents)]
    assert strict_anthropic.problems_in(
        msgspec.json.encode({"model": "m", "max_tokens": 1, "stream": True, "messages": messages})
    )
