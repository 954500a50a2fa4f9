"""The history window: which messages of a conversation the project file keeps (C7).

A window is the newest whole turns that fit a budget in bytes, after a leading system message. Nothing here decides
what a provider is sent or what the store keeps: both have everything. Pure; costs what is kept, not what there is,
where the messages' sizes are kept with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from talkfield.core.ids import TurnId
from talkfield.core.message_format import encode_message
from talkfield.core.messages import Message

DEFAULT_MAX_BYTES = 200 * 1024

ENVELOPE_BYTES = len(b'{"v":1,"messages":[]}')
"""What the serialised form takes besides the messages and the commas between them."""


@dataclass(frozen=True)
class Window:
    """What is kept. `dropped` counts the messages left out; `over_budget`: the newest turn alone is too large."""

    messages: tuple[Message, ...]
    over_budget: bool = False
    dropped: int = 0


def message_bytes(message: Message) -> int:
    """How many bytes the message takes as JSON in UTF-8: what `sizes` holds for it."""
    return len(encode_message(message))


def cap_conversation_messages(
    messages: Sequence[Message],
    max_bytes: int = DEFAULT_MAX_BYTES,
    *,
    sizes: Sequence[int] | None = None,
    envelope_bytes: int = ENVELOPE_BYTES,
) -> Window:
    """The longest run of whole newest turns whose serialised form has at most `max_bytes` bytes in UTF-8.

    A turn is a user message and all up to the next one; messages with the same `turn` stay together, and so do a call
    and its results. A leading system message is always kept. A newest turn that is too large by itself is kept whole
    and flagged, never looped on. `sizes` are the messages' `message_bytes`, where the caller keeps them;
    `envelope_bytes` is what stands around the messages. Order is kept and no message is changed.
    """
    head = 1 if messages and messages[0].role == "system" else 0
    last = len(messages) - 1
    used = envelope_bytes
    if head:
        used += message_bytes(messages[0]) if sizes is None else sizes[0]
    over_budget = used > max_bytes
    start = len(messages)
    turns: set[TurnId] = set()
    earlier = EarlierTurn(messages, head)
    result_without_call = False
    for index in range(last, head - 1, -1):
        message = messages[index]
        used += message_bytes(message) if sizes is None else sizes[index]
        if head or index < last:
            used += 1  # the comma that joins it to what is kept already
        if used > max_bytes and start <= last:
            break
        role = message.role
        if role == "tool":
            result_without_call = True
        elif role == "assistant":
            result_without_call = False
        if message.turn is not None:
            turns.add(message.turn)
        if index == head or (
            role == "user" and not result_without_call and not (turns and earlier.turn_before(index) in turns)
        ):
            start = index
            over_budget = used > max_bytes
    kept = tuple(messages) if start == head else (*messages[:head], *messages[start:])
    return Window(kept, over_budget, start - head)


class EarlierTurn:
    """Tells, asked from the newest message back, the turn of the nearest earlier message that has one.

    That message decides whether a window may begin at a place: turns of one conversation do not interleave, for a node
    has one run at a time, but messages of no turn (notes, linked context) may stand between those of one. A stretch of
    such messages is looked through once.
    """

    def __init__(self, messages: Sequence[Message], first: int) -> None:
        self._messages = messages
        self._first = first
        self._place = len(messages)
        self._turn: TurnId | None = None

    def turn_before(self, index: int) -> TurnId | None:
        if self._place >= index:
            place = index - 1
            while place >= self._first and self._messages[place].turn is None:
                place -= 1
            self._place = place
            self._turn = self._messages[place].turn if place >= self._first else None
        return self._turn
