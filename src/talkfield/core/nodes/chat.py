"""The chat node: one conversation with one model."""

from __future__ import annotations

import msgspec

from talkfield.core.ids import ProviderId
from talkfield.core.nodes.base import NodeKind


class ChatData(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="chat"
):
    """How a chat asks: which provider and model (None: the defaults of Settings), and its system prompt."""

    provider: ProviderId | None = None
    model: str | None = None
    system: str = ""
    draft: str = ""
    """What stands unsent in the composer (U10)."""
    folded: bool = False
    """Only its header is shown; the node keeps its height (U6)."""


CHAT = NodeKind(name="chat", data_type=ChatData, new=ChatData, width=460, height=520, min_width=320, min_height=240)
    tools_off: tuple[str, ...] = ()
    """Tools that this chat is not told of: their names, or those of servers and packages for all of theirs (T10)."""
