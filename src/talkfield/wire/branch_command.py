"""What a browser may say about going on elsewhere."""

from __future__ import annotations

from talkfield.core.ids import MessageId
from talkfield.wire.command import CommandBase


class BranchChat(CommandBase, frozen=True, kw_only=True, tag="branchChat"):
    """Go on from a message in a new chat beside its own, which stays as it is (L4). The ack's `made` holds its id."""

    message: MessageId
