"""What models may do besides talking. To add a tool: write its file and add it to `TOOLS`."""

from __future__ import annotations

from talkfield.runtime.ports import Tool

TOOLS: dict[str, Tool] = {}
