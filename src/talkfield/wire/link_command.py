"""What a browser may ask about links; part of `wire.client.Command`."""

from __future__ import annotations

from talkfield.core.ids import EdgeId, NodeId, ProviderId
from talkfield.core.links import LinkBehavior
from talkfield.wire.command import CommandBase


class AddEdge(CommandBase, frozen=True, kw_only=True, tag="addEdge"):
    """Link two nodes (L1): what the source says can go to the target. One that closes a circle is refused (L3)."""

    source: NodeId
    target: NodeId


class EditLink(CommandBase, frozen=True, kw_only=True, tag="editLink"):
    """Set a link's name, what it does, whether it runs by itself or is pinned; None leaves it as it is (L1, L3)."""

    edge: EdgeId
    title: str | None = None
    behavior: LinkBehavior | None = None
    automatic: bool | None = None
    pinned: bool | None = None


class RunLink(CommandBase, frozen=True, kw_only=True, tag="runLink"):
    """Let a link deliver now; what it delivered before is replaced. How it went is in its memory (L1, L3).

    A link that writes has to be allowed once: `allow` is what it does, such as `append notes.md`. While a reply runs
    in the target, context waits for its end.
    """

    edge: EdgeId
    allow: str = ""


class SummarizeLink(CommandBase, frozen=True, kw_only=True, tag="summarizeLink"):
    """Let a model sum up what a link's source says, in a chat of its own beside it (L1). Only ever on request.

    The link delivers that text from then on. The ack's `made` holds the chat. None asks the default model.
    """

    edge: EdgeId
    provider: ProviderId | None = None
    model: str | None = None


class RemoveEdges(CommandBase, frozen=True, kw_only=True, tag="removeEdges"):
    """Take edges away."""

    edges: tuple[EdgeId, ...]
