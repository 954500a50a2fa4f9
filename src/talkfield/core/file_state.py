"""What is in the file of a file node, as it was when it was last looked at.

`core.records` gives these on; see there what document and session records are.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from talkfield.core.ids import NodeId, RecordId

MAX_FILE_BYTES = 200_000
"""A file that is larger is not taken in: each page holds the text, and a link would say all of it."""


@dataclass(frozen=True, kw_only=True)
class FileContent:
    """A file that was read. `modified_at` is in milliseconds since 1970; `signature` changes when the file does."""

    text: str
    size_bytes: int
    modified_at: int
    signature: str


class FileStateRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="record", tag="fileState"
):
    """The text of a file node's file, or why there is none. `id` is `file:<node>`."""

    id: RecordId
    node_id: NodeId
    text: str = ""
    size_bytes: int = 0
    modified_at: int = 0
    error: str = ""


def file_state_id(node: NodeId) -> RecordId:
    return RecordId(f"file:{node}")
