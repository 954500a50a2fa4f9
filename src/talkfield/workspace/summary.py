"""Summaries that links deliver: made by a model when a person asks for one, never by themselves (L1).

A summary is a turn like any other, in a folded chat of its own beside the source: it can be stopped, it costs what it
costs there, and it outlasts a crash as turns do. What it says in the end is kept with the link's memory. Lives on the
event loop; of two turns for one link, the one that was asked for last counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.branch import GAP, free_place
from talkfield.core.changes import Change, Put
from talkfield.core.cost import conversation_cost
from talkfield.core.document import Document
from talkfield.core.ids import NodeId
from talkfield.core.link_content import content_digest, stands_on
from talkfield.core.link_record import LinkSummary
from talkfield.core.merge import Part, merge, numbered
from talkfield.core.nodes import ChatData
from talkfield.core.records import (
    EdgeRecord,
    LinkMemoryRecord,
    NodeRecord,
    RunRecord,
    ToolServerRecord,
    link_memory_id,
    node_name,
    run_id,
)
from talkfield.errors import CommandRejected, ContextFull, InvalidArgument
from talkfield.runtime.ports import SendRequest
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer
from talkfield.workspace.link import edge_record
from talkfield.workspace.link_status import material_of, summary_of
from talkfield.workspace.room import room_for

if TYPE_CHECKING:
    from talkfield.workspace.session import Session

INSTRUCTION = (
    "Sum up the above in as few words as keep what matters: what was asked, what was found or decided, and what is"
    " still open. Answer with the summary alone, in the language of the text."
)


def summarize_link(session: Session, command: ask.SummarizeLink) -> Answer:
    edge = edge_record(session, command.edge)
    if edge.kind != "link" or edge.behavior is None or edge.behavior.part != "summary":
        raise InvalidArgument("this link delivers no summary", place="edge")
    source, material = session.node_record(edge.source), material_of(session.document, edge)
    if not material:
        raise InvalidArgument("there is nothing to sum up: its source is empty", place="edge")
    known = summary_of(session.document, edge)
    if known is not None and is_written(session.document, known):
        raise CommandRejected("this summary is being written", hint="Wait for its end, or stop it in its chat.")
    model = command.model or session.default_model(command.provider)
    request = SendRequest(node=NodeId(""), messages=(), provider=command.provider, model=model, project=session.project)
    session.runtime.check(request)
    part = Part(source=source, content=material, message=None)
    try:
        room_for(session, request, f"{numbered(part, 1)}\n\n{INSTRUCTION}", (), "ask")
    except ContextFull as error:
        raise ContextFull(error.message, hint="Choose a model with a larger window.") from error
    title = f"Summary of {node_name(source) or 'untitled'}"
    asks = command.provider, command.model or None
    made = merge(
        session.document, [part], INSTRUCTION, title, asks, session.services.clock.now_ms(), session.services.ids
    )
    changes = [_beside(session, change, source) for change in made.changes]
    summary = LinkSummary(
        node=made.node,
        turn=made.turn,
        asked_of=content_digest(material),
        provider=command.provider,
        model=command.model or "",
        text=known.text if known is not None else "",
        of=known.of if known is not None else "",
        cost=known.cost if known is not None else "",
    )
    session.begin_turn(made.node, made.turn, changes, "summarizeLink", label="summary")
    _remember(session, edge, replace(_memory(session.document, edge), summary=summary, error=""))
    session.start(made.node, made.turn, made.reply)
    return Answer(made=(made.node,))


def take_summaries(session: Session, node: NodeId | None = None) -> None:
    """A turn in this chat is over, or in any: where it was to write a summary, its words are kept, or its error."""
    for edge in session.links.edges():
        summary = summary_of(session.document, edge)
        if summary is not None and node in (None, summary.node):
            _remember(session, edge, _finished(session.document, _memory(session.document, edge), summary))


def is_written(document: Document, summary: LinkSummary) -> bool:
    """Whether its turn is under way."""
    run = document.get(run_id(summary.node))
    return isinstance(run, RunRecord) and run.turn == summary.turn


def _finished(document: Document, memory: LinkMemoryRecord, summary: LinkSummary) -> LinkMemoryRecord:
    said = [message for message in document.messages(summary.node) if message.turn == summary.turn]
    replies = [message for message in said if message.role == "assistant"]
    if not replies:
        return memory  # another turn in the same chat
    last, cost = replies[-1], conversation_cost(replies).label
    text = last.content.strip()
    if last.error is not None or last.stopped or not text:
        why = last.error.message if last.error is not None else "It was stopped." if last.stopped else "It is empty."
        return replace(memory, error=f"The summary was not finished. {why}")
    return replace(memory, error="", summary=replace(summary, text=text, of=summary.asked_of, cost=cost))


def _beside(session: Session, change: Change, source: NodeRecord) -> Change:
    """The new chat folded and without tools, and on no group: what stands on one is part of what that says."""
    if not isinstance(change, Put) or not isinstance(change.value, NodeRecord):
        return change
    node = change.value
    assert isinstance(node.data, ChatData)
    groups = [each for each in session.document.nodes() if each.id == source.id or stands_on(source, each)]
    right = max(each.x + each.width for each in (source, *groups)) + GAP
    x, y = free_place(session.document.nodes(), right, source.y, node.width, node.height)
    folder = session.app.folder_of(session.project)
    request = SendRequest(node=node.id, messages=(), project=session.project, folder=folder)
    servers = {record.name for record in session.document.every(ToolServerRecord)}
    off = {tool.name for tool in session.services.tools_for(request)} | servers
    data = replace(node.data, folded=True, tools_off=tuple(sorted(off)))
    return Put(replace(node, x=x, y=y, data=data))


def _memory(document: Document, edge: EdgeRecord) -> LinkMemoryRecord:
    known = document.get(link_memory_id(edge.id))
    return (
        known if isinstance(known, LinkMemoryRecord) else LinkMemoryRecord(id=link_memory_id(edge.id), edge_id=edge.id)
    )


def _remember(session: Session, edge: EdgeRecord, memory: LinkMemoryRecord) -> None:
    """What a link remembers is no part of what undo takes back."""
    if memory != session.document.get(memory.id):
        session.workspace.commit([Put(memory)], "summary", "skip")
