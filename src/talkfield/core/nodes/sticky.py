"""The sticky note: markdown on the canvas."""

from __future__ import annotations

import msgspec

from talkfield.core.nodes.base import NodeColor, NodeKind


class StickyData(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="sticky"
):
    """A note: its text in markdown, and its colour."""

    text: str = ""
    color: NodeColor = "yellow"


STICKY = NodeKind(
    name="sticky", data_type=StickyData, new=StickyData, width=240, height=200, min_width=140, min_height=90
)
