"""What a browser may ask about several things on the canvas at once; part of `wire.client.Command`."""

from __future__ import annotations

from typing import Literal

from talkfield.core.ids import NodeId, ProjectId
from talkfield.core.nodes import NodeColor
from talkfield.wire.command import CommandBase


class DuplicateNodes(CommandBase, frozen=True, kw_only=True, tag="duplicateNodes"):
    """Copy nodes of every kind, with the edges between them, (dx, dy) from where they are: one undo entry.

    `project`: they are those of another project. A reply that is being written is not copied with its chat; copies
    carry no cost, for money is counted once. The ack's `made` holds the copies, in the order of `nodes`.
    """

    nodes: tuple[NodeId, ...]
    dx: float
    dy: float
    project: ProjectId | None = None
    why: Literal["duplicate", "paste"] = "duplicate"


class FoldChats(CommandBase, frozen=True, kw_only=True, tag="foldChats"):
    """Show only the headers of chats, or all of them again; their heights are kept."""

    nodes: tuple[NodeId, ...]
    folded: bool


class EditGroup(CommandBase, frozen=True, kw_only=True, tag="editGroup"):
    """Set a group's colour."""

    node: NodeId
    color: NodeColor
