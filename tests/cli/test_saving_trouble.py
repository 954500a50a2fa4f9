"""A real process that cannot save: it says so, keeps everything, and ends when all of it is saved (W9)."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from cli.terminal import opened, run
from storage.disk import small_disk


def ask(url: str, token: str, body: Any = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


async def save_record(url: str, token: str) -> Any:
    """What a browser that connects now is told about saving."""
    headers = {"authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(headers=headers) as http, http.ws_connect(f"{url}/api/channel") as socket:
        await socket.send_str('{"type":"hello","protocol":1}')
        welcome = json.loads((await socket.receive()).data)
        return next(record for record in welcome["records"] if record["id"] == "save")


def test_check_14_W9_a_full_disk_is_told_nothing_is_lost_and_the_end_waits_for_it(own_home: Path) -> None:
    own_home.mkdir(exist_ok=True)
    with small_disk(own_home, "4m") as disk:
        with opened(own_home) as canvas:
            token = (own_home / "api-token").read_text().strip()
            project = ask(f"{canvas.url}/api/projects", token)[1]["projects"][0]["id"]
            nodes = f"{canvas.url}/api/projects/{project}/nodes"
            assert ask(nodes, token, {"title": "saved"})[0] == 201
            disk.fill()
            titles = ["saved"]
            for number in range(1000):  # the database may have some room left in its own files
                titles.append(f"number {number}")
                status, answer = ask(nodes, token, {"title": titles[-1], "system": "x" * 5000})
                if status != 201:
                    break
            assert (status, answer["error"]["code"]) == (507, "save_failed")
            assert "disk is full" in answer["error"]["message"] + answer["error"]["hint"]
            record = asyncio.run(save_record(canvas.url, token))
            assert record["state"] == "failed"
            assert "disk is full" in record["message"]
            lines: list[str] = []
            assert canvas.process.stderr is not None
            reader = threading.Thread(target=lambda: lines.append(canvas.process.stderr.readline()))  # type: ignore[union-attr]
            reader.start()
            canvas.process.send_signal(signal.SIGTERM)
            reader.join(15)
            assert "1 change in “My canvas” could not be saved" in lines[0]
            shown = ask(f"{canvas.url}/api/projects/{project}", token)[1]["nodes"]
            assert sorted(node["title"] for node in shown) == sorted(titles)  # it goes on, with everything in memory
            disk.free()
            ended = canvas.ended()
            assert (ended.status, "Traceback" in ended.err) == (0, False)
        with opened(own_home) as again:
            kept = ask(f"{again.url}/api/projects/{project}", token)[1]["nodes"]
            assert sorted(node["title"] for node in kept) == sorted(titles)


def test_check_15_W9_a_read_only_data_folder_is_told_at_the_start_and_left_as_it_was(own_home: Path) -> None:
    own_home.mkdir(exist_ok=True)
    with small_disk(own_home, "4m") as disk:
        with opened(own_home) as canvas:
            canvas.stop()
        before = {path.name: path.read_bytes() for path in own_home.iterdir() if path.is_file()}
        disk.forbid_writing()
        ended = run(own_home, "open", "--no-browser", "--port", "0")
        assert (ended.status, ended.out, "Traceback" in ended.err) == (1, "", False)
        assert str(own_home) in ended.err
        assert {path.name: path.read_bytes() for path in own_home.iterdir() if path.is_file()} == before


def test_W9_a_second_interrupt_ends_it_without_what_is_not_saved(own_home: Path) -> None:
    own_home.mkdir(exist_ok=True)
    with small_disk(own_home, "4m") as disk, opened(own_home) as canvas:
        token = (own_home / "api-token").read_text().strip()
        project = ask(f"{canvas.url}/api/projects", token)[1]["projects"][0]["id"]
        disk.fill()
        while ask(f"{canvas.url}/api/projects/{project}/nodes", token, {"system": "x" * 5000})[0] == 201:
            pass
        canvas.process.send_signal(signal.SIGINT)
        assert canvas.process.stderr is not None
        assert "could not be saved" in canvas.process.stderr.readline()
        canvas.process.send_signal(signal.SIGINT)
        assert canvas.ended().status == 130


@contextmanager
def held(home: Path) -> Iterator[None]:
    """Another program writes into the database, and takes its time."""
    other = sqlite3.connect(home / "talkfield.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@contextmanager
def removed(home: Path) -> Iterator[None]:
    """The data folder is somewhere else for a while."""
    home.rename(home.with_name("elsewhere"))
    try:
        yield
    finally:
        home.with_name("elsewhere").rename(home)


@pytest.mark.parametrize(("trouble", "words"), [(held, "another program"), (removed, "is gone")])
def test_W9_what_stands_in_the_way_is_told_and_all_is_saved_when_it_is_gone(
    own_home: Path, trouble: Callable[[Path], AbstractContextManager[None]], words: str
) -> None:
    with opened(own_home) as canvas:
        token = (own_home / "api-token").read_text().strip()
        project = ask(f"{canvas.url}/api/projects", token)[1]["projects"][0]["id"]
        nodes = f"{canvas.url}/api/projects/{project}/nodes"
        assert ask(nodes, token, {"title": "before"})[0] == 201
        with trouble(own_home):
            status, answer = ask(nodes, token, {"title": "during"})
            assert (status, answer["error"]["code"]) == (507, "save_failed")
            assert words in f"{answer['error']['message']} {answer['error']['hint']}"
            record = asyncio.run(save_record(canvas.url, token))
            assert (record["state"], words in record["message"]) == ("failed", True)
        assert ask(nodes, token, {"title": "after"})[0] == 201
        assert asyncio.run(save_record(canvas.url, token))["state"] == "saved"
        canvas.process.kill()
    with opened(own_home) as again:
        kept = ask(f"{again.url}/api/projects/{project}", token)[1]["nodes"]
        assert sorted(node["title"] for node in kept) == ["after", "before", "during"]
