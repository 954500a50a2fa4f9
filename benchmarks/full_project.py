"""Projects of any size for benchmarks: chats on a grid, in each of them questions and answers in turn."""

from __future__ import annotations

import random
from collections.abc import Iterator

from talkfield.core.ids import MessageId, NodeId, ProjectId, TurnId
from talkfield.core.messages import Usage
from talkfield.core.nodes import ChatData
from talkfield.core.records import DocumentRecord, MessageRecord, NodeRecord
from talkfield.storage.base import ProjectStore, StoredProject, WriteBatch

CHANCE = random.Random(1)
WORDS = ["".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=CHANCE.randrange(2, 9))) for _ in range(5000)]
TEXTS = [" ".join(CHANCE.choices(WORDS, k=CHANCE.randrange(20, 120))) for _ in range(1000)]
"""About 400 characters each."""


def nodes(project: str, count: int, columns: int = 40, model: str = "gpt-5") -> Iterator[DocumentRecord]:
    for number in range(count):
        yield NodeRecord(
            id=NodeId(f"{project}-n{number:05}"),
            x=500.0 * (number % columns),
            y=560.0 * (number // columns),
            width=460,
            height=520,
            title=f"Chat {number}",
            data=ChatData(model=model),
        )


def messages(project: str, node_count: int, count: int) -> Iterator[DocumentRecord]:
    """So many messages, the same number in each chat."""
    for number in range(count):
        node, index = number % node_count, number // node_count
        is_reply = index % 2 == 1
        yield MessageRecord(
            id=MessageId(f"{project}-m{number:07}"),
            node_id=NodeId(f"{project}-n{node:05}"),
            index=index,
            role="assistant" if is_reply else "user",
            content=TEXTS[number % len(TEXTS)],
            ts=1_760_000_000_000 + number,
            turn=TurnId(f"{project}-t{node:05}-{index // 2}"),
            model="gpt-5" if is_reply else None,
            usage=Usage(input_tokens=1000, output_tokens=200) if is_reply else None,
            finish="stop" if is_reply else None,
        )


def fill(
    store: ProjectStore,
    project: str,
    *,
    node_count: int,
    message_count: int,
    opened_at: int = 0,
    columns: int = 40,
    model: str = "gpt-5",
) -> None:
    """Put a project into a store."""
    id = ProjectId(project)
    store.add_project(StoredProject(id=id, title=project, folder=None, created_at=0, opened_at=opened_at))
    batch: list[DocumentRecord] = []
    for record in (*nodes(project, node_count, columns, model), *messages(project, node_count, message_count)):
        batch.append(record)
        if len(batch) == 2000:
            store.write([WriteBatch(project=id, puts=tuple(batch))])
            batch.clear()
    store.write([WriteBatch(project=id, puts=tuple(batch))])
