"""The built web UI: its files, how long browsers may keep them, and one page for every address inside the UI.

File reads happen in threads, by Starlette. A file outside the folder cannot be named.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import NotModifiedResponse, PathLike, StaticFiles
from starlette.types import Scope

FOREVER = "public, max-age=31536000, immutable"
"""For files whose name holds a digest of what is in them."""

ASK_FIRST = "no-cache"
"""Kept, but asked about each time: a new version shows at the next reload."""

MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}
"""Named here and not asked of the system: reading its tables blocks, and some systems call scripts plain text."""

NOT_BUILT = (
    "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Talkfield</title></head><body>"
    "<h1>The web UI is not built</h1><p>This is a checkout of the sources. Build the UI with <code>make ui</code>, "
    "then reload this page.</p></body></html>"
)


class UiFiles(StaticFiles):
    """Serves the folder the UI's build was written to."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, check_dir=False)

    async def check_config(self) -> None:
        """A folder that is not there is no misconfiguration here: the UI may be built later."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        media_type = MEDIA_TYPES.get(Path(full_path).suffix, "application/octet-stream")
        response = FileResponse(full_path, status_code, media_type=media_type, stat_result=stat_result)
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            return NotModifiedResponse(response.headers)
        return response

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            if path == ".":
                return await self.index(scope)
            response = await super().get_response(path, scope)
        except HTTPException as error:
            wants_page = "text/html" in Headers(scope=scope).get("accept", "")
            if error.status_code != 404 or not wants_page or scope["path"].startswith(("/api/", "/assets/")):
                raise
            return await self.index(scope)
        response.headers["cache-control"] = FOREVER if path.startswith("assets") else ASK_FIRST
        return response

    async def index(self, scope: Scope) -> Response:
        """The one page of the UI."""
        try:
            response = await super().get_response("index.html", scope)
        except HTTPException as error:
            if error.status_code != 404:
                raise
            return HTMLResponse(NOT_BUILT, 503)
        response.headers["cache-control"] = ASK_FIRST
        return response


def is_built(folder: Path) -> bool:
    """Whether there is a UI to serve. Reads the disk: not on the event loop."""
    try:
        return stat.S_ISREG((folder / "index.html").stat().st_mode)
    except OSError:
        return False
