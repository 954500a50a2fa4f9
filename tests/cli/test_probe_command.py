"""`talkfield probe` of scripted and of real endpoints: what is kept of them, and that no key is seen (D13, D15)."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import Ended, opened, run
from providers.strange_endpoints import KEY, NewtonServer, OddGateway, StrangeEndpoint
from providers.test_real_server import installed
from talkfield.providers.local import LocalModel
from talkfield.providers.local_process import LocalAddress
from talkfield.system import SystemClock

Run = Callable[..., Ended]

NEWTON_PROFILE = {
    "stream_usage": False,
    "max_tokens_field": "max_completion_tokens",
    "system_role": "developer",
    "reasoning_parameter": "",
    "empty_content": "empty",
    "images": False,
}


@pytest.fixture
def newton() -> Iterator[StrangeEndpoint]:
    with NewtonServer().serving_in_a_thread() as server:
        yield server


@pytest.fixture
def gateway() -> Iterator[StrangeEndpoint]:
    with OddGateway().serving_in_a_thread() as server:
        yield server


def learned(home: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((home / "settings.json").read_text())["learned"]
    return value


def everything_in(*folders: Path) -> bytes:
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


def test_D13_what_is_found_is_kept_and_obeyed_by_the_next_chat(
    newton: StrangeEndpoint, own_home: Path, tmp_path: Path
) -> None:
    records = tmp_path / "records"
    ended = run(
        own_home,
        "probe",
        newton.url,
        "--key-env",
        "MY_KEY",
        MY_KEY=KEY,
        TALKFIELD_RECORD=str(records),
        TALKFIELD_DEBUG="1",
    )
    assert ended.status == 0, ended.err
    assert learned(own_home) == {f"{newton.url}/v1/chat/completions|strange-1": NEWTON_PROFILE}
    lines = ended.out.splitlines()
    assert [line[3:].split("  ")[0] for line in lines[:3]] == ["streaming", "usage", "output limit"]
    assert lines[-1].startswith("Profile of strange-1: {")
    assert f"asking {newton.url}/v1/chat/completions for strange-1" in ended.err
    assert len(list(records.iterdir())) == len(newton.received)
    for part in (KEY, KEY[:10], KEY[-10:]):
        assert part not in ended.out + ended.err
        assert part.encode() not in everything_in(own_home, records)

    newton.received.clear()
    newton.refused.clear()
    box = {"TALKFIELD_PROVIDER_URL_BOX": newton.url, "TALKFIELD_PROVIDER_KEY_BOX": KEY}
    asked = run(own_home, "ask", "Hello", "-p", "box", "-m", "strange-1", "--system", "Be kind.", limit_s=30, **box)
    assert (asked.status, asked.out) == (0, "Red, green, blue. \n")
    assert (len(newton.received), newton.refused) == (1, [])
    assert newton.received[0]["messages"][0] == {"role": "developer", "content": "Be kind."}


def test_D13_the_other_wire_is_tried_where_none_is_named(gateway: StrangeEndpoint, here: Run, own_home: Path) -> None:
    ended = here("probe", gateway.url, "--key-env", "MY_KEY", "--model", "odd-7b", MY_KEY=KEY)
    assert ended.status == 0, ended.err
    assert learned(own_home) == {
        f"{gateway.url}/v1/messages|odd-7b": {"reasoning_parameter": "thinking", "tools": False}
    }
    assert "!! streaming" in ended.out
    assert "ok streaming" in ended.out


def test_D13_a_second_probe_replaces_what_the_first_found(newton: StrangeEndpoint, here: Run, own_home: Path) -> None:
    key = f"{newton.url}/v1/chat/completions|strange-1"
    own_home.mkdir()
    (own_home / "settings.json").write_text(json.dumps({"version": 1, "learned": {key: {"tools": False}, "other": {}}}))
    assert here("probe", newton.url, "--key-env", "MY_KEY", MY_KEY=KEY).status == 0
    assert learned(own_home) == {key: NEWTON_PROFILE, "other": {}}


def test_D13_a_dry_run_sends_and_keeps_nothing(newton: StrangeEndpoint, here: Run, own_home: Path) -> None:
    ended = here("probe", newton.url, "--dry-run", "--key-env", "MY_KEY", MY_KEY=KEY)
    assert (ended.status, ended.err, newton.received) == (0, "", [])
    assert f"POST {newton.url}/v1/chat/completions (openai)" in ended.out
    assert ended.out.endswith("Nothing was sent.\n")
    assert KEY not in ended.out
    assert not own_home.exists()


def test_D13_a_probe_may_keep_nothing(newton: StrangeEndpoint, here: Run, own_home: Path) -> None:
    ended = here("probe", newton.url, "--no-save", "--api", "openai", "--key-env", "MY_KEY", MY_KEY=KEY)
    assert (ended.status, own_home.exists()) == (0, False)
    assert "Profile of strange-1" in ended.out


def test_ST5_beside_an_open_canvas_nothing_is_kept_and_that_is_said(newton: StrangeEndpoint, own_home: Path) -> None:
    with opened(own_home):
        ended = run(own_home, "probe", newton.url, "--key-env", "MY_KEY", MY_KEY=KEY)
    assert ended.status == 1
    assert ended.err.splitlines()[-1].startswith("talkfield: nothing was kept, because Talkfield is open")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("http://127.0.0.1:1",), "no connection to http://127.0.0.1:1"),
        (("ftp://box",), "baseUrl: "),
        (("http://169.254.169.254/",), "is not an address of a model provider"),
        (("http://127.0.0.1:1", "--api", "grpc"), "api: has to be one of: openai, anthropic"),
        (("http://127.0.0.1:1", "--key-env", "NO_SUCH_VARIABLE"), "The variable NO_SUCH_VARIABLE holds no key."),
    ],
)
def test_X5_what_cannot_be_probed_is_told(here: Run, own_home: Path, arguments: tuple[str, ...], says: str) -> None:
    ended = here("probe", *arguments)
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert says in ended.err
    assert not own_home.exists()


def test_D15_a_wrong_key_is_told_without_it(newton: StrangeEndpoint, here: Run, own_home: Path) -> None:
    ended = here("probe", newton.url, "--model", "strange-1", "--key-env", "MY_KEY", MY_KEY="sk-wrong-0123456789abcdef")
    assert ended.status == 1
    assert "who is Bearer [key]?" in ended.out
    assert "sk-wrong" not in ended.out + ended.err
    assert not own_home.exists()


@pytest.fixture
def real_server() -> Iterator[LocalAddress]:
    """llama.cpp's server, kept by an event loop in a thread."""
    ready, over = threading.Event(), threading.Event()
    found: list[LocalAddress] = []

    async def serve() -> None:
        model = LocalModel(clock=SystemClock(), environment=dict(os.environ))
        try:
            found.append(await model.address())
            ready.set()
            await asyncio.to_thread(over.wait)
        finally:
            await model.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(60)
    yield found[0]
    over.set()
    thread.join(10)


@pytest.mark.local_model
@pytest.mark.skipif(not installed(), reason="the embedded model is not installed on this machine")
@pytest.mark.parametrize(("api", "path"), [("openai", "/v1/chat/completions"), ("anthropic", "/v1/messages")])
def test_D13_a_real_server_is_probed_on_both_wires(
    real_server: LocalAddress, own_home: Path, api: str, path: str
) -> None:
    ended = run(
        own_home,
        "probe",
        real_server.base_url,
        "--api",
        api,
        "--key-env",
        "MY_KEY",
        MY_KEY=real_server.key,
        limit_s=110,
    )
    assert ended.status == 0, ended.err
    found = {line[3:].split("  ")[0] for line in ended.out.splitlines() if line.startswith("ok ")}
    assert found >= {"streaming", "usage", "output limit", "system prompt", "stop"}, ended.out
    assert learned(own_home) == {f"{real_server.base_url}{path}|smollm2-135m": {"images": False}}
    assert real_server.key not in ended.out + ended.err
