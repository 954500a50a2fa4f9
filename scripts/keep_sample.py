"""Keeps a data folder as this version leaves it, so that later versions are tried with it: part of every release.

`python scripts/keep_sample.py tests/samples/0.1.0.tar.gz`. A real process answers with the scripted provider; what is
in the sample stands in `make_sample`. Beside the folder the archive holds `expected.json`: what the HTTP API answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import aiohttp

LINK = re.compile(r"(http://\S+)/\?token=")
LEFT_OUT = ("api-token", "lock")


class Owner:
    """The running process, by its channel and its HTTP API."""

    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse, project: str) -> None:
        self.http, self.socket, self.project = http, socket, project
        self._count = 0

    async def do(self, command: str, **fields: Any) -> list[str]:
        """Runs a command of the channel; the ids of what it made. Raises `RuntimeError` when it is refused."""
        self._count += 1
        wanted = str(self._count)
        await self.socket.send_json({"type": "do", "id": wanted, "command": {"do": command, **fields}})
        while True:
            answer = await self.socket.receive_json(timeout=20)
            if answer.get("id") == wanted:
                if answer["type"] != "ack":
                    raise RuntimeError(f"{command}: {answer}")
                return list(answer.get("made", []))

    async def ask(self, node: str, text: str) -> None:
        """Says something in a chat and waits for the end of the turn."""
        async with self.http.post(f"/api/nodes/{node}/send", json={"text": text}) as answer:
            answer.raise_for_status()

    async def get(self, path: str) -> Any:
        async with self.http.get(path) as answer:
            answer.raise_for_status()
            return await answer.json()


async def make_sample(owner: Owner) -> None:
    """A little of everything that is kept."""
    do = owner.do
    (first,) = await do("addNode", kind="chat", x=0, y=0, title="Rivers", system="Answer shortly.")
    (second,) = await do("addNode", kind="chat", x=520, y=0, title="Mountains")
    (note,) = await do("addNode", kind="sticky", x=0, y=600, text="# Terms\n\nuse metres")
    await do("addNode", kind="group", x=-40, y=-60, width=1060, height=640, title="Geography")
    await owner.ask(first, "Which river is the longest?")
    await owner.ask(first, 'call read_file {"path": "notes.md"}')
    await owner.ask(second, "think then answer\nWhy are mountains high? 为什么 🏔")
    await owner.ask(second, "fail 500")
    (link,) = await do("addEdge", source=note, target=second)
    await do("runLink", edge=link)
    async with owner.http.post(
        "/api/attachments?name=plan.txt&type=text/plain",
        data=b"up, then down",
        headers={"content-type": "application/octet-stream"},
    ) as kept:
        attachment = await kept.json()
    await do("saveDraft", node=second, text="not sent yet", attachments=[attachment])
    await do("configureChat", node=second, parameters={"temperature": 0.5, "maxOutputTokens": 900})
    (gone,) = await do("addNode", kind="chat", x=1100, y=0, title="Closed")
    await owner.ask(gone, "to the shelf")
    await do("removeNodes", nodes=[gone])
    await do("changeSettings", theme="dark", enterBehavior="prompt")
    await do("addProject", title="Second project")


async def answers(owner: Owner) -> dict[str, Any]:
    """What the API says of all of it."""
    found: dict[str, Any] = {}
    projects = await owner.get("/api/projects")
    found["/api/projects"] = projects
    for project in projects["projects"]:
        for path in ("", "/links", "/shelf"):
            found[f"/api/projects/{project['id']}{path}"] = await owner.get(f"/api/projects/{project['id']}{path}")
        for node in found[f"/api/projects/{project['id']}"]["nodes"]:
            found[f"/api/nodes/{node['id']}"] = await owner.get(f"/api/nodes/{node['id']}")
    return found


async def drive(url: str, token: str) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {token}"}
    async with (
        aiohttp.ClientSession(url, headers=headers) as http,
        http.ws_connect("/api/channel", max_msg_size=0) as socket,
    ):
        await socket.send_json({"type": "hello", "protocol": 1})
        welcome = await socket.receive_json()
        owner = Owner(http, socket, welcome["project"])
        await make_sample(owner)
        return await answers(owner)


def main() -> None:
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "data"), Path(folder, "project")
        project.mkdir()
        (project / "notes.md").write_text("# Notes\n")
        environment = {**os.environ, "TALKFIELD_HOME": str(home), "TALKFIELD_SCRIPTED": "1", "TALKFIELD_KEYRING": "0"}
        environment |= {"TALKFIELD_DISCOVER": "0", "TALKFIELD_LOCAL_MODEL": "0"}
        process = subprocess.Popen(
            [sys.executable, "-m", "talkfield", "open", str(project), "--no-browser", "--port", "0"],
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        assert process.stdout is not None
        found = LINK.search(process.stdout.readline())
        assert found, "Talkfield did not start"
        try:
            expected = asyncio.run(drive(found[1], (home / "api-token").read_text().strip()))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
        Path(folder, "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(target, "w:gz") as archive:
            for name in ("data", "project", "expected.json"):
                archive.add(
                    Path(folder, name),
                    name,
                    filter=lambda member: None if Path(member.name).name in LEFT_OUT else member,
                )
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
