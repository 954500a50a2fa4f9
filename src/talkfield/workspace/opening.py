"""Makes a workspace of a project's records without holding up the loop: a project may have very many (W10).

Reading them into a document and setting right what a dead process left takes a thread; what follows from them is
derived in slices, since it asks what only the loop may be asked. Nobody else sees any of it before it is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from talkfield.core.changes import Changes, Transition
from talkfield.core.document import Document
from talkfield.core.records import Record
from talkfield.core.recovery import recover
from talkfield.workspace.derived import ContextLimit, Totals
from talkfield.workspace.link_status import LinkStatuses
from talkfield.workspace.workspace import Workspace

NODES_AT_ONCE = 25


async def open_workspace(
    epoch: str, records: Iterable[Record], context_limit: ContextLimit
) -> tuple[Workspace, Changes]:
    """The workspace, and what was set right in it, which has yet to be saved."""
    document, recovered = await asyncio.to_thread(_recovered, records)
    totals, statuses = Totals(context_limit), LinkStatuses()

    def derive(document: Document, transitions: list[Transition]) -> Changes:
        return (*totals(document, transitions), *statuses(document, transitions))

    nodes = document.nodes()
    for start in range(0, len(nodes), NODES_AT_ONCE):
        document.apply(derive(document, [(None, node) for node in nodes[start : start + NODES_AT_ONCE]]))
        await asyncio.sleep(0)
    return Workspace(epoch, document, derive), recovered


def _recovered(records: Iterable[Record]) -> tuple[Document, Changes]:
    document = Document(records)
    changes = recover(document)
    document.apply(changes)
    return document, changes
