"""How a server that is asked to end does so: at once, or, while something is not saved, when it is (W9)."""

from __future__ import annotations

import asyncio
import signal

from server.server_doubles import ScriptedSession, ScriptedStudio, chat, running, settled


async def test_W9_nothing_ends_while_something_is_not_saved_and_the_person_is_told() -> None:
    studio, told = ScriptedStudio(ScriptedSession(chat())), list[str]()
    async with running(studio) as server:
        server.server.tell = told.append
        studio.saves.clear()
        server.server.handle_exit(signal.SIGINT, None)
        await settled(lambda: bool(told))
        async with server.http.get(f"{server.url}/api/projects") as response:
            assert response.status == 200  # everything goes on
        assert told[0].startswith(
            "1 change could not be saved: the disk is full. Talkfield ends as soon as it is saved"
        )
        assert not server.server.should_exit
        studio.saves.set()
        await settled(lambda: server.server.should_exit)
    assert studio.closed


async def test_W9_who_asks_twice_does_not_wait() -> None:
    studio, told = ScriptedStudio(ScriptedSession(chat())), list[str]()
    async with running(studio) as server:
        server.server.tell = told.append
        studio.saves.clear()
        server.server.handle_exit(signal.SIGTERM, None)
        await settled(lambda: bool(told))
        server.server.handle_exit(signal.SIGTERM, None)
        assert server.server.should_exit
    assert studio.closed


async def test_W9_what_is_saved_ends_at_once() -> None:
    studio, told = ScriptedStudio(ScriptedSession(chat())), list[str]()
    async with running(studio) as server:
        server.server.tell = told.append
        server.server.handle_exit(signal.SIGTERM, None)
        server.server.end()  # however often
        async with asyncio.timeout(60):
            await server.server._stopping.wait()
    assert (studio.closed, told) == (True, [])


async def test_W9_a_disk_that_does_not_answer_is_told_of() -> None:
    told, answers = list[str](), asyncio.Event()

    class Slow(ScriptedStudio):
        async def unsaved(self) -> str:
            await answers.wait()
            return ""

    studio = Slow(ScriptedSession(chat()))
    async with running(studio) as server:
        server.server.patience_s = 0
        server.server.tell = told.append
        server.server.handle_exit(signal.SIGTERM, None)
        await settled(lambda: bool(told))
        assert told[0].startswith("The disk takes long")
        assert not server.server.should_exit
        answers.set()
        await settled(lambda: server.server.should_exit)
    assert studio.closed
