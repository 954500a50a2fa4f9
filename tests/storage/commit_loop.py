"""Run as a program: commits to a database without end and says each commit's number once it is acknowledged.

`python commit_loop.py <database> <first number>`; `test_database_faults.py` kills it.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from talkfield.core.ids import CallId, MessageId, NodeId, ProjectId, RecordId
from talkfield.core.records import DocumentRecord, MessageRecord, ToolCallRecord
from talkfield.storage.base import StoredProject, WriteBatch
from talkfield.storage.database import DatabaseStore

PROJECT = ProjectId("p")
KEPT = 10
NODE = NodeId("n")


def puts(number: int) -> tuple[DocumentRecord, ...]:
    """What commit `number` puts: a message that grows with every commit, a new one, and a call."""
    growing = MessageRecord(
        id=MessageId("grow"), node_id=NODE, role="assistant", content="word " * number, ts=number, index=0
    )
    new = MessageRecord(
        id=MessageId(f"m{number}"), node_id=NODE, role="user", content=f"text{number}", ts=1, index=number
    )
    call = ToolCallRecord(
        id=CallId(f"c{number}"), node_id=NODE, message_id=new.id, index=0, name="t", args_json="{}", status="running"
    )
    return growing, new, call


def removes(number: int) -> tuple[RecordId, ...]:
    return (RecordId(f"m{number - KEPT}"), RecordId(f"c{number - KEPT}"))


def state_after(number: int) -> dict[str, DocumentRecord]:
    """All records once commit `number` is whole."""
    records = (record for each in range(max(1, number - KEPT + 1), number + 1) for record in puts(each))
    return {record.id: record for record in records}


def commit_for_ever(path: Path, first: int) -> None:
    store = DatabaseStore(path)
    store.add_project(StoredProject(id=PROJECT, title="", folder=None, created_at=0, opened_at=0))
    for number in count(first):
        store.write([WriteBatch(project=PROJECT, puts=puts(number), removes=removes(number))])
        print(number, flush=True)


if __name__ == "__main__":
    commit_for_ever(Path(sys.argv[1]), int(sys.argv[2]))
