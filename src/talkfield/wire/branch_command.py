"""What a browser may say about going on elsewhere."""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.ids import MessageId, NodeId, ProviderId
from talkfield.core.messages import Attachment
from talkfield.wire.command import CommandBase

WhenFull = Literal["ask", "trim", "send"]
"""`ask`: it is refused as `context_full`; `trim`: the oldest turns are left out this time; `send`: all of it goes."""


class BranchChat(CommandBase, frozen=True, kw_only=True, tag="branchChat"):
    """Go on from a message in a new chat beside its own, which stays as it is (L4). The ack's `made` holds its id.

    What `quote` says of the message stands in the new chat's composer, as a quotation to ask about.
    """

    message: MessageId
    quote: str = ""


class Recipient(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Whom a new chat asks; None: the defaults of Settings."""

    provider: ProviderId | None = None
    model: str | None = None


class FanOut(CommandBase, frozen=True, kw_only=True, tag="fanOut"):
    """Ask several models the same at once, each in a new chat, side by side: one undo entry with all replies (L4).

    With `node` each goes on from that chat; a reply that is being written there is left out. Without, the first stands
    at (x, y), or below it where there is room. The ack's `made` holds the chats, in the order of `models`.
    """

    text: str
    models: tuple[Recipient, ...]
    attachments: tuple[Attachment, ...] = ()
    node: NodeId | None = None
    x: float = 0
    y: float = 0
    when_full: WhenFull = "ask"


class MergeNodes(CommandBase, frozen=True, kw_only=True, tag="mergeNodes"):
    """Ask about what several nodes said last, in one new chat: numbered and titled, in the order of `nodes` (L4).

    The ack's `made` holds the chat. It asks the given model, None: the defaults of Settings.
    """

    nodes: tuple[NodeId, ...]
    instruction: str
    title: str = ""
    provider: ProviderId | None = None
    model: str | None = None
    when_full: WhenFull = "ask"
