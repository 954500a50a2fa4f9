"""A service that fails in every way, before the whole product (checks 3 to 7, 9 and 10): each failure is one clear end,
keeps what came, and leaves the chat usable.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from providers.listening import DONE, refusing
from providers.raw_server import Answer, Peer, serving, until
from reliability.product import APIS, Api, Changing, delta, ending, failing, good, opening, product, telling
from server.server_doubles import settled
from talkfield.core.ids import ProjectId
from talkfield.core.records import DocumentRecord
from talkfield.storage.database import DatabaseStore
from talkfield.wire.client import StopTurn

BOTH = pytest.mark.parametrize("api", APIS)


@BOTH
@pytest.mark.parametrize("end", [b"", DONE], ids=["and nothing more", "and done"])
async def test_check_03_D4_an_error_after_three_deltas_keeps_them_and_is_asked_once(
    tmp_path: Path, api: Api, end: bytes
) -> None:
    pieces = (*(delta(api, word) for word in ("one ", "two ", "three ")), failing(api, "the engine fell over"), end)
    async with product(tmp_path, telling(opening(api), *pieces), good(api), api=api) as made:
        node = await made.begin()
        reply = await made.over(node)
        assert (reply.content, reply.finish) == ("one two three ", None)
        assert reply.error is not None
        assert reply.error.message == "the engine fell over"
        assert len(made.service.received) == 1
        await made.begin("again", node)
        assert (await made.over(node)).content == "fine"


@BOTH
async def test_check_04_D6_a_limit_is_waited_for_in_sight_and_makes_one_reply(tmp_path: Path, api: Api) -> None:
    limited = refusing(429, b'{"error": {"message": "slow down"}}', retry_after="2")
    async with product(tmp_path, limited, good(api), api=api) as made:
        node = await made.begin()
        await made.until(lambda: (run := made.run(node)) is not None and run.retry_at is not None)
        run = made.run(node)
        assert run is not None
        assert (run.retry_at, run.detail) == (2000, "slow down")
        await made.clock.advance(1.9)
        assert len(made.service.received) == 1
        await made.clock.advance(0.2)
        reply = await made.over(node)
        assert (reply.content, len(made.said(node)), len(made.service.received)) == ("fine", 1, 2)


LONG_WAITS = {
    "an hour": (429, b'{"error": {"message": "come back"}}', "3600"),
    "no key": (401, b'{"error": {"message": "who are you"}}', ""),
    "no credit": (402, b'{"error": {"message": "pay first"}}', ""),
    "no quota": (429, b'{"error": {"code": "insufficient_quota", "message": "used up"}}', ""),
}


async def test_check_04_D6_what_a_person_has_to_settle_is_asked_once_and_told(tmp_path: Path) -> None:
    answers = [
        refusing(status, body, **({"retry_after": wait} if wait else {})) for status, body, wait in LONG_WAITS.values()
    ]
    async with product(tmp_path, *answers) as made:
        for asked, (_status, body, _wait) in enumerate(LONG_WAITS.values(), 1):
            reply = await made.over(await made.begin())
            assert reply.error is not None
            assert reply.error.message == msgspec.json.decode(body)["error"]["message"]
            assert (len(made.service.received), made.clock.slept.count(3600)) == (asked, 0)


@BOTH
@pytest.mark.parametrize("where", ["status", "event"])
async def test_check_05_D6_an_overload_is_tried_three_times_before_the_first_words(
    tmp_path: Path, api: Api, where: str
) -> None:
    body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "full"}}'
    answer = refusing(529, body) if where == "status" else telling(opening(api) + failing(api, "full"))
    async with product(tmp_path, answer, api=api) as made:
        node = await made.begin()
        for number, wait_s in ((1, 1.0), (2, 2.0)):
            await until(lambda wait_s=wait_s: wait_s in made.clock.slept)  # type: ignore[misc]
            assert len(made.service.received) == number
            await made.clock.advance(wait_s)
        reply = await made.over(node)
        assert reply.error is not None
        assert ("full" in reply.error.message, len(made.service.received)) == (True, 3)


@BOTH
async def test_check_05_D6_an_overload_after_the_first_words_is_the_end(tmp_path: Path, api: Api) -> None:
    async with product(tmp_path, telling(opening(api) + delta(api, "Hi"), failing(api, "full")), api=api) as made:
        reply = await made.over(await made.begin())
        assert (reply.content, len(made.service.received)) == ("Hi", 1)
        assert reply.error is not None


def silent(kind: str, peers: list[Peer], closed: asyncio.Event) -> Answer:
    async def answer(peer: Peer) -> None:
        peers.append(peer)
        if kind == "keep-alives":
            await peer.events()
            for _ in range(3):
                await peer.chunk(b": keep-alive\n\n")
        await peer.gone()
        closed.set()

    return answer


@BOTH
@pytest.mark.parametrize("kind", ["nothing", "keep-alives"])
async def test_check_06_D7_silence_is_ended_by_a_timer_and_at_once_by_a_person(
    tmp_path: Path, api: Api, kind: str
) -> None:
    peers, closed = list[Peer](), asyncio.Event()
    async with product(tmp_path, silent(kind, peers, closed), api=api) as made:
        node = await made.begin()
        await settled(lambda: len(peers) == 1)
        await made.do(StopTurn(node=node))
        assert (await made.over(node)).stopped
        await asyncio.wait_for(closed.wait(), 60)
        closed.clear()
        await made.begin("again", node)
        await settled(lambda: len(peers) == 2)
        await made.clock.advance(601)
        reply = await made.over(node)
        assert reply.error is not None
        assert (reply.error.code, reply.stopped) == ("timed_out", False)
        await asyncio.wait_for(closed.wait(), 60)


PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><script>x</script></body></html>"
RESPONSES = (
    b'event: response.created\ndata: {"type":"response.created","response":{"id":"r"}}\n\n'
    b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hi"}\n\n'
)
GEMINI = b'data: {"candidates":[{"content":{"parts":[{"text":"Hi"}],"role":"model"},"index":0}]}\n\n'
COHERE = b'event: content-delta\ndata: {"type":"content-delta","index":0,"delta":{"message":{"content":"Hi"}}}\n\n'
NO_ANSWERS: dict[str, Answer] = {
    "a page with 404": refusing(404, PAGE, content_type="text/html"),
    "a page with 200": refusing(200, PAGE, content_type="text/html"),
    "nothing": refusing(200, b"", content_type="text/event-stream"),
    "an object": refusing(200, b"{}", content_type="application/json"),
    "no choices": refusing(200, b'{"id":"x","choices":[]}', content_type="application/json"),
    "no choices, streamed": telling(b'data: {"choices":[]}\n\n', DONE),
    "responses": telling(RESPONSES),
    "gemini": telling(GEMINI),
    "cohere": telling(COHERE),
}


@BOTH
async def test_check_07_D5_what_is_no_answer_is_one_clear_error(tmp_path: Path, api: Api) -> None:
    service = Changing(good(api))
    async with product(tmp_path, service, api=api) as made:
        for name, service.now in NO_ANSWERS.items():
            node = await made.begin()
            reply = await made.over_after_tries(node)  # some of these may pass by themselves
            assert (reply.content, len(made.said(node))) == ("", 1), name
            assert reply.error is not None, name
            assert reply.error.message
            assert not set("<>") & set(reply.error.message + reply.error.hint), name


@BOTH
async def test_check_09_D15_a_redirect_takes_neither_question_nor_key_elsewhere(tmp_path: Path, api: Api) -> None:
    async with serving(good(api)) as elsewhere:
        statuses = (301, 302, 303, 307, 308)
        answers = [refusing(status, location=f"{elsewhere.url}/v1/x") for status in statuses]
        async with product(tmp_path, *answers, api=api) as made:
            for asked in range(1, len(statuses) + 1):
                reply = await made.over(await made.begin())
                assert reply.error is not None
                assert (reply.error.code, len(made.service.received)) == ("redirected", asked)
        assert (elsewhere.received, elsewhere.connections) == ([], 0)


ODD = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\u00a0h"
FACE = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@BOTH
async def test_check_10_D2_odd_characters_arrive_are_saved_and_come_back(tmp_path: Path, api: Api) -> None:
    face = delta(api, FACE)
    at = face.index(FACE.encode())
    bytes_of_it = [face[: at + 1], *(face[at + n : at + n + 1] for n in range(1, 5)), face[at + 5 :]]
    half = delta(api, "HALF").replace(b"HALF", b"[\\ud83d]")
    async with product(
        tmp_path, telling(opening(api) + delta(api, ODD), *bytes_of_it, half, ending(api)), api=api
    ) as made:
        node = await made.begin(f"what about {ODD}{FACE}")
        reply = await made.over(node)
        assert (reply.content, reply.error) == (f"{ODD}{FACE}[\ufffd]", None)
        project = made.session.project
    kept: dict[str, Any] = {record.id: record for record in await asyncio.to_thread(records_on_disk, tmp_path, project)}
    assert kept[reply.id] == reply
    assert [record.content for record in kept.values() if getattr(record, "role", "") == "user"] == [
        f"what about {ODD}{FACE}"
    ]


def records_on_disk(folder: Path, project: ProjectId) -> tuple[DocumentRecord, ...]:
    store = DatabaseStore(folder / "talkfield.db")
    try:
        return store.load(project)
    finally:
        store.close()
