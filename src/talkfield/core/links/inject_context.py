"""The link that puts what its source says into a chat, as a message that says where it came from (L2)."""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.ids import EdgeId, MessageId
from talkfield.core.links.base import LinkKind, LinkPart


class InjectContext(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="injectContext"
):
    """`wrapped`: the source's title stands above it. `when`: at once, or with what is said next in the target."""

    part: LinkPart = "lastReply"
    wrapped: bool = True
    when: Literal["now", "nextSend"] = "now"


INJECT_CONTEXT = LinkKind(name="injectContext", data_type=InjectContext)


def context_id(edge: EdgeId) -> MessageId:
    """The id of a link's message: one for each link, so that no road leads to a second one (L3)."""
    return MessageId(f"context-{edge}")


def context_text(behavior: InjectContext, title: str, content: str) -> str:
    """What a model is told."""
    if not behavior.wrapped:
        return content
    what = "Summary of" if behavior.part == "summary" else "Context from"
    return f"{what} {title or 'another node'}:\n\n{content}"
