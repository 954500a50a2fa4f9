"""Records of provider calls: their form, what is left out of them, and that they are played as they were (D4, X2)."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.listening import Listener, asked, event, good, refusing, whole
from providers.provider_doubles import NoWaitClock, assistant, called, config, parts, played, request, text_of, user
from providers.raw_server import Peer, serving, until
from talkfield.errors import InvalidArgument, ProviderCut, ProviderError, ProviderRefused, StartFailed
from talkfield.providers.openai import OpenAiDriver
from talkfield.providers.record_mask import masked_bytes, masked_headers, masked_request_body, masked_url, secrets_sent
from talkfield.providers.recorded_call import (
    RecordedCall,
    RecordedRequest,
    decode_record,
    encode_record,
    failure_of,
    is_record,
    reads_of,
    response_of,
)
from talkfield.providers.recorded_script import asked_in, script_of
from talkfield.providers.recorder import Recorder, record_folder
from talkfield.providers.script import Pause
from talkfield.providers.scripted import ScriptedDriver, chooser, scripted_rules
from talkfield.runtime.ports import Chunk, FinishChunk, Parameters, ProviderRequest
from talkfield.system import SystemClock

KEY = "sk-canary-0123456789abcdef"


def record(reads: list[tuple[int, bytes]], *, status: int = 200, body: Any = None, ended: str = "") -> RecordedCall:
    return RecordedCall(
        api="openai",
        at=1_700_000_000_000,
        request=RecordedRequest(method="POST", url="https://box.example/v1/chat/completions", body=body),
        response=response_of(status, {"content-type": "text/event-stream"}, reads),
        ended=ended,
    )


# The form


@given(st.lists(st.tuples(st.integers(0, 10_000), st.binary(min_size=1, max_size=40)), max_size=8))
def test_D3_a_record_gives_back_every_read_as_it_was(reads: list[tuple[int, bytes]]) -> None:
    kept = decode_record(encode_record(record(reads)))
    assert kept.response is not None
    assert list(reads_of(kept.response)) == reads


def test_D3_a_record_is_told_from_an_answer() -> None:
    assert is_record(encode_record(record([(0, b"data: {}\n\n")])))
    assert not is_record(b'{"choices": []}')
    assert not is_record(b'data: {"talkfieldRecord": 1}\n\n')


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"talkfieldRecord": 1}', "cannot be read"),
        (b'{"talkfieldRecord": 1, ', "cannot be read"),
        (b'{"talkfieldRecord": 2, "api": "openai", "request": {"method": "POST", "url": ""}}', "newer Talkfield"),
    ],
)
def test_X5_a_record_that_cannot_be_read_says_so(data: bytes, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        decode_record(data)


def test_X5_an_answer_that_is_not_base64_says_so() -> None:
    data = encode_record(record([(0, b"\xff")])).replace(b'"/w=="', b'"!"')
    response = decode_record(data).response
    assert response is not None
    with pytest.raises(InvalidArgument, match="base64"):
        list(reads_of(response))


def test_D5_a_refusal_in_a_record_is_the_error_that_it_was() -> None:
    error = failure_of(record([(1, b'{"error":{"message":"no such model","code":"model_not_found"}}')], status=404))
    assert isinstance(error, ProviderRefused)
    assert (error.code, error.message, error.status) == ("unknown_model", "no such model", 404)
    moved = failure_of(record([], status=308))
    assert moved is not None
    assert moved.code == "redirected"


# What is left out


def test_X2_of_headers_only_harmless_values_are_kept() -> None:
    headers = {
        "Authorization": f"Bearer {KEY}",
        "x-api-key": KEY,
        "Cookie": "session=abcdefgh12345; theme=dark",
        "X-Tenant": "a tenant of ours",
        "content-type": "application/json",
        "x-ratelimit-limit-requests": "10",
        "location": f"https://elsewhere.example/login?token={KEY}&api-version=1",
    }
    secrets = secrets_sent("https://box.example/v1?key=hunter2hunter2&api-version=2", headers, {})
    assert masked_headers(headers, secrets) == {
        "authorization": "[removed]",
        "x-api-key": "[removed]",
        "cookie": "[removed]",
        "x-tenant": "[removed]",
        "content-type": "application/json",
        "x-ratelimit-limit-requests": "10",
        "location": "https://elsewhere.example/login?token=[removed]&api-version=1",
    }
    assert masked_url("https://box.example/hunter2hunter2/v1?key=hunter2hunter2&api-version=2", secrets) == (
        f"https://box.example/{'*' * 14}/v1?key=[removed]&api-version=2"
    )


def test_X2_secret_fields_of_a_body_are_covered_wherever_they_are_echoed() -> None:
    body = {"model": "m", "api_key": "hunter2hunter2", "metadata": {"access_token": "tok-9876543210"}, "max_tokens": 5}
    data = json.dumps({**body, "messages": [{"role": "user", "content": "about key: value"}]}).encode()
    secrets = secrets_sent("https://box.example/v1", {}, json.loads(data))
    kept = masked_request_body(data, secrets)
    assert kept["messages"] == [{"role": "user", "content": "about key: value"}]
    assert (kept["max_tokens"], kept["api_key"], kept["metadata"]) == (5, "*" * 14, {"access_token": "*" * 14})
    assert b"hunter2" not in masked_bytes(b'{"error":"hunter2hunter2 is wrong, hunter2hu..."}', secrets)


@given(
    st.integers(0, 300),
    st.integers(0, 300),
    st.sampled_from([KEY, KEY[:9], KEY[-8:], json.dumps(KEY), "sk-" + "z" * 30]),
)
def test_X2_covering_changes_no_length_and_leaves_no_key(before: int, after: int, echoed: str) -> None:
    data = b"x " * before + echoed.encode() + b" y" * after
    secrets = secrets_sent("https://box.example/v1", {"authorization": f"Bearer {KEY}"}, {})
    covered = masked_bytes(data, secrets)
    assert len(covered) == len(data)
    assert echoed.strip('"').encode() not in covered


def test_X2_words_of_the_protocol_are_never_covered() -> None:
    secrets = secrets_sent("https://box.example/v1", {"authorization": "Bearer none", "x-flag": "true"}, {})
    assert masked_bytes(b'data: {"a": true, "b": "none"}\n\n', secrets) == b'data: {"a": true, "b": "none"}\n\n'


# Recording


class ImpatientClock(SystemClock):
    """The machine's time, but waits before another try are over at once."""

    async def sleep_s(self, seconds: float) -> None:
        await super().sleep_s(seconds if seconds > 5 else 0)


def recording(folder: Path) -> OpenAiDriver:
    clock = ImpatientClock()
    return OpenAiDriver(clock, observer=Recorder(folder, clock).observer("openai"))


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def records(folder: Path) -> list[RecordedCall]:
    return [decode_record(path.read_bytes()) for path in files(folder)]


def playing(place: Path) -> ScriptedDriver:
    return ScriptedDriver(choose=chooser(scripted_rules({"TALKFIELD_SCRIPTED": str(place)}) or ()), clock=NoWaitClock())


async def heard(driver: OpenAiDriver, *answers: Any, **fields: Any) -> Listener:
    _, listener = await whole(driver, *answers, **fields)
    await driver.close()
    return listener


async def test_X2_a_call_is_recorded_without_its_key_in_a_private_file(tmp_path: Path) -> None:
    async def echoing(peer: Peer) -> None:
        await peer.head(
            200,
            content_type="text/event-stream",
            transfer_encoding="chunked",
            set_cookie=f"s={KEY}",
            x_echo=KEY,
            x_request_id="abc",
        )
        await peer.chunk(f": {KEY}\n\n".encode() + event("Hi"))
        await peer.chunk(event(f"your key is {KEY[:13]}", key=KEY))
        await peer.chunk(event("", "stop") + b"data: [DONE]\n\n")
        await peer.last_chunk()

    await heard(recording(tmp_path), echoing, key=KEY)
    (path,) = files(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for part in (KEY, KEY[:9], KEY[-9:]):
        assert part not in path.read_text()
    (kept,) = records(tmp_path)
    assert kept.request.headers["authorization"] == "[removed]"
    assert kept.request.body["messages"] == [{"role": "user", "content": "Hello"}]
    assert kept.response is not None
    assert kept.response.headers["x-echo"] == kept.response.headers["set-cookie"] == "[removed]"
    assert (kept.response.status, kept.ended) == (200, "")
    assert sum(length for _, length in kept.response.segments) == len(kept.response.body.encode())


async def test_D6_each_try_is_a_record_of_its_own(tmp_path: Path) -> None:
    await heard(recording(tmp_path), refusing(503, b'{"error":"busy"}'), good)
    assert [kept.response and kept.response.status for kept in records(tmp_path)] == [503, 200]


async def test_D4_how_a_call_ended_is_recorded(tmp_path: Path) -> None:
    async def cut(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi"))
        await peer.reset()

    await heard(recording(tmp_path), cut)
    (kept,) = records(tmp_path)
    assert kept.ended.startswith("the connection broke")
    assert kept.response is not None
    assert kept.response.body == event("Hi").decode()


async def test_R10_a_call_that_is_stopped_is_recorded_as_far_as_it_came(tmp_path: Path) -> None:
    async def endless(peer: Peer) -> None:
        await peer.events()
        await peer.chunk(event("Hi"))
        await peer.gone()

    driver = recording(tmp_path)
    async with serving(endless) as server:
        answer = driver.stream(asked(server.url))
        async for _ in answer:
            break
        await answer.aclose()  # type: ignore[attr-defined]
        await driver.close()
    (kept,) = records(tmp_path)
    assert (kept.ended, kept.response and kept.response.body) == ("stopped before its end", event("Hi").decode())


async def test_D6_a_call_that_reached_nobody_is_recorded(tmp_path: Path) -> None:
    driver = recording(tmp_path)
    with pytest.raises(ProviderError):
        await played(driver, asked("http://127.0.0.1:1/v1"))
    await driver.close()
    kept = records(tmp_path)
    assert len(kept) == 3
    assert all(each.response is None and "127.0.0.1" in each.ended for each in kept)


async def test_W9_a_folder_that_is_gone_never_disturbs_a_call(tmp_path: Path) -> None:
    said: list[str] = []
    clock = ImpatientClock()
    driver = OpenAiDriver(clock, observer=Recorder(tmp_path / "gone", clock, said.append).observer("openai"))
    _, listener = await whole(driver, good)
    await driver.close()
    assert listener.text == "Hi there"
    assert len(said) == 1
    assert "go on unrecorded" in said[0]


async def test_X2_lists_of_models_are_not_recorded(tmp_path: Path) -> None:
    async def models(peer: Peer) -> None:
        await peer.answer(200, b'{"data":[{"id":"m"}]}')

    said: list[str] = []
    clock = ImpatientClock()
    driver = OpenAiDriver(clock, observer=Recorder(tmp_path, clock, said.append).observer("openai"))
    async with serving(models) as server:
        assert await driver.models(asked(server.url).provider)
        await driver.close()
    assert (files(tmp_path), said) == ([], [])


def test_X5_a_folder_that_cannot_be_made_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert record_folder({}) is None
    made = record_folder({"TALKFIELD_RECORD": str(tmp_path / "a" / "b")})
    assert made is not None
    assert made.is_dir()
    with pytest.raises(StartFailed, match="TALKFIELD_RECORD names a folder"):
        record_folder({"TALKFIELD_RECORD": str(tmp_path / "file" / "b")})


# Playing


@pytest.fixture
def one_record(tmp_path: Path) -> ScriptedDriver:
    reads = [(100, event("Hi")), (350, event(" there")), (350, event("", "stop") + b"data: [DONE]\n\n")]
    file = tmp_path / "one.json"
    file.write_bytes(encode_record(record(reads)))
    return playing(file)


async def test_D3_a_record_is_played_as_it_came(one_record: ScriptedDriver) -> None:
    steps = await played(one_record, request(user("anything at all")))
    assert text_of(steps) == "Hi there"
    assert isinstance(steps[-1], FinishChunk)
    asked_twice = await played(one_record, request(user("again")))
    assert asked_twice == steps


def test_D3_the_pauses_of_a_record_are_played_too() -> None:
    steps = script_of(record([(100, event("Hi")), (350, event(" there")), (351, event("", "stop"))])).steps
    assert [step for step in steps if isinstance(step, Pause)] == [Pause(0.1), Pause(0.25)]


@pytest.fixture
def cut_record(tmp_path: Path) -> ScriptedDriver:
    (tmp_path / "one.json").write_bytes(encode_record(record([(0, event("Hi"))], ended="the connection broke: X")))
    return playing(tmp_path / "one.json")


async def test_D4_a_record_of_a_cut_answer_fails_as_it_did(cut_record: ScriptedDriver) -> None:
    seen: list[Chunk] = []
    with pytest.raises(ProviderCut, match="the connection broke: X"):
        await parts(cut_record.stream(request(user("x"))), seen)
    assert text_of(seen) == "Hi"


CALL = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "read_file", "arguments": '{"path":"a"}'}}]}
ASKS = b"data: " + json.dumps({"choices": [{"delta": CALL, "finish_reason": "tool_calls"}]}).encode() + b"\n\n"


@pytest.fixture
def folder_of_records(tmp_path: Path) -> ScriptedDriver:
    first = {"messages": [{"role": "user", "content": "read it"}]}
    calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}
    second = {"messages": [*first["messages"], calls, {"role": "tool", "tool_call_id": "c", "content": "42"}]}
    (tmp_path / "1.json").write_bytes(encode_record(record([(0, ASKS)], body=first)))
    (tmp_path / "2.json").write_bytes(encode_record(record([(0, event("It says 42.", "stop"))], body=second)))
    return playing(tmp_path)


async def test_D8_a_folder_of_records_plays_its_turns_again(folder_of_records: ScriptedDriver) -> None:
    driver = folder_of_records
    asks = await played(driver, request(user("read it")))
    assert getattr(asks[0], "name", "") == "read_file"
    says = await played(driver, request(user("read it"), assistant("", called("read_file", "42"))))
    assert text_of(says) == "It says 42."
    assert text_of(await played(driver, request(user("something else")))) == "echo: something else"


@pytest.mark.parametrize(
    ("messages", "asked_then"),
    [
        ([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}], ("a", 0)),
        (
            [
                {"role": "user", "content": [{"type": "text", "text": "a"}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c"}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "r"}]},
            ],
            ("a", 1),
        ),
        ("odd", ("", 0)),
        ([3], ("", 0)),
    ],
)
def test_D8_what_a_recorded_request_asked_is_found_on_both_wires(messages: Any, asked_then: tuple[str, int]) -> None:
    assert asked_in({"messages": messages}) == asked_then


def test_X5_a_folder_with_something_else_in_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(StartFailed, match=r"other\.json"):
        scripted_rules({"TALKFIELD_SCRIPTED": str(tmp_path)})


async def test_D3_what_was_recorded_plays_the_same_chunks(tmp_path: Path) -> None:
    """The whole way: a real connection, its record, and the record played."""
    listener = await heard(recording(tmp_path), good, key=KEY)
    driver = await asyncio.to_thread(playing, tmp_path)
    again = await played(
        driver, ProviderRequest(provider=config(), model="m", messages=(user("Hello"),), parameters=Parameters())
    )
    assert again == listener.chunks


async def test_D6_recording_waits_for_nothing(tmp_path: Path) -> None:
    """The record is written after the answer has been given out."""
    driver = recording(tmp_path)
    async with serving(good) as server:
        listener = Listener(driver, asked(server.url))
        await until(lambda: listener.finish)
        await driver.close()
    assert len(records(tmp_path)) == 1
