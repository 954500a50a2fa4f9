"""What an attachment is to a model: an image, a document, sound, text, or something it can only be told about. Pure."""

from __future__ import annotations

import base64
from typing import Literal

from talkfield.core.messages import Attachment

Kind = Literal["image", "document", "audio", "text", "other"]

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SOUND_FORMAT = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
TEXTUAL = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml"}
    | {"application/javascript", "application/x-sh", "application/sql", "application/x-ndjson", "image/svg+xml"}
)


def kind_of(attachment: Attachment, data: bytes | None) -> Kind:
    media_type = attachment.media_type.partition(";")[0].strip().lower()
    if data is None:
        return "other"
    if media_type in IMAGES:
        return "image"
    if media_type == "application/pdf":
        return "document"
    if media_type in SOUND_FORMAT:
        return "audio"
    if media_type.startswith("text/") or media_type in TEXTUAL or (media_type in UNTYPED and _is_text(data)):
        return "text"
    return "other"


UNTYPED = frozenset({"", "application/octet-stream"})


def sound_format(attachment: Attachment) -> str:
    return SOUND_FORMAT[attachment.media_type.partition(";")[0].strip().lower()]


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def as_text(attachment: Attachment, data: bytes) -> str:
    """A text file inside a message, with its name."""
    text = data.decode("utf-8-sig", errors="replace")
    return f'<file name="{attachment.name}">\n{text}\n</file>'


def in_words(attachment: Attachment, why: str) -> str:
    """What the model is told of a file that it can't be given."""
    size = f"{attachment.size_bytes} bytes"
    return f"[attached file {attachment.name!r} ({attachment.media_type}, {size}) not included: {why}]"


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\x00" not in data
