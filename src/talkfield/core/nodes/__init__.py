"""The kinds of node. To add one: write its file, add it to the union and to `KINDS`, give it a view in the web UI."""

from __future__ import annotations

from typing import Any

from talkfield.core.nodes.base import NodeColor, NodeKind
from talkfield.core.nodes.chat import CHAT, ChatData
from talkfield.core.nodes.file import FILE, FileData
from talkfield.core.nodes.group import GROUP, GroupData
from talkfield.core.nodes.sticky import STICKY, StickyData

NodeData = ChatData | StickyData | GroupData | FileData

KINDS: dict[str, NodeKind[Any]] = {kind.name: kind for kind in (CHAT, STICKY, GROUP, FILE)}

__all__ = [
    "CHAT",
    "FILE",
    "GROUP",
    "KINDS",
    "STICKY",
    "ChatData",
    "FileData",
    "GroupData",
    "NodeColor",
    "NodeData",
    "NodeKind",
    "StickyData",
]
