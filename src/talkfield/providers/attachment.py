"""What an attachment is to a model: an image, a document, sound, text, or something it can only be told about. Pure."""

from __future__ import annotations

import base64
from typing import Literal

from talkfield.core.attachment import file_kind, plain_media_type
from talkfield.core.messages import Attachment, FileKind

Kind = FileKind | Literal["other"]

SOUND_FORMAT = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def kind_of(attachment: Attachment, data: bytes | None) -> Kind:
    if data is None:
        return "other"
    kind = file_kind(attachment)
    if kind is None and plain_media_type(attachment) in UNTYPED and _is_text(data):
        return "text"
    return kind or "other"


UNTYPED = frozenset({"", "application/octet-stream"})


def sound_format(attachment: Attachment) -> str:
    return SOUND_FORMAT[plain_media_type(attachment)]


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
