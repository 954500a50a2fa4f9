"""What is known of a link besides its edge: what it did last, and how that stands to its source now (L3).

`core.records` gives these on; see there what document and session records are.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.ids import EdgeId, NodeId, ProviderId, RecordId, TurnId


class LinkSummary(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A summary that a model made because somebody asked for it, and with what it was asked.

    `turn` in the chat `node` writes it; `asked_of` is the digest of what it was given. `of` is that of what `text`
    sums up. `cost` is what it cost, in words.
    """

    node: NodeId
    turn: TurnId
    asked_of: str
    provider: ProviderId | None = None
    model: str = ""
    text: str = ""
    of: str = ""
    cost: str = ""


class LinkMemoryRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="linkMemory"
):
    """What a link did last (L3). It is saved with its project, but no part of what undo takes back, and never in the
    project's file: nobody's permissions come with a pull. `id` is `memory:<edge>`.

    `digest` is that of what was delivered, `tried` of what could not be, `error` says why. `armed`: it goes with what
    is said next. `allowed` is what a person allowed it to write.
    """

    id: RecordId
    edge_id: EdgeId
    digest: str = ""
    tried: str = ""
    error: str = ""
    outcome: str = ""
    ran_at: int = 0
    armed: bool = False
    allowed: str = ""
    summary: LinkSummary | None = None


LinkState = Literal["empty", "new", "armed", "current", "changed", "pinned"]
"""`empty`: its source has nothing to tell. `new`: it has not run, or what it added was
cleared away. `armed`: it goes with what is said next. `changed`:
what it delivered is not what its source says now.
"""


class LinkStatusRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="linkStatus"
):
    """Whether what a link delivered is what its source says now (L3). `id` is `link:<edge>`.

    `digest` and `tokens` (our estimate) are of what it would deliver now. `summary`: whether the summary that it
    delivers is there, and is one of what its source says now; empty where it delivers none.
    """

    id: RecordId
    edge_id: EdgeId
    state: LinkState
    digest: str = ""
    tokens: int = 0
    summary: Literal["", "missing", "current", "changed"] = ""


def link_memory_id(edge: EdgeId) -> RecordId:
    return RecordId(f"memory:{edge}")


def link_status_id(edge: EdgeId) -> RecordId:
    return RecordId(f"link:{edge}")
