"""The Talkfield that runs on this machine, asked over its HTTP API as a script asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp

from talkfield.errors import StartFailed, TalkfieldError
from talkfield.storage.folder import DataFolder
from talkfield.storage.lock import holder_of

CONNECT_LIMIT_S = 5.0


class NotAnswered(TalkfieldError):
    """Talkfield refused, or does not answer; the words are its own."""

    code = "not_answered"


class RunningTalkfield:
    """See the module. Looks anew for each request where Talkfield listens: it may have been started again meanwhile."""

    def __init__(self, environment: Mapping[str, str], http: aiohttp.ClientSession) -> None:
        self._environment = environment
        self._http = http

    async def get(self, path: str) -> Any:
        return await self._ask("GET", path, None, None)

    async def post(self, path: str, body: Mapping[str, Any], *, limit_s: float | None = None) -> Any:
        """`limit_s` None waits for as long as it takes. Raises `TimeoutError`."""
        return await self._ask("POST", path, body, limit_s)

    async def _ask(self, method: str, path: str, body: Mapping[str, Any] | None, limit_s: float | None) -> Any:
        url, token = await asyncio.to_thread(self._where)
        limit = aiohttp.ClientTimeout(total=limit_s, connect=CONNECT_LIMIT_S)
        headers = {"Authorization": f"Bearer {token}"}
        try:
            async with self._http.request(method, url + path, json=body, headers=headers, timeout=limit) as response:
                answer = await response.json()
        except aiohttp.ClientError as error:
            raise NotAnswered(f"Talkfield does not answer at {url}: {error}") from error
        if response.status >= 400:
            told = answer.get("error", {}) if isinstance(answer, dict) else {}
            raise NotAnswered(f"{told.get('message', response.reason)} {told.get('hint', '')}".strip())
        return answer

    def _where(self) -> tuple[str, str]:
        data = DataFolder.locate(self._environment)
        holder = holder_of(data.lock().path)
        if holder is None or holder.url is None:
            raise StartFailed("Talkfield does not run on this machine.", hint="Start it with: talkfield open")
        try:
            return holder.url, data.token.read_text("ascii").strip()
        except OSError as error:
            raise StartFailed(f"{data.token} could not be read: {error.strerror}.") from error
