"""Attachments' bytes, each once, under the digest of what they are.

A blob never changes, so it needs no transaction: it is written before the record that names it, and a crash in between
leaves a blob that nobody names, until it is swept. Where the bytes came from and what they are called is in the record.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Set
from contextlib import suppress
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
        self.sweeping = threading.Lock()

    def put(self, data: bytes) -> str:
        """Keep the bytes; gives their SHA-256 in hex. Raises `InvalidArgument` past `max_bytes`, `SaveFailed`."""
        require_size(data, self.max_bytes)
        digest = sha256(data).hexdigest()
        path = self.path_of(digest)
        if self.renew(path, len(data)):
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
            raise missing() from None
        except OSError as error:
            raise ProjectUnreadable(f"{path} could not be read: {reason(error)}.", hint=advice(error)) from error
        if sha256(data).hexdigest() != digest:
            raise ProjectUnreadable(f"{path} is damaged: its bytes changed.", hint="Attach the file again.")
        return data

    def has(self, digest: str) -> bool:
        """Whether the bytes are here."""
        return self.path_of(digest).is_file()

    def path_of(self, digest: str) -> Path:
        """Where a blob is. Raises `UnknownThing` for what is no digest."""
        require_digest(digest)
        return self.folder / digest[:2] / digest

    def renew(self, path: Path, size: int) -> bool:
        """Whether the blob need not be written: it is as new as if it had been. One of another size is damaged."""
        with self.sweeping:  # or it could be deleted between the question and the answer
            try:
                if path.stat().st_size != size:
                    return False
                os.utime(path)
            except OSError:
                return False
        return True

    def sweep(self, named: Set[str], *, before_ms: int) -> int:
        """Delete what `named` has not and was last put before that time, and what a crash left half written."""
        swept = 0
        for path in self.folder.glob("??/*"):
            if path.name in named:
                continue
            with self.sweeping, suppress(OSError):
                if path.stat().st_mtime_ns // 1_000_000 < before_ms:
                    path.unlink()
                    swept += 1
        return swept


class MemoryBlobs:
    """A `storage.base.BlobStore` that ends with the process; there is nothing to sweep in it."""

    def __init__(self, *, max_bytes: int = MAX_BLOB_BYTES) -> None:
        self.max_bytes = max_bytes
        self.kept: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        require_size(data, self.max_bytes)
        digest = sha256(data).hexdigest()
        self.kept[digest] = data
        return digest

    def get(self, digest: str) -> bytes:
        if not self.has(digest):
            raise missing()
        return self.kept[digest]

    def has(self, digest: str) -> bool:
        require_digest(digest)
        return digest in self.kept

    def sweep(self, named: Set[str], *, before_ms: int) -> int:
        return 0


def require_size(data: bytes, max_bytes: int) -> None:
    if len(data) > max_bytes:
        raise InvalidArgument(
            f"The file has {len(data):,} bytes; attachments may have {max_bytes:,}.", hint="Attach a smaller file."
        )


def require_digest(digest: str) -> None:
    """Digests come from browsers and imported files: anything else is refused."""
    if not DIGEST.fullmatch(digest):
        raise UnknownThing("There is no such attachment.")


def missing() -> UnknownThing:
    return UnknownThing("The attachment is not on this machine.", hint="Attach the file again.")
