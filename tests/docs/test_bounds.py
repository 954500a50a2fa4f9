"""The bounds that docs/security.md tells are those of the code (X4)."""

from __future__ import annotations

import re
from pathlib import Path

from talkfield.core.importing import base as importing
from talkfield.server.config import ServerConfig
from talkfield.storage import backup
from talkfield.workspace import attachment

PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"
MIB, GIB = 1024**2, 1024**3


def test_X4_the_bounds_that_are_told_are_those_that_hold() -> None:
    section = PAGE.read_text().partition("## Bounds")[2].partition("\n## ")[0]
    told = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.MULTILINE))
    assert ServerConfig.max_body_bytes == ServerConfig.max_message_bytes
    assert told["A JSON body, a message over the WebSocket"] == f"{ServerConfig.max_body_bytes // MIB} MiB"
    assert told["A file with a message, an import"] == f"{ServerConfig.max_attachment_bytes // MIB} MiB"
    assert told["Files with one message"] == f"{attachment.MAX_FILES}"
    assert told["Of an import"] == (
        f"{importing.MAX_CONVERSATIONS:,} conversations, {importing.MAX_MESSAGES:,} messages, "
        f"{importing.MAX_BRANCHES} branches of one conversation, {importing.MAX_TEXT:,} characters of one text"
    )
    assert told["A backup"] == (
        f"{ServerConfig.max_backup_bytes // GIB} GiB, {backup.MAX_UNPACKED_BYTES // GIB} GiB unpacked (counted as "
        f"it is unpacked, whatever it says of itself), {backup.MAX_ENTRIES:,} entries"
    )
    waits = f"{ServerConfig.max_outbox_bytes // MIB} MiB or {ServerConfig.max_outbox_frames:,} changes"
    assert told["What waits for a slow browser"].startswith(waits)
