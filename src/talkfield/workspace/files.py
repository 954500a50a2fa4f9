"""Files that people attach: what is uploaded becomes a value that messages can carry (U11).

Its bytes are kept by what they are, once. What nobody names any more is swept when Talkfield starts: undo ends with
the process, so by then nothing can come back that names it. What was put within the last day stays, for it may stand in
a message that is only being written.
"""

from __future__ import annotations

import asyncio
import re

from talkfield.core.file_signature import SIGNATURES, shown_type
from talkfield.core.messages import Attachment
from talkfield.errors import TalkfieldError
from talkfield.workspace.autosave import Saver
from talkfield.workspace.service import Services

KEPT_UNNAMED_MS = 24 * 60 * 60 * 1000
MAX_NAME = 200
UNTYPED = "application/octet-stream"

MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,120}")


class Files:
    """The attachments of one data folder."""

    def __init__(self, services: Services, saver: Saver) -> None:
        self._services = services
        self._saver = saver

    async def keep(self, name: str, media_type: str, data: bytes) -> Attachment:
        """Keep a file's bytes; the value that names them. Raises `InvalidArgument` for too many, `SaveFailed`."""
        digest = await asyncio.to_thread(self._services.blobs.put, data)
        return Attachment(
            id=self._services.ids("attachment"),
            name=plain_name(name),
            media_type=true_type(media_type, data),
            size_bytes=len(data),
            digest=digest,
        )

    async def read(self, digest: str) -> bytes:
        """A file's bytes. Raises `UnknownThing`, `ProjectUnreadable`."""
        return await asyncio.to_thread(self._services.blobs.get, digest)

    async def sweep(self) -> None:
        """Delete bytes that nothing names. To be called before anything is opened."""
        before_ms = self._services.clock.now_ms() - KEPT_UNNAMED_MS
        try:
            named = await self._saver.call(lambda store: store.named_blobs())
            swept = await asyncio.to_thread(self._services.blobs.sweep, named, before_ms=before_ms)
        except TalkfieldError as error:
            self._services.log(f"attachments were not swept: {error.message}")
            return
        if swept:
            self._services.log(f"swept {swept} attachments that nothing names")


def plain_name(name: str) -> str:
    """A file's name without its folder and without what cannot be seen; a long one keeps its ending."""
    last = re.split(r"[/\\]", name)[-1]
    seen = " ".join("".join(letter if letter.isprintable() else " " for letter in last).split())
    stem, dot, ending = seen.rpartition(".")
    if len(seen) > MAX_NAME and stem and len(ending) < 20:
        return stem[: MAX_NAME - 20] + dot + ending
    return seen[:MAX_NAME] or "file"


def true_type(told: str, data: bytes) -> str:
    """The media type of some bytes: what they show, else what was told, unless they show that it is wrong."""
    if (shown := shown_type(data)) is not None:
        return shown
    plain = told.partition(";")[0].strip().lower()
    return plain if MEDIA_TYPE.fullmatch(plain) and plain not in SIGNATURES else UNTYPED
