"""A server of tools made with the official SDK: over its input and output, or with `http <port>` at an address."""

from __future__ import annotations

import struct
import sys
import zlib

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer
from pydantic import BaseModel

server = MCPServer("garden")


class Measure(BaseModel):
    """What was measured."""

    height_cm: int
    species: str


@server.tool()
def measure(plant: str) -> Measure:
    """Measures a plant."""
    return Measure(height_cm=42, species=plant)


@server.tool()
def photograph() -> Image:
    """Takes a picture of the garden."""
    return Image(data=pixel(), format="png")


@server.tool()
async def water(context: Context, until: str = "") -> str:
    """Waters the beds one by one; before the last one, it waits until the file named `until` is there."""
    for bed in (1, 2, 3):
        while bed == 3 and until and not await anyio.Path(until).exists():  # noqa: ASYNC110  (a file has no event)
            await anyio.sleep(0.02)
        await context.report_progress(bed, 3, f"bed {bed} is wet")
    return "all beds are wet"


def pixel() -> bytes:
    """A green picture of eight by eight pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x20\x90\x40" * 8 for _ in range(8))
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run()
