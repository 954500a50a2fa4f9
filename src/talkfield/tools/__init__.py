"""What models may do besides talking. To add a tool, write its file and add it to `TOOLS`: see CONTRIBUTING.md."""

from __future__ import annotations

from talkfield.runtime.ports import Tool
from talkfield.tools import (
    edit_file,
    find_files,
    list_dir,
    read_file,
    run_command,
    search_text,
    write_file,
)

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        read_file.TOOL,
        list_dir.TOOL,
        find_files.TOOL,
        search_text.TOOL,
        write_file.TOOL,
        edit_file.TOOL,
        run_command.TOOL,
    )
}
"""The project tools, by name: for chats of a project that has a folder (T9)."""
