"""What a file holds, as far as a model can read it: text in any common encoding, or a word on what it is instead."""

from __future__ import annotations

import struct

HEAD_BYTES = 8192

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "application/x-executable"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
)

MARKS: tuple[tuple[bytes, str], ...] = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def encoding_of(head: bytes) -> tuple[str, int] | None:
    """The encoding that a text begins with, and how long its mark is; None where the bytes are no text."""
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    if b"\0" in head or media_type_of(head) is not None:
        return None
    return "utf-8", 0


def media_type_of(head: bytes) -> str | None:
    """What the bytes are by how they begin; None: nothing that is known."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypavif", b"ftypheic"):
        return f"image/{head[8:12].decode()}"
    for signature, media_type in SIGNATURES:
        if head.startswith(signature) and (media_type != "image/bmp" or b"\0" in head[:14]):
            return media_type
    return None


def description_of(head: bytes, size_bytes: int) -> str:
    """What to say of a file that is no text."""
    media_type = media_type_of(head) or "binary data"
    size = f", {size_bytes:,} bytes"
    pixels = ""
    if media_type == "image/png" and len(head) >= 24:
        pixels = ", {} x {} pixels".format(*struct.unpack(">II", head[16:24]))
    elif media_type == "image/gif" and len(head) >= 10:
        pixels = ", {} x {} pixels".format(*struct.unpack("<HH", head[6:10]))
    hint = " An image can be attached to a message." if media_type.startswith("image/") else ""
    return f"This is no text: {media_type}{pixels}{size}.{hint}"
