"""Files of a project by HTTP: for choosing one to put on the canvas (L1)."""

from __future__ import annotations

from pathlib import Path

from server.test_with_owner import owned


async def test_L1_files_of_the_projects_folder_are_listed_and_none_without_a_folder(tmp_path: Path) -> None:
    async with owned() as (server, studio):
        session = await studio.session()
        async with server.http.get(f"{server.url}/api/projects/{session.project}/files?like=plan") as response:
            assert (response.status, await response.json()) == (200, {"files": []})
        async with server.http.get(f"{server.url}/api/projects/nothing/files") as response:
            assert response.status == 404
