"""Reads an answer of Anthropic's `/v1/messages` (D4, D8 to D11). Pure: fed bytes as they come, it gives back one list
of chunks for each feed.

Owns what an answer means: text, thinking, calls, usage, and whether it is complete. Block and delta types that are not
known are kept and sent back, never a crash. Names like E20 are rows of the notes on wire quirks, whose examples stand
in `tests/providers/wire/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talkfield.core.messages import ProviderState
from talkfield.errors import ProviderCut, ProviderError, ProviderGarbled
from talkfield.providers.anthropic_block import BlockDraft
from talkfield.providers.anthropic_event import Delta, decode_event, index_of, tolerant_delta
from talkfield.providers.body import NOT_YET_TELLING, TOO_DEEP, BodyForm, Words, excerpt, form_of, well_formed
from talkfield.providers.dialect import ANTHROPIC, foreign
from talkfield.providers.failure import failure, is_html, states_error, web_page
from talkfield.providers.finish_reason import finish_of
from talkfield.providers.json_body import encode_opaque, loads
from talkfield.providers.sse import SseDecoder
from talkfield.providers.usage import anthropic_usage
from talkfield.runtime.ports import CallChunk, Chunk, FinishChunk, RestartChunk, UsageChunk

QUOTED_BYTES = 1000
PLAIN_FIELDS = frozenset({"type", "text", "id", "name", "input"})


class AnthropicDecoder:
    """Feed it an answer's body; it gives back chunks. See `OpenAiDecoder`, whose form this has.

    `prefix` stands for the history that the answer is bound to: it goes into the state that is sent back.
    """

    def __init__(
        self, *, provider: str = "", model: str = "", prefix: str = "", tool_names: Mapping[str, str] | None = None
    ) -> None:
        self.done = False
        self.progress = 0
        self.model = ""
        self._provider = provider
        self._requested_model = model
        self._prefix = prefix
        self._tool_names = tool_names or {}
        self._form: BodyForm | None = None
        self._start = b""
        self._held: list[bytes] = []
        self._body: list[bytes] = []
        self._sse = SseDecoder()
        self._words = Words()
        self._blocks: dict[int, BlockDraft] = {}
        self._message_id: str | None = None
        self._understood = False
        self._rest_taken = False
        self._whole = False
        self._stop = ""
        self._stop_is_final = False
        self._stop_details: Any = None
        self._usage: dict[str, Any] = {}
        self._usage_chunk: UsageChunk | None = None
        self._usage_changed = self._given = self._restarted = False
        self._error: ProviderError | None = None

    @property
    def closing(self) -> bool:
        return self._stop_is_final or self._whole

    def feed(self, data: bytes) -> list[Chunk]:
        if self.done:
            return []
        if self._form is None:
            self._held.append(data)
            if not data.strip(NOT_YET_TELLING):
                return []
            data, self._held = b"".join(self._held), []
            self._form = form_of(data)
        if not self._understood and len(self._start) < QUOTED_BYTES:
            self._start += data[:QUOTED_BYTES]
        if self._form != "events":
            self._body.append(data)
            return []
        try:
            events = self._sse.feed(data)
            if events:
                self._read(events)
        except ProviderError as error:
            self._fail(error)
            return []
        except RecursionError:
            self._fail(self._garbled(TOO_DEEP))
        return self._taken()

    def rest(self) -> list[Chunk]:
        """The body is over: what was still held back. Afterwards `finish` says how the answer ended."""
        self._rest_taken = True
        try:
            if self._form == "events" and not self.done:
                self._read_last()
            elif self._form is not None and not self.done:
                self._read_whole(b"".join(self._body))
        except RecursionError:
            self._fail(self._garbled(TOO_DEEP))
        return self._taken(last=True)

    def finish(self) -> list[Chunk]:
        """The calls and the `FinishChunk` of a complete answer (and what `rest` gives, if that was not asked for).

        Raises the `ProviderError` of an answer that failed, or `ProviderCut` without proof that it is whole (D4).
        """
        chunks: list[Chunk] = [] if self._rest_taken else self.rest()
        if self._error is not None:
            raise self._error
        if not self._understood:
            raise self._nothing_understood()
        if not self._whole and not self._stop_is_final:
            raise ProviderCut("the answer broke off before its end", provider=self._provider, retryable=True)
        finish = finish_of(self._stop)
        calls = [block for block in self._in_order() if block.type == "tool_use" and self._may_run(block, finish)]
        if finish in ("content_filter", "refusal"):
            calls = []
        # Whether there are calls to run is decided by the calls, not by the reason's name (D4).
        if finish in ("stop", "tool_calls"):
            finish = "tool_calls" if calls else "stop"
        for block in calls:
            name = str(block.fields.get("name") or "")
            wire_id = well_formed(str(block.fields.get("id") or ""))
            name = well_formed(self._tool_names.get(name, name))
            chunks.append(CallChunk(wire_id, name, well_formed(block.args_json)))
        chunks.append(FinishChunk(finish, well_formed(self._stop), self._state(calls), self._detail()))
        return chunks

    # Events -----------------------------------------------------------------------------------------------------------

    def _read(self, events: list[tuple[bytes, bytes]]) -> None:
        words, blocks = self._words, self._blocks
        for name, payload in events:
            try:
                event = decode_event(payload)
            except ValueError:
                self._odd_event(name, payload)
                if self.done:
                    return
                continue
            kind = event.type
            if kind == "content_block_delta" and event.delta is not None and event.index is not None:
                self.progress += 1
                self._understood = True
                delta = event.delta
                block = blocks.get(event.index)
                if block is None:
                    block = self._begin_implicitly(event.index, delta)
                if delta.text is not None and block.type == "text":
                    block.write(delta.text)
                    words.text(delta.text)
                elif delta.thinking is not None and block.type == "thinking":
                    block.write(delta.thinking)
                    if delta.thinking:
                        words.thinking(delta.thinking)
                elif delta.partial_json is not None:
                    block.json.append(delta.partial_json)
                else:
                    block.add(loads(payload).get("delta") or {})
            elif kind == "ping" and not event.error:
                continue
            else:
                self.progress += 1
                self._take(name, kind, loads(payload))
                if self.done:
                    return

    def _take(self, name: bytes, kind: str, event: Mapping[str, Any]) -> None:
        """Everything but the deltas: rare, so read untyped."""
        if event.get("error") or name == b"error" or kind == "error":
            self._fail(failure(event))
            return
        match kind:
            case "message_start":
                self._begin_message(event.get("message"))
            case "content_block_start":
                self._begin_block(event)
            case "content_block_delta":
                self._understood = True
                self._odd_delta(event)
            case "content_block_stop":
                block = self._blocks.get(index_of(event))
                if block is not None:
                    block.stopped = True
            case "message_delta":
                self._understood = True
                self._end_message(event)
            case "message_stop":
                self._understood = True
                self._whole = self.done = True
            case "message":
                self._read_message(event)
            case _:
                if states_error(event):
                    self._fail(failure(event))
                elif not self._understood and (error := foreign(event, ANTHROPIC)) is not None:
                    self._fail(error)

    def _odd_event(self, name: bytes, payload: bytes) -> None:
        text = payload.strip()
        if not text:
            return
        self.progress += 1
        if text == b"[DONE]":  # some gateways add it
            self.done = True
            self._whole = self._whole or self._stop_is_final
            return
        try:
            value = loads(payload)
        except ValueError:
            if name == b"error":
                self._fail(failure(excerpt(payload)))
            else:
                # Skipping it would pass a damaged answer off as a whole one.
                self._fail(self._garbled(f"a part of the answer is not JSON: {excerpt(payload)}"))
            return
        if not isinstance(value, dict):
            self._fail(self._garbled(f"a part of the answer is not an object: {excerpt(payload)}"))
            return
        self._take(name, str(value.get("type") or ""), value)

    def _begin_message(self, message: Any) -> None:
        self._understood = True
        if not isinstance(message, Mapping):
            return
        message_id = str(message.get("id") or "")
        if self._message_id is not None and self._blocks:
            if message_id == self._message_id:
                return  # said twice
            # Someone on the way asked again after a break: what came so far belongs to an answer that is gone.
            self._blocks.clear()
            self._usage, self._usage_changed = {}, False
            self._stop, self._stop_is_final = "", False
            self._words.drop()
            self._restarted = self._given
        self._message_id = message_id
        if not self.model and isinstance(message.get("model"), str):
            self.model = well_formed(message["model"])
        self._note_usage(message.get("usage"))
        # A message may begin with whole blocks, and even with its end.
        content = message.get("content")
        for place, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, Mapping):
                self._seed(place, block)
        if isinstance(message.get("stop_reason"), str):
            self._stop = message["stop_reason"]

    def _read_message(self, message: Mapping[str, Any]) -> None:
        """A whole message that was not streamed."""
        self._begin_message(message)
        self._end_message({"delta": message})
        self._whole = self.done = True

    def _seed(self, place: int, block: Mapping[str, Any]) -> None:
        draft = self._blocks[place] = BlockDraft(block)
        draft.stopped = True
        self._show_start(draft)

    def _show_start(self, draft: BlockDraft) -> None:
        text, thinking = draft.fields.get("text"), draft.fields.get("thinking")
        if draft.type == "text" and isinstance(text, str) and text:
            self._words.text(text)
        elif draft.type == "thinking" and isinstance(thinking, str) and thinking:
            self._words.thinking(thinking)

    def _begin_block(self, event: Mapping[str, Any]) -> None:
        self._understood = True
        start = event.get("content_block")
        draft = BlockDraft(start if isinstance(start, Mapping) else {})
        self._blocks[index_of(event)] = draft
        self._show_start(draft)

    def _begin_implicitly(self, index: int, delta: Delta) -> BlockDraft:
        """A delta of a block that never began."""
        kind = "thinking" if delta.thinking is not None or delta.signature is not None else "text"
        block = self._blocks[index] = BlockDraft({"type": "tool_use" if delta.partial_json is not None else kind})
        return block

    def _odd_delta(self, event: Mapping[str, Any]) -> None:
        """A delta that the typed reading could not take: half a character in it, for one."""
        delta = event.get("delta")
        if not isinstance(delta, Mapping):
            return
        index, words = index_of(event), tolerant_delta(delta)
        known = self._blocks.get(index)
        if words == Delta():
            (known or self._blocks.setdefault(index, BlockDraft({"type": "unknown"}))).add(delta)
            return
        block = known or self._begin_implicitly(index, words)
        if words.text is not None and block.type == "text":
            block.write(words.text)
            self._words.text(words.text)
        elif words.thinking is not None and block.type == "thinking":
            block.write(words.thinking)
            self._words.thinking(words.thinking)
        elif words.partial_json is not None:
            block.json.append(words.partial_json)
        else:
            block.add(delta)

    def _end_message(self, event: Mapping[str, Any]) -> None:
        delta = event.get("delta")
        if isinstance(delta, Mapping):
            reason = delta.get("stop_reason")
            if isinstance(reason, str) and reason:
                self._stop, self._stop_is_final = reason, True
            self._stop_details = delta.get("stop_details") or self._stop_details
        self._note_usage(event.get("usage"))

    def _note_usage(self, usage: Any) -> None:
        if isinstance(usage, Mapping):
            self._usage.update({key: value for key, value in usage.items() if value is not None})
            self._usage_changed = bool(self._usage)

    # Out --------------------------------------------------------------------------------------------------------------

    def _taken(self, *, last: bool = False) -> list[Chunk]:
        chunks = self._words.take(last=last)
        self._given = self._given or bool(chunks)
        if self._restarted:
            self._restarted = False
            chunks.insert(0, RestartChunk())
        if self._usage_changed:
            self._usage_changed = False
            chunk = UsageChunk(anthropic_usage(self._usage), self.model or None)
            if chunk != self._usage_chunk:
                self._usage_chunk = chunk
                chunks.append(chunk)
        return chunks

    def _read_last(self) -> None:
        """The last event, where the body ended without its blank line; half an event is dropped."""
        for name, payload in self._sse.finish():
            try:
                loads(payload)
            except ValueError:
                if payload.strip() != b"[DONE]":
                    continue
            self._read([(name, payload)])

    def _read_whole(self, body: bytes) -> None:
        text = body.decode("utf-8", errors="replace")
        if is_html(text):
            self._fail(web_page(text))
            return
        try:
            value = loads(body)
        except ValueError:
            self._understood = True  # as far as it goes: it is cut, not foreign
            return
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict) and not self.done:
                self._take(b"", str(part.get("type") or ""), part)

    def _in_order(self) -> list[BlockDraft]:
        return [self._blocks[index] for index in sorted(self._blocks)]

    def _may_run(self, block: BlockDraft, finish: str) -> bool:
        """Not where the call was cut off: by the limit, or because its block never ended (D4)."""
        return block.is_whole if finish == "length" or not block.stopped else True

    def _detail(self) -> str:
        details = self._stop_details
        if not isinstance(details, Mapping):
            return ""
        return well_formed(str(details.get("explanation") or details.get("message") or ""))

    def _state(self, calls: list[BlockDraft]) -> ProviderState | None:
        """The blocks as they are, where text and calls alone would not give them back."""
        run = {id(block) for block in calls}
        blocks = [block for block in self._in_order() if block.type != "tool_use" or id(block) in run]
        kinds = [block.type for block in blocks]
        in_usual_order = set(kinds) <= {"text", "tool_use"} and kinds == sorted(kinds, key=("text", "tool_use").index)
        if in_usual_order and all(block.fields.keys() <= PLAIN_FIELDS for block in blocks):
            return None
        packed = [data for block in blocks if (data := block.packed()) is not None]
        opaque = encode_opaque(packed)
        if opaque is None:
            return None
        return ProviderState(provider=self._provider, model=self._requested_model, data=opaque, prefix=self._prefix)

    def _fail(self, error: ProviderError) -> None:
        error.provider = error.provider or self._provider
        self._error = error
        self.done = True

    def _garbled(self, message: str) -> ProviderGarbled:
        return ProviderGarbled(message, provider=self._provider, retryable=True)

    def _nothing_understood(self) -> ProviderError:
        if self._form is None or (not self.progress and self._sse.ignored_lines == 0):
            return ProviderCut("the answer broke off before it began", provider=self._provider, retryable=True)
        return self._garbled(f"the answer is not a model's reply: {excerpt(self._start)}")
