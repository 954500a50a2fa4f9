"""A file of the project on the canvas: what is in it can go through links (L1)."""

from __future__ import annotations

import msgspec

from talkfield.core.nodes.base import NodeKind


class FileData(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, tag_field="kind", tag="file"
):
    """Which file: its path below the project's folder. What is in it stays in the file (`core/file_state.py`)."""

    path: str = ""


FILE = NodeKind(name="file", data_type=FileData, new=FileData, width=360, height=280, min_width=200, min_height=110)
