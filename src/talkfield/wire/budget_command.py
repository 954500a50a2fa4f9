"""What a browser may ask about limits on spending; part of `wire.client.Command`."""

from __future__ import annotations

from decimal import Decimal

from talkfield.core.ids import NodeId
from talkfield.wire.command import CommandBase


class SetBudget(CommandBase, frozen=True, kw_only=True, tag="setBudget"):
    """Limit what may be spent, in USD, on a chat, on a group, or, without `node`, on the whole project (P8).

    Without `limitUsd` there is no limit any more; what was spent is still counted. `allowUnpriced`: models without a
    known price may answer all the same, uncounted. No part of what undo takes back.
    """

    node: NodeId | None = None
    limit_usd: Decimal | None = None
    allow_unpriced: bool = False
