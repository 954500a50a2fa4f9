"""The gate, over real sockets: who may come in, from where, by which name, and what every answer says (X1, X3).

The matrix is the law; each refusal is checked to happen before the owner hears of anything.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest
from starlette.datastructures import Headers

from server.server_doubles import (
    PROJECT,
    TOKEN,
    Running,
    ScriptedSession,
    ScriptedStudio,
    chat,
    running,
)
from talkfield.server.config import ServerConfig
from talkfield.server.launch import Launches, SessionCookie
from talkfield.server.security import WRONG_HOST, Gate, content_security_policy

BEARER = {"authorization": f"Bearer {TOKEN}"}
JSON = {"content-type": "application/json"}

READS = ("/", "/assets/app.js", "/api/projects", "/api/projects/project-1", "/api/nodes/node-1", "/api/openapi.json")
WRITES = (
    "/api/projects",
    "/api/projects/project-1/nodes",
    "/api/projects/project-1/undo",
    "/api/projects/project-1/redo",
    "/api/nodes/node-1/send",
    "/api/nodes/node-1/stop",
    "/api/nodes/node-1/approve",
    "/api/launch",
)

BAD_ORIGINS = (
    "https://evil.example",
    "null",
    "http://localhost:9999",
    "http://127.0.0.1.evil.com",
    "http://our-host.evil.com",
    "http://127.0.0.1",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:{port}.evil.com",
    "http://127.0.0.1:{port}/",
    "",
)

BAD_HOSTS = (
    "evil.example",
    "0.0.0.0:{port}",
    "localhost.",
    "localhost.:{port}",
    "localhost",
    "127.0.0.1:1",
    "",
    "[::]:{port}",
)


def watched() -> tuple[ScriptedStudio, ScriptedSession]:
    session = ScriptedSession(chat())
    return ScriptedStudio(session), session


def cookie_of(server: Running, now_s: float | None = None) -> dict[str, str]:
    cookie = SessionCookie(
        secret=server.app.config.cookie_secret, port=server.port, lifetime_s=server.app.config.cookie_lifetime_s
    )
    issued = server.app.config.now_s() if now_s is None else now_s
    return {"cookie": f"{cookie.name}={cookie.issue(issued)}"}


async def raw(server: Running, *lines: str, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    """One request by hand: a client library would not send what an attacker's page or script may."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)
    answer = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    await writer.wait_closed()
    head, _, rest = answer.partition(b"\r\n\r\n")
    first, *headers = head.decode().split("\r\n")
    named = dict(line.lower().split(": ", 1) for line in headers)
    return int(first.split()[1]), named, rest


async def ask(server: Running, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> int:
    sent = {"Host": server.address, **headers}
    if body:
        sent["Content-Length"] = str(len(body))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    status, _, _ = await raw(server, *lines, body=body)
    return status


async def upgrade(server: Running, headers: Mapping[str, str]) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    sent = {
        "Host": server.address,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        **headers,
    }
    lines = ["GET /api/channel HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
    writer.write("\r\n".join(lines).encode())
    first = await asyncio.wait_for(reader.readline(), 60)
    writer.transport.abort()
    return int(first.split()[1])


async def test_check_32_X1_nothing_is_told_or_done_without_a_right_to_be_here() -> None:
    studio, session = watched()
    async with running(studio) as server:
        old = cookie_of(server, server.app.config.now_s() - server.app.config.cookie_lifetime_s - 1)
        name, _, value = cookie_of(server)["cookie"].partition("=")
        bad: list[dict[str, str]] = [
            {},
            {"authorization": "Bearer wrong"},
            {"authorization": f"Bearer {TOKEN}x"},
            {"authorization": f"Basic {TOKEN}"},
            {"authorization": TOKEN},
            {"authorization": ""},
            {"authorization": "Bearer wrong", **cookie_of(server)},
            {"cookie": f"{name}="},
            {"cookie": f"{name}=x.y.z"},
            {"cookie": f"{name}={value}x"},
            {"cookie": f"{name}-={value}"},
            {"cookie": f"talkfield-1={value}"},
            {"cookie": f"{name}=9{value}"},
            old,
        ]
        statuses = [
            *[await ask(server, "GET", path, headers) for path in READS for headers in bad],
            *[await ask(server, "POST", path, {**headers, **JSON}, b"{}") for path in WRITES for headers in bad[:3]],
            *[await ask(server, "DELETE", path, headers) for path in READS for headers in bad[:2]],
            *[await upgrade(server, headers) for headers in bad],
        ]
        assert set(statuses) == {401}
    assert session.handled == []
    assert list(studio.sessions) == [PROJECT]


async def test_check_32_X1_tokens_in_a_query_open_nothing_but_the_start_page() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        link = server.app.launches.mint()
        for path in ("/api/projects", "/api/openapi.json", "/index.html", "/assets/x.js", "//", "/api/channel"):
            for token in (link, TOKEN):
                assert await ask(server, "GET", f"{path}?token={token}", {}) == 401
        assert await ask(server, "GET", f"/?token={TOKEN}", {}) == 401
        assert await ask(server, "HEAD", f"/?token={link}", {}) == 401
        assert await ask(server, "POST", f"/?token={link}", JSON) == 401
        assert server.app.launches.redeem(link)


async def test_check_32_X1_the_opening_link_works_once_and_vanishes() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        url = server.app.launch_url(server.address)
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as page:
            async with page.get(url, allow_redirects=False) as first:
                assert (first.status, first.headers["location"]) == (303, "/")
                set_cookie = first.headers["set-cookie"]
            name = f"talkfield-{server.port}="
            assert set_cookie.startswith(name)
            assert set_cookie.partition("; ")[2] == "Max-Age=7776000; Path=/; HttpOnly; SameSite=Strict"
            async with page.get(f"{server.url}/api/projects") as inside:
                assert inside.status == 200
            async with page.get(url, allow_redirects=False) as again:
                assert (again.status, again.headers["location"]) == (303, "/")
                assert "set-cookie" not in again.headers
        async with aiohttp.ClientSession() as stranger, stranger.get(url, headers={"accept": "text/html"}) as used:
            assert used.status == 401
            assert "talkfield open" in await used.text()


async def test_X1_the_rest_of_the_opening_link_is_kept() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        link = server.app.launches.mint()
        status, headers, _ = await raw(server, f"GET /?token={link}&project=a%26b HTTP/1.1", f"Host: {server.address}")
        assert (status, headers["location"]) == (303, "/?project=a%26b")


async def test_X1_a_tab_survives_a_restart_of_the_server() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        headers, port = cookie_of(server), server.port
    async with running(studio, port=port) as server:
        assert await ask(server, "GET", "/api/projects", headers) == 200


@pytest.mark.parametrize("origin", BAD_ORIGINS)
async def test_check_33_X1_pages_of_other_sites_are_refused_even_with_a_session(origin: str) -> None:
    studio, session = watched()
    async with running(studio) as server:
        named = {"origin": origin.format(port=server.port)}
        for right in (BEARER, cookie_of(server), {}):
            assert await upgrade(server, {**right, **named}) == 403
            assert await ask(server, "GET", "/api/projects", {**right, **named}) == 403
            assert await ask(server, "GET", "/api/health", {**right, **named}) == 403
            assert await ask(server, "OPTIONS", "/api/nodes/node-1/send", {**right, **named}) == 403
            for path in WRITES:
                assert await ask(server, "POST", path, {**right, **named, **JSON}, b"{}") == 403
    assert session.handled == []


@pytest.mark.parametrize("host", BAD_HOSTS)
async def test_check_34_X1_names_that_are_not_ours_are_refused_even_with_a_session(host: str) -> None:
    studio, _ = watched()
    async with running(studio) as server:
        named = {"Host": host.format(port=server.port)}
        for right in (BEARER, cookie_of(server), {}):
            assert await ask(server, "GET", "/api/projects", {**right, **named}) == 421
            assert await ask(server, "GET", "/api/health", {**right, **named}) == 421
            assert await upgrade(server, {**right, **named}) == 421


async def test_check_34_X1_two_hosts_or_two_origins_are_refused() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        host, token, origin = f"Host: {server.address}", f"Authorization: Bearer {TOKEN}", f"Origin: {server.url}"
        first = "GET /api/projects HTTP/1.1"
        assert (await raw(server, first, token))[0] in (400, 421)
        assert (await raw(server, first, host, "Host: evil.example", token))[0] in (400, 421)
        assert (await raw(server, first, host, origin, "Origin: https://evil.example", token))[0] == 403


def test_X1_two_hosts_are_refused_by_the_gate_itself() -> None:
    """uvicorn refuses them before; the gate does not rely on which server it runs under."""

    async def inside(*_: Any) -> None:
        raise AssertionError("came in")

    gate = Gate(inside, ServerConfig(port=8420, bearer_token=TOKEN), Launches())
    assert gate.refuse_address(Headers(raw=[(b"host", b"127.0.0.1:8420")])) is None
    assert gate.refuse_address(Headers(raw=[(b"host", b"127.0.0.1:8420"), (b"host", b"evil.example")])) == WRONG_HOST
    assert gate.refuse_address(Headers(raw=[])) == WRONG_HOST


async def test_X1_our_own_pages_and_scripts_come_in() -> None:
    studio, _ = watched()
    async with running(studio, extra_hosts=("My-Box.local:80",), extra_origins=("http://localhost:5173",)) as server:
        page = cookie_of(server)
        ours = {"origin": server.url, "sec-fetch-site": "same-origin"}
        assert await ask(server, "GET", "/api/projects", page) == 200
        assert await ask(server, "GET", "/api/projects", {**page, "Host": f"localhost:{server.port}"}) == 200
        assert await ask(server, "GET", "/api/projects", {**page, "Host": f"LOCALHOST:{server.port}"}) == 200
        assert await ask(server, "GET", "/api/projects", {**page, "Host": f"[::1]:{server.port}"}) == 200
        assert await ask(server, "GET", "/api/projects", {**page, "Host": "my-box.local:80"}) == 200
        assert await ask(server, "POST", "/api/launch", {**page, **ours, **JSON}, b"{}") == 200
        assert (
            await ask(server, "POST", "/api/launch", {**page, "origin": "http://localhost:5173", **JSON}, b"{}") == 200
        )
        assert await ask(server, "POST", "/api/launch", {**BEARER, **JSON}) == 200
        assert await upgrade(server, {**page, **ours}) == 101
        assert await upgrade(server, BEARER) == 101
        assert await ask(server, "GET", "/api/health", {}) == 200


async def test_X1_behind_a_proxy_pages_of_the_public_address_come_in_and_their_cookie_stays_on_tls() -> None:
    studio, _ = watched()
    async with running(studio, public_url="https://talk.example.org") as server:
        link = server.app.launch_url(server.address)
        assert link.startswith("https://talk.example.org/?token=")
        public = {"Host": "Talk.example.org"}
        path = link.removeprefix("https://talk.example.org")
        status, headers, _ = await raw(server, f"GET {path} HTTP/1.1", "Host: talk.example.org")
        assert (status, headers["set-cookie"].endswith("; samesite=strict; secure")) == (303, True)
        page = cookie_of(server)
        ours = {"origin": "https://talk.example.org", "sec-fetch-site": "same-origin"}
        assert await ask(server, "POST", "/api/launch", {**page, **public, **ours, **JSON}, b"{}") == 200
        assert await upgrade(server, {**page, **public, **ours}) == 101
        plain = {**ours, "origin": "http://talk.example.org"}
        assert await ask(server, "POST", "/api/launch", {**page, **public, **plain, **JSON}, b"{}") == 403
        assert await ask(server, "GET", "/api/projects", {**page, "Host": "other.example.org"}) == 421
        status, headers, _ = await raw(
            server, f"GET /?token={server.app.launches.mint()} HTTP/1.1", f"Host: {server.address}"
        )
        assert (status, headers["set-cookie"].endswith("; samesite=strict")) == (303, True)


async def test_check_35_X1_a_cookie_alone_changes_nothing() -> None:
    """Every browser names the origin of a page that posts or opens a socket; what does not is no page of ours."""
    studio, session = watched()
    async with running(studio) as server:
        page = cookie_of(server)
        for path in WRITES:
            assert await ask(server, "POST", path, {**page, **JSON}, b"{}") == 401
        assert await upgrade(server, page) == 401
    assert session.handled == []


async def test_check_35_X1_pages_of_other_ports_cannot_fetch_with_the_cookie() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        page = cookie_of(server)
        embedded = {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
        framed = {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
        clicked = {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        typed = {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert await ask(server, "GET", "/api/projects", {**page, **embedded}) == 403
        assert await ask(server, "GET", "/api/projects", {**page, **framed}) == 403
        assert await ask(server, "GET", "/api/projects", {**page, **clicked}) == 200
        assert await ask(server, "GET", "/api/projects", {**page, **typed}) == 200


async def test_check_35_X1_only_json_may_change_something() -> None:
    studio, session = watched()
    async with running(studio) as server:
        page = {**cookie_of(server), "origin": server.url}
        for kind in (
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain",
            "text/plain; charset=application/json",
            "",
            "application/jsonp",
        ):
            for right in (page, BEARER):
                for path in WRITES:
                    assert await ask(server, "POST", path, {**right, "content-type": kind}, b'{"text":"x"}') == 415
        assert (
            await ask(server, "POST", "/api/launch", {**page, "content-type": "Application/JSON; charset=utf-8"}) == 200
        )
    assert session.handled == []


async def test_check_35_X1_reading_changes_nothing() -> None:
    studio, session = watched()
    async with running(studio) as server:
        for path in (*READS, *WRITES):
            for method in ("GET", "HEAD", "OPTIONS"):
                await ask(server, method, path, BEARER)
    assert session.handled == []
    assert list(studio.sessions) == [PROJECT]


async def test_check_35_36_X3_every_answer_forbids_what_our_pages_do_not_need() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        host, token = f"Host: {server.address}", f"Authorization: Bearer {TOKEN}"
        requests = [
            (f"GET {path} HTTP/1.1", host, *right)
            for path in ("/", "/api/projects", "/api/nope", "/assets/nope.js", "/api/health", "/?token=x")
            for right in ((token,), ())
        ]
        requests += [("GET / HTTP/1.1", "Host: evil.example"), ("PATCH /api/projects HTTP/1.1", host, token)]
        for request in requests:
            _, headers, _ = await raw(server, *request)
            assert headers["content-security-policy"] == content_security_policy(request[1].removeprefix("Host: "))
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert headers["x-frame-options"] == "deny"
            assert not [name for name in headers if name.startswith("access-control-")]
            assert "server" not in headers


def test_check_36_X3_the_policy_of_our_pages() -> None:
    assert content_security_policy("127.0.0.1:8420") == (
        "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self'; connect-src 'self' ws://127.0.0.1:8420; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    assert "connect-src 'self';" in content_security_policy("a; script-src *")
    assert "connect-src 'self' wss://a;" in content_security_policy("a", encrypted=True)


async def test_X1_our_own_page_without_a_session_hears_why() -> None:
    """A page sees no status of a refused handshake, so it is let in only to be told by a close code (CH10)."""
    studio, session = watched()
    async with (
        running(studio) as server,
        aiohttp.ClientSession() as page,
        page.ws_connect(f"{server.url}/api/channel", headers={"origin": server.url}) as socket,
    ):
        await socket.receive()
        assert socket.close_code == 4003
    assert session.subscribers == []


async def test_X1_a_click_from_another_site_is_tried_once_more_from_ours() -> None:
    """Browsers hold a strict cookie back on such a click, and send it when our own page asks again."""
    studio, _ = watched()
    clicked = (
        "Accept: text/html",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document",
    )
    async with running(studio) as server:
        host = f"Host: {server.address}"
        _, _, first = await raw(server, "GET / HTTP/1.1", host, *clicked)
        _, _, second = await raw(server, "GET /?again HTTP/1.1", host, *clicked)
        _, _, typed = await raw(server, "GET / HTTP/1.1", host, "Accept: text/html", "Sec-Fetch-Site: none")
        assert [b"url=/?again" in page for page in (first, second, typed)] == [True, False, False]


async def test_X1_refusals_are_words_for_people_and_scripts() -> None:
    studio, _ = watched()
    async with running(studio) as server:
        status, headers, body = await raw(server, "GET /api/projects HTTP/1.1", f"Host: {server.address}")
        assert (status, headers["www-authenticate"], headers["content-type"]) == (401, "bearer", "application/json")
        error: Any = json.loads(body)
        assert set(error) == {"error"}
        assert set(error["error"]) == {"code", "message", "hint"}
        assert "talkfield open" in error["error"]["hint"]
        status, headers, body = await raw(server, "GET / HTTP/1.1", f"Host: {server.address}", "Accept: text/html,*/*")
        assert (status, headers["content-type"]) == (401, "text/html; charset=utf-8")
        assert b"talkfield open" in body


def test_X1_launch_tokens_are_forgotten_past_a_number() -> None:
    launches = Launches()
    tokens = [launches.mint() for _ in range(40)]
    assert [launches.redeem(token) for token in tokens] == [False] * 8 + [True] * 32
    assert not launches.redeem(tokens[-1])


def test_X1_a_cookie_belongs_to_its_port_and_secret_and_ends() -> None:
    ours = SessionCookie(secret=b"a", port=1, lifetime_s=100)
    value = ours.issue(1000.0)
    assert ours.accepts(value, 1099)
    assert not ours.accepts(value, 1100)
    assert not SessionCookie(secret=b"b", port=1, lifetime_s=100).accepts(value, 1000)
    assert not SessionCookie(secret=b"a", port=2, lifetime_s=100).accepts(value, 1000)
    for wrong in ("", ".", "..", value[:-1], f"9{value}", "é.é.é"):
        assert not ours.accepts(wrong, 1000)
