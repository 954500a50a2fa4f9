"""What programs outside want to do on a canvas, gated as tools are (T10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from doubles import settle
from session_desk import Desk, desk
from talkfield.core.audit import AuditQuery
from talkfield.core.ids import NodeId
from talkfield.core.records import RuleRecord, VisitorCallRecord
from talkfield.errors import AlreadyDecided, InvalidArgument, UnknownThing
from talkfield.wire import client as ask
from talkfield.workspace.base import Visit
from talkfield.workspace.visitor import NO_NODE

SEND, ADD = "talkfield__send_message", "talkfield__add_node"


def waiting(made: Desk) -> list[VisitorCallRecord]:
    return [record for record in made.session.snapshot() if isinstance(record, VisitorCallRecord)]


def asked(made: Desk, tool: str = SEND, node: NodeId = NO_NODE, limit_s: float = 5, **arguments: Any) -> Any:
    return asyncio.ensure_future(made.session.ask_visitor(tool, arguments, node, limit_s))


async def outcomes(made: Desk) -> list[tuple[str, str, str]]:
    lines = await made.session.recent_audit(AuditQuery())
    return [(line.entry.tool, line.entry.decision.partition(" ")[0], line.entry.outcome) for line in lines]


def decide(record: VisitorCallRecord, **more: Any) -> ask.DecideCall:
    return ask.DecideCall(node=record.node_id, call=record.id, **{"decision": "approve", **more})


async def test_T10_a_person_sees_a_card_and_what_they_say_is_told_and_on_record() -> None:
    async with desk() as made:
        node = await made.chat()
        visit = asked(made, node=node, text="hello\u202e")
        await settle()
        [record] = waiting(made)
        assert (record.card.source, record.card.ready, record.card.fields[0].text) == (
            "talkfield mcp",
            True,
            "hello⟨U+202E⟩",
        )
        await made.do(decide(record, digest=record.card.digest))
        assert await visit == Visit(allowed=True, args_json='{"text": "hello\u202e"}')
        assert waiting(made) == []
        assert await outcomes(made) == [(SEND, "person", "done")]
        with pytest.raises(UnknownThing):
            await made.do(decide(record))


async def test_T10_a_denial_and_edited_arguments_reach_who_asked() -> None:
    async with desk() as made:
        first = asked(made, ADD, title="one")
        await settle()
        [record] = waiting(made)
        for bad in ({"digest": "x"}, {"args_json": "[]"}):
            with pytest.raises(InvalidArgument):
                await made.do(decide(record, **bad))
        await made.do(decide(record, args_json='{"title": "two"}'))
        assert (await first).args_json == '{"title": "two"}'
        for reason, why in (("not now", "denied by user: not now"), ("", "denied by user")):
            second = asked(made, ADD, title="three")
            await settle()
            await made.do(decide(waiting(made)[0], decision="deny", reason=reason))
            assert ((await second).allowed, (await second).why) == (False, why)


async def test_R8_the_first_decision_counts() -> None:
    async with desk() as made:
        visit = asked(made, ADD)
        await settle()
        command = decide(waiting(made)[0])
        both = await asyncio.gather(made.do(command), made.do(command), return_exceptions=True)
        assert [type(each) for each in both if isinstance(each, Exception)] == [AlreadyDecided]
        assert (await visit).allowed


async def test_T7_a_decision_is_remembered_and_rules_answer_at_once() -> None:
    async with desk() as made:
        node = await made.chat()
        first = asked(made, node=node, text="a")
        await settle()
        here = ask.Remember(scope="chat", kind="any")
        await made.do(decide(waiting(made)[0], remember=here))
        assert (await first).allowed
        assert (await asked(made, node=node, text="b")).allowed
        other = asked(made, node=await made.chat(), text="c")
        await settle()
        await made.do(decide(waiting(made)[0], decision="deny"))
        await made.do(ask.SaveRule(action="deny", tool=SEND, kind="any"))
        assert (await asked(made, node=node, text="d")).why == "denied by a rule of the user"
        assert not (await other).allowed
        assert [row[1:] for row in await outcomes(made)] == [
            ("rule", "denied"),
            ("person", "denied"),
            ("rule", "done"),
            ("person", "done"),
        ]


async def test_T7_what_is_about_no_chat_is_remembered_for_the_project_alone() -> None:
    async with desk() as made:
        visit = asked(made, ADD, title="x")
        await settle()
        [record] = waiting(made)
        with pytest.raises(InvalidArgument, match="no chat"):
            await made.do(decide(record, remember=ask.Remember(scope="chat", kind="any")))
        exact = record.card.offers[0]
        described = ask.SaveRule(action="allow", tool=ADD, kind=exact.kind, pattern=exact.pattern)
        assert (await made.session.try_rule(described, record.id)).fits is True
        await made.do(decide(record, remember=ask.Remember(scope="project", kind=exact.kind, pattern=exact.pattern)))
        assert (await visit).allowed
        assert (await asked(made, ADD, title="x")).allowed
        [rule] = [record for record in made.session.snapshot() if isinstance(record, RuleRecord)]
        assert (rule.tool, rule.kind, rule.node_id) == (ADD, "exact", None)


async def test_T10_nobody_waits_for_ever_and_who_leaves_takes_the_card_away() -> None:
    async with desk() as made:
        assert (await asked(made, ADD, limit_s=0)).why == "nobody has decided within 0 s"
        gone = asked(made, ADD)
        await settle()
        gone.cancel()
        await asyncio.wait([gone])
        assert waiting(made) == []
        last = asked(made, ADD)
        await settle()
    assert (await last).why == "Talkfield is ending"
