"""What the server is told when it starts. Values only; who reads flags and files is `cli.py` and `assemble.py`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from talkfield import __version__
from talkfield.wire.server import SlashCommandInfo, ToolInfo, VendorInfo

STATIC_FOLDER = Path(__file__).resolve().parent / "static"
"""Where the build of the web UI is put (architecture, section 14)."""

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """Everything `create_app` needs besides the owner.

    `port` is the one that is really listened on. `extra_hosts` are further `name:port` by which browsers may reach the
    server; `extra_origins` further origins of pages that may (a development server). `public_url`, such as
    `https://talk.example.org`, is where a reverse proxy offers this server. The token never shows in `repr`.
    """

    port: int
    bearer_token: str = field(repr=False)
    version: str = __version__
    static_folder: Path = STATIC_FOLDER
    extra_hosts: tuple[str, ...] = ()
    extra_origins: tuple[str, ...] = ()
    public_url: str = ""
    slash_commands: tuple[SlashCommandInfo, ...] = ()
    vendors: tuple[VendorInfo, ...] = ()
    project_tools: tuple[ToolInfo, ...] = ()
    max_message_bytes: int = 1024 * 1024
    max_body_bytes: int = 1024 * 1024
    max_attachment_bytes: int = 32 * 1024 * 1024
    max_backup_bytes: int = 4 * 1024**3
    max_outbox_frames: int = 1000
    max_outbox_bytes: int = 8 * 1024 * 1024
    batch_interval_s: float = 0.016
    keep_alive_s: float = 15.0
    overflow_grace_s: float = 10.0
    """How long a browser that fell behind may take to hear that it is closed."""
    closing_grace_s: float = 0.5
    """The same when the server stops."""
    cookie_lifetime_s: int = 90 * 24 * 3600
    now_s: Callable[[], float] = time.time

    @property
    def cookie_secret(self) -> bytes:
        """What browsers' cookies are signed with. It lasts as long as the token, so that a tab survives a restart."""
        return hashlib.sha256(b"talkfield cookie\0" + self.bearer_token.encode()).digest()

    @property
    def hosts(self) -> frozenset[str]:
        """Exactly the `Host` values that are answered (X1)."""
        names = {f"{host}:{self.port}" for host in LOOPBACK_HOSTS}
        if self.port == 80:  # browsers leave the default port out
            names.update(LOOPBACK_HOSTS)
        return frozenset(names | {host.lower() for host in self.extra_hosts} | {self.public_host} - {""})

    @property
    def origins(self) -> frozenset[str]:
        """Exactly the `Origin` values that are answered (X1)."""
        proxied = {self.public_url} - {""}
        direct = {f"http://{host}" for host in self.hosts - {self.public_host}}
        return frozenset(direct | proxied | set(self.extra_origins))

    @property
    def public_host(self) -> str:
        """The `Host` that a reverse proxy passes on; empty without one."""
        return self.public_url.partition("://")[2]

    def is_encrypted(self, host: str) -> bool:
        """Whether a browser that asked for `host` did so over TLS, which a proxy has taken off."""
        return self.public_url.startswith("https:") and host.lower() == self.public_host

    def entrance(self, host: str, token: str) -> str:
        """The link that opens the UI once: at the public address or, without one, at `host`."""
        return f"{self.public_url or f'http://{host}'}/?token={token}"
