"""D11: what a provider wants back goes back unchanged, to it alone, and only after an unchanged history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from talkfield.core.ids import CallId, MessageId, ProviderId
from talkfield.core.messages import CallStatus, Message, ToolCall
from talkfield.providers.anthropic import AnthropicDecoder, request_for
from talkfield.runtime.ports import (
    CallChunk,
    FinishChunk,
    ProviderConfig,
    ProviderRequest,
    TextChunk,
    ThinkingChunk,
    ToolSpec,
)
from talkfield.testing.strict_anthropic import problems_in, signature_for

THINKING = {"thinking", "redacted_thinking"}


def sse(*events: dict[str, Any]) -> bytes:
    return b"".join(b"event: x\ndata: " + msgspec.json.encode(event) + b"\n\n" for event in events)


def answer(signature: str, *, text: str = "", calls: int = 0, thinks: bool = True, pauses: bool = False) -> bytes:
    """An answer as the API streams it."""
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if thinks:
        deltas = [{"type": "thinking_delta", "thinking": "Hm."}, {"type": "signature_delta", "signature": signature}]
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if text:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": text}]))
    if pauses:
        blocks.append(({"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}}, []))
    for number in range(calls):
        start = {"type": "tool_use", "id": f"toolu_{number}", "name": "f", "input": {}}
        blocks.append((start, [{"type": "input_json_delta", "partial_json": '{"b": 1, "a":2.50}'}]))
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": "m", "model": "x", "usage": {}}}]
    for index, (start, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    reason = "pause_turn" if pauses else "tool_use" if calls else "end_turn"
    events += [{"type": "message_delta", "delta": {"stop_reason": reason}}, {"type": "message_stop"}]
    return sse(*events)


class Chat:
    """A conversation against the strict API: each request is checked, each answer signed for its own prefix."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.system = "Be brief."
        self.tools: tuple[str, ...] = ("f",)
        self.model = "m"
        self.provider = "p"
        self.number = 0

    def request(self) -> ProviderRequest:
        provider = ProviderConfig(id=ProviderId(self.provider), name="P", api="anthropic", base_url="https://a.com")
        return ProviderRequest(
            provider=provider,
            model=self.model,
            messages=tuple(self.messages),
            system=self.system,
            tools=tuple(ToolSpec(name=name, description="", schema={}) for name in self.tools),
        )

    def sent(self) -> dict[str, Any]:
        body: dict[str, Any] = msgspec.json.decode(request_for(self.request()).body)
        return body

    def say(self, text: str = "Go on.") -> None:
        self.messages.append(Message(id=self.new_id(), role="user", content=text, ts=0))

    def new_id(self) -> MessageId:
        self.number += 1
        return MessageId(f"m{self.number}")

    def hear(self, *, statuses: tuple[CallStatus, ...] = (), **kind: Any) -> None:
        """Ask, and take in what the API answers."""
        sent = request_for(self.request())
        assert problems_in(sent.body) == []
        decoder = AnthropicDecoder(provider=self.provider, model=self.model, prefix=sent.prefix)
        body = answer(signature_for(sent.body), calls=len(statuses), **kind)
        message = Message(
            id=self.new_id(), role="assistant", content="", ts=0, provider=self.provider, model=self.model
        )
        calls: list[ToolCall] = []
        for chunk in [*decoder.feed(body), *decoder.finish()]:
            match chunk:
                case TextChunk(text):
                    message = replace(message, content=message.content + text)
                case ThinkingChunk(text):
                    message = replace(message, thinking=message.thinking + text)
                case CallChunk(wire_id, name, args):
                    status = statuses[len(calls)]
                    call_id = CallId(f"{message.id}-{len(calls)}")
                    calls.append(
                        ToolCall(id=call_id, name=name, args_json=args, status=status, wire_id=wire_id, result="r")
                    )
                case FinishChunk():
                    message = replace(message, provider_state=chunk.provider_state)
                case _:
                    pass
        self.messages.append(replace(message, tool_calls=tuple(calls)))


def thinking_in(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for message in body["messages"] for block in message["content"] if block["type"] in THINKING]


def long_chat() -> Chat:
    """Two turns, the first with a tool loop: three blocks of thinking."""
    chat = Chat()
    chat.say("Look.")
    chat.hear(text="I look.", statuses=("done", "denied"))
    chat.hear(text="Seen.")
    chat.say("And now?")
    chat.hear(text="Now this.")
    chat.say("More.")
    return chat


def test_check_29_D11_thinking_goes_back_with_its_signature_byte_for_byte() -> None:
    chat = long_chat()
    sent = request_for(chat.request())
    assert problems_in(sent.body) == []
    assert len(thinking_in(chat.sent())) == 3
    assert b'"input":{"b": 1, "a":2.50}' in sent.body
    state = chat.messages[1].provider_state
    assert state is not None
    assert (state.provider, state.model, len(state.prefix)) == ("p", "m", 64)


def set_system(chat: Chat) -> None:
    chat.system = "Be long."


def set_tools(chat: Chat) -> None:
    chat.tools = ("f", "g")


def set_model(chat: Chat) -> None:
    chat.model = "n"


def set_provider(chat: Chat) -> None:
    chat.provider = "q"


def edit_first(chat: Chat) -> None:
    chat.messages[0] = replace(chat.messages[0], content="Look again.")


def trim(chat: Chat) -> None:
    del chat.messages[:3]


def edit_middle(chat: Chat) -> None:
    chat.messages[3] = replace(chat.messages[3], content="And then?")


def edit_answer(chat: Chat) -> None:
    chat.messages[2] = replace(chat.messages[2], content="Changed by hand.")


def edit_call(chat: Chat) -> None:
    calls = chat.messages[1].tool_calls
    chat.messages[1] = replace(chat.messages[1], tool_calls=(replace(calls[0], args_json='{"a": 3}'), calls[1]))


@pytest.mark.parametrize(
    ("change", "left"),
    [
        *((change, 0) for change in (set_system, set_tools, set_model, set_provider, edit_first, trim)),
        *((edit_middle, 2), (edit_answer, 1), (edit_call, 1)),
    ],
)
def test_check_29_D11_thinking_from_a_change_on_is_dropped_and_the_text_stays(
    change: Callable[[Chat], None], left: int
) -> None:
    chat = long_chat()
    change(chat)
    body = chat.sent()
    assert problems_in(msgspec.json.encode(body)) == []
    assert len(thinking_in(body)) == left
    words = msgspec.json.encode(body).decode()
    assert all(message.content in words for message in chat.messages)
    if change is edit_call:
        assert '"input":{"a":3}' in words


def test_D11_marks_for_the_cache_do_not_break_the_binding() -> None:
    chat = Chat()
    chat.say("x" * 9000)
    for _ in range(4):
        chat.hear(text="Yes.", statuses=("done",))
        chat.hear(text="Done.")
        chat.say()
    body = chat.sent()
    assert problems_in(msgspec.json.encode(body)) == []
    assert len(thinking_in(body)) == 8
    marked = [block for message in body["messages"] for block in message["content"] if "cache_control" in block]
    assert 1 <= len(marked) <= 2
    assert "cache_control" in body["system"][-1]


def test_D11_a_paused_message_goes_back_as_it_is_and_is_completed_later() -> None:
    chat = Chat()
    chat.say()
    chat.hear(text="Searching.", pauses=True)
    body = chat.sent()
    assert body["messages"][-1]["content"][-1] == {
        "type": "server_tool_use",
        "id": "srv",
        "name": "web_search",
        "input": {},
    }
    chat.hear(text="Found.")
    chat.say()
    body = chat.sent()
    assert problems_in(msgspec.json.encode(body)) == []
    kinds = [block["type"] for block in body["messages"][1]["content"]]
    assert "server_tool_use" not in kinds  # nobody ever answered it


def test_D11_state_of_another_number_of_calls_is_not_used() -> None:
    chat = Chat()
    chat.say()
    chat.hear(statuses=("done", "done"))
    chat.messages[1] = replace(chat.messages[1], tool_calls=chat.messages[1].tool_calls[:1])
    body = chat.sent()
    assert problems_in(msgspec.json.encode(body)) == []
    assert [block["type"] for block in body["messages"][1]["content"]] == ["tool_use"]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("say")),
        st.tuples(
            st.just("hear"),
            st.booleans(),
            st.lists(st.sampled_from(["done", "error", "denied", "cancelled"]), max_size=2).map(tuple),
            st.sampled_from(["", "Text.", "Ends in space \n"]),
            st.booleans(),
        ),
        st.tuples(st.just("change"), st.sampled_from([set_system, set_tools, set_model, set_provider, trim])),
        st.tuples(st.just("edit"), st.integers(0, 20)),
        st.tuples(st.just("remove"), st.integers(0, 20)),
    ),
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(steps=steps)
def test_check_29_D11_the_api_never_sees_thinking_whose_prefix_has_changed(steps: list[Any]) -> None:
    chat = Chat()
    chat.say()
    for kind, *details in steps:
        if kind == "say":
            chat.say()
        elif kind == "hear":
            thinks, statuses, text, pauses = details
            chat.hear(thinks=thinks, statuses=statuses, text=text, pauses=pauses)
        elif kind == "change":
            details[0](chat)
        elif chat.messages:
            place = details[0] % len(chat.messages)
            if kind == "edit":
                chat.messages[place] = replace(chat.messages[place], content="Changed.")
            else:
                del chat.messages[place]
        if not any(message.role == "user" for message in chat.messages):
            chat.say()
    assert problems_in(request_for(chat.request()).body) == []
