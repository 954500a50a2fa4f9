"""Links by HTTP: which there are, how one stands, and to let it run (L1, L3)."""

from __future__ import annotations

from server.test_with_owner import owned
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.links import InjectContext, WriteFile
from talkfield.wire.client import AddEdge, AddNode, EditLink, EditSticky


async def test_L1_L3_a_script_sees_links_and_lets_them_run() -> None:
    async with owned() as (server, studio):
        session = await studio.session()

        async def made(command: AddNode | AddEdge) -> str:
            return (await session.handle(command)).made[0]

        note = NodeId(await made(AddNode(kind="sticky", x=0, y=0, text="one", title="Plan")))
        chat = NodeId(await made(AddNode(kind="chat", x=0, y=0)))
        edge = EdgeId(await made(AddEdge(source=note, target=chat)))
        await session.handle(EditLink(edge=edge, behavior=InjectContext(wrapped=False)))
        links = f"{server.url}/api/projects/{session.project}/links"
        async with server.http.post(f"{links}/{edge}/run", json={}) as response:
            ran = await response.json()
        assert (response.status, ran["state"], ran["outcome"], ran["sourceTitle"]) == (200, "current", "added", "Plan")
        await session.handle(EditSticky(node=note, text="two"))
        async with server.http.get(f"{links}/{edge}") as response:
            detail = await response.json()
        assert (detail["link"]["state"], detail["diff"].splitlines()[1:]) == (
            "changed",
            ["-one⟨no line end⟩", "+two⟨no line end⟩"],
        )
        async with server.http.get(links) as response:
            assert await response.json() == {"links": [detail["link"]]}
        async with server.http.get(f"{links}/nothing") as response:
            assert response.status == 404
        await session.handle(EditLink(edge=edge, behavior=WriteFile(path="notes.md")))
        async with server.http.post(f"{links}/{edge}/run", json={}) as response:
            assert (response.status, (await response.json())["error"]["code"]) == (409, "rejected")
        async with server.http.get(f"{links}/{edge}") as response:
            assert (await response.json())["diff"] == ""
        async with server.http.post(f"{links}/{edge}/run", json={"allow": "append notes.md"}) as response:
            assert "no folder" in (await response.json())["error"]
