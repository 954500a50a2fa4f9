"""Everything as one file, out and in, by HTTP, with the real owner and the real disk behind it (ST10, U13)."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from doubles import FakeClock, services
from server.server_doubles import Running, ScriptedSession, ScriptedStudio, running
from talkfield.providers.scripted import ScriptedDriver
from talkfield.storage.backup import BackupFolder
from talkfield.storage.database import DatabaseStore
from talkfield.storage.folder import DataFolder
from talkfield.storage.restore import complete_restore
from talkfield.wire import client as ask
from talkfield.workspace.studio import open_studio

BYTES = {"content-type": "application/octet-stream"}


@asynccontextmanager
async def product(folder: Path, note: str = "", **config: Any) -> AsyncIterator[Running]:
    """A server on a data folder, with a note on its canvas."""
    data = DataFolder(folder)

    def opened() -> DatabaseStore:
        data.create()
        complete_restore(folder)
        return DatabaseStore(data.database)

    clock = FakeClock()
    driver = ScriptedDriver(clock=clock)
    store = await asyncio.to_thread(opened)
    keeper = BackupFolder(data, "1.0")
    studio = await open_studio(services(driver, store=store, clock=clock, data=keeper), lambda: "epoch")
    session = await studio.session()
    if note:
        made = (await session.handle(ask.AddNode(kind="sticky", x=0, y=0))).made[0]
        await session.handle(ask.EditSticky(node=made, text=note))  # type: ignore[arg-type]
    async with running(studio, **config) as server:
        yield server


async def post(server: Running, path: str, body: Any, expected: int = 200) -> Any:
    kind: dict[str, Any] = {"data": io.BytesIO(body), "headers": BYTES} if isinstance(body, bytes) else {"json": body}
    async with server.http.post(f"{server.url}{path}", **kind) as response:
        assert response.status == expected, await response.text()
        return await response.json()


async def read(server: Running, path: str) -> Any:
    async with server.http.get(f"{server.url}{path}") as response:
        assert response.status == 200
        return await response.json()


async def archive(server: Running, path: str) -> tuple[str, bytes]:
    """Makes a file and fetches it."""
    made = await post(server, path, {}, 201)
    async with server.http.get(f"{server.url}/api/archives/{made['id']}") as response:
        assert (response.status, response.content_type) == (200, "application/zip")
        assert response.headers["content-disposition"] == f"attachment; filename*=UTF-8''{made['name']}"
        data = await response.read()
    async with server.http.get(f"{server.url}/api/archives/{made['id']}") as response:
        assert response.status == 404
    return made["name"], data


async def notes(server: Running) -> list[str]:
    (project, *_) = (await read(server, "/api/projects"))["projects"]
    detail = await read(server, f"/api/projects/{project['id']}")
    return [node["data"]["text"] for node in detail["nodes"]]


async def test_ST10_a_backup_goes_out_and_comes_in_elsewhere(tmp_path: Path) -> None:
    async with product(tmp_path / "old", "from the backup") as server:
        name, data = await archive(server, "/api/backups")
        assert name.startswith("talkfield-backup-")
    async with product(tmp_path / "new", "what is here") as server:
        found = await post(server, "/api/restores", data, 201)
        assert found["projects"] == [{"title": "My canvas", "state": "active", "messages": 0}]
        assert (await read(server, "/api/data"))["restoring"] is None
        state = await post(server, "/api/restores/confirm", {"id": found["id"]})
        assert (state["restoring"]["at"], state["folder"]) == (found["at"], str(tmp_path / "new"))
        assert await notes(server) == ["what is here"]
        assert (await post(server, "/api/restores/drop", {}))["restoring"] is None
        assert (await post(server, "/api/restores/confirm", {"id": found["id"]}, 409))["error"][
            "code"
        ] == "nothing_to_do"
        found = await post(server, "/api/restores", data, 201)
        await post(server, "/api/restores/confirm", {"id": found["id"]})
        assert (await post(server, "/api/restores", data, 409))["error"]["code"] == "nothing_to_do"
    async with product(tmp_path / "new") as server:
        assert await notes(server) == ["from the backup"]
        assert [name[:15] for name in (await read(server, "/api/data"))["setAside"]] == ["before-restore-"]


async def test_U13_every_project_is_exported_with_those_in_the_bin(tmp_path: Path) -> None:
    async with product(tmp_path / "data", "a note") as server:
        studio = server.app.studio
        other = (await studio.add_project("My/other: ../canvas")).project
        await (await studio.session()).handle(ask.MoveProject(project=other, state="binned"))
        _, data = await archive(server, "/api/exports")
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        assert held.namelist() == [
            "001 My canvas.json",
            "001 My canvas.md",
            "002 My_other_ .._canvas.json",
            "002 My_other_ .._canvas.md",
        ]
        assert b"a note" in held.read("001 My canvas.md")


async def test_ST10_X4_what_is_no_backup_or_too_large_is_refused(tmp_path: Path) -> None:
    async with product(tmp_path / "data", max_backup_bytes=2_000_000) as server:
        assert (await post(server, "/api/restores", b"x" * 1_500_000, 422))["error"]["code"] == "invalid_argument"
        assert (await post(server, "/api/restores", b"x" * 2_000_001, 413))["error"]["code"] == "too_large"
        async with server.http.post(f"{server.url}/api/restores", json={}) as response:
            assert response.status == 415


@pytest.mark.parametrize("path", ["/api/backups", "/api/exports", "/api/restores/drop"])
async def test_ST10_where_nothing_is_kept_there_is_nothing_to_back_up(path: str) -> None:
    studio = await open_studio(services(ScriptedDriver()), lambda: "epoch")
    async with running(studio) as server:
        assert (await post(server, path, {}, 409))["error"]["code"] == "rejected"
    async with running(ScriptedStudio(ScriptedSession())) as server:
        assert (await post(server, path, {}, 409))["error"]["code"] == "rejected"
