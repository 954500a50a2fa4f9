"""What a person can ask of edges: to link two nodes, to change a link, to let it run, to take it away (L1).

A handler checks first and commits once. It raises a `TalkfieldError` before anything has changed, or it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from talkfield.core.changes import Put, Remove
from talkfield.core.document import edge_between, removal
from talkfield.core.ids import EdgeId, NodeId, RecordId
from talkfield.core.link_order import links_of, loop_through, pair_refusal, titles, with_members
from talkfield.core.links import InjectContext
from talkfield.core.records import EdgeRecord
from talkfield.errors import InvalidArgument, UnknownThing
from talkfield.wire import client as ask
from talkfield.workspace.answer import Answer, title

if TYPE_CHECKING:
    from talkfield.workspace.session import Session


def add_edge(session: Session, command: ask.AddEdge) -> Answer:
    source, target = session.node_record(command.source), session.node_record(command.target)
    refusal = pair_refusal(source, target)
    if refusal is not None:
        raise InvalidArgument(refusal, place="target")
    known = edge_between(session.document, source.id, target.id)
    if known is not None:
        return Answer(made=(known.id,))
    refuse_circle(session, source.id, target.id)
    edge = EdgeRecord(
        id=EdgeId(session.services.ids("edge")), source=source.id, target=target.id, behavior=InjectContext()
    )
    session.workspace.commit([Put(edge)], "addEdge", label="link")
    return Answer(made=(edge.id,))


def edit_link(session: Session, command: ask.EditLink) -> Answer:
    edge = edge_record(session, command.edge)
    if edge.kind != "link":
        raise InvalidArgument("this edge only says where a chat came from; it carries nothing", place="edge")
    if command.behavior is not None:
        if edge.behavior is None:
            refuse_circle(session, edge.source, edge.target)
        edge = replace(edge, behavior=command.behavior)
    edge = replace(
        edge,
        title=edge.title if command.title is None else title(command.title),
        automatic=edge.automatic if command.automatic is None else command.automatic,
        pinned=edge.pinned if command.pinned is None else command.pinned,
    )
    session.workspace.commit([Put(edge)], "editLink", label="edit link")
    return Answer()


async def run_link(session: Session, command: ask.RunLink) -> Answer:
    edge = edge_record(session, command.edge)
    if edge.behavior is None or edge.kind != "link":
        raise InvalidArgument("this edge carries nothing", place="edge")
    await session.links.run(edge, command.allow)
    return Answer()


def remove_edges(session: Session, command: ask.RemoveEdges) -> Answer:
    gone: dict[RecordId, Remove] = {}
    for edge in command.edges:
        gone.update({change.id: change for change in removal(session.document, edge)})
    session.workspace.commit(gone.values(), "removeEdges", label="disconnect")
    return Answer()


def edge_record(session: Session, edge: EdgeId) -> EdgeRecord:
    """The edge. Raises `UnknownThing`."""
    record = session.document.get(edge)
    if not isinstance(record, EdgeRecord):
        raise UnknownThing(f"there is no link {edge}")
    return record


def refuse_circle(session: Session, source: NodeId, target: NodeId) -> None:
    """Raises `InvalidArgument`, with the way around, where a link would feed its own source (L3)."""
    loop = loop_through(with_members(session.document, links_of(session.document)), source, target)
    if loop is not None:
        raise InvalidArgument(f"this would go in a circle: {titles(session.document, loop)}", place="target")
