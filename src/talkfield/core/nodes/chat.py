"""The chat node: one conversation with one model."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from talkfield.core.ids import ProviderId
from talkfield.core.messages import Attachment
from talkfield.core.nodes.base import NodeKind

Effort = Literal["none", "minimal", "low", "medium", "high"]


class ChatParameters(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a person set for a chat's answers; None leaves it to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    effort: Effort | None = None
    max_output_tokens: int | None = None
    stop_sequences: tuple[str, ...] = ()
    """Texts at which an answer ends; they are no part of it."""
    seed: int | None = None


class ChatData(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="chat"
):
    """How a chat asks: which provider and model (None: the defaults of Settings), and its system prompt."""

    provider: ProviderId | None = None
    model: str | None = None
    system: str = ""
    tools_off: tuple[str, ...] = ()
    """Tools that this chat is not told of: their names, or those of servers and packages for all of theirs (T10)."""
    draft: str = ""
    """What stands unsent in the composer (U10)."""
    draft_files: tuple[Attachment, ...] = ()
    """The files that stand there with it."""
    parameters: ChatParameters | None = None
    folded: bool = False
    """Only its header is shown; the node keeps its height (U6)."""


def without_draft(data: ChatData) -> ChatData:
    """The data without what is being typed, which is nobody else's and no edit that undo knows."""
    return replace(data, draft="", draft_files=()) if data.draft or data.draft_files else data


CHAT = NodeKind(name="chat", data_type=ChatData, new=ChatData, width=460, height=520, min_width=320, min_height=240)
