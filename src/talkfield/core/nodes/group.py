"""The group: a titled area of the canvas.

What stands on it belongs to it: that is a matter of places alone, so that nothing can point to a group that is gone,
and two people's changes to a project always fit together.
"""

from __future__ import annotations

import msgspec

from talkfield.core.nodes.base import NodeColor, NodeKind


class GroupData(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="group"
):
    """The colour of the area; its name is the node's title."""

    color: NodeColor = "grey"


GROUP = NodeKind(
    name="group", data_type=GroupData, new=GroupData, width=1040, height=640, min_width=200, min_height=120
)
