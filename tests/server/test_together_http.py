"""Several chats at once by HTTP: one question for many models, one chat about many replies (L4)."""

from __future__ import annotations

import asyncio
from typing import Any

from doubles import settle
from server.test_with_owner import END, owned
from talkfield.errors import ProviderRefused
from talkfield.providers.script import Fail
from talkfield.providers.scripted import Hold
from talkfield.runtime.ports import TextChunk


def said(text: str) -> list[Any]:
    return [TextChunk(text), END]


async def test_L4_a_script_asks_several_models_and_merges_their_replies() -> None:
    async with owned(said("one"), said("two"), said("both")) as (server, studio):
        session = await studio.session()
        project = f"{server.url}/api/projects/{session.project}"
        body = {"text": "Which?", "models": [{}, {"model": "other"}], "wait": True}
        async with server.http.post(f"{project}/fan-out", json=body) as response:
            chats = (await response.json())["chats"]
        assert response.status == 201
        assert sorted(chat["reply"] for chat in chats) == ["one", "two"]
        assert [chat["running"] for chat in chats] == [False, False]
        assert chats[1]["title"] == "Which? · other"
        ids = [chat["id"] for chat in chats]
        merge = {"nodes": ids, "instruction": "Unite them.", "title": "United", "wait": True}
        async with server.http.post(f"{project}/merge", json=merge) as response:
            (united,) = (await response.json())["chats"]
        assert (response.status, united["title"], united["reply"]) == (201, "United", "both")
        async with server.http.post(f"{project}/undo", json={}) as response:
            assert response.status == 200
        async with server.http.get(project) as response:
            assert sorted(node["id"] for node in (await response.json())["nodes"]) == sorted(ids)


async def test_L4_a_script_need_not_wait_and_hears_why_a_reply_is_not_whole() -> None:
    hold = Hold()
    async with owned([hold, TextChunk("late"), END], [Fail(ProviderRefused("no"))]) as (server, studio):
        session = await studio.session()
        project = f"{server.url}/api/projects/{session.project}"
        async with server.http.post(f"{project}/fan-out", json={"text": "Go", "models": [{}]}) as response:
            (chat,) = (await response.json())["chats"]
        assert (chat["running"], chat.get("reply", "")) == (True, "")
        body = {"text": "Go", "models": [{}], "wait": True}
        async with server.http.post(f"{project}/fan-out", json=body) as response:
            (failed,) = (await response.json())["chats"]
        assert (failed["running"], "no" in failed["error"]) == (False, True)
        hold.release()
        async with server.http.post(f"{project}/fan-out", json={"text": "Go", "models": []}) as response:
            assert response.status == 422
        async with server.http.post(
            f"{project}/merge", json={"nodes": ["nobody", "x"], "instruction": "?"}
        ) as response:
            assert response.status == 404


async def test_L4_a_script_that_waits_is_answered_when_all_replies_have_ended() -> None:
    first, second = Hold(), Hold()
    async with owned([first, TextChunk("one"), END], [second, TextChunk("two"), END]) as (server, studio):
        session = await studio.session()
        body = {"text": "Go", "models": [{}, {}], "wait": True}

        async def ask() -> list[dict[str, Any]]:
            async with server.http.post(f"{server.url}/api/projects/{session.project}/fan-out", json=body) as response:
                chats: list[dict[str, Any]] = (await response.json())["chats"]
                return chats

        asked = asyncio.create_task(ask())
        await first.reached()
        await second.reached()
        first.release()
        while sum(session.is_busy(node.id) for node in session.nodes()) == 2:
            await settle(1)
        assert not asked.done()
        (busy,) = (node.id for node in session.nodes() if session.is_busy(node.id))
        async with server.http.post(f"{server.url}/api/nodes/{busy}/stop", json={}) as response:
            assert response.status == 200
        ended = sorted((chat.get("reply", ""), chat.get("error", "")) for chat in await asked)
        assert ended == [("", "The reply was stopped."), ("one", "")]
