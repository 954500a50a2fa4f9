"""What a client may see of a record: all but what a provider wants back unchanged, which is of use to nobody else.

Pure. Provider state (D11) holds signatures and encrypted reasoning; it is large, and it stays on the server.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from talkfield.core.changes import Change, Frame, Put
from talkfield.core.events import ChatEvent, ContextAdded
from talkfield.core.messages import Message
from talkfield.core.records import MessageRecord, Record


def visible(record: Record) -> Record:
    """The record without its provider state."""
    if isinstance(record, MessageRecord) and record.provider_state is not None:
        return replace(record, provider_state=None)
    return record


def visible_records(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(visible(record) for record in records)


def visible_frame(frame: Frame) -> Frame:
    """The frame itself where nothing is to hide, which is nearly always."""
    for change in frame.changes:
        if isinstance(change, Put) and visible(change.value) is not change.value:
            return replace(frame, changes=tuple(visible_change(change) for change in frame.changes))
    return frame


def visible_change(change: Change) -> Change:
    return Put(visible(change.value)) if isinstance(change, Put) else change


def visible_message(message: Message) -> Message:
    return message if message.provider_state is None else replace(message, provider_state=None)


def visible_event(event: ChatEvent) -> ChatEvent:
    return replace(event, value=visible_message(event.value)) if isinstance(event, ContextAdded) else event
