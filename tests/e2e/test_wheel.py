"""What people install: one wheel, Python alone, the UI inside (Z3)."""

from __future__ import annotations

import http.cookiejar
import os
import re
import shutil
import urllib.request
import zipfile
from urllib.error import HTTPError

import pytest

from e2e.installation import Installation
from e2e.server_process import ServerProcess


def browser_like() -> urllib.request.OpenerDirector:
    """Keeps cookies and follows redirects; uses no proxy."""
    jar = http.cookiejar.CookieJar()
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar), urllib.request.ProxyHandler({}))


def test_Z3_the_wheel_holds_the_ui_and_no_sources_of_it(installation: Installation) -> None:
    if installation.wheel is None:
        pytest.skip("runs a checkout")
    names = zipfile.ZipFile(installation.wheel).namelist()
    assert "talkfield/server/static/index.html" in names
    assert [name for name in names if name.startswith("talkfield/server/static/assets/") and name.endswith(".js")]
    assert [name for name in names if "node_modules" in name or name.endswith((".tsx", ".map"))] == []
    assert "talkfield/py.typed" in names


def test_Z3_it_starts_without_node_and_serves_the_ui(installation: Installation, server: ServerProcess) -> None:
    if installation.wheel is not None:
        assert shutil.which("node", path=installation.path) is None
    browser = browser_like()
    with browser.open(server.link) as answer:
        page = answer.read().decode()
    assert '<div id="root">' in page
    assets = re.findall(r'(?:src|href)="(/[^"]+)"', page)
    assert assets
    for asset in assets:
        with browser.open(server.address + asset) as answer:
            assert answer.status == 200, asset
            assert answer.read(), asset


def test_check_32_X1_a_link_opens_the_door_once(server: ServerProcess) -> None:
    with browser_like().open(server.link) as answer:
        assert answer.status == 200
    with pytest.raises(HTTPError) as refused, browser_like().open(server.link):
        pass
    assert refused.value.code == 401
    refused.value.close()


def test_check_46_X2_the_data_folder_is_private(server: ServerProcess) -> None:
    loose = [path for path in [server.home, *server.home.iterdir()] if os.stat(path).st_mode & 0o077]
    assert [path.name for path in loose if path.is_dir() or path.suffix == ".json" or "token" in path.name] == []
