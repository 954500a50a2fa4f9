"""One turn, from what a script says to its end, as that script may see it.

A watch listens before it asks, so that no event can be missed; it tells its own turn from others by the user's message
that began it; and it never stops a run: a script that leaves only stops watching (W6).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from talkfield.core.events import ChatEvent, Delta, Done, MessageFinished, NoteAdded, ThinkingDelta
from talkfield.core.ids import MessageId, NodeId, TurnId
from talkfield.core.messages import Message
from talkfield.errors import NodeBusy, TalkfieldError
from talkfield.server.hub import Hub
from talkfield.server.visibility import visible_message
from talkfield.wire.client import SendMessage, WhenFull
from talkfield.workspace.base import SessionLike

MAX_WAITING_CHARACTERS = 8 * 1024 * 1024


class ServerStops(TalkfieldError):
    """The server stops before the turn has ended; what came is kept."""

    code = "going_away"
    default_hint = "Start Talkfield again and look at the chat."


class WatcherTooSlow(TalkfieldError):
    """A script does not read what it asked for. The run goes on."""

    code = "too_slow"


class TurnWatch:
    """Says something in a node and follows what comes of it. Always `close` it."""

    def __init__(self, session: SessionLike, node: NodeId, hub: Hub) -> None:
        self.session = session
        self.node = node
        self.hub = hub
        self.turn: TurnId | None = None
        self.done: Done | None = None
        self._before: frozenset[MessageId] = frozenset()
        self._began = False
        self._events: list[ChatEvent] = []
        self._waiting_characters = 0
        self._too_slow = False
        self._wake = asyncio.Event()
        self._unlisten: Callable[[], None] | None = None

    async def begin(self, text: str, when_full: WhenFull) -> None:
        """Say it. Raises what the owner raises, and `NodeBusy` while a reply runs; then nothing has changed."""
        self._before = frozenset(message.id for message in self.session.node(self.node).messages)
        if self.session.is_busy(self.node):
            raise NodeBusy
        self._unlisten = self.session.listen(self.node, self._hear)
        self.hub.on_close.add(self._wake.set)
        try:
            outcome = await self.session.handle(SendMessage(node=self.node, text=text, when_full=when_full))
        except BaseException:
            self.close()
            raise
        self._find_turn()
        if not self._began and not self.session.is_busy(self.node):
            self._answer_on_the_spot(outcome.seq)

    def close(self) -> None:
        if self._unlisten is not None:
            self._unlisten()
            self._unlisten = None
        self.hub.on_close.discard(self._wake.set)

    async def events(self) -> list[ChatEvent]:
        """What came since the last call, waiting for something; empty after the end.

        Raises `ServerStops`, `WatcherTooSlow`.
        """
        while self.done is None:
            heard, self._events = self._events, []
            self._waiting_characters = 0
            mine = [event for event in heard if self._take(event)]
            if mine:
                return mine
            if self._too_slow:
                raise WatcherTooSlow("The script does not read fast enough; the reply goes on without it.")
            if self.hub.closing:
                raise ServerStops("Talkfield was stopped before the reply had ended.")
            self._wake.clear()
            if not self._events:
                await self._wake.wait()
        return []

    async def end(self) -> Done:
        """Wait for the turn's end, until it is on the disk (ST1). Raises `ServerStops`, `SaveFailed`."""
        while self.done is None:
            await self.events()
        await self.session.durable()
        return self.done

    def messages(self) -> tuple[Message, ...]:
        """The turn's messages; for a slash command, what it left behind."""
        messages = self.session.node(self.node).messages
        if self.turn is None:
            return tuple(visible_message(message) for message in messages if message.id not in self._before)
        return tuple(visible_message(message) for message in messages if message.turn == self.turn)

    def _hear(self, event: ChatEvent) -> None:
        if isinstance(event, Delta | ThinkingDelta):
            self._waiting_characters += len(event.text)
            if self._waiting_characters > MAX_WAITING_CHARACTERS:
                self._too_slow = True
                self._events.clear()
        if not self._too_slow:
            self._events.append(event)
        self._wake.set()

    def _take(self, event: ChatEvent) -> bool:
        """Whether the script is to see it. Ours are events of our turn, and those that belong to none."""
        if self.done is not None or isinstance(event, MessageFinished):
            return False
        if not self._began:
            self._find_turn()
        turn = getattr(event, "turn", None)
        if not self._began or (turn is not None and turn != self.turn):
            return False
        if isinstance(event, Done):
            self.done = event
        return True

    def _find_turn(self) -> None:
        for message in self.session.node(self.node).messages:
            if message.id not in self._before and message.role == "user" and message.source is None:
                self.turn, self._began = message.turn, True
                return

    def _answer_on_the_spot(self, seq: int) -> None:
        """A slash command asks nobody: what it wrote is the answer, and it has ended."""
        self._began = True
        for message in self.messages():
            if message.role == "note":
                self._events.append(NoteAdded(node=self.node, message=message.id, text=message.content, seq=seq))
        self._events.append(Done(node=self.node, reason="end_turn", seq=seq))
