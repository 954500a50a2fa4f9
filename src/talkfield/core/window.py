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
    used = envelope_bytes
    if head:
        used += message_bytes(messages[0]) if sizes is None else sizes[0]
    boundary = Boundary(messages, head)
    start = len(messages)
    over_budget = used > max_bytes
    for index in range(len(messages) - 1, head - 1, -1):
        # The comma that joins it to what is kept already.
        comma = 1 if head or index < len(messages) - 1 else 0
        used += comma + (message_bytes(messages[index]) if sizes is None else sizes[index])
        if used > max_bytes and start < len(messages):
            break
        if boundary.is_before(index):
            start = index
            over_budget = used > max_bytes
    kept = tuple(messages) if start == head else (*messages[:head], *messages[start:])
    return Window(kept, over_budget, start - head)


class Boundary:
    """Tells, asked for each message from the newest back, whether a turn begins with it.

    Turns of one conversation do not interleave, for a node has one run at a time; messages that belong to none (notes,
    linked context) may stand between those of one turn. So the nearest earlier message of any turn decides.
    """

    def __init__(self, messages: Sequence[Message], first: int) -> None:
        self._messages = messages
        self._first = first
        self._turns: set[TurnId] = set()
        self._result_without_call = False
        self._earlier_place = len(messages)
        self._earlier_turn: TurnId | None = None

    def is_before(self, index: int) -> bool:
        """Whether everything from `index` on can do without everything before it."""
        message = self._messages[index]
        if message.turn is not None:
            self._turns.add(message.turn)
        if message.role == "tool":
            self._result_without_call = True
        elif message.role == "assistant":
            self._result_without_call = False
        if index == self._first:
            return True
        if message.role != "user" or self._result_without_call:
            return False
        return not self._turns or self._turn_before(index) not in self._turns

    def _turn_before(self, index: int) -> TurnId | None:
        """The turn of the nearest earlier message that has one. Looked up once for each stretch without."""
        if self._earlier_place >= index:
            place = index - 1
            while place >= self._first and self._messages[place].turn is None:
                place -= 1
            self._earlier_place = place
            self._earlier_turn = self._messages[place].turn if place >= self._first else None
        return self._earlier_turn
