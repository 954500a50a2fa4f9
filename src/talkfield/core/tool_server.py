"""A server of tools that speaks the Model Context Protocol, as a person or a project describes it (T10). Values."""

from __future__ import annotations

import re
import shlex

import msgspec

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
MAX_WORDS = 200
MAX_CHARS = 4000


class ToolServer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Either a `command` that is started and spoken to over its input and output, or the `url` of one that runs.

    `env` and `headers` may hold secrets: they never leave this machine's settings but for the server itself.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: dict[str, str] = {}
    headers: dict[str, str] = {}
    enabled: bool = True

    @property
    def what(self) -> str:
        """The server in a line: what is started, or where it is."""
        return shlex.join(self.command) if self.command else self.url


def checked_server(server: ToolServer) -> ToolServer:
    """The server itself. Raises `ValueError` with what is wrong about it."""
    if not NAME.fullmatch(server.name):
        raise ValueError("a server's name has up to 32 letters, digits, - and _")
    if bool(server.command) == bool(server.url):
        raise ValueError(f"{server.name}: a server has either a command or an address")
    if server.url and not server.url.startswith(("http://", "https://")):
        raise ValueError(f"{server.name}: the address begins with http:// or https://")
    if server.command and not server.command[0].strip():
        raise ValueError(f"{server.name}: the command needs a program's name")
    texts = (*server.command, server.url, *server.env, *server.env.values(), *server.headers, *server.headers.values())
    if len(server.command) > MAX_WORDS or any(len(text) > MAX_CHARS or "\0" in text for text in texts):
        raise ValueError(f"{server.name}: a part of it is too long, or holds a NUL character")
    if any("\n" in text or "\r" in text for text in (*server.headers, *server.headers.values(), server.url)):
        raise ValueError(f"{server.name}: a header or address is one line")
    return server
