"""docs/api.md names every operation of the HTTP API, and every status that our errors have."""

from __future__ import annotations

import re
from pathlib import Path

from server.server_doubles import TOKEN, ScriptedSession, ScriptedStudio
from talkfield.server.app import create_app
from talkfield.server.config import ServerConfig
from talkfield.server.error import STATUS_BY_CODE
from talkfield.server.http import Api
from talkfield.server.hub import Hub
from talkfield.server.launch import Launches

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text()


def test_M8_every_operation_is_on_the_page() -> None:
    config = ServerConfig(port=8420, bearer_token=TOKEN)
    operations = Api(ScriptedStudio(ScriptedSession()), config, Hub(config), Launches()).operations
    named = re.findall(r"^\| `(GET|POST|PUT) (\S+)` \|", PAGE, re.MULTILINE)
    assert sorted(named) == sorted((operation.method, operation.path) for operation in operations)


def test_M8_every_status_is_on_the_page() -> None:
    stated = {int(status) for row in re.findall(r"^\| ([\d, ]+) \|", PAGE, re.MULTILINE) for status in row.split(", ")}
    assert set(STATUS_BY_CODE.values()) <= stated


async def test_two_applications_can_live_in_one_process() -> None:
    one, two = (create_app(ScriptedStudio(ScriptedSession()), ServerConfig(port=n, bearer_token=TOKEN)) for n in (1, 2))
    assert one.hub is not two.hub
    assert not two.launches.redeem(one.launches.mint())
