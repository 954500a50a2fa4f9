"""Splits a body into server-sent events, on bytes (D2).

Owns line ends, comments, fields and the bound on one event; knows nothing of JSON or of any provider. Pure and
incremental: the events are the same however the body was cut into reads. Bytes are never decoded here, so a character
cut between two reads stays whole, and U+2028 inside data is data.

Three roads lead to the same events: a read that is one whole event of the plain form, as most reads of a live answer
are; one regular expression over all whole events of a read; and a line by line reading for what those cannot prove to
have understood (CR, comments, several data lines, other fields).
"""

from __future__ import annotations

import re

from talkfield.errors import ProviderGarbled

MAX_EVENT_BYTES = 16 * 1024 * 1024

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CR, LF = b"\r\n"
LINE_END = re.compile(rb"\r\n|\n|\r")
FIELDS = (b"data", b"event", b"id", b"retry")
UNNAMED = re.compile(rb"^()data: ?+(.*)\n\n", re.MULTILINE)
NAMED = re.compile(rb"^event: ?+(.*)\ndata: ?+(.*)\n\n", re.MULTILINE)

SseEvent = tuple[bytes, bytes]
"""(event name, data); the name is empty where the stream gave none."""


class SseDecoder:
    """Give it the body's bytes as they come; it gives back the events that they complete.

    `ignored_lines` counts lines that mean nothing in this format, `comments` the keep-alives.
    """

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self.comments = 0
        self.ignored_lines = 0
        self._max_event_bytes = max_event_bytes
        self._at_start = True
        self._pieces: list[bytes] = []
        self._pending_bytes = 0
        self._name = b""
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._skip_line_feed = False

    def feed(self, data: bytes) -> list[SseEvent]:
        """Raises `ProviderGarbled` (code `too_large`) when one event passes the bound."""
        if self._at_start:
            data = self._strip_mark(data)
        if not data:
            return []
        if self._skip_line_feed or self._data or self._name or CR in data:
            return self._feed_lines(data)
        if not self._pieces and (event := self._only_event(data)) is not None:
            return [event]
        end = data.rfind(b"\n\n")
        if end < 0:
            if data[0] == 10 and self._pieces and self._pieces[-1].endswith(b"\n"):
                return self._feed_lines(data)
            self._keep(data)
            return []
        return self._feed_block(data, end + 2)

    def finish(self) -> list[SseEvent]:
        """The body is over: an event without its blank line counts as well."""
        if self._at_start and self._pieces:
            self._at_start = False
        pending = b"".join(self._pieces)
        last = LINE_END.split(pending)[-1]
        if last and any(field.startswith(last) for field in FIELDS):
            self._pieces = [pending[: -len(last)]]  # cut within a field's name: that is no line of another format
        events = self._feed_lines(b"\n") if self._pieces else []
        events += self._dispatch()
        return events

    def _strip_mark(self, data: bytes) -> bytes:
        head = b"".join([*self._pieces, data])
        if len(head) < len(BYTE_ORDER_MARK) and BYTE_ORDER_MARK.startswith(head):
            self._pieces = [head] if head else []
            return b""
        self._at_start = False
        self._pieces = []
        return head.removeprefix(BYTE_ORDER_MARK)

    def _only_event(self, data: bytes) -> SseEvent | None:
        """The event that these bytes are, where they are one and nothing else: its lines are all of them."""
        last = len(data) - 2
        if last > self._max_event_bytes or data[last + 1] != LF:
            return None
        end = data.find(b"\n")
        if end == last:
            return (b"", data[6:last]) if data.startswith(b"data: ") else None
        if data.find(b"\n", end + 1) == last and data.startswith(b"event: ") and data[end + 1 : end + 7] == b"data: ":
            return data[7:end], data[end + 7 : last]
        return None

    def _feed_block(self, data: bytes, end: int) -> list[SseEvent]:
        """All whole events at once, where their form is so plain that every line end is accounted for."""
        tail = b""
        if end < len(data):
            data, tail = data[:end], data[end:]
        if self._pieces:
            data = b"".join([*self._pieces, data])
            self._pieces = []
            self._pending_bytes = 0
        if data[0] == 101:  # e, of event
            events = NAMED.findall(data)
            lines = 3 * len(events)
        else:
            events = UNNAMED.findall(data)
            lines = 2 * len(events)
        # Each match ends two or three lines and starts at the start of one: with no line end left over, the matches
        # are the whole block.
        if data.count(b"\n") != lines or len(data) > self._max_event_bytes:
            events = self._feed_lines(data)
        if tail:
            self._keep(tail)
        return events

    def _feed_lines(self, data: bytes) -> list[SseEvent]:
        if self._skip_line_feed:
            data = data.removeprefix(b"\n")
        self._skip_line_feed = data.endswith(b"\r")
        if b"\n" not in data and b"\r" not in data:
            if data:
                self._keep(data)
            return []
        *lines, rest = LINE_END.split(b"".join([*self._pieces, data]))
        self._pieces = []
        self._pending_bytes = self._data_bytes
        events: list[SseEvent] = []
        for line in lines:
            if line:
                self._take_line(line)
            else:
                events += self._dispatch()
        if rest:
            self._keep(rest)
        return events

    def _take_line(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        if value.startswith(b" "):
            value = value[1:]
        if field == b"data":
            self._data.append(value)
            self._data_bytes += len(value)
            self._count(len(value))
        elif field == b"event":
            self._name = value
        elif not field:
            self.comments += 1
        elif field == b"error" and value.startswith(b"{"):
            # llama.cpp's servers put a failure where a field's name belongs; an error is never ignored.
            self._name = b"error"
            self._data.append(value)
        elif field not in (b"id", b"retry"):
            self.ignored_lines += 1

    def _dispatch(self) -> list[SseEvent]:
        name, data = self._name, self._data
        self._name, self._data = b"", []
        self._pending_bytes = self._data_bytes = 0
        return [(name, b"\n".join(data))] if data else []

    def _keep(self, data: bytes) -> None:
        self._pieces.append(data)
        self._count(len(data))

    def _count(self, added_bytes: int) -> None:
        self._pending_bytes += added_bytes
        if self._pending_bytes > self._max_event_bytes:
            raise ProviderGarbled(
                f"one event of the answer is larger than {self._max_event_bytes} bytes", code="too_large"
            )
