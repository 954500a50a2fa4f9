"""The audit log of the terminal's tool calls: a private file that only grows, one JSON object a line (T8).

Chats of a canvas have theirs in the database, which the terminal does not open: it works beside a Talkfield that is
open.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from talkfield.core.audit import AuditEntry
from talkfield.storage.atomic import PRIVATE


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
