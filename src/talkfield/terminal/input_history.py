"""What was typed in earlier chats, for the arrow keys: a private file, one JSON text a line."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from talkfield.errors import SaveFailed
from talkfield.storage.atomic import PRIVATE, write_atomically

MOST_LINES = 1_000


class InputHistory:
    """The newest lines of the file at `path`. What cannot be read or written is left out: a chat goes on without."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> list[str]:
        """The lines, the oldest first. A file that has grown too long is cut down on the way."""
        try:
            rows = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return []
        lines = [line for row in rows if (line := read_row(row)) is not None]
        if len(lines) > 2 * MOST_LINES:
            with suppress(SaveFailed):
                write_atomically(self._path, "".join(row_of(line) for line in lines[-MOST_LINES:]).encode())
        return lines[-MOST_LINES:]

    def add(self, line: str) -> None:
        """Append one line; another chat may be doing the same."""
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)
            try:
                os.write(file, row_of(line).encode())
            finally:
                os.close(file)


def row_of(line: str) -> str:
    return json.dumps(line) + "\n"


def read_row(row: str) -> str | None:
    try:
        value = json.loads(row)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
