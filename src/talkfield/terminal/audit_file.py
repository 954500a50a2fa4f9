"""The audit log of the terminal's tool calls: a private file that only grows, one JSON object a line (T8).

Chats of a canvas have theirs in the database, which the terminal does not open: it works beside a Talkfield that is
open.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from talkfield.core.audit import AuditEntry
from talkfield.core.ids import CallId
from talkfield.storage.atomic import PRIVATE

MAX_READ_BYTES = 4 * 1024 * 1024
DECODER = msgspec.json.Decoder(AuditEntry)


def audit_into(path: Path) -> Callable[[AuditEntry], None]:
    """Appends each entry to the file at `path`, and does not return before it is on the disk. Raises `OSError`."""

    def audit(entry: AuditEntry) -> None:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)
        try:
            os.write(file, msgspec.json.encode(entry) + b"\n")
            os.fsync(file)
        finally:
            os.close(file)

    return audit


def last_calls(path: Path, tool: str, limit: int) -> list[AuditEntry]:
    """The last calls of a tool on record, the newest first, each as it ended; what is no entry is passed over."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - MAX_READ_BYTES))
            lines = file.read(MAX_READ_BYTES).splitlines()
    except OSError:
        return []
    found: dict[CallId, AuditEntry] = {}
    for line in reversed(lines):
        with suppress(msgspec.DecodeError):
            entry = DECODER.decode(line)
            if entry.tool == tool:
                found.setdefault(entry.call, entry)
        if len(found) == limit:
            break
    return list(found.values())
