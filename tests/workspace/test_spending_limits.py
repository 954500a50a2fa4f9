"""Limits on spending, with a scripted provider: what is held, what is counted, and what ends for want of room (P8)."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest

from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.cost import PrefixPrices, Price, Rates, stamp
from talkfield.core.ids import NodeId
from talkfield.core.messages import Usage
from talkfield.core.nodes.chat import ChatParameters
from talkfield.core.records import BudgetRecord, budget_id
from talkfield.errors import InvalidArgument
from talkfield.providers.script import Hold
from talkfield.runtime.ports import TextChunk, UsageChunk
from talkfield.storage.memory import MemoryStore
from talkfield.wire import client as ask

DOLLAR_A_TOKEN = PrefixPrices({"": Price(rates=Rates(input=Decimal(0), output=Decimal(10**6)), price_id="test")})
PRICED: dict[str, Any] = {
    "price": lambda model, provider, used, usd: stamp(used, model=model, reported_usd=usd, table=DOLLAR_A_TOKEN)
}


def answer(text: str, usd: int) -> list[Any]:
    return [TextChunk(text), UsageChunk(Usage(input_tokens=1, output_tokens=usd)), END]


def budget(subject: Desk, node: NodeId | None = None) -> BudgetRecord:
    found = subject.record(budget_id(node))
    assert isinstance(found, BudgetRecord)
    return found


async def chat(subject: Desk, most_tokens: int = 10) -> NodeId:
    """A chat whose next call may cost as many dollars as its answer may have tokens."""
    node = await subject.chat()
    await subject.do(ask.ConfigureChat(node=node, parameters=ChatParameters(max_output_tokens=most_tokens)))
    return node


async def limit(subject: Desk, usd: str | None, node: NodeId | None = None, **fields: Any) -> None:
    await subject.do(ask.SetBudget(node=node, limit_usd=None if usd is None else Decimal(usd), **fields))


def last(subject: Desk, node: NodeId) -> Any:
    return subject.session.document.messages(node)[-1]


async def test_P8_a_call_that_does_not_fit_is_not_made_and_goes_on_when_the_limit_is_raised() -> None:
    async with desk(answer("One.", 4), answer("Two.", 4), **PRICED) as subject:
        node = await chat(subject)
        await limit(subject, "12", node)
        await subject.say(node, "Hi")
        assert (budget(subject, node).spent_usd, budget(subject, node).held) == (Decimal(4), {})
        await subject.say(node, "More")
        error = last(subject, node).error
        assert (error.code, error.message) == (
            "budget",
            "The limit on this chat is $12.00, and $8.00 of it is left; the next call may cost $10.00.",
        )
        await limit(subject, "14", node)
        await subject.do(ask.ContinueTurn(node=node))
        await settle()
        assert subject.texts(node) == [("user", "Hi"), ("assistant", "One."), ("user", "More"), ("assistant", "Two.")]
        assert budget(subject, node).spent_usd == 8


async def test_P8_two_racing_chats_cannot_both_take_the_last_cent() -> None:
    hold = Hold()
    async with desk([hold, *answer("One.", 3)], **PRICED) as subject:
        first, second = await chat(subject), await chat(subject)
        await limit(subject, "15")
        await subject.do(ask.SendMessage(node=first, text="Hi"))
        await settle()
        assert list(budget(subject).held.values()) == [Decimal(10)]
        await subject.say(second, "Hi")
        assert last(subject, second).error.code == "budget"
        await subject.do(ask.StopTurn(node=first))
        await settle()
        assert budget(subject).held == {}


async def test_P8_money_stays_spent_after_undo_deletion_and_a_restart_and_most_of_it_gone_is_said() -> None:
    store = MemoryStore()
    async with desk(answer("One.", 9), store=store, **PRICED) as subject:
        node = await chat(subject)
        await limit(subject, "11")
        await limit(subject, "10", node)
        await subject.say(node, "Hi")
        await subject.do(ask.Undo())
        assert subject.texts(node) == []
        assert (budget(subject, node).spent_usd, budget(subject, node).warned) == (Decimal(9), True)
        await subject.do(ask.RemoveNodes(nodes=(node,)))
        assert budget(subject).spent_usd == 9
    async with desk(store=store, **PRICED) as again:
        assert (budget(again).spent_usd, budget(again).limit_usd) == (Decimal(9), Decimal(11))


async def test_P8_a_limit_starts_with_what_was_spent_and_a_group_counts_what_stands_on_it() -> None:
    async with desk(answer("One.", 4), answer("Two.", 5), **PRICED) as subject:
        node = await chat(subject)
        await subject.say(node, "Hi")
        group = NodeId((await subject.do(ask.AddNode(kind="group", x=-50, y=-50, width=2000, height=2000))).made[0])
        await limit(subject, "20", group)
        assert budget(subject, group).spent_usd == 4
        await subject.say(node, "More")
        assert budget(subject, group).spent_usd == 9


async def test_P8_a_refusal_names_the_limit_that_has_no_room() -> None:
    async with desk(**PRICED) as subject:
        node = await chat(subject)
        group = NodeId((await subject.do(ask.AddNode(kind="group", x=-50, y=-50, width=2000, height=2000))).made[0])
        await limit(subject, "100", node)
        await limit(subject, "9", group)
        reasons = []
        await subject.say(node, "Hi")
        reasons.append(last(subject, node).error.message.partition(" is ")[0])
        await subject.do(ask.RenameNode(node=group, title="Trip"))
        await subject.do(ask.ContinueTurn(node=node))
        await settle()
        reasons.append(last(subject, node).error.message.partition(" is ")[0])
        await limit(subject, None, group)
        await limit(subject, "8")
        await subject.do(ask.ContinueTurn(node=node))
        await settle()
        reasons.append(last(subject, node).error.message.partition(" is ")[0])
        assert reasons == [
            "The limit on the group of this chat",
            "The limit on the group “Trip”",
            "The limit on the project",
        ]


async def test_P8_a_model_without_a_price_is_refused_under_a_limit_unless_allowed() -> None:
    async with desk([TextChunk("One."), END]) as subject:
        node = await subject.chat()
        await limit(subject, "20")
        await subject.say(node, "Hi")
        assert "no known price" in last(subject, node).error.message
        await limit(subject, "20", allow_unpriced=True)
        await subject.do(ask.ContinueTurn(node=node))
        await settle()
        assert (last(subject, node).content, budget(subject).spent_usd) == ("One.", Decimal(0))


async def test_P8_to_go_on_trimmed_leaves_out_the_oldest_turns_until_it_fits() -> None:
    by_input = PrefixPrices({"": Price(rates=Rates(input=Decimal(10**6), output=Decimal(0)), price_id="test")})
    priced: dict[str, Any] = {
        "price": lambda model, provider, used, usd: stamp(used, model=model, reported_usd=usd, table=by_input)
    }
    answers = ([TextChunk(text), UsageChunk(Usage(input_tokens=1, output_tokens=1)), END] for text in ("One.", "Two."))
    async with desk(*answers, context_limit=lambda *_: None, **priced) as subject:
        node = await chat(subject)
        await subject.say(node, "old " * 500)
        await limit(subject, "100", node)
        await subject.say(node, "new")
        assert last(subject, node).error.code == "budget"
        await subject.do(ask.ContinueTurn(node=node, trim=True))
        await settle()
        assert last(subject, node).content == "Two."


async def test_P8_a_limit_is_an_amount_and_belongs_to_a_chat_a_group_or_the_project() -> None:
    async with desk() as subject:
        note = NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0))).made[0])
        with pytest.raises(InvalidArgument, match="only a chat, a group or the project"):
            await limit(subject, "1", note)
        with pytest.raises(InvalidArgument, match="an amount in USD"):
            await limit(subject, "-1")
        await limit(subject, "1")
        await limit(subject, None)
        assert budget(subject).limit_usd is None


async def test_P8_what_was_asked_when_the_process_was_killed_counts_as_its_worst_case() -> None:
    """A hold is on the disk before the provider is asked: a copy of the store at that moment is what a kill leaves."""
    store = MemoryStore()
    async with desk([Hold(), *answer("One.", 3)], store=store, **PRICED) as subject:
        node = await chat(subject)
        await limit(subject, "15")
        await subject.do(ask.SendMessage(node=node, text="Hi"))
        await settle()
        left = deepcopy(store)
        await subject.do(ask.StopTurn(node=node))
        await settle()
    async with desk(store=left, **PRICED) as again:
        assert (budget(again).spent_usd, budget(again).held) == (Decimal(10), {})
