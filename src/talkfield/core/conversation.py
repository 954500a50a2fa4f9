"""The one reducer: what a chat event does to a conversation (C1 to C4, C9).

`changes_for` says it as record changes; the library's `Conversation` and the workspace's document both go through it.
The order of events is not a correctness requirement, and an event that comes again changes nothing: whatever arrives,
in whatever interleaving, the conversation ends the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, assert_never

from msgspec.structs import replace

from talkfield.core.changes import Append, Change, Changes, Put
from talkfield.core.document import CALL_FIELDS, Document, Staged, call_of, message_of, records_of
from talkfield.core.events import (
    ChatEvent,
    ContextAdded,
    Delta,
    Done,
    MessageFinished,
    MessageRestarted,
    NoteAdded,
    RetryWaiting,
    ThinkingDelta,
    ToolCalled,
    ToolCarded,
    ToolReturned,
    ToolSaid,
    ToolShowed,
    UsageReported,
)
from talkfield.core.ids import Ids, MessageId, NodeId, RecordId, TurnId
from talkfield.core.messages import (
    FINAL_STATUSES,
    CallStatus,
    Message,
    MessageCost,
    Role,
    ToolCall,
    Usage,
)
from talkfield.core.nodes import ChatData
from talkfield.core.records import MessageRecord, NodeRecord, ToolCallRecord
from talkfield.core.serialization import ConversationData


def changes_for(document: Document, events: Iterable[ChatEvent], at: int) -> Changes:
    """What these events do to the document, as one batch. `at` is epoch milliseconds, for messages they make."""
    staged = Staged(document)
    for event in joined(events):
        staged.add(_changes_for_one(staged, event, at))
    return tuple(staged.changes)


def joined(events: Iterable[ChatEvent]) -> Iterator[ChatEvent]:
    """The same events, with text that follows on text of the same message in one piece.

    A long text that grows by many small pieces is then copied once, not once for each.
    """
    first: Delta | ThinkingDelta | None = None
    pieces: list[str] = []
    for event in events:
        if first is not None:
            if type(event) is type(first) and event.message == first.message and event.node == first.node:
                pieces.append(event.text)
                continue
            yield first if len(pieces) == 1 else replace(first, text="".join(pieces))
            first = None
        if isinstance(event, Delta | ThinkingDelta):
            first, pieces = event, [event.text]
        else:
            yield event
    if first is not None:
        yield first if len(pieces) == 1 else replace(first, text="".join(pieces))


def _changes_for_one(staged: Staged, event: ChatEvent, at: int) -> Changes:
    match event:
        case Delta():
            return _grow(staged, event, "content", at)
        case ThinkingDelta():
            return _grow(staged, event, "thinking", at)
        case UsageReported():
            message = _message(staged, event.node, event.message, event.turn, at)
            model, provider = event.model or message.model, event.provider or message.provider
            return (Put(replace(message, usage=event.usage, cost=event.cost, model=model, provider=provider)),)
        case ToolCalled():
            return _tool_called(staged, event, at)
        case ToolReturned():
            return _tool_returned(staged, event)
        case ToolCarded() | ToolSaid() | ToolShowed():
            return _about_call(staged, event)
        case ContextAdded():
            if staged.get(event.message) is not None:
                return ()
            index = staged.last_index(event.node) + 1
            return tuple(
                Put(record) for record in records_of(replace(event.value, id=event.message), event.node, index)
            )
        case NoteAdded():
            if staged.get(event.message) is not None:
                return ()
            index = staged.last_index(event.node) + 1
            return (
                Put(
                    MessageRecord(
                        id=event.message,
                        node_id=event.node,
                        index=index,
                        role="note",
                        content=event.text,
                        ts=at,
                        turn=event.turn,
                    )
                ),
            )
        case MessageFinished():
            message = _message(staged, event.node, event.message, event.turn, at)
            state = event.provider_state or message.provider_state
            finish, error = event.finish or message.finish, event.error or message.error
            return (Put(replace(message, finish=finish, error=error, provider_state=state)),)
        case MessageRestarted():
            message = _message(staged, event.node, event.message, event.turn, at)
            return (Put(replace(message, content="", thinking="")),)
        case Done():
            return _done(staged, event, at)
        case RetryWaiting():
            return ()
        case _:
            assert_never(event)


def _message(staged: Staged, node: NodeId, message: MessageId, turn: TurnId | None, at: int) -> MessageRecord:
    """The message an event is about, or the empty assistant message it starts (C2)."""
    found = staged.get(message)
    if isinstance(found, MessageRecord):
        return found
    index = staged.last_index(node) + 1
    return MessageRecord(id=message, node_id=node, index=index, role="assistant", content="", ts=at, turn=turn)


def _grow(staged: Staged, event: Delta | ThinkingDelta, field: str, at: int) -> Changes:
    if staged.get(event.message) is None:
        started = _message(staged, event.node, event.message, event.turn, at)
        return (Put(replace(started, **{field: event.text})),)
    return (Append(RecordId(event.message), "content" if field == "content" else "thinking", event.text),)


_RANK: dict[CallStatus, int] = {"awaiting": 0, "running": 1, **dict.fromkeys(FINAL_STATUSES, 2)}


def _tool_called(staged: Staged, event: ToolCalled, at: int) -> Changes:
    changes: list[Change] = []
    known = staged.get(event.call.id)
    if isinstance(known, ToolCallRecord):
        # A late repetition must not reopen a card or take back a result (C3, C9).
        if _RANK[event.call.status] < _RANK[known.status] or known.status in FINAL_STATUSES:
            return ()
        return (Put(replace(known, **{name: getattr(event.call, name) for name in CALL_FIELDS})),)
    index = staged.call_count(event.message)
    if staged.get(event.message) is None:
        changes.append(Put(_message(staged, event.node, event.message, event.turn, at)))
    call = event.call
    record = ToolCallRecord(
        id=call.id,
        node_id=event.node,
        message_id=event.message,
        index=index,
        name=call.name,
        args_json=call.args_json,
        status=call.status,
        wire_id=call.wire_id,
        result=call.result,
        is_error=call.is_error,
    )
    return (*changes, Put(record))


def _tool_returned(staged: Staged, event: ToolReturned) -> Changes:
    known = staged.get(event.call_id)
    if not isinstance(known, ToolCallRecord) or known.status in FINAL_STATUSES:
        return ()
    return (Put(replace(known, result=event.result, is_error=event.is_error, status=event.status)),)


def _about_call(staged: Staged, event: ToolCarded | ToolSaid | ToolShowed) -> Changes:
    """A card, or what a running tool says and shows; of no use for a call that is unknown or over."""
    known = staged.get(event.call_id)
    if not isinstance(known, ToolCallRecord) or known.status in FINAL_STATUSES:
        return ()
    if isinstance(event, ToolCarded):
        return (Put(replace(known, card=event.card)),)
    if isinstance(event, ToolShowed):
        return (Put(replace(known, files=(*known.files, event.file))),)
    return (Append(RecordId(known.id), "output", event.text),) if event.text else ()


def _done(staged: Staged, event: Done, at: int) -> Changes:
    if event.message is None or event.reason in ("end_turn", "max_iterations"):
        return ()
    message = _message(staged, event.node, event.message, event.turn, at)
    if event.reason == "stopped":
        return (Put(replace(message, stopped=True)),)
    return (Put(replace(message, error=event.error)),)


OWN_NODE = NodeId("")
"""The node of a `Conversation`'s records: no message or call has this id, whatever the conversation is called."""


class Conversation:
    """One chat's messages, for people who use Talkfield as a library (C1). Free of I/O.

    Every method that adds or changes something goes through the reducer above. `messages` is a tuple of values: what
    was handed out never changes under its holder.
    """

    def __init__(self, id: str, created_at: int, messages: Iterable[Message] = ()) -> None:
        self.id = NodeId(id)
        self.created_at = created_at
        self.extra: dict[str, Any] = {}
        node = NodeRecord(id=OWN_NODE, x=0, y=0, width=0, height=0, data=ChatData())
        self._document = Document([node])
        for index, message in enumerate(messages):
            self._document.apply([Put(record) for record in records_of(message, OWN_NODE, index)])

    @classmethod
    def from_data(cls, data: ConversationData) -> Conversation:
        """A conversation that was read from a text (C8)."""
        conversation = cls(data.id, data.created_at, data.messages)
        conversation.extra = data.extra
        return conversation

    @property
    def messages(self) -> tuple[Message, ...]:
        return self._document.conversation(OWN_NODE)

    def message(self, message: str) -> Message | None:
        record = self._document.get(message)
        if not isinstance(record, MessageRecord):
            return None
        return message_of(record, self._document.calls(record.id))

    def call(self, call_id: str) -> ToolCall | None:
        record = self._document.get(call_id)
        return call_of(record) if isinstance(record, ToolCallRecord) else None

    def apply(self, *events: ChatEvent, at: int = 0) -> None:
        """Take in events of this conversation, in order. Events of any node are taken as this one's."""
        own = [replace(event, node=OWN_NODE) for event in joined(events)]
        self._document.apply(changes_for(self._document, own, at))

    def append_message(self, role: Role, content: str, *, id: str, ts: int) -> Message:
        """Add a whole message at the end; nothing where one with this id is there already."""
        return self.append(Message(id=MessageId(id), role=role, content=content, ts=ts))

    def append(self, message: Message) -> Message:
        """Add a whole message at the end; nothing where one with its id is there already."""
        self.apply(ContextAdded(node=self.id, message=message.id, value=message))
        return message

    def append_note(self, content: str, *, id: str, ts: int) -> Message:
        """Add a note for the reader; no provider ever sees it (C4)."""
        return self.append_message("note", content, id=id, ts=ts)

    def append_delta(self, message: str, text: str, *, ts: int = 0) -> None:
        self.apply(Delta(node=self.id, message=MessageId(message), text=text), at=ts)

    def append_thinking(self, message: str, text: str, *, ts: int = 0) -> None:
        self.apply(ThinkingDelta(node=self.id, message=MessageId(message), text=text), at=ts)

    def set_usage(
        self,
        message: str,
        usage: Usage,
        *,
        model: str | None = None,
        cost: MessageCost | None = None,
        ts: int = 0,
    ) -> None:
        self.apply(UsageReported(node=self.id, message=MessageId(message), usage=usage, model=model, cost=cost), at=ts)

    def mark_stopped(self, message: str, *, ts: int = 0) -> None:
        self.apply(Done(node=self.id, message=MessageId(message), reason="stopped"), at=ts)


def create_conversation(ids: Ids, at: int) -> Conversation:
    """An empty conversation; `at` is epoch milliseconds."""
    return Conversation(ids("node"), at)
