"""What crosses the socket between a browser and the owner of the transcripts."""

from __future__ import annotations

import msgspec

from talkfield.wire.client import ClientMessage
from talkfield.wire.server import ServerMessage

PROTOCOL_VERSION = 1

_encoder = msgspec.json.Encoder(decimal_format="string")
_client = msgspec.json.Decoder(ClientMessage)
_server = msgspec.json.Decoder(ServerMessage)


def encode(message: ServerMessage | ClientMessage) -> bytes:
    """One message as JSON."""
    return _encoder.encode(message)


def decode_client(data: bytes | str) -> ClientMessage:
    """A browser's message, strictly. Raises `msgspec.DecodeError` or `msgspec.ValidationError`."""
    return _client.decode(data)


def decode_server(data: bytes | str) -> ServerMessage:
    """A server's message, for clients written in Python (tests, the terminal)."""
    return _server.decode(data)
