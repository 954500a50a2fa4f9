"""Files are sent in as they are and given back so that a browser can only show or keep them (U11, X3, X4)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256
from io import BytesIO

import pytest

from server.server_doubles import TOKEN, ScriptedSession, ScriptedStudio, chat, running

BYTES = {"content-type": "application/octet-stream"}
PNG = b"\x89PNG\r\n\x1a\n and pixels"


async def test_U11_a_file_comes_back_as_it_was() -> None:
    data = bytes(range(256)) * 12_000  # more than any other body may have
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        address = f"{server.url}/api/attachments"
        query = {"name": "a b.bin", "type": "text/plain"}
        async with server.http.post(address, params=query, data=BytesIO(data), headers=BYTES) as response:
            assert response.status == 201
            assert await response.json() == {
                "id": "file-1",
                "name": "a b.bin",
                "mediaType": "text/plain",
                "sizeBytes": len(data),
                "digest": sha256(data).hexdigest(),
            }
        async with server.http.get(f"{address}/{sha256(data).hexdigest()}?name=%22%0d%0aX%3A%20y") as response:
            assert await response.read() == data
            headers = response.headers
        assert headers["content-type"] == "application/octet-stream"
        assert headers["content-disposition"] == "attachment; filename*=UTF-8''%22%0D%0AX%3A%20y"
        assert headers["content-security-policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "private, max-age=86400, immutable"


@pytest.mark.parametrize(
    ("data", "media_type", "place"),
    [
        (PNG, "image/png", "inline"),
        (b"\xff\xd8\xff\xe0", "image/jpeg", "inline"),
        (b"GIF89a", "image/gif", "inline"),
        (b"RIFF\0\0\0\0WEBP", "image/webp", "inline"),
        (b"RIFF\0\0\0\0WAVE", "application/octet-stream", "attachment"),
        (b"<svg onload=alert(1)>", "application/octet-stream", "attachment"),
        (b"<html><script>alert(1)</script>", "application/octet-stream", "attachment"),
        (b"%PDF-1.7", "application/octet-stream", "attachment"),
    ],
)
async def test_X3_only_images_of_pixels_are_shown(data: bytes, media_type: str, place: str) -> None:
    studio = ScriptedStudio(ScriptedSession(chat()))
    digest = studio.blobs.put(data)
    async with running(studio) as server, server.http.get(f"{server.url}/api/attachments/{digest}") as response:
        assert (response.headers["content-type"], await response.read()) == (media_type, data)
        assert response.headers["content-disposition"] == f"{place}; filename*=UTF-8''file"


async def test_X4_an_upload_is_bounded_also_without_a_length() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(5):
            yield b"x" * 300

    async with running(ScriptedStudio(ScriptedSession(chat())), max_attachment_bytes=1000) as server:
        for data in (b"x" * 1001, pieces()):
            async with server.http.post(f"{server.url}/api/attachments", data=data, headers=BYTES) as response:
                assert (response.status, (await response.json())["error"]["code"]) == (413, "too_large")
        async with server.http.post(f"{server.url}/api/attachments", data=b"x" * 1000, headers=BYTES) as response:
            assert response.status == 201


@pytest.mark.parametrize(
    "media_type",
    ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"],
)
async def test_check_35_X1_no_form_of_another_page_can_upload(media_type: str) -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        headers = {"content-type": media_type}
        async with server.http.post(f"{server.url}/api/attachments", data=b"{}", headers=headers) as response:
            assert (response.status, (await response.json())["error"]["code"]) == (415, "not_bytes")


async def test_check_37_X1_attachments_are_for_who_has_a_session() -> None:
    async with running(ScriptedStudio(ScriptedSession(chat()))) as server:
        for token, status in (("wrong", 401), (TOKEN, 404)):
            headers = {"authorization": f"Bearer {token}"}
            async with server.http.get(f"{server.url}/api/attachments/{'a' * 64}", headers=headers) as response:
                assert response.status == status
