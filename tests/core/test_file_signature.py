"""Files are what they begin like."""

from __future__ import annotations

import pytest

from talkfield.core.file_signature import shown_type


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"RIFF\n\n\n\nWEBPVP8 ", "image/webp"),
        (b"%PDF-1.7", "application/pdf"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b" %PDF-1.7", None),
        (b"", None),
    ],
)
def test_U11_the_first_bytes_say_what_a_file_is(data: bytes, media_type: str | None) -> None:
    assert shown_type(data) == media_type
