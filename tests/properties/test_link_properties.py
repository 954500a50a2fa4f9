"""Whatever people do: a link is stale exactly when its source says something else, and delivers one copy, in order.

A mirror of what each source says is kept beside, computed from the document alone after every step (L3).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doubles import settle
from session_desk import END, Desk, desk
from talkfield.core.changes import Frame, Put
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.link_content import content_digest
from talkfield.core.link_order import links_of, loop_through
from talkfield.core.links import InjectContext
from talkfield.core.records import EdgeRecord, LinkMemoryRecord, LinkStatusRecord, link_memory_id, link_status_id
from talkfield.errors import TalkfieldError
from talkfield.runtime.ports import TextChunk
from talkfield.wire import client as ask
from talkfield.workspace.link_status import content_of, status_of

SETTINGS = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

STEP = st.tuples(
    st.sampled_from(
        ["run", "edit", "say", "automatic", "run", "edit", "link", "pin", "unpin", "unlink", "undo", "clear", "wait"]
    ),
    st.integers(0, 4),
    st.integers(0, 4),
)


def copies(subject: Desk) -> Counter[tuple[str, str]]:
    """How often each link's context stands in its target."""
    return Counter(
        (message.source.link or "", node.id)
        for node in subject.session.nodes()
        for message in subject.session.document.messages(node.id)
        if message.source is not None
    )


def check(subject: Desk) -> None:
    document = subject.session.document
    for link in links_of(document):
        status = document.get(link_status_id(link.id))
        assert status == status_of(document, link)
        assert isinstance(status, LinkStatusRecord)
        memory = document.get(link_memory_id(link.id))
        if isinstance(memory, LinkMemoryRecord) and memory.digest and not link.pinned and not memory.armed:
            content = content_of(document, link)
            says_the_same = bool(content) and content_digest(content) == memory.digest
            if copies(subject)[(link.id, link.target)]:
                assert status.state == ("current" if says_the_same else "changed")
            else:
                assert status.state == ("new" if content else "empty")
    assert all(count == 1 for count in copies(subject).values())


async def do(subject: Desk, command: ask.Command) -> None:
    with suppress(TalkfieldError):
        await subject.do(command)
    await settle(3)


async def take(subject: Desk, nodes: list[NodeId], what: str, one: int, two: int) -> None:
    links = [record for record in subject.session.document if isinstance(record, EdgeRecord)]
    link = links[one % len(links)].id if links else EdgeId("none")
    match what:
        case "edit":
            await do(subject, ask.EditSticky(node=nodes[one % 2], text=f"text {two}"))
        case "say":
            await do(subject, ask.SendMessage(node=nodes[2 + one % 3], text=f"said {two}"))
        case "link":
            await do(subject, ask.AddEdge(source=nodes[one], target=nodes[2 + two % 3]))
        case "run":
            await do(subject, ask.RunLink(edge=link))
        case "pin" | "unpin":
            await do(subject, ask.EditLink(edge=link, pinned=what == "pin"))
        case "automatic":
            part = ("conversation", "lastReply", "lastTurn")[two % 3]
            await do(subject, ask.EditLink(edge=link, automatic=two < 4, behavior=InjectContext(part=part)))  # type: ignore[arg-type]
        case "unlink":
            await do(subject, ask.RemoveEdges(edges=(link,)))
        case "wait":
            await subject.clock.advance(3)
        case "undo":
            await do(subject, ask.Undo())
        case _:
            await do(subject, ask.SendMessage(node=nodes[2 + one % 3], text="/clear"))


async def play(steps: list[tuple[str, int, int]], *, automatic: bool) -> None:
    async with desk(*([TextChunk(f"reply {n}"), END] for n in range(len(steps)))) as subject:
        nodes = [
            NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text=f"note {n}"))).made[0]) for n in range(2)
        ]
        nodes += [await subject.chat() for _ in range(3)]
        for source, target in ((0, 2), (1, 3), (2, 3), (3, 4)):
            edge = EdgeId((await subject.do(ask.AddEdge(source=nodes[source], target=nodes[target]))).made[0])
            everything = InjectContext(part="conversation")
            await subject.do(ask.EditLink(edge=edge, behavior=everything, automatic=automatic))
        for what, one, two in steps:
            await take(subject, nodes, what, one, two)
            check(subject)
        before = len(subject.frames)
        for _ in range(4):
            await subject.clock.advance(2)
        check(subject)
        links = links_of(subject.session.document)
        assert all(loop_through(links, link.source, link.target) is None for link in links)
        for link in links:
            status = subject.record(link_status_id(link.id))
            if link.automatic and not link.pinned:
                assert status.state in ("current", "empty") or not (
                    content_of(subject.session.document, link) and copies(subject)[(link.id, link.target)]
                )
        assert all(count == 1 for count in delivered_in(subject.frames[before:]).values())


def delivered_in(frames: list[Frame]) -> Counter[str]:
    """How often each link ran by itself in these frames: once, for all that had changed before it (L3)."""
    values = [change.value for frame in frames for change in frame.changes if isinstance(change, Put)]
    return Counter(value.edge_id for value in values if isinstance(value, LinkMemoryRecord))


@pytest.mark.unplayed
@SETTINGS
@given(st.lists(STEP, min_size=8, max_size=25), st.booleans())
def test_L3_staleness_is_exact_one_copy_stands_and_automatic_links_settle_in_one_pass(
    steps: list[tuple[str, int, int]], automatic: bool
) -> None:
    asyncio.run(play(steps, automatic=automatic))


async def test_L3_editing_a_source_turns_exactly_the_links_that_begin_there() -> None:
    async with desk() as subject:
        notes = [NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text="a"))).made[0]) for _ in range(2)]
        chats = [await subject.chat() for _ in range(2)]
        links = {}
        for note in notes:
            for node in chats:
                edge = EdgeId((await subject.do(ask.AddEdge(source=note, target=node))).made[0])
                await subject.do(ask.RunLink(edge=edge))
                links[edge] = note
        await subject.do(ask.EditSticky(node=notes[0], text="b"))
        changed = {edge for edge in links if subject.record(link_status_id(edge)).state == "changed"}
        assert changed == {edge for edge, note in links.items() if note == notes[0]}


def runs_in(frames: list[Frame]) -> list[EdgeId]:
    """The links that ran in these frames, in order."""
    values = [change.value for frame in frames for change in frame.changes if isinstance(change, Put)]
    return [value.edge_id for value in values if isinstance(value, LinkMemoryRecord)]


async def pass_through(pairs: list[tuple[int, int]], edited: set[int]) -> None:
    """Notes 0 and 1 and chats 2 to 5, linked from the lower to the higher; what is edited in one go is passed on."""
    async with desk() as subject:
        nodes = [
            NodeId((await subject.do(ask.AddNode(kind="sticky", x=0, y=0, text=f"note {n}"))).made[0]) for n in range(2)
        ]
        nodes += [await subject.chat() for _ in range(4)]
        for source, target in pairs:
            edge = EdgeId((await subject.do(ask.AddEdge(source=nodes[source], target=nodes[target]))).made[0])
            await subject.do(ask.EditLink(edge=edge, behavior=InjectContext(part="conversation"), automatic=True))
        await subject.clock.advance(6)
        before = len(subject.frames)
        for note in sorted(edited):
            await subject.do(ask.EditSticky(node=nodes[note], text="edited"))
        await subject.clock.advance(6)
        links = {link.id: link for link in links_of(subject.session.document)}
        ran = [links[edge] for edge in runs_in(subject.frames[before:])]
        assert len(ran) == len({link.id for link in ran})
        for at, link in enumerate(ran):
            assert all(later.target != link.source for later in ran[at:])
        reached = {nodes[note] for note in edited}
        for link in sorted(links.values(), key=lambda link: nodes.index(link.source)):
            if link.source in reached:
                reached.add(link.target)
        assert {link.id for link in ran} == {link.id for link in links.values() if link.source in reached}


PAIR = st.tuples(st.integers(0, 4), st.integers(2, 5)).filter(lambda pair: pair[0] < pair[1])


@pytest.mark.unplayed
@settings(SETTINGS, max_examples=60)
@given(st.lists(PAIR, unique=True, min_size=4, max_size=9), st.sets(st.integers(0, 1), min_size=1))
def test_L1_L3_automatic_links_run_once_each_and_none_before_what_leads_to_its_source(
    pairs: list[tuple[int, int]], edited: set[int]
) -> None:
    asyncio.run(pass_through(pairs, edited))
