"""The conversations in the archive that a chat tool hands out: one file of it, never more than a bound (X4)."""

from __future__ import annotations

import io
import zipfile

from talkfield.errors import InvalidArgument

MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_ENTRIES = 100_000
WANTED = "conversations.json"
BLOCK_BYTES = 1024 * 1024


def conversations_in(data: bytes, *, max_bytes: int = MAX_UNPACKED_BYTES) -> bytes:
    """The bytes of an archive's `conversations.json`, or `data` where it is no archive. Raises `InvalidArgument`."""
    if not data.startswith(b"PK"):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                raise InvalidArgument("has too many entries", place="file")
            entry = next((each for each in entries if each.filename.rsplit("/", 1)[-1] == WANTED), None)
            if entry is None:
                raise InvalidArgument(f"is an archive without a {WANTED}", place="file")
            unpacked = bytearray()
            with archive.open(entry) as file:
                # What the archive says about sizes may be a lie.
                while block := file.read(BLOCK_BYTES):
                    unpacked += block
                    if len(unpacked) > max_bytes:
                        raise InvalidArgument("is too large unpacked", place="file")
            return bytes(unpacked)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise InvalidArgument(f"cannot be unpacked: {error}", place="file") from None
