"""The behaviours of links. To add one: write its file, add it to the union and to `LINK_KINDS`, and give it a function
in `workspace/link_delivery/`.
"""

from __future__ import annotations

from talkfield.core.links.base import LinkKind, LinkPart
from talkfield.core.links.inject_context import INJECT_CONTEXT, InjectContext, context_id, context_text
from talkfield.core.links.write_file import WRITE_FILE, WriteFile, file_text, permission

LinkBehavior = InjectContext | WriteFile

LINK_KINDS: dict[str, LinkKind] = {kind.name: kind for kind in (INJECT_CONTEXT, WRITE_FILE)}

__all__ = [
    "INJECT_CONTEXT",
    "LINK_KINDS",
    "WRITE_FILE",
    "InjectContext",
    "LinkBehavior",
    "LinkKind",
    "LinkPart",
    "WriteFile",
    "context_id",
    "context_text",
    "file_text",
    "permission",
]
