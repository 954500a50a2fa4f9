"""`talkfield open`: assembles everything, serves it until it is told to stop, and says one line when it is ready.

Where another Talkfield already has the data folder, it asks that one for a new link instead of failing without use.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import sys
import threading
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from talkfield.assemble import Options, build
from talkfield.cli import FAILED, say
from talkfield.errors import ProjectLocked, StartFailed
from talkfield.server.app import create_app
from talkfield.server.serve import serve
from talkfield.storage.folder import DataFolder
from talkfield.storage.lock import holder_of

ASKING_LIMIT_S = 5.0
EVERY_INTERFACE = ("0.0.0.0", "::")  # noqa: S104  (compared, not bound)


async def open_canvas(
    *,
    folder: str | None,
    port: int | None,
    host: str,
    allow_hosts: tuple[str, ...],
    public_url: str | None,
    browser: bool,
    scratch: bool,
) -> int:
    """Serve until stopped; the exit status."""
    public = public_origin(public_url) if public_url else ""
    options = Options(environment=os.environ, host=host, port=port, folder=folder, scratch=scratch)
    try:
        async with build(options) as assembled:
            for notice in assembled.notices:
                say(notice)
            hosts = further_hosts(host, allow_hosts, assembled.config.port)
            app = create_app(assembled.studio, replace(assembled.config, extra_hosts=hosts, public_url=public))
            link = app.launch_url(assembled.address)

            # What start-up made stays to the end: looking through it again and again holds the loop up.
            gc.collect()
            gc.freeze()

            def ready() -> None:
                print(f"Talkfield is running: {link}", flush=True)
                if host in EVERY_INTERFACE and not allow_hosts and not public:
                    say("listening everywhere, but answering to this machine's names only: see --allow-host")
                if browser:
                    show_in_browser(link)

            await serve(app, assembled.listener, ready=ready, tell=say)
    except ProjectLocked:
        running = await asyncio.to_thread(link_of_running, DataFolder.locate(os.environ), folder)
        if running is None:
            raise
        say(f"already running: {running}")
        if browser:
            show_in_browser(running)
        return FAILED
    return 0


def further_hosts(host: str, allow_hosts: tuple[str, ...], port: int) -> tuple[str, ...]:
    """The `Host` values that are answered besides those of this machine: what is listened on, and what was allowed."""
    listened_on = () if host in EVERY_INTERFACE else (f"[{host}]" if ":" in host else host,)
    return tuple(
        name if name.rpartition(":")[2].isdecimal() and not name.endswith("]") else f"{name}:{port}"
        for name in (*listened_on, *allow_hosts)
    )


def public_origin(url: str) -> str:
    """The origin that browsers name for a page at `url` (RFC 6454). Raises `StartFailed` where there is none."""
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        parts, name, port = urlsplit(""), "", None
    plain = not (parts.username or parts.password or parts.query or parts.fragment) and parts.path in ("", "/")
    if parts.scheme not in ("http", "https") or not name or not plain:
        raise StartFailed(f"--public-url takes an address such as https://talk.example.org, without a path; not {url}")
    usual = {"http": 80, "https": 443}[parts.scheme]
    shown = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{shown}" + (f":{port}" if port not in (None, usual) else "")


def show_in_browser(url: str) -> None:
    """Open it in the person's browser, if there is a screen. Never waits and never fails: the link is printed too."""
    if sys.platform.startswith("linux") and not has_screen():
        return  # what is found without one is a browser that takes over this terminal
    import webbrowser

    def show() -> None:
        with contextlib.suppress(Exception):
            webbrowser.open(url)

    threading.Thread(target=show, name="talkfield-browser", daemon=True).start()


def has_screen() -> bool:
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"))


def link_of_running(data: DataFolder, folder: str | None) -> str | None:
    """A new link from the Talkfield that has the data folder, which opens `folder` first; None: it does not answer."""
    holder = holder_of(data.lock().path)
    if holder is None or holder.url is None:
        return None
    try:
        token = data.token.read_text("ascii").strip()
        if folder is not None:
            ask_running(f"{holder.url}/api/projects", token, {"folder": str(Path(folder).expanduser().resolve())})
        url: str = ask_running(f"{holder.url}/api/launch", token, {})["url"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return url


def ask_running(url: str, token: str, body: dict[str, str]) -> Any:
    """POST to a Talkfield on this machine, past any proxy. Raises `OSError`, `ValueError`."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=ASKING_LIMIT_S) as answer:
        return json.load(answer)
