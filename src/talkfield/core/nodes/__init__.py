"""The kinds of node. To add one: write its file, add it to the union and to `KINDS`, give it a view in the web UI."""

from __future__ import annotations

from typing import Any

from talkfield.core.nodes.base import NodeKind
from talkfield.core.nodes.chat import CHAT, ChatData
from talkfield.core.nodes.sticky import STICKY, StickyData

NodeData = ChatData | StickyData

KINDS: dict[str, NodeKind[Any]] = {kind.name: kind for kind in (CHAT, STICKY)}

__all__ = ["CHAT", "KINDS", "STICKY", "ChatData", "NodeData", "NodeKind", "StickyData"]
