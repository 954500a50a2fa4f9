"""Whatever a script sends to whichever operation, it is answered in form, and the server goes on (X5).

Operations and fields are those of the server's own description, over the real owner. `TALKFIELD_FUZZ_REQUESTS=50000`
runs it for longer, `TALKFIELD_FUZZ_SEED` with other requests.
"""

from __future__ import annotations

import io
import json
import os
from random import Random
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest

from doubles import FakeClock, services
from server.server_doubles import Running, running
from talkfield.providers.scripted import ScriptedDriver
from talkfield.workspace.studio import open_studio

REQUESTS = int(os.environ.get("TALKFIELD_FUZZ_REQUESTS", "250"))
SEED = int(os.environ.get("TALKFIELD_FUZZ_SEED", "0"))

LIMIT_S = 0.5
"""An operation that waits for something, as for a person's decision, is left then."""

STRINGS = ("", "x", "chat", "approve", "node-1", "project-1", "\x00", "../..", "%", "x" * 5000, "\ud83d", "🙂")
NUMBERS = (0, -1, 2**70, 1e308, float("nan"), float("inf"))
ODD: tuple[Any, ...] = (
    *STRINGS,
    *NUMBERS,
    None,
    True,
    [],
    {},
    [[]],
    {"kind": "chat"},
    ["node-1"],
    {"x": [None, {"": 1}]},
)
BODIES = (
    *(b"", b"{", b'{"text":"a","text":"b"}', b'{"x":1e400}', b'{"x":NaN}', b'{"text":"\xff"}', b'{"text":"\\ud83d"}'),
    *(b"\xef\xbb\xbf{}", b"\x00\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000),
    b'{"text":"' + b"x" * 1_100_000 + b'"}',
)
TYPES = ("application/json", "application/json", "application/json", "application/octet-stream", "text/plain", "")


def fields_of(description: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    """The names of what its body may hold."""
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return [*schema.get("properties", {}), "unknown"]


async def send(server: Running, description: dict[str, Any], known: list[str], random: Random) -> tuple[str, int, str]:
    """One request: (what was asked, the status, the answer), status 0 where it waited or hung up."""
    operations = [
        (path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    path, method, operation = random.choice(operations)
    for name in (part[1:-1] for part in path.split("/") if part.startswith("{")):
        value = random.choice(known) if random.random() < 0.7 else str(random.choice(ODD))
        path = path.replace(f"{{{name}}}", quote(value, safe="", errors="replace") or "-")
    params = {
        each["name"]: str(random.choice(ODD)).encode("utf-8", "replace").decode()
        for each in operation.get("parameters", ())
        if each["in"] == "query"
    }
    names = fields_of(description, operation)
    fields = {random.choice(names): random.choice(ODD) for _ in range(random.randrange(6))}
    body = random.choice(BODIES) if random.random() < 0.2 else json.dumps(fields).encode()
    asked = f"{method} {path[:200]} {params} {body[:200]!r}"
    try:
        async with server.http.request(
            method,
            f"{server.url}{path}",
            params=params,
            data=io.BytesIO(body),
            headers={"content-type": random.choice(TYPES)},
            timeout=aiohttp.ClientTimeout(total=LIMIT_S),
        ) as answer:
            return asked, answer.status, (await answer.read()).decode("utf-8", "replace")
    except (TimeoutError, aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        return asked, 0, ""


@pytest.mark.unplayed
async def test_check_30_X5_any_request_is_answered_in_form_and_the_server_goes_on() -> None:
    clock, random = FakeClock(), Random(SEED)
    studio = await open_studio(services(ScriptedDriver(clock=clock), clock=clock), lambda: "epoch-1")
    async with running(studio) as server:
        async with server.http.get(f"{server.url}/api/openapi.json") as told:
            description = await told.json()
        async with server.http.get(f"{server.url}/api/projects") as told:
            project = (await told.json())["projects"][0]["id"]
        async with server.http.post(f"{server.url}/api/projects/{project}/nodes", json={"kind": "chat"}) as told:
            known = [project, (await told.json())["id"]]
        for _ in range(REQUESTS):
            asked, status, answer = await send(server, description, known, random)
            assert status < 500, (asked, status, answer)
            if status >= 400:
                assert answer.startswith("{"), (asked, status, answer)
                error = json.loads(answer)["error"]
                assert error["code"], asked
                assert error["message"], asked
        async with server.http.get(f"{server.url}/api/health") as told:
            assert told.status == 200
