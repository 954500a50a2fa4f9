"""`talkfield open` as a process: its one line, its ends, and what it says when it cannot start."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from cli.terminal import Ended, opened, run
from talkfield.open import further_hosts, public_origin


def post(url: str, token: str, body: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60) as answer:
        return json.load(answer)


def get(url: str, token: str) -> Any:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def works(link: str, opener: urllib.request.OpenerDirector | None = None) -> bool:
    """Whether a link lets a browser in."""
    opener = opener or urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        with opener.open(link, timeout=60) as page:
            return bool(page.status == 200)
    except urllib.error.HTTPError as error:
        return error.code == 503  # let in; the UI is not built in this checkout


def test_Z1_one_line_says_where_it_runs_and_the_link_works_once(own_home: Path) -> None:
    with opened(own_home) as canvas:
        assert re.fullmatch(r"Talkfield is running: http://127\.0\.0\.1:\d+/\?token=[\w-]{40,}\n", canvas.first_line)
        assert [works(canvas.link), works(canvas.link)] == [True, False]
        ended = canvas.stop()
    assert (ended.status, ended.out, ended.err) == (0, canvas.first_line, "")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_check_16_W6_it_ends_quickly_and_tells_its_browsers(own_home: Path, sent: signal.Signals) -> None:
    async def watch(url: str, token: str) -> int | None:
        headers = {"authorization": f"Bearer {token}"}
        async with aiohttp.ClientSession(headers=headers) as http, http.ws_connect(f"{url}/api/channel") as socket:
            await socket.send_str('{"type":"hello","protocol":1}')
            await socket.receive()
            canvas.process.send_signal(sent)
            while (await socket.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
            return socket.close_code

    with opened(own_home) as canvas:
        token = (own_home / "api-token").read_text().strip()
        project = get(f"{canvas.url}/api/projects", token)["projects"][0]["id"]
        node = post(f"{canvas.url}/api/projects/{project}/nodes", token, {})["id"]
        code = asyncio.run(watch(canvas.url, token))
        began = time.monotonic()
        ended = canvas.ended()
        assert (code, ended.status, ended.err) == (1001, 0, "")
        assert time.monotonic() - began < 25
    with opened(own_home) as again:
        assert get(f"{again.url}/api/nodes/{node}", token)["node"]["id"] == node


def test_W6_it_ends_while_a_reply_streams_and_a_script_waits(own_home: Path) -> None:
    with opened(own_home) as canvas:
        token = (own_home / "api-token").read_text().strip()
        project = get(f"{canvas.url}/api/projects", token)["projects"][0]["id"]
        node = post(f"{canvas.url}/api/projects/{project}/nodes", token, {})["id"]
        host, _, port = canvas.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as script:
            body = b'{"text":"stream 1000 words"}'
            script.sendall(
                f"POST /api/nodes/{node}/send HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n"
                f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n".encode()
                + body
            )
            seen = b""
            while b"event: delta" not in seen:
                seen += script.recv(4096)
            began = time.monotonic()
            ended = canvas.stop()
        assert (ended.status, ended.err) == (0, "")
        assert time.monotonic() - began < 25
    with opened(own_home) as again:
        messages = get(f"{again.url}/api/nodes/{node}", token)["messages"]
        assert [message["role"] for message in messages] == ["user", "assistant"]
        assert messages[1]["content"].startswith("word-1 ")


def test_ST5_a_second_one_gives_a_link_to_the_first_and_opens_its_folder(own_home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project folder"
    folder.mkdir()
    with opened(own_home) as canvas:
        second = run(own_home, "open", "--no-browser", str(folder))
        assert (second.status, second.out, second.err.count("\n")) == (1, "", 1)
        link = second.err.removeprefix("talkfield: already running: ").strip()
        assert link.startswith(canvas.url)
        assert works(link)
        token = (own_home / "api-token").read_text().strip()
        assert get(f"{canvas.url}/api/projects", token)["projects"][0]["folder"] == str(folder)


def test_Z1_the_name_alone_opens_the_canvas(own_home: Path) -> None:
    with opened(own_home) as canvas:
        ended = run(own_home)
        assert (ended.status, ended.out) == (1, "")
        assert ended.err.startswith(f"talkfield: already running: {canvas.url}/?token=")


def test_check_16_ST5_what_is_left_of_a_killed_one_is_in_nobodys_way(own_home: Path) -> None:
    with opened(own_home) as canvas:
        canvas.process.kill()
        canvas.process.wait()
    with opened(own_home) as again:
        assert works(again.link)


def test_X1_a_tab_and_a_token_survive_a_restart(own_home: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opened(own_home) as canvas:
        assert works(canvas.link, opener)
        canvas.stop()
        port = canvas.url.rpartition(":")[2]
    with opened(own_home, "--port", port) as again, opener.open(f"{again.url}/api/projects", timeout=60) as answer:
        assert answer.status == 200


def test_Z1_a_folder_is_opened_as_the_first_project(own_home: Path, tmp_path: Path) -> None:
    with opened(own_home, "--port", "0", str(tmp_path)) as canvas:
        token = (own_home / "api-token").read_text().strip()
        assert get(f"{canvas.url}/api/projects", token)["projects"][0]["folder"] == str(tmp_path)


def test_Z1_a_scratch_canvas_keeps_nothing(own_home: Path) -> None:
    with opened(own_home, "--port", "0", "--scratch") as canvas:
        assert works(canvas.link)
        canvas.stop()
    assert not (own_home / "talkfield.db").exists()


def test_Z1_a_port_that_is_taken_is_told_in_one_line(own_home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = run(own_home, "open", "--no-browser", "--port", str(port))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        f"talkfield: Cannot listen on 127.0.0.1 port {port}: Address already in use. "
        "Choose another --port, or leave it out.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("/there/is/no/such/folder",), 1, "There is no folder /there/is/no/such/folder."),
        (("--port", "70000"), 2, "--port"),
        (("--port", "x"), 2, "--port"),
        (("--bogus",), 2, "--bogus"),
    ],
)
def test_X5_what_cannot_be_done_is_told_without_a_traceback(
    here: Callable[..., Ended], arguments: tuple[str, ...], status: int, words: str
) -> None:
    ended = here("open", "--no-browser", *arguments)
    assert (ended.status, ended.out) == (status, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_X5_an_address_that_is_none_is_told(own_home: Path) -> None:
    ended = run(own_home, "open", "--no-browser", "--host", "256.0.0.1")
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert ended.err.startswith("talkfield: Cannot listen on 256.0.0.1")


def test_X5_a_data_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    in_the_way = tmp_path / "a file"
    in_the_way.write_text("")
    ended = run(in_the_way, "open", "--no-browser")
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert str(in_the_way) in ended.err
    debugged = run(in_the_way, "open", "--no-browser", TALKFIELD_DEBUG="1")
    assert debugged.status == 1
    assert "Traceback" in debugged.err


def addresses_of(url: str) -> set[str]:
    """Where the port is listened on, as the kernel writes it (IPv4 in hexadecimal, its bytes in reverse)."""
    port = f"{int(url.rpartition(':')[2]):04X}"
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            if address.endswith(f":{port}") and state == "0A":
                found.add(address.partition(":")[0])
    return found


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads what the kernel of Linux says")
def test_check_36_X1_only_this_machine_is_listened_to_unless_told_otherwise_and_then_with_a_token(
    own_home: Path, tmp_path: Path
) -> None:
    with opened(own_home) as canvas:
        assert addresses_of(canvas.url) == {"0100007F"}
    with opened(tmp_path / "other", "--port", "0", "--host", "0.0.0.0") as canvas:
        url = f"http://127.0.0.1:{canvas.url.rpartition(':')[2]}"
        assert addresses_of(url) == {"00000000"}
        for headers, status in (({}, 401), ({"Host": "0.0.0.0"}, 421), ({"Host": "box.example"}, 421)):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(f"{url}/api/projects", headers=headers), timeout=10)
            assert refused.value.code == status
            refused.value.close()


def test_X1_hosts_that_are_answered() -> None:
    assert further_hosts("127.0.0.1", (), 80) == ("127.0.0.1:80",)
    assert further_hosts("0.0.0.0", ("box.local", "box:99", "[fe80::1]", "[fe80::1]:99"), 80) == (
        "box.local:80",
        "box:99",
        "[fe80::1]:80",
        "[fe80::1]:99",
    )
    assert further_hosts("::", (), 80) == ()
    assert further_hosts("fe80::1", (), 80) == ("[fe80::1]:80",)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Talk.example.org", "https://talk.example.org"),
        ("https://talk.example.org:443/", "https://talk.example.org"),
        ("https://talk.example.org:8443", "https://talk.example.org:8443"),
        ("http://[fe80::1]:80", "http://[fe80::1]"),
    ],
)
def test_X1_a_public_address_is_the_origin_that_browsers_name(url: str, origin: str) -> None:
    assert public_origin(url) == origin


@pytest.mark.parametrize(
    "url", ["talk.example.org", "ftp://a", "https://", "https://a/b", "https://a?b", "https://u@a", "https://a:b"]
)
def test_X1_what_is_no_public_address_is_told_in_words(url: str, own_home: Path) -> None:
    ended = run(own_home, "open", "--no-browser", "--public-url", url)
    assert (ended.status, ended.out) == (1, "")
    assert f"not {url}" in ended.err
    assert "Traceback" not in ended.err
