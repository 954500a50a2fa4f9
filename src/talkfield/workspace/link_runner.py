"""Lets a project's links run: when someone asks, and by themselves when their sources have gone quiet (L1, L3).

Lives on the event loop, one for each session. A link that fails says so in its memory and disturbs nothing else.
Automatic links run in the order in which they depend on each other, each once for what its source says; what is in a
circle never runs.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.changes import Frame, Put, Transition
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.link_content import content_digest, stands_on
from talkfield.core.link_order import in_order, links_of, loop_through, titles, with_members
from talkfield.core.links import InjectContext, WriteFile, permission
from talkfield.core.nodes import GroupData
from talkfield.core.records import (
    EdgeRecord,
    LinkMemoryRecord,
    LinkStatusRecord,
    RunRecord,
    link_memory_id,
    link_status_id,
)
from talkfield.errors import CommandRejected, InvalidArgument, TalkfieldError
from talkfield.workspace.link_delivery import DELIVERIES, Delivered
from talkfield.workspace.link_delivery.inject_context import inject
from talkfield.workspace.link_status import content_of

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

QUIET_S = 1.0
"""So long a source has to be quiet before links run by themselves."""

NOT_ALLOWED = "It has to be allowed first: open the link and run it once."


class LinkRunner:
    """See the module."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._links = {link.id: link for link in links_of(session.document)}
        self._due: set[EdgeId] = set()
        """Asked for by a person, and waiting for a reply to end."""
        self._changed = False
        self._task: asyncio.Task[None] | None = None
        session.workspace.listen(self._notice, growth=False)
        if any(link.automatic for link in self._links.values()):
            self._schedule()

    def edges(self) -> tuple[EdgeRecord, ...]:
        """The edges that carry something."""
        return tuple(self._links.values())

    async def run(self, edge: EdgeRecord, allow: str = "") -> None:
        """Let a link deliver, because someone asks. Raises `CommandRejected`; how it went is in the link's memory."""
        others = with_members(self._session.document, [each for each in self._links.values() if each.id != edge.id])
        loop = loop_through(others, edge.source, edge.target)
        if loop is not None:
            raise InvalidArgument(
                f"this link is part of a circle: {titles(self._session.document, loop)}", place="edge"
            )
        if edge.pinned:
            raise InvalidArgument("this link is pinned; what it delivered stays as it is", place="edge")
        if not content_of(self._session.document, edge):
            if edge.behavior is not None and edge.behavior.part == "summary":
                raise InvalidArgument("there is no summary yet: make it first", place="edge")
            raise InvalidArgument("there is nothing to deliver: its source is empty", place="edge")
        self._ask(edge, allow)
        if self._waits_for_target(edge):
            self._due.add(edge.id)
            self._remember(edge, outcome="waits for the reply to end", error="")
            return
        await self._deliver(edge)

    def say_with(self, node: NodeId) -> None:
        """Something is about to be said in this chat: what was to go with it is added before it."""
        for edge in list(self._links.values()):
            if edge.target != node or not isinstance(edge.behavior, InjectContext) or not self._memory(edge).armed:
                continue
            source, content = self._session.document.node(edge.source), content_of(self._session.document, edge)
            if source is not None and content:
                delivered = inject(self._session, edge, edge.behavior, source, content)
                self._finish(edge, content_digest(content), delivered)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    # By themselves ----------------------------------------------------------------------------------------------------

    def _notice(self, _frame: Frame, transitions: list[Transition]) -> None:
        moved = False
        for before, after in transitions:
            record = after if after is not None else before
            if isinstance(record, EdgeRecord):
                self._links.pop(record.id, None)
                if isinstance(after, EdgeRecord) and after.kind == "link" and after.behavior is not None:
                    self._links[after.id] = after
                moved = True
            elif isinstance(record, LinkStatusRecord) or (isinstance(record, RunRecord) and after is None):
                moved = True
        if moved and (self._due or any(link.automatic for link in self._links.values())):
            self._schedule()

    def _schedule(self) -> None:
        self._changed = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run_when_quiet())

    async def _run_when_quiet(self) -> None:
        while self._changed:
            self._changed = False
            await self._session.services.clock.sleep_s(QUIET_S)
            if not self._changed:
                await self._run_due()

    async def _run_due(self) -> None:
        for link in in_order(with_members(self._session.document, self._links.values())):
            edge = self._links.get(link.id)  # as it is now: what ran before may have taken its time
            if edge is not None and self._is_due(edge):
                self._due.discard(edge.id)
                await self._deliver(edge)
        self._due &= self._links.keys()

    def _is_due(self, edge: EdgeRecord) -> bool:
        if self._is_speaking(edge.source) or self._waits_for_target(edge):
            return False
        if edge.id in self._due:
            return True
        status, memory = self._session.document.get(link_status_id(edge.id)), self._memory(edge)
        if not edge.automatic or not isinstance(status, LinkStatusRecord) or status.state not in ("new", "changed"):
            return False
        return status.digest not in ("", memory.digest, memory.tried)

    def _is_speaking(self, source: NodeId) -> bool:
        """Whether a reply is being written there; in a group, in any chat that stands on it."""
        document = self._session.document
        node = document.node(source)
        if node is None or not isinstance(node.data, GroupData):
            return self._session.is_busy(source)
        return any(self._session.is_busy(each.id) for each in document.nodes() if stands_on(each, node))

    def _waits_for_target(self, edge: EdgeRecord) -> bool:
        now = isinstance(edge.behavior, InjectContext) and edge.behavior.when == "now"
        return now and self._session.is_busy(edge.target)

    # One run ----------------------------------------------------------------------------------------------------------

    async def _deliver(self, edge: EdgeRecord) -> None:
        document = self._session.document
        source, content = document.node(edge.source), content_of(document, edge)
        digest = content_digest(content)
        try:
            if source is None or not content:
                raise InvalidArgument("there is nothing to deliver: its source is empty", place="edge")
            if not self._is_allowed(edge):
                raise CommandRejected(NOT_ALLOWED)
            delivered = await DELIVERIES[type(edge.behavior)](self._session, edge, edge.behavior, source, content)
            self._finish(edge, digest, delivered)
        except Exception as error:
            known = isinstance(error, TalkfieldError)
            words = f"{error.message} {error.hint}".strip() if known else f"Unexpected: {type(error).__name__}"  # type: ignore[attr-defined]
            self._session.services.log(f"link {edge.id} failed: {type(error).__name__}")
            self._remember(edge, tried=digest, error=words, outcome="")

    def _finish(self, edge: EdgeRecord, digest: str, delivered: Delivered) -> None:
        """One commit for what was delivered and that it was: saved at once, no part of what undo takes back (W2)."""
        armed = {"armed": True} if delivered.armed else {"armed": False, "digest": digest}
        self._remember(edge, tried="", error="", outcome=delivered.outcome, delivered=delivered, **armed)
        if delivered.event is not None:
            self._session.tell(edge.target, (delivered.event,))

    def _remember(self, edge: EdgeRecord, *, delivered: Delivered | None = None, **fields: str | bool) -> None:
        if self._session.document.get(edge.id) is None:
            return  # it was taken away while it ran
        memory = replace(self._memory(edge), ran_at=self._session.services.clock.now_ms(), **fields)
        changes = delivered.changes if delivered is not None else ()
        cause = "context-added" if changes else "link"
        self._session.workspace.commit((*changes, Put(memory)), cause, "skip")

    def _memory(self, edge: EdgeRecord) -> LinkMemoryRecord:
        record_id = link_memory_id(edge.id)
        known = self._session.document.get(record_id)
        return known if isinstance(known, LinkMemoryRecord) else LinkMemoryRecord(id=record_id, edge_id=edge.id)

    # What a person allows ---------------------------------------------------------------------------------------------

    def _ask(self, edge: EdgeRecord, allow: str) -> None:
        """Raises `CommandRejected` where nobody has allowed what the link does outside the canvas (L1)."""
        if self._is_allowed(edge):
            return
        assert isinstance(edge.behavior, WriteFile)
        wanted = permission(edge.behavior)
        if allow != wanted:
            raise CommandRejected(f"this link may not {wanted} yet", hint="Allow it in the link's window.")
        self._remember(edge, allowed=wanted)

    def _is_allowed(self, edge: EdgeRecord) -> bool:
        return not isinstance(edge.behavior, WriteFile) or self._memory(edge).allowed == permission(edge.behavior)
