"""Links by HTTP: which there are, how one stands, and to let it run (L1, L3)."""

from __future__ import annotations

from server.test_with_owner import END, owned
from talkfield.core.ids import EdgeId, NodeId
from talkfield.core.links import InjectContext, WriteFile
from talkfield.errors import ProviderRefused
from talkfield.providers.script import Fail
from talkfield.providers.scripted import Hold
from talkfield.runtime.ports import TextChunk
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


async def test_L1_a_script_lets_a_model_make_the_summary_that_a_link_delivers() -> None:
    hold = Hold()
    async with owned([TextChunk("in short"), END], [Fail(ProviderRefused("no"))], [hold, END]) as (server, studio):
        session = await studio.session()
        note = NodeId((await session.handle(AddNode(kind="sticky", x=0, y=0, text="a long text"))).made[0])
        chat = NodeId((await session.handle(AddNode(kind="chat", x=0, y=900))).made[0])
        edge = EdgeId((await session.handle(AddEdge(source=note, target=chat))).made[0])
        address = f"{server.url}/api/projects/{session.project}/links/{edge}"
        async with server.http.post(f"{address}/summary", json={"wait": True}) as response:
            assert (response.status, (await response.json())["error"]["code"]) == (422, "invalid_argument")
        await session.handle(EditLink(edge=edge, behavior=InjectContext(part="summary")))
        async with server.http.post(f"{address}/summary", json={"wait": True}) as response:
            made = await response.json()
        assert (response.status, made["running"], made["text"]) == (201, False, "in short")
        assert session.node(NodeId(made["chat"])).messages[-1].content == "in short"
        async with server.http.post(f"{address}/run", json={}) as response:
            assert (await response.json())["outcome"] == "added"
        async with server.http.post(f"{address}/summary", json={"wait": True}) as response:
            failed = await response.json()
        assert ("was not finished" in failed["error"], failed.get("text", "")) == (True, "")
        async with server.http.post(f"{address}/summary", json={}) as response:
            begun = await response.json()
        assert (begun["running"], begun.get("text", "")) == (True, "")
        async with server.http.post(f"{address}/summary", json={}) as response:
            assert response.status == 409
        hold.release()
