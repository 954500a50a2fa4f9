"""What some bytes are by how they begin: providers and browsers look there, too, whatever a name says. Pure."""

from __future__ import annotations

import re

SIGNATURES: dict[str, re.Pattern[bytes]] = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
    "application/pdf": re.compile(rb"%PDF-"),
}


def shown_type(data: bytes) -> str | None:
    """The media type that the first bytes show; None: they show none of the known ones."""
    return next((media_type for media_type, pattern in SIGNATURES.items() if pattern.match(data)), None)
