"""What kind of thing an attachment is, as far as its type and its name tell. Pure."""

from __future__ import annotations

from talkfield.core.messages import Attachment, FileKind

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SOUNDS = frozenset({"audio/wav", "audio/x-wav", "audio/wave", "audio/mpeg", "audio/mp3"})
TEXTUAL = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml"}
    | {"application/javascript", "application/x-sh", "application/sql", "application/x-ndjson", "image/svg+xml"}
)


def plain_media_type(attachment: Attachment) -> str:
    """The type without its parameters, in small letters."""
    return attachment.media_type.partition(";")[0].strip().lower()


def file_kind(attachment: Attachment) -> FileKind | None:
    """By its type; None: nothing a model takes, or only its bytes can tell."""
    media_type = plain_media_type(attachment)
    if media_type in IMAGES:
        return "image"
    if media_type == "application/pdf":
        return "document"
    if media_type in SOUNDS:
        return "audio"
    return "text" if media_type.startswith("text/") or media_type in TEXTUAL else None
