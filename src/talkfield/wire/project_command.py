"""What a browser may ask about whole projects; part of `wire.client.Command`."""

from __future__ import annotations

from talkfield.core.ids import ProjectId, RecordId
from talkfield.core.records import ProjectState
from talkfield.wire.command import CommandBase


class MoveProject(CommandBase, frozen=True, kw_only=True, tag="moveProject"):
    """Put a project into the archive or the bin, or take it out again. What runs in one that goes to the bin is
    stopped. The last project in use stays.
    """

    project: ProjectId
    state: ProjectState


class DuplicateProject(CommandBase, frozen=True, kw_only=True, tag="duplicateProject"):
    """Start a project without a folder that holds copies of another one's nodes. The ack's `made` holds its id."""

    project: ProjectId


class DeleteProject(CommandBase, frozen=True, kw_only=True, tag="deleteProject"):
    """Destroy a project that is in the bin for good. Its folder and the file there are left alone."""

    project: ProjectId


class ImportConversations(CommandBase, frozen=True, kw_only=True, tag="importConversations"):
    """Add conversations of a file that `POST /api/imports` has read, by their places in it, as chats from (x, y) on.

    Branches are chats of their own, joined to what they came from; all of it is one undo entry. The ack's `made` holds
    the chats.
    """

    file: str
    conversations: tuple[int, ...]
    x: float
    y: float


class CancelWork(CommandBase, frozen=True, kw_only=True, tag="cancelWork"):
    """End something that takes a while, such as a backup that is being made; nothing is left of it."""

    work: RecordId
