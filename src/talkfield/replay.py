"""`talkfield replay`: what Talkfield makes of a captured stream, through the decoders that the drivers use (D3).

A capture is the body of an answer as it came (`curl -N … > answer.sse`, gzip too), or a record (`TALKFIELD_RECORD`),
which also holds how the call was answered and where each read ended. Nothing is sent and nothing is kept.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from talkfield.cli import FAILED, say
from talkfield.errors import InvalidArgument
from talkfield.providers.answer_reading import AnswerReading, failed_reading, read_answer
from talkfield.providers.base import MAX_ANSWER_BYTES
from talkfield.providers.recorded_call import decode_record, failure_of, is_record, reads_of
from talkfield.providers.resolve import api_named
from talkfield.terminal.screen import printable

MAX_FILE_BYTES = 2 * MAX_ANSWER_BYTES
"""A record of the longest answer, its escapes included."""

READ_BYTES = 64 * 1024
GZIP = b"\x1f\x8b"


def replay(file: str, api: str | None, *, as_json: bool) -> int:
    """Print what the file's answer comes to. The exit status: 0 for a whole answer, 1 for an error or a cut one."""
    reading = reading_of(contents(file), api)
    if as_json:
        print(as_text(reading))
    else:
        tell(reading)
    return FAILED if reading.failed else 0


def reading_of(data: bytes, api: str | None) -> AnswerReading:
    """What a capture comes to; an empty one is an answer cut off. Raises `InvalidArgument` for a damaged record."""
    wanted = api_named(api)
    if not is_record(data):
        return read_answer(pieces(data), wanted)
    record = decode_record(data)
    error = failure_of(record)
    if error is not None:
        return failed_reading(wanted or record.api, error)
    assert record.response is not None  # else there were an error
    reading = read_answer([read for _, read in reads_of(record.response)], wanted or record.api)
    if reading.effective_stop == "interrupted" and record.ended:
        return msgspec.structs.replace(reading, error=f"{reading.error}: {record.ended}")
    return reading


def as_text(reading: AnswerReading) -> str:
    try:
        return msgspec.json.encode(reading).decode()
    except UnicodeEncodeError:  # half a character, as a model may write it into a call: JSON has a spelling for it
        return json.dumps(msgspec.to_builtins(reading))


def contents(file: str) -> bytes:
    """The bytes of a file, or of standard input for `-`; unpacked where they are gzip. Raises `InvalidArgument`."""
    try:
        if file == "-":
            data = bounded(sys.stdin.buffer)
        else:
            with Path(file).open("rb") as opened:
                data = bounded(opened)
    except OSError as error:
        raise InvalidArgument(f"{file} cannot be read: {error.strerror or error}.") from error
    if not data.startswith(GZIP):
        return data
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        return within_bound(unpacking.decompress(data, MAX_FILE_BYTES + 1))
    except zlib.error as error:
        raise InvalidArgument(f"{file} is gzip that cannot be unpacked: {error}.") from error


def bounded(source: BinaryIO) -> bytes:
    return within_bound(source.read(MAX_FILE_BYTES + 1))


def within_bound(data: bytes) -> bytes:
    if len(data) > MAX_FILE_BYTES:
        raise InvalidArgument(f"The capture is larger than {MAX_FILE_BYTES // 2**20} MiB, and so no answer.")
    return data


def pieces(data: bytes) -> Iterator[bytes]:
    """As a connection would give it. The bound on an answer holds here as well."""
    for at in range(0, min(len(data), MAX_ANSWER_BYTES), READ_BYTES):
        yield data[at : at + READ_BYTES]


def tell(reading: AnswerReading) -> None:
    """The text for standard output; everything about it for standard error."""
    if reading.text:
        print(printable(reading.text) if sys.stdout.isatty() else reading.text)
    for title, text in (("thinking", reading.thinking), ("refusal", reading.refusal)):
        if text:
            say(printable(f"{title}: {text}"))
    for call in reading.tool_calls:
        say(printable(f"calls {call.name} {call.arguments} (id {call.id or 'none'})"))
    if reading.usage is not None:
        stated = {name: value for name, value in msgspec.to_builtins(reading.usage).items() if value is not None}
        say("usage: " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in stated.items()))
    said = f" (finish reason {reading.finish_reason})" if reading.finish_reason else ""
    say(printable(f"read on the {reading.api} wire; then: {reading.effective_stop}{said}"))
    if reading.error is not None:
        say(printable(f"{reading.error} {reading.hint}"))
