"""The form of a record: one provider call as it went over the wire, without its keys, as a JSON file that people can
read and send on.

`replay` reads its answer again and the scripted provider plays it; both need the bytes and when each read of them came.
An answer that is text is kept as text, with `segments` to cut it again; any other as base64. Pure.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from talkfield.core.provider_api import Api
from talkfield.errors import InvalidArgument, ProviderError, ProviderUnreachable
from talkfield.providers.failure import failure, read_body

VERSION = 1
MARK = b'"talkfieldRecord"'
"""The name of a record's first field: by it a record is told from a raw answer."""


class RecordedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What was sent. `body` is JSON where it was JSON, else text."""

    method: str
    url: str
    headers: dict[str, str] = {}
    body: Any = None


class RecordedResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What came. `segments` are the reads in order: milliseconds after the request, and how many bytes."""

    status: int
    headers: dict[str, str] = {}
    body: str = ""
    encoding: Literal["utf-8", "base64"] = "utf-8"
    segments: list[tuple[int, int]] = []


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A record. `at` is when the request was made, in epoch milliseconds; `ended` how it ended, empty at its own end.

    Without a `response` there was no answer at all.
    """

    talkfield_record: int = VERSION
    api: Api
    at: int = 0
    request: RecordedRequest
    response: RecordedResponse | None = None
    ended: str = ""


def response_of(status: int, headers: dict[str, str], reads: list[tuple[int, bytes]]) -> RecordedResponse:
    """The response part of a record, made of the reads as they came."""
    body = b"".join(data for _, data in reads)
    segments = [(at_ms, len(data)) for at_ms, data in reads]
    try:
        return RecordedResponse(status=status, headers=headers, body=body.decode(), segments=segments)
    except UnicodeDecodeError:
        text = base64.b64encode(body).decode()
        return RecordedResponse(status=status, headers=headers, body=text, encoding="base64", segments=segments)


def encode_record(record: RecordedCall) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def is_record(data: bytes) -> bool:
    """Whether a file is a record, whole or damaged."""
    return data.lstrip().startswith(b"{") and MARK in data[:200]


def decode_record(data: bytes) -> RecordedCall:
    """Raises `InvalidArgument` for a record that is damaged or of a newer form."""
    try:
        record = msgspec.json.decode(data, type=RecordedCall)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidArgument(f"the record cannot be read: {error}") from error
    if record.talkfield_record > VERSION:
        raise InvalidArgument("the record is from a newer Talkfield", hint="Update Talkfield to read it.")
    return record


def reads_of(response: RecordedResponse) -> Iterator[tuple[int, bytes]]:
    """The reads as they came: (milliseconds after the request, bytes). What no segment covers comes last."""
    body = response.body.encode() if response.encoding == "utf-8" else _decoded(response.body)
    at = at_ms = 0
    for at_ms, length in response.segments:
        if length > 0:
            yield at_ms, body[at : at + length]
            at += length
    if at < len(body):
        yield at_ms, body[at:]


def failure_of(record: RecordedCall) -> ProviderError | None:
    """The error of a call that was refused, or never answered; None where there is an answer to read."""
    response = record.response
    if response is None:
        return ProviderUnreachable(record.ended or "there was no answer", retryable=True)
    if response.status < 300:
        return None
    if response.status < 400:
        target = response.headers.get("location", "another address")
        return failure(f"the address redirects to {target}; redirects are not followed", status=response.status)
    body = b"".join(data for _, data in reads_of(response))
    return failure(read_body(body), status=response.status, headers=response.headers, url=record.request.url)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise InvalidArgument("the record's answer is not base64") from error
