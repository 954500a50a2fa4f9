"""Limits on spending: sets them, holds what a provider call may cost before it, counts what it did cost (P8).

Lives on the event loop, one for each session. To look and to hold is one step without an await, so two chats cannot
both take the last cent. What is held is on the disk before the provider is asked: after a kill it counts as spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as dataclass_replace
from decimal import Decimal
from typing import TYPE_CHECKING

from msgspec import json
from msgspec.structs import replace

from talkfield.core.budget import reserve, settle, short_of, spent_on, with_warning, worst_usage
from talkfield.core.changes import Change, Put
from talkfield.core.context_fit import newest_turns
from talkfield.core.cost import ZERO, is_amount, plain
from talkfield.core.estimate import estimate_tokens
from talkfield.core.events import ChatEvent, Done, UsageReported
from talkfield.core.ids import MessageId, NodeId
from talkfield.core.link_content import stands_on
from talkfield.core.messages import Message
from talkfield.core.nodes import ChatData, GroupData
from talkfield.core.records import BudgetRecord, NodeRecord, TotalsRecord, budget_id, totals_id
from talkfield.core.transcript import transcript
from talkfield.errors import InvalidArgument
from talkfield.runtime.ports import Parameters, ProviderConfig, ProviderRequest, SendRequest
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def set_budget(session: Session, command: ask.SetBudget) -> Answer:
    node = session.node_record(command.node) if command.node is not None else None
    if node is not None and not isinstance(node.data, ChatData | GroupData):
        raise InvalidArgument("only a chat, a group or the project can have a limit", place="node")
    limit = command.limit_usd
    if limit is not None and not is_amount(limit):
        raise InvalidArgument("must be an amount in USD, 0 or more", place="limitUsd")
    known = session.document.get(budget_id(command.node))
    budget = known if isinstance(known, BudgetRecord) else first_count(session, node)
    limit = None if limit is None else plain(limit)
    changed = with_warning(replace(budget, limit_usd=limit, allow_unpriced=command.allow_unpriced))
    session.workspace.commit([Put(changed)], "setBudget", "skip")
    return Answer(made=(changed.id,))


def first_count(session: Session, node: NodeRecord | None) -> BudgetRecord:
    """A budget that counts what was spent on what it is about, as far as that still stands there."""
    chats = [each for each in session.document.nodes() if node is None or each.id == node.id or stands_on(each, node)]
    messages = [message for chat in chats for message in session.document.messages(chat.id)]
    return BudgetRecord(
        id=budget_id(node.id if node is not None else None),
        node_id=node.id if node is not None else None,
        spent_usd=spent_on(messages),
    )


class Budgets:
    """See the module. `reserve` is a runtime's port; the session adds `settled` to the commit of each batch."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, node: NodeId) -> tuple[BudgetRecord, ...]:
        """The budgets that count what this chat spends: its own, those of the groups it stands on, the project's."""
        document = self._session.document
        chat = document.node(node)
        groups = [
            other.id
            for other in document.nodes()
            if isinstance(other.data, GroupData) and chat is not None and stands_on(chat, other)
        ]
        found = (document.get(budget_id(each)) for each in (node, *groups, None))
        return tuple(each for each in found if isinstance(each, BudgetRecord))

    async def reserve(self, node: NodeId, message: MessageId, request: ProviderRequest) -> None:
        """Raises `BudgetReached`, `SaveFailed`; then nothing is held for this call."""
        budgets = self.of(node)
        if not budgets:
            return
        tools = "".join(f"{tool.name} {tool.description} {json.encode(tool.schema).decode()}" for tool in request.tools)
        usd = self._worst_usd(
            node, request.messages, request.system, tools, request.parameters, request.provider, request.model
        )
        held = reserve(budgets, message, usd, self._name_of)
        self._session.workspace.commit([Put(budget) for budget in held], "budget", "skip")
        await self._session.durable()

    def _name_of(self, node: NodeId) -> str:
        """What a budget's node is called to somebody in one of its chats."""
        record = self._session.document.node(node)
        if record is None or not isinstance(record.data, GroupData):
            return "this chat"
        return f"the group “{record.title}”" if record.title else "the group of this chat"

    def settled(self, node: NodeId, events: Sequence[ChatEvent]) -> list[Change]:
        """What a batch of a turn's events changes: its calls cost what was stamped, and hold nothing any more."""
        paid: dict[MessageId, Decimal] = {}
        for event in events:
            if isinstance(event, UsageReported):
                cost = event.cost
                usd = cost.usd if cost is not None and cost.source != "unpriced" and is_amount(cost.usd) else ZERO
                paid[event.message] = usd
            elif isinstance(event, Done) and event.message is not None:
                paid.setdefault(event.message, ZERO)
        if not paid:
            return []
        own = {budget.id for budget in self.of(node)}
        changes: list[Change] = []
        for record in self._session.document.every(BudgetRecord):
            budget = record
            for message, usd in paid.items():
                if message in record.held or (usd and record.id in own):
                    (budget,) = settle((budget,), message, usd)
            if budget != record:
                changes.append(Put(budget))
        return changes

    def trimmed(self, request: SendRequest, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The newest turns for which there is room; the last one where there is none for more."""
        budgets = self.of(request.node)
        config = self._session.services.directory.resolve(request.provider)
        model = request.model or (config.model if config is not None else None)
        if config is None or not model:
            return messages
        tokens = sum(estimate_tokens(message.content) for message in messages) * 2
        while True:
            usd = self._worst_usd(
                request.node, transcript(messages), request.system, "", request.parameters, config, model, counted=False
            )
            if short_of(budgets, usd) is None or tokens == 0:
                return messages
            tokens //= 2
            messages = newest_turns(messages, request.system, tokens).messages

    def _worst_usd(
        self,
        node: NodeId,
        messages: Sequence[Message],
        system: str,
        tools: str,
        parameters: Parameters,
        provider: ProviderConfig,
        model: str,
        *,
        counted: bool = True,
    ) -> Decimal | None:
        """What a call may cost at most; None where there is no price for it."""
        services = self._session.services
        totals = self._session.document.get(totals_id(node))
        whole = counted and len(messages) >= self._sendable(node)
        usage = worst_usage(
            messages,
            system,
            tools,
            counted=totals.context_tokens if whole and isinstance(totals, TotalsRecord) else 0,
            most_output=parameters.max_output_tokens,
            window=services.context_limit(model, provider.id),
        )
        cost = services.price(model, provider, usage, None)
        return None if cost is None or cost.source == "unpriced" else cost.usd

    def _sendable(self, node: NodeId) -> int:
        """How many messages a call sends where nothing is left out; the last count says nothing of one that is less."""
        return len(transcript(self._session.document.conversation(node)))


def trimmed_request(session: Session, request: SendRequest) -> SendRequest:
    """The request with its oldest turns left out, as far as limits ask for it."""
    return dataclass_replace(request, messages=session.budgets.trimmed(request, tuple(request.messages)))
