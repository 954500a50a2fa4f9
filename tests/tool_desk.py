"""A project's folder on disk, made of a few words, and tools called in it as the runtime calls them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from talkfield.core.card import Preview
from talkfield.core.ids import NodeId
from talkfield.errors import ToolError
from talkfield.runtime.ports import Tool, ToolContext

NODE = NodeId("n")


def make(root: Path, *folders: str, **files: str | bytes) -> Path:
    """Folders by name, files by keyword: `a__b_txt="…"` is `a/b.txt`."""
    root.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def context(folder: Path | None, **more: Any) -> ToolContext:
    return ToolContext(node=NODE, folder=None if folder is None else str(folder), **more)


async def result(tool: Tool, folder: Path | None, /, *, basis: str = "", **arguments: Any) -> str:
    return await tool.run(arguments, context(folder, basis=basis))


async def refused(tool: Tool, folder: Path | None, /, *, basis: str = "", **arguments: Any) -> str:
    """Why the tool refuses."""
    try:
        done = await tool.run(arguments, context(folder, basis=basis))
    except ToolError as error:
        return error.message
    raise AssertionError(f"it was done: {done}")


async def preview(tool: Tool, folder: Path | None, /, **arguments: Any) -> Preview:
    assert tool.preview is not None
    return await tool.preview(arguments, context(folder))


def descriptors() -> int:
    """How many are open in this process."""
    return len(os.listdir("/proc/self/fd"))
