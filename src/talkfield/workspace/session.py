"""One open project: ties its workspace, its runtime and the store together.

Everything happens on one event loop. A command's changes are made in one go, without an await in between, so no other
command sees half of them; its acknowledgement waits until they are durable (ST1).

The road of a turn: the runtime says events; `changes_for` turns them into changes; `Workspace.commit` publishes them.
What it did to the run (waiting, streaming, a card open) goes into the same frame.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace as dataclass_replace
from typing import Any

from msgspec.structs import replace

from talkfield.core.audit import AuditEntry, AuditQuery
from talkfield.core.changes import Change, Changes, Frame, Put, Remove, Transition
from talkfield.core.context_fit import newest_turns
from talkfield.core.conversation import changes_for
from talkfield.core.document import Document
from talkfield.core.events import ChatEvent, Done, kind_of
from talkfield.core.exporting import FORMATS
from talkfield.core.history import Scope
from talkfield.core.ids import CallId, EdgeId, MessageId, NodeId, ProviderId, RecordId, TurnId
from talkfield.core.messages import MessageError
from talkfield.core.nodes import ChatData
from talkfield.core.records import (
    NodeRecord,
    ProjectRecord,
    Record,
    RuleRecord,
    RunRecord,
    TotalsRecord,
    run_id,
    totals_id,
)
from talkfield.core.shelf import ShelfItem, shelf_items
from talkfield.errors import InvalidArgument, TalkfieldError, TurnRunning, UnknownThing
from talkfield.runtime.chat_runtime import ChatRuntime
from talkfield.runtime.ports import ProviderConfig, RuntimePorts, SendRequest, Tool
from talkfield.storage.base import AuditLine, ShelfEntry
from talkfield.wire.client import Command, SaveRule
from talkfield.workspace.answer import Answer, AppRequests
from talkfield.workspace.approval import rules_for, rules_in
from talkfield.workspace.autosave import Saver
from talkfield.workspace.base import LinkView, NodeView, Outcome, RuleTrial, Visit
from talkfield.workspace.budget import Budgets, trimmed_request
from talkfield.workspace.chat import send_waiting
from talkfield.workspace.file_watch import FileWatch, project_files
from talkfield.workspace.files import Files
from talkfield.workspace.handlers import HANDLERS
from talkfield.workspace.link_runner import LinkRunner
from talkfield.workspace.link_view import link_diff, link_view, link_views
from talkfield.workspace.parameters import parameters_of
from talkfield.workspace.reply_account import ReplyAccounts
from talkfield.workspace.rule_trial import try_rule
from talkfield.workspace.run_phase import run_after
from talkfield.workspace.service import Services
from talkfield.workspace.summary import take_summaries
from talkfield.workspace.tool_switch import switched_off, switched_on
from talkfield.workspace.visitor import Visitors
from talkfield.workspace.workspace import Workspace


class Session:
    """See the module, and `workspace.base.SessionLike` for what the server may ask.

    `recovered` is what was set right in `workspace` and is to be saved.
    """

    def __init__(
        self,
        project: ProjectRecord,
        workspace: Workspace,
        recovered: Changes,
        services: Services,
        saver: Saver,
        app: AppRequests,
    ) -> None:
        self.project = project.project
        self.epoch = workspace.log.epoch
        self.services = services
        self.app = app
        self._saver = saver
        self._listeners: dict[NodeId, list[Callable[[ChatEvent], None]]] = {}
        self.workspace = workspace
        self._rules = rules_in(self.document)
        self.visitors = Visitors(self)
        self._accounts = ReplyAccounts(services.directory, services.clock, self.document.conversation)
        self.budgets = Budgets(self)
        self.workspace.listen(lambda frame, transitions: saver.take_up(self.project, frame, transitions))
        self.workspace.listen(self._read_rules, growth=False)
        self.workspace.listen(self._shelve, growth=False)
        self.runtime = ChatRuntime(
            RuntimePorts(
                resolve_provider=self._resolve_provider,
                driver_for=services.directory.driver_for,
                broadcast=self._take_in,
                ids=services.ids,
                clock=services.clock,
                tools_for=self._tools_for,
                log=services.log,
                price=services.price,
                check_arguments=services.check_arguments,
                before_tool=self._before_tool,
                closed_folders=services.closed_folders,
                prepare_tools=self._prepare_tools if services.prepare_tools is not None else None,
                files=services.files,
                keep_file=Files(services, saver).keep,
                asked=self._accounts.asked,
                reserve=self.budgets.reserve,
                audit=lambda entry: saver.audit(self.project, entry),
                rules_for=lambda request: rules_for(self._rules, request.node),
                max_provider_calls=lambda: services.configuration.current.settings.max_provider_calls,
            )
        )
        saver.watch(self.project, self.document.get)
        self.links = LinkRunner(self)
        self.files = FileWatch(self)
        if recovered:
            saver.mark(self.project, [RecordId(c.value.id) for c in recovered if isinstance(c, Put)], urgent=True)
        take_summaries(self)

    # What the server asks ---------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        return self.workspace.document

    @property
    def seq(self) -> int:
        return self.workspace.seq

    def snapshot(self) -> tuple[Record, ...]:
        return self.workspace.snapshot()

    def since(self, epoch: str, seq: int) -> tuple[Frame, ...] | None:
        return self.workspace.log.since(epoch, seq)

    def subscribe(self, listener: Callable[[Frame], None]) -> Callable[[], None]:
        return self.workspace.listen(lambda frame, _transitions: listener(frame))

    def listen(self, node: NodeId, listener: Callable[[ChatEvent], None]) -> Callable[[], None]:
        listeners = self._listeners.setdefault(node, [])
        listeners.append(listener)

        def end() -> None:
            listeners.remove(listener)
            if not listeners:
                self._listeners.pop(node, None)

        return end

    async def handle(self, command: Command) -> Outcome:
        handler = HANDLERS[type(command)]
        answer: Answer
        try:
            result = handler(self, command)
            answer = await result if inspect.isawaitable(result) else result
        except TurnRunning as error:
            raise TurnRunning(f"can't do this now: {error.message}") from error
        seq = self.seq
        await self._saver.flush()
        return Outcome(seq=seq, made=answer.made, text=answer.text, attachments=answer.attachments)

    def node(self, node: NodeId) -> NodeView:
        record = self.node_record(node)
        totals = self.document.get(totals_id(node))
        return NodeView(
            project=self.project,
            node=record,
            messages=self.document.conversation(node),
            totals=totals if isinstance(totals, TotalsRecord) else None,
            running=self.is_busy(node),
        )

    def nodes(self) -> tuple[NodeRecord, ...]:
        return self.document.nodes()

    def link_views(self) -> tuple[LinkView, ...]:
        return link_views(self.document)

    def link_view(self, edge: EdgeId) -> LinkView:
        return link_view(self.document, edge)

    def link_diff(self, edge: EdgeId) -> str:
        return link_diff(self.document, edge)

    def is_busy(self, node: NodeId) -> bool:
        return self.runtime.is_busy(node)

    def export(self, format: str, nodes: Collection[NodeId], title: str) -> bytes:
        return FORMATS[format].write(self.document, nodes, title)

    async def audit(self, after: int = 0, limit: int = 1000) -> tuple[AuditLine, ...]:
        """What ran in this project, in order, from the line after `after` on (T8)."""
        await self._saver.flush()
        return tuple(await self._saver.call(lambda store: store.audit(self.project, after=after, limit=limit)))

    async def recent_audit(self, query: AuditQuery) -> tuple[AuditLine, ...]:
        """What ran in this project and fits, the newest first (T8)."""
        await self._saver.flush()
        return tuple(await self._saver.call(lambda store: store.recent_audit(self.project, query)))

    async def ask_visitor(self, tool: str, arguments: Mapping[str, Any], node: NodeId, limit_s: float) -> Visit:
        return await self.visitors.visit(tool, arguments, node, limit_s)

    def audit_entry(self, entry: AuditEntry) -> None:
        """Put on record what was decided outside of a turn (T8)."""
        self._saver.audit(self.project, entry)

    async def project_files(self, like: str) -> tuple[str, ...]:
        return await project_files(self, like)

    async def try_rule(self, rule: SaveRule, call: CallId | None = None) -> RuleTrial:
        return await try_rule(self, rule, call)

    async def close(self) -> None:
        """Stop every run; what they said is saved by whoever closes the saver."""
        self.visitors.close()
        await self.files.close()
        await self.links.close()
        await self.runtime.close()

    # What handlers use ------------------------------------------------------------------------------------------------

    def node_record(self, node: NodeId) -> NodeRecord:
        """The node. Raises `UnknownThing`."""
        record = self.document.node(node)
        if record is None:
            raise UnknownThing(f"there is no node {node}")
        return record

    def chat(self, node: NodeId) -> tuple[NodeRecord, ChatData]:
        """The node and its data as a chat's. Raises `UnknownThing`, `InvalidArgument`."""
        record = self.node_record(node)
        if not isinstance(record.data, ChatData):
            raise InvalidArgument("this node is not a chat", place="node")
        return record, record.data

    def default_model(self, provider: ProviderId | None) -> str | None:
        """The model a chat asks where it names none itself: the provider's, or that of Settings for the default one."""
        settings = self.services.configuration.current.settings
        config = self.services.directory.resolve(provider)
        if config is None:
            return None
        # The default model belongs to the default provider: with another provider it would mean nothing.
        if provider is None and settings.default_model and config.id == settings.default_provider:
            return settings.default_model
        return config.model

    def request(self, node: NodeId, turn: TurnId | None = None) -> SendRequest:
        """What the runtime is asked for this chat, with its conversation as it is now."""
        _, data = self.chat(node)
        return SendRequest(
            node=node,
            messages=self.document.conversation(node),
            provider=data.provider,
            model=data.model or self.default_model(data.provider),
            system=data.system,
            parameters=parameters_of(data),
            project=self.project,
            folder=self.app.folder_of(self.project),
            turn=turn,
        )

    def begin_turn(
        self, node: NodeId, turn: TurnId, changes: Iterable[Change], cause: str, *, label: str = "message"
    ) -> None:
        """Commit 1 of a turn: what was said, and the run. Opens the turn's undo scope (architecture, section 4).

        What a turn that goes on has said and called before, it holds again (UN5).
        """
        scope = Scope(turn)
        said = [message.id for message in self.document.messages(node) if message.turn == turn]
        called = [call.id for message in said for call in self.document.calls(message)]
        self.workspace.open_scope(scope, label, holds=map(RecordId, (*said, *called)))
        run = RunRecord(
            id=run_id(node), node_id=node, turn=turn, phase="waiting", started_at=self.services.clock.now_ms()
        )
        try:
            self.workspace.commit((*changes, Put(run)), cause, scope)
        except TalkfieldError:
            self.workspace.history.close(scope)
            raise

    def start(self, node: NodeId, turn: TurnId, reply: MessageId, room: int | None = None) -> None:
        """Hand a turn whose first commit is made to the runtime; `room`: tokens its messages have to fit into (C7)."""
        request = self.request(node, turn)
        messages = tuple(message for message in request.messages if message.id != reply)
        if room is not None:
            messages = newest_turns(messages, request.system, room).messages
        asked = dataclass_replace(request, messages=messages, reply=reply)
        self._launch(node, turn, reply, lambda: self.runtime.start(asked))

    def resume(self, node: NodeId, turn: TurnId, reply: MessageId, *, trim: bool = False) -> None:
        """Let the runtime go on with a turn from its transcript (R14); `trim`: as much of it as limits allow (P8)."""
        request = self.request(node, turn)
        request = trimmed_request(self, request) if trim else request
        self._launch(node, turn, reply, lambda: self.runtime.resume(request))

    def _launch(self, node: NodeId, turn: TurnId, reply: MessageId, launch: Callable[[], object]) -> None:
        """Whatever goes wrong in starting a turn that was announced is its end: no run without anyone running it."""
        try:
            launch()
        except Exception as error:
            self.services.log(f"a turn in {node} could not start: {type(error).__name__}")
            why = MessageError(code="internal", message=f"The reply could not start: {error}", retryable=True)
            self._take_in(node, (Done(node=node, reason="error", message=reply, error=why, turn=turn),))

    async def stop_and_wait(self, nodes: Iterable[NodeId]) -> None:
        """Stop the runs of these nodes and wait until each is over."""
        await self.runtime.stop_and_wait(nodes)

    async def shelf(self, text: str = "") -> tuple[ShelfEntry, ...]:
        """What was taken out of this project, newest first; with `text`, what contains its words (W14)."""
        await self._saver.flush()
        return tuple(await self._saver.call(lambda store: store.shelf(self.project, text)))

    async def shelved(self, item: str) -> ShelfItem:
        """One item of the shelf. Raises `UnknownThing`."""
        await self._saver.flush()
        return await self._saver.call(lambda store: store.shelved(self.project, item))

    def unshelve(self, item: str) -> None:
        """Take an item off the shelf, with the next write."""
        self._saver.unshelve(self.project, item)

    async def durable(self) -> None:
        """Return when everything that has changed so far is on the disk. Raises `SaveFailed`."""
        await self._saver.flush()

    def publish(self, changes: Iterable[Change], cause: str) -> None:
        """Session records from outside the project: settings, providers, the save state."""
        self.workspace.commit(changes, cause, "skip")

    # The road of a turn -----------------------------------------------------------------------------------------------

    def _resolve_provider(self, request: SendRequest) -> ProviderConfig | None:
        return self.services.directory.resolve(request.provider)

    def _tools_for(self, request: SendRequest) -> Sequence[Tool]:
        return switched_on(self.services.tools_for(request), switched_off(self.document, request.node))

    async def _prepare_tools(self, request: SendRequest) -> None:
        if self.services.prepare_tools is not None:
            off = switched_off(self.document, request.node)
            await self.services.prepare_tools(dataclass_replace(request, tools_off=off))

    def _take_in(self, node: NodeId, events: tuple[ChatEvent, ...]) -> None:
        """One batch of a turn's events as one commit; the one with `done` closes the turn's scope."""
        record = self.document.get(run_id(node))
        run = record if isinstance(record, RunRecord) else None
        self._accounts.watch(events)
        changes: list[Change] = list(changes_for(self.document, events, self.services.clock.now_ms()))
        changes = [*self._accounts.stamped(node, events, changes), *self.budgets.settled(node, events)]
        ends = isinstance(events[-1], Done)
        scope = Scope(run.turn) if run is not None else None
        if ends:
            changes.append(Remove(run_id(node)))
        elif run is not None:
            moved = run_after(self.document, run, events)
            if moved != run:
                changes.append(Put(moved))
        open_scope = scope if scope is not None and self.workspace.history.is_open(scope) else None
        self.workspace.commit(changes, kind_of(events[-1]), open_scope or "skip", close=open_scope if ends else None)
        self.tell(node, events)
        done = events[-1]
        if ends:
            take_summaries(self, node)
        if isinstance(done, Done) and done.reason == "end_turn":
            send_waiting(self, node)

    def tell(self, node: NodeId, events: Iterable[ChatEvent]) -> None:
        """Pass the events on to scripts, stamped with the frame that holds their effects (M7)."""
        listeners = self._listeners.get(node)
        if not listeners:
            return
        for event in events:
            stamped = replace(event, seq=self.seq)
            for listener in list(listeners):
                listener(stamped)

    async def _before_tool(self, _node: NodeId, _call: CallId) -> None:
        await self._saver.flush()

    def _shelve(self, frame: Frame, transitions: list[Transition]) -> None:
        """What was paid for and is nowhere any more goes to the shelf, in the transaction that takes it away (W14)."""
        items = shelf_items(self.document, transitions, frame.cause, self.services.clock.now_ms())
        if items:
            self._saver.shelve(self.project, items)

    def _read_rules(self, _frame: Frame, transitions: list[Transition]) -> None:
        if any(isinstance(record, RuleRecord) for transition in transitions for record in transition):
            self._rules = rules_in(self.document)
