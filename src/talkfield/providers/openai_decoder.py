"""Reads an answer of the OpenAI wire and its dialects (D4, D8 to D11). Pure: fed bytes as they come, it gives back one
list of chunks for each feed.

Owns what an answer means: text, thinking, calls, usage, and whether it is complete. Which service is on the other end
is never asked: what differs is read from the stream itself. Names like C12 are rows of the notes on wire quirks, whose
examples stand in `tests/providers/wire/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from talkfield.core.messages import Finish
from talkfield.errors import ProviderCut, ProviderError, ProviderGarbled
from talkfield.providers.body import NOT_YET_TELLING, TOO_DEEP, BodyForm, Words, excerpt, form_of, well_formed
from talkfield.providers.dialect import OPENAI, foreign
from talkfield.providers.failure import failure, is_html, states_error, web_page
from talkfield.providers.finish_reason import FAILED_FINISH, finish_of, weightier
from talkfield.providers.json_body import dumped, loads
from talkfield.providers.openai_event import (
    Event,
    MessageDelta,
    arguments_text,
    content_parts,
    decode_event,
    decode_message,
    details_text,
    tolerant_event,
    tolerant_message,
)
from talkfield.providers.openai_state import OpaqueState
from talkfield.providers.profile import Profile
from talkfield.providers.sse import SseDecoder
from talkfield.providers.thinking_tag import Part, ThinkingTags
from talkfield.providers.tool_call import CallAssembler, CallDraft, finished_arguments, is_object
from talkfield.providers.usage import openai_usage, reported_usd
from talkfield.runtime.ports import CallChunk, Chunk, FinishChunk, UsageChunk

EMPTY_MESSAGE = len("null")
QUOTED_BYTES = 1000


class OpenAiDecoder:
    """Feed it an answer's body; it gives back chunks.

    `feed` never raises: an error found on the way ends the reading (`done`), and `finish` raises it after everything
    before it has been given out. `closing` says that the answer has ended but for its last formalities; `progress`
    counts events, so that keep-alives are not taken for progress (D7).
    """

    def __init__(
        self,
        *,
        provider: str = "",
        model: str = "",
        profile: Profile | None = None,
        tool_names: Mapping[str, str] | None = None,
    ) -> None:
        self.done = False
        self.progress = 0
        self.model = ""
        self._provider = provider
        self._requested_model = model
        self._tool_names = tool_names or {}
        self._form: BodyForm | None = None
        self._start = b""
        self._held: list[bytes] = []
        self._body: list[bytes] = []
        self._sse = SseDecoder()
        self._words = Words()
        self._tags = ThinkingTags(starts_open=profile is not None and profile.thinking_starts_open)
        self._calls = CallAssembler()
        self._legacy_call: CallDraft | None = None
        self._understood = False
        self._begun = False
        self._rest_taken = False
        self._whole = False
        self._finish = ""
        self._error: ProviderError | None = None
        self._usage: Mapping[str, Any] | None = None
        self._usage_chunk: UsageChunk | None = None
        self._refusal: list[str] = []
        self._reasoning_field = ""
        self._state = OpaqueState()

    @property
    def closing(self) -> bool:
        return bool(self._finish) or self._whole

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
                self.progress += len(events)
                self._read(events)
        except ProviderError as error:
            self._fail(error)
            return []
        except RecursionError:
            self._fail(self._garbled(TOO_DEEP))
        chunks = self._words.take()
        if self._usage is not None:
            self._report_usage(chunks)
        return chunks

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
        self._give_parts(self._tags.finish())
        chunks = self._words.take(last=True)
        if self._usage is not None:
            self._report_usage(chunks)
        return chunks

    def finish(self) -> list[Chunk]:
        """The calls and the `FinishChunk` of a complete answer (and what `rest` gives, if that was not asked for).

        Raises the `ProviderError` of an answer that failed, or `ProviderCut` without proof that it is whole (D4).
        """
        chunks: list[Chunk] = [] if self._rest_taken else self.rest()
        if self._error is not None:
            raise self._error
        if not self._understood:
            raise self._nothing_understood()
        raw = self._finish
        if raw.lower() in FAILED_FINISH:
            raise ProviderError(FAILED_FINISH[raw.lower()], provider=self._provider, retryable=True)
        if not raw and not self._whole:
            raise ProviderCut("the answer broke off before its end", provider=self._provider, retryable=True)
        if not self._begun:
            raise self._garbled("the answer is whole and holds no reply")
        finish = finish_of(raw)
        refusal = "".join(self._refusal)
        if refusal:
            finish = "refusal"
        drafts = self._whole_calls(finish)
        # Whether there are calls to run is decided by the calls, not by the reason's name (D4).
        if finish in ("stop", "tool_calls"):
            finish = "tool_calls" if drafts else "stop"
        for draft in drafts:
            name = self._tool_names.get(draft.name, draft.name)
            args_json = finished_arguments(draft.arguments)
            chunks.append(CallChunk(well_formed(draft.id), well_formed(name), well_formed(args_json)))
        state = self._state.packed(self._provider, self._requested_model, self._tags, drafts)
        chunks.append(FinishChunk(finish, well_formed(raw), state, well_formed(refusal)))
        return chunks

    # Events -----------------------------------------------------------------------------------------------------------

    def _read(self, events: list[tuple[bytes, bytes]]) -> None:
        for name, payload in events:
            try:
                event = decode_event(payload)
            except ValueError:
                odd = self._odd_event(name, payload)
                if self.done:
                    return
                if odd is None:
                    continue
                event = odd
            choices = event.choices
            if choices is None or event.error or not self._begun or name == b"error":
                self._unusual(name, event, payload)
                if self.done:
                    return
                choices = choices or []
            if event.usage is not None or event.x_groq is not None:
                self._note_usage(event)
            if not self.model and isinstance(event.model, str):
                self.model = well_formed(event.model)
            for choice in choices:
                if choice.index:
                    continue  # another of several answers; ours is the first
                delta = choice.delta
                if delta is None and len(choice.message) > EMPTY_MESSAGE:
                    delta = self._message_without_delta(choice.message)
                if delta is not None:
                    self._take_delta(delta)
                if choice.finish_reason:
                    self._finish = weightier(self._finish, choice.finish_reason)
                if choice.usage is not None:
                    self._keep_usage(choice.usage)

    def _take_delta(self, delta: MessageDelta) -> None:
        thinking = delta.reasoning_content or delta.reasoning
        if thinking:
            self._state.reasoning_field = "reasoning_content" if delta.reasoning_content else "reasoning"
        else:
            thinking = delta.cot_summary or delta.thinking
        if delta.reasoning_details:
            self._state.keep_details(delta.reasoning_details)
            thinking = thinking or details_text(delta.reasoning_details)
        if thinking:
            self._words.thinking(thinking)
        content = delta.content
        if content:
            if self._tags.open or type(content) is not str:
                self._take_content(content)
            else:
                self._words.text(content)
        if delta.tool_calls or delta.function_call or delta.refusal or delta.extra_content:
            self._take_rare(delta)

    def _odd_event(self, name: bytes, payload: bytes) -> Event | None:
        """What the typed reading could not take: the end mark, an odd shape, or no JSON at all."""
        text = payload.strip()
        if not text:
            return None
        if text == b"[DONE]":
            self._whole = self.done = True
            return None
        try:
            value = loads(payload)
        except ValueError:
            if name == b"error":
                self._fail(failure(excerpt(payload)))
            else:
                # Skipping it would pass a damaged answer off as a whole one.
                self._fail(self._garbled(f"a part of the answer is not JSON: {excerpt(payload)}"))
            return None
        if isinstance(value, list) and value and isinstance(value[0], dict):
            if len(value) > 1:  # several at once, or all of an answer that is not streamed
                self._read([(name, dumped(part)) for part in value])
                return None
            value = value[0]
        if name == b"error" and not isinstance(value, dict):
            self._fail(failure(str(value)))
        elif not isinstance(value, dict):
            self._fail(self._garbled(f"a part of the answer is not an object: {excerpt(payload)}"))
        else:
            return tolerant_event(value)
        return None

    def _unusual(self, name: bytes, event: Event, payload: bytes) -> None:
        """An event that is an error, or that has no choices, or that is the first."""
        if event.error or name == b"error":
            if event.usage is not None:
                self._note_usage(event)
            self._fail(failure(loads(payload)))
            return
        value = loads(payload)
        if isinstance(value, list):
            value = value[0]
        if states_error(value):
            self._fail(failure(value))
        elif not self._understood and (error := foreign(value, OPENAI)) is not None:
            self._fail(error)
        elif event.choices is not None or event.usage is not None:
            self._understood = True
            self._begun = self._begun or bool(event.choices)

    def _message_without_delta(self, raw: msgspec.Raw) -> MessageDelta | None:
        """A whole message where a delta belongs. Beside deltas it would say everything twice."""
        if self._words.any_text or self._words.any_thinking or self._calls.drafts or self._tags.holds:
            return None
        try:
            return decode_message(raw)
        except ValueError:
            value = loads(bytes(raw))
            return tolerant_message(value) if isinstance(value, dict) else None

    def _take_content(self, content: Any) -> None:
        if not isinstance(content, str):
            thinking, content = content_parts(content)
            if thinking:
                self._words.thinking(thinking)
        self._give_parts(self._tags.feed(content))

    def _give_parts(self, parts: list[Part]) -> None:
        for kind, text in parts:
            if kind == "thinking":
                self._words.thinking(text)
            else:
                self._words.text(text)

    def _take_rare(self, delta: MessageDelta) -> None:
        for call in delta.tool_calls or ():
            function = call.function
            name, arguments = (function.name, function.arguments) if function is not None else (None, None)
            draft = self._calls.add(call.index, call.id, name, arguments_text(arguments))
            if call.extra_content is not None:
                draft.extra["extra_content"] = call.extra_content
        legacy = delta.function_call
        if legacy is not None and (legacy.name or legacy.arguments):
            if self._legacy_call is None:
                self._legacy_call = self._calls.add(None, None, legacy.name, arguments_text(legacy.arguments))
            else:
                self._legacy_call.pieces.append(arguments_text(legacy.arguments))
        if delta.refusal:
            self._refusal.append(delta.refusal)
        if delta.extra_content is not None:
            self._state.keep_extra(delta.extra_content)

    def _note_usage(self, event: Event) -> None:
        usage = event.usage
        if usage is None and isinstance(event.x_groq, dict):
            usage = event.x_groq.get("usage")
        self._keep_usage(usage)

    def _keep_usage(self, usage: Any) -> None:
        """The last that counts anything: some services end with zeros."""
        if isinstance(usage, Mapping) and (self._usage is None or openai_usage(usage) is not None):
            self._usage = usage

    def _report_usage(self, chunks: list[Chunk]) -> None:
        raw, self._usage = self._usage, None
        usage = openai_usage(raw) if raw is not None else None
        if raw is None or usage is None:
            return
        chunk = UsageChunk(usage, self.model or None, reported_usd(raw))
        if chunk != self._usage_chunk:
            self._usage_chunk = chunk
            chunks.append(chunk)

    # The end ----------------------------------------------------------------------------------------------------------

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
        """An answer that is not a stream: one JSON value, JSON lines, or a page of HTML."""
        text = body.decode("utf-8", errors="replace")
        if is_html(text):
            self._fail(web_page(text))
            return
        try:
            loads(body)
        except ValueError:
            lines = [line for line in body.splitlines() if line.strip()]
            if len(lines) < 2 or not is_object(lines[0].decode("utf-8", errors="replace")):
                self._understood = True  # as far as it goes: it is cut, not foreign
                return
            self._read([(b"", line) for line in lines])
            return
        self._read([(b"", body)])
        self._whole = self._whole or (self._error is None and self._understood)

    def _whole_calls(self, finish: Finish) -> list[CallDraft]:
        if finish in ("content_filter", "refusal"):
            return []
        if finish == "length":
            # Only what is certainly whole: a call that was cut off may not run (D4).
            return [draft for draft in self._calls.drafts if is_object(draft.arguments)]
        return self._calls.drafts

    def _fail(self, error: ProviderError) -> None:
        error.provider = error.provider or self._provider
        self._error = error
        self.done = True

    def _garbled(self, message: str) -> ProviderGarbled:
        return ProviderGarbled(message, provider=self._provider, retryable=True)

    def _nothing_understood(self) -> ProviderError:
        if self._form is None or (not self.progress and self._sse.ignored_lines == 0):
            return ProviderCut("the answer broke off before it began", provider=self._provider, retryable=True)
        quoted = excerpt(self._start)
        return self._garbled(f"the answer is not a model's reply: {quoted}")
