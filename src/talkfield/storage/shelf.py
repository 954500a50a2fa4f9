"""The shelf's table: items as rows, and the queries over them (W14)."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, delete, select

from talkfield.core.ids import NodeId, ProjectId
from talkfield.core.shelf import ShelfItem
from talkfield.errors import ProjectUnreadable, UnknownThing
from talkfield.storage import codec
from talkfield.storage.base import ShelfEntry
from talkfield.storage.ledger import bounded
from talkfield.storage.schema import SHELF
from talkfield.storage.search import like_patterns, snippet_around, words_of

SUMMARY = (SHELF.c.id, SHELF.c.node, SHELF.c.title, SHELF.c.why, SHELF.c.taken_at, SHELF.c.messages, SHELF.c.text)
REMOVE_ITEM = delete(SHELF).where(SHELF.c.project == bindparam("in_project"), SHELF.c.id == bindparam("gone"))


def item_row(project: ProjectId, item: ShelfItem) -> dict[str, Any]:
    """The row of an item that is `storable`."""
    return {
        "project": project,
        "id": item.id,
        "node": item.node.id,
        "title": item.node.title,
        "why": item.why,
        "taken_at": bounded(item.taken_at),
        "messages": len(item.messages),
        "text": item.text,
        "body": codec.encode_item(item),
    }


def list_shelf(connection: Connection, project: str, text: str, limit: int) -> list[ShelfEntry]:
    words = words_of(text)
    query = select(*SUMMARY).where(SHELF.c.project == project).order_by(SHELF.c.taken_at.desc(), SHELF.c.id)
    for pattern in like_patterns(words):
        query = query.where((SHELF.c.title + "\n" + SHELF.c.text).like(pattern, escape="\\"))
    return [
        ShelfEntry(
            id=row[0],
            node=NodeId(row[1]),
            title=row[2],
            why=row[3],
            taken_at=row[4],
            messages=row[5],
            snippet=snippet_around(row[6], words[0] if words else ""),
        )
        for row in connection.execute(query.limit(limit))
    ]


def read_item(connection: Connection, project: str, item: str) -> ShelfItem:
    query = select(SHELF.c.body).where(SHELF.c.project == project, SHELF.c.id == item)
    body = connection.execute(query).scalar()
    if body is None:
        raise UnknownThing("this is no longer on the shelf")
    try:
        return codec.decode_item(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ProjectUnreadable(f"The shelf holds a damaged item ({item}): {error}.") from error
