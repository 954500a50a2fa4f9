"""Attachments' bytes, each once, under the digest of what they are.

A blob never changes, so it needs no transaction: it is written before the record that names it, and a crash in between
leaves a blob that nobody names. Where the bytes came from and what they are called is in the record.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from talkfield.errors import InvalidArgument, ProjectUnreadable, SaveFailed, UnknownThing
from talkfield.storage.atomic import advice, reason, sync_folder, write_atomically

MAX_BLOB_BYTES = 32 * 1024 * 1024
"""More than any provider takes in one request."""

DIGEST = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """A folder of blobs: `<first two digits>/<digest>`, mode 0600. Threads may call at once."""

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BLOB_BYTES) -> None:
        self.folder = folder
        self.max_bytes = max_bytes

    def put(self, data: bytes) -> str:
        """Keep the bytes; gives their SHA-256 in hex. Raises `InvalidArgument` past `max_bytes`, `SaveFailed`."""
        if len(data) > self.max_bytes:
            raise InvalidArgument(
                f"The file has {len(data):,} bytes; attachments may have {self.max_bytes:,}.",
                hint="Attach a smaller file.",
            )
        digest = sha256(data).hexdigest()
        path = self.path_of(digest)
        if self.holds(path, len(data)):
            return digest
        try:
            if not path.parent.is_dir():
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                sync_folder(path.parent.parent)
        except OSError as error:
            raise SaveFailed(f"{path} could not be written: {reason(error)}.", hint=advice(error)) from error
        write_atomically(path, data)
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes. Raises `UnknownThing`, and `ProjectUnreadable` when the disk gives back other ones."""
        path = self.path_of(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise UnknownThing("The attachment is not on this machine.", hint="Attach the file again.") from None
        except OSError as error:
            raise ProjectUnreadable(f"{path} could not be read: {reason(error)}.", hint=advice(error)) from error
        if sha256(data).hexdigest() != digest:
            raise ProjectUnreadable(f"{path} is damaged: its bytes changed.", hint="Attach the file again.")
        return data

    def has(self, digest: str) -> bool:
        """Whether the bytes are here."""
        return self.path_of(digest).is_file()

    def path_of(self, digest: str) -> Path:
        """Where a blob is. Digests come from browsers and imported files: anything else is refused."""
        if not DIGEST.fullmatch(digest):
            raise UnknownThing("There is no such attachment.")
        return self.folder / digest[:2] / digest

    def holds(self, path: Path, size: int) -> bool:
        """Whether the blob need not be written; one of another size is damaged and is written anew."""
        try:
            return path.stat().st_size == size
        except OSError:
            return False
