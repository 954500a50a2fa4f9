"""`.mcp.json`: the tool servers that a project asks for. Reading it starts nothing.

Whoever made the file is not whoever opened the project: what it names is started only after a person has agreed to
exactly these bytes in this folder (T10).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talkfield.core.tool_server import ToolServer, checked_server
from talkfield.errors import ToolError
from talkfield.runtime.ports import ToolContext
from talkfield.tools.confinement import NotThere, ProjectRoot

NAME = ".mcp.json"
MAX_BYTES = 256 * 1024
MAX_SERVERS = 32


@dataclass(frozen=True, kw_only=True)
class ServerFile:
    """What a project's file asks for. `digest` names its bytes in its folder. `problem`: why it cannot be used."""

    digest: str
    servers: tuple[ToolServer, ...] = ()
    problem: str = ""


def read_server_file(context: ToolContext) -> ServerFile | None:
    """The file of a project's folder; None: there is none. Blocks; call it in a thread."""
    try:
        with ProjectRoot(context) as root, root.file(NAME) as opened:
            data = os.pread(opened.descriptor, MAX_BYTES + 1, 0)
            folder = root.path
    except NotThere:
        return None
    except (ToolError, OSError) as error:
        return ServerFile(digest="", problem=str(error))
    digest = hashlib.sha256(json.dumps(folder).encode() + b"\0" + data).hexdigest()
    if len(data) > MAX_BYTES:
        return ServerFile(digest=digest, problem=f"{NAME} is larger than {MAX_BYTES:,} bytes")
    try:
        return ServerFile(digest=digest, servers=servers_of(json.loads(data)))
    except (ValueError, RecursionError) as error:
        return ServerFile(digest=digest, problem=f"{NAME} cannot be used: {error}")


def servers_of(value: Any) -> tuple[ToolServer, ...]:
    """The servers of a parsed file. Raises `ValueError`."""
    named = value.get("mcpServers") if isinstance(value, Mapping) else None
    if not isinstance(named, Mapping):
        raise ValueError("it has no mcpServers")
    if len(named) > MAX_SERVERS:
        raise ValueError(f"it names more than {MAX_SERVERS} servers")
    return tuple(server_of(str(name), entry) for name, entry in named.items())


def server_of(name: str, entry: Any) -> ToolServer:
    if not isinstance(entry, Mapping):
        raise ValueError(f"{name}: expected an object")
    command = entry.get("command")
    arguments = entry.get("args", [])
    if command is not None and not isinstance(command, str):
        raise ValueError(f"{name}: the command is text")
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        raise ValueError(f"{name}: args is a list of words")
    url = entry.get("url", "")
    if not isinstance(url, str):
        raise ValueError(f"{name}: the url is text")
    return checked_server(
        ToolServer(
            name=name,
            command=() if command is None else (command, *arguments),
            url=url,
            env=_texts(name, "env", entry.get("env", {})),
            headers=_texts(name, "headers", entry.get("headers", {})),
            enabled=not entry.get("disabled", False),
        )
    )


def _texts(name: str, field: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for pair in value.items() for text in pair):
        raise ValueError(f"{name}: {field} holds texts")
    return dict(value)
