"""The link that writes what its source says to a file of the project (L1)."""

from __future__ import annotations

from typing import Literal

import msgspec

from talkfield.core.links.base import LinkKind, LinkPart


class WriteFile(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="writeFile"
):
    """`path` is relative to the project's folder. `header`: the source's title stands above it."""

    path: str = ""
    part: LinkPart = "lastReply"
    mode: Literal["append", "overwrite"] = "append"
    header: bool = True


WRITE_FILE = LinkKind(name="writeFile", data_type=WriteFile, asks=True)


def file_text(behavior: WriteFile, title: str, content: str) -> str:
    """What goes into the file."""
    body = content if content.endswith("\n") else f"{content}\n"
    return f"## {title or 'Untitled'}\n\n{body}" if behavior.header else body


def permission(behavior: WriteFile) -> str:
    """What a person is asked to allow, in a word that changes with what is written where."""
    return f"{behavior.mode} {behavior.path}"
