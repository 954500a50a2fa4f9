"""Records provider calls: one file for each, in a folder a person named for one run (`TALKFIELD_RECORD`).

Owns the files; what is in them is `recorded_call.py`'s, what is left out of them `record_mask.py`'s. A call costs one
list of its reads in memory; masking and writing happen in a thread, after its end. What cannot be written is told once
and never disturbs the call. Any number of calls are recorded at once.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from talkfield.core.provider_api import Api
from talkfield.errors import StartFailed
from talkfield.providers.record_mask import (
    masked_bytes,
    masked_headers,
    masked_request_body,
    masked_text,
    masked_url,
    secrets_sent,
)
from talkfield.providers.recorded_call import RecordedCall, RecordedRequest, encode_record, response_of
from talkfield.providers.transport import Witness
from talkfield.runtime.ports import Clock

switch_variable = "TALKFIELD_RECORD"


class Recorder:
    """See the module. `folder` exists."""

    def __init__(self, folder: Path, clock: Clock, log: Callable[[str], None] = lambda _line: None) -> None:
        self.folder = folder
        self.clock = clock
        self._log = log
        self._writing: set[asyncio.Future[None]] = set()
        self._told = False

    def observer(self, api: Api) -> CallObserver:
        """What a transport of this wire is given."""
        return CallObserver(self, api)

    async def settled(self) -> None:
        """Wait until everything is written."""
        if self._writing:
            await asyncio.wait(set(self._writing))

    def keep(self, witness: CallWitness) -> None:
        writing = asyncio.get_running_loop().run_in_executor(None, self._write, witness)
        self._writing.add(writing)
        writing.add_done_callback(self._written)

    def _write(self, witness: CallWitness) -> None:
        write_new(self.folder, encode_record(witness.record()), at_ms=witness.at_ms, api=witness.api)

    def _written(self, writing: asyncio.Future[None]) -> None:
        self._writing.discard(writing)
        error = None if writing.cancelled() else writing.exception()
        if error is not None and not self._told:
            self._told = True
            reason = getattr(error, "strerror", None) or type(error).__name__
            self._log(f"record: {self.folder} cannot be written to ({reason}); calls go on unrecorded")


class CallObserver:
    """A `transport.Observer` for one wire. Requests without a body, for lists of models, are not recorded."""

    def __init__(self, recorder: Recorder, api: Api) -> None:
        self._recorder = recorder
        self._api: Api = api

    def begin(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Witness | None:
        return None if body is None else CallWitness(self._recorder, self._api, method, url, headers, body)

    async def settled(self) -> None:
        await self._recorder.settled()


class CallWitness:
    """Keeps one call as it happens."""

    def __init__(
        self, recorder: Recorder, api: Api, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> None:
        self.api: Api = api
        self.at_ms = recorder.clock.now_ms()
        self._recorder = recorder
        self._method = method
        self._url = url
        self._headers = dict(headers)
        self._body = body
        self._status: int | None = None
        self._answer_headers: dict[str, str] = {}
        self._reads: list[tuple[int, bytes]] = []
        self._ended = ""
        self._begun_s = recorder.clock.monotonic_s()

    def opened(self, status: int, headers: Mapping[str, str]) -> None:
        self._status = status
        self._answer_headers = dict(headers)

    def received(self, data: bytes) -> None:
        if data:
            self._reads.append((round((self._recorder.clock.monotonic_s() - self._begun_s) * 1000), data))

    def closed(self, ended: str) -> None:
        self._ended = ended
        self._recorder.keep(self)

    def record(self) -> RecordedCall:
        """The record, without its secrets. Takes its time on a long answer."""
        try:
            body = json.loads(self._body)
        except ValueError:
            body = None
        secrets = secrets_sent(self._url, self._headers, body)
        response = None
        if self._status is not None:
            # Covered as a whole: a key may be cut by a read's end.
            whole = masked_bytes(b"".join(data for _, data in self._reads), secrets)
            reads, at = [], 0
            for at_ms, data in self._reads:
                reads.append((at_ms, whole[at : at + len(data)]))
                at += len(data)
            response = response_of(self._status, masked_headers(self._answer_headers, secrets), reads)
        return RecordedCall(
            api=self.api,
            at=self.at_ms,
            request=RecordedRequest(
                method=self._method,
                url=masked_url(self._url, secrets),
                headers=masked_headers(self._headers, secrets),
                body=masked_request_body(self._body, secrets),
            ),
            response=response,
            ended=masked_text(self._ended, secrets),
        )


def record_folder(environment: Mapping[str, str]) -> Path | None:
    """The folder that `TALKFIELD_RECORD` names, made if need be; None: nothing is recorded.

    Touches the disk: call it off the event loop. Raises `StartFailed` where the folder cannot be used.
    """
    value = environment.get(switch_variable, "").strip()
    if not value:
        return None
    folder = Path(value).expanduser().resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise StartFailed(
            f"{switch_variable} names a folder that cannot be used: {folder} ({error.strerror or error})",
            hint="Name a folder that you can write to, or unset it.",
        ) from error
    return folder


def write_new(folder: Path, data: bytes, *, at_ms: int, api: str) -> Path:
    """Write a file of its own that only its owner can read; names sort by time."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    stem = f"{moment:%Y%m%d-%H%M%S}-{at_ms % 1000:03d}-{api}"
    number = 0
    while True:
        path = folder / (f"{stem}.json" if number == 0 else f"{stem}-{number}.json")
        try:
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            number += 1
            continue
        with os.fdopen(opened, "wb") as file:
            file.write(data)
        return path
