"""Messages are found by their words over HTTP, in one project or in all, open or not (ST8)."""

from __future__ import annotations

from typing import Any

import pytest

from doubles import FakeClock, services
from server.server_doubles import NODE, Running, ScriptedSession, ScriptedStudio, chat, message, running
from talkfield.core.changes import Put
from talkfield.core.ids import ProjectId
from talkfield.errors import SaveFailed, UnknownThing
from talkfield.providers.scripted import ScriptedDriver
from talkfield.storage.base import WriteBatch
from talkfield.storage.memory import MemoryStore
from talkfield.workspace.studio import open_studio


async def get(server: Running, address: str, **query: str) -> tuple[int, Any]:
    async with server.http.get(f"{server.url}{address}", params=query) as response:
        return response.status, await response.json()


def hit(project: str, id: str, snippet: str) -> dict[str, str]:
    return {"project": project, "node": NODE, "message": id, "snippet": snippet}


async def test_ST8_messages_are_found_in_one_project_or_in_all() -> None:
    one = ScriptedSession(chat(), message("m1", "about rivers"), message("m2", "about hills", index=1))
    two = ScriptedSession(chat(), message("m3", "more rivers"), project=ProjectId("project-2"))
    async with running(ScriptedStudio(one, two)) as server:
        in_one, in_two = hit("project-1", "m1", "about rivers"), hit("project-2", "m3", "more rivers")
        assert await get(server, "/api/search", q="rivers") == (200, {"hits": [in_one, in_two]})
        assert await get(server, "/api/search", q="rivers", limit="1") == (200, {"hits": [in_one]})
        assert await get(server, "/api/projects/project-2/search", q="rivers") == (200, {"hits": [in_two]})
        assert await get(server, "/api/projects/project-2/search", q="hills") == (200, {"hits": []})
        assert await get(server, "/api/search") == (200, {"hits": []})
        assert (await get(server, "/api/projects/nope/search", q="rivers"))[0] == 404
        for limit in ("201", "-1", "many"):
            assert (await get(server, "/api/search", q="rivers", limit=limit))[0] == 422


class FullDisk(MemoryStore):
    """A store whose disk takes nothing more once it is `full`."""

    full = False

    def put(self, batches: Any) -> None:
        if self.full:
            raise SaveFailed("the disk is full")
        super().put(batches)


async def test_ST8_what_was_just_said_is_found_and_no_project_is_opened_for_it() -> None:
    store = FullDisk()
    clock = FakeClock()
    studio = await open_studio(services(ScriptedDriver(clock=clock), store=store, clock=clock), lambda: "epoch")
    closed = (await studio.add_project("Closed")).project
    store.write([WriteBatch(project=closed, puts=(message("m1", "the river Lethe"),))])
    session = await studio.session(next(each.project for each in studio.projects() if each.project != closed))
    session.workspace.commit([Put(chat()), Put(message("m2", "Lethe again"))], "delta")
    found = [(each.project, each.message) for each in await studio.search("leth")]
    assert sorted(found) == sorted([(closed, "m1"), (session.project, "m2")])
    store.full = True  # what is saved can be searched all the same
    session.workspace.commit([Put(message("m3", "Lethe", index=1))], "delta")
    assert [each.message for each in await studio.search("lethe", closed)] == ["m1"]
    with pytest.raises(UnknownThing):
        await studio.search("lethe", ProjectId("nope"))
    store.full = False
    await studio.close()
