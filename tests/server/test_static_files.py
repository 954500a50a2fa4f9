"""The built UI over real sockets: what is served, how long it may be kept, and what there is without a build."""

from __future__ import annotations

from pathlib import Path

import pytest
import yarl

from server.server_doubles import Running, ScriptedSession, ScriptedStudio, running
from talkfield.server.static_files import is_built

PAGE = {"accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Talkfield</title>")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "assets" / "app-1234.js").write_text("export {};")
    (tmp_path / "secret.txt").write_text("outside")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


async def get(server: Running, path: str, **headers: str) -> tuple[int, str, str, str]:
    async with server.http.get(f"{server.url}{path}", headers=headers) as answer:
        kind = answer.headers.get("content-type", "").partition(";")[0]
        return answer.status, kind, answer.headers["cache-control"], await answer.text()


async def test_Z3_the_ui_is_served_with_the_right_to_keep_it(built: Path) -> None:
    index = (200, "text/html", "no-cache", "<!doctype html><title>Talkfield</title>")
    async with running(ScriptedStudio(ScriptedSession()), static_folder=built) as server:
        assert await get(server, "/") == index
        assert await get(server, "/index.html") == index
        assert await get(server, "/projects/abc", **PAGE) == index
        assert await get(server, "/favicon.svg") == (200, "image/svg+xml", "no-cache", "<svg/>")
        status, kind, kept, text = await get(server, "/assets/app-1234.js")
        assert (status, kind, text) == (200, "text/javascript", "export {};")
        assert kept == "public, max-age=31536000, immutable"


async def test_Z3_an_unchanged_page_is_not_sent_again(built: Path) -> None:
    async with running(ScriptedStudio(ScriptedSession()), static_folder=built) as server:
        async with server.http.get(f"{server.url}/") as first:
            tag = first.headers["etag"]
        async with server.http.get(f"{server.url}/", headers={"if-none-match": tag}) as second:
            assert (second.status, second.headers["cache-control"]) == (304, "no-cache")
            assert second.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/nope", {}),
        ("/nope.js", {"accept": "*/*"}),
        ("/assets/nope.js", PAGE),
        ("/assets/", PAGE),
        ("/assets", {}),
        ("/link.txt", {}),
        ("/..%2fsecret.txt", {}),
        ("/%2e%2e/secret.txt", {}),
        ("/assets/..%2f..%2fsecret.txt", {}),
        ("//etc/passwd", {}),
        ("/%00", {}),
        ("/" + "a" * 5000, {}),
        ("/api/nope", PAGE),
    ],
)
async def test_X5_what_is_not_there_is_404(built: Path, path: str, headers: dict[str, str]) -> None:
    async with (
        running(ScriptedStudio(ScriptedSession()), static_folder=built) as server,
        server.http.get(yarl.URL(f"{server.url}{path}", encoded=True), headers=headers) as answer,
    ):
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "unknown")


async def test_X1_files_are_only_read(built: Path) -> None:
    async with (
        running(ScriptedStudio(ScriptedSession()), static_folder=built) as server,
        server.http.post(f"{server.url}/index.html", json={}) as answer,
    ):
        assert (answer.status, (await answer.json())["error"]["code"]) == (405, "wrong_method")


async def test_Z1_without_a_build_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    async with running(ScriptedStudio(ScriptedSession()), static_folder=tmp_path / "static") as server:
        status, kind, _, text = await get(server, "/", **PAGE)
        assert (status, kind) == (503, "text/html")
        assert "make ui" in text
        assert (await get(server, "/assets/app.js"))[0] == 404


def test_Z1_whether_the_ui_is_built(built: Path, tmp_path: Path) -> None:
    assert (is_built(built), is_built(tmp_path), is_built(tmp_path / "nope")) == (True, False, False)
