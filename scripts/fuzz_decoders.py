"""Feeds damaged and invented streams to both decoders, and stops at the first that does what no answer may do.

    .venv/bin/python scripts/fuzz_decoders.py --inputs 100000

What has to hold for any bytes in any reads: nothing but `ProviderError` is raised, and only by `finish`; a whole answer
ends with one `FinishChunk`, and no other has calls (D4); what comes out can be written down. The whole body at once and
cut into reads come to the same, and memory grows with the input alone. Seeds are the streams of `tests/providers/wire`
and the recorded ones where `TALKFIELD_CORPUS` points, or beside the project.

A failing input is written to a file, with which `--replay FILE --api …` does it again. `--atheris` lets atheris choose
the inputs by coverage, where it is installed; everything after it is passed on.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from talkfield.core.provider_api import APIS, Api
from talkfield.errors import ProviderError
from talkfield.providers.answer_reading import read_answer
from talkfield.providers.anthropic_decoder import AnthropicDecoder
from talkfield.providers.openai_decoder import OpenAiDecoder
from talkfield.runtime.ports import CallChunk, Chunk, FinishChunk, RestartChunk, TextChunk, ThinkingChunk

ROOT = Path(__file__).resolve().parents[1]
MAX_SEED_BYTES = 6000
MAX_INPUT_BYTES = 32 * 1024
MEMORY_EACH = 500
"""Of so many inputs one has its memory measured, and one is read as `talkfield replay` does."""

MEMORY_PER_BYTE = 200
MEMORY_BASE_BYTES = 2 * 1024 * 1024

VALUES = (
    *(
        b"null",
        b"true",
        b"false",
        b"0",
        b"-1",
        b"1",
        b"1.5",
        b"1e999",
        b"-0",
        b"9007199254740993",
        b"NaN",
        b"Infinity",
        b"-1e99999999999999999999",
        b"1" * 6000,
        b"1" * 400,
        b"1e99999999999999999999",
    ),
    *(b'""', b'"x"', b'"0"', b'"stop"', b'"error"', b'"tool_calls"', b'"tool_use"', b'"end_turn"', b'"[DONE]"'),
    *(
        b"[]",
        b"{}",
        b"[[]]",
        b"[{}]",
        b"[null]",
        b'{"a":null}',
        b'"<think>"',
        b'"</think>"',
        b'"\\ud83d"',
        b'"\\u0000"',
    ),
    *(b'"\xff"', b'"\xe2\x80\xa8"', b"[" * 1200 + b"]" * 1200, b'{"a":' * 600 + b"1" + b"}" * 600, b"[" * 300),
    b'{"message":"no","code":500}',
)
NAMES = tuple(
    f'"{name}"'.encode()
    for name in (
        *("id", "type", "index", "delta", "content", "choices", "message", "finish_reason", "tool_calls", "function"),
        *("name", "arguments", "usage", "error", "code", "reasoning", "reasoning_content", "reasoning_details", "text"),
        *("content_block", "partial_json", "thinking", "signature", "stop_reason", "input", "data", "citation"),
        *("citations", "detail", "object", "x_groq", "model", "extra_content", "function_call", "refusal", "base_resp"),
        *("stop_details", "status_code", "metadata", "prompt_tokens", "input_tokens", "cost", "base_resp", "metadata"),
    )
)
LINES = (
    *(
        b"data: [DONE]\n\n",
        b": ping\n\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"event: error\n",
        b"event: ping\n",
        b"data:\n",
        b"id: 1\n",
    ),
    *(
        b"data: {}\n\n",
        b"data\n\n",
        b"retry: 1\n",
        b'error: {"message":"x"}\n\n',
        b"\xef\xbb\xbf",
        b"<html><title>x</title>",
    ),
    *(b'data: {"error":"x"}\n\n', b'data: {"type":"message_stop"}\n\n', b'data: {"choices":[]}\n\n', b"data: \xff\n\n"),
)
VALUE = re.compile(rb'(?<=:)\s?(?:"(?:[^"\\\n]|\\.){0,200}"|-?\d[\d.eE+-]{0,40}|null|true|false|\[\]|\{\})')
NAME = re.compile(rb'"[a-z_]{1,24}"(?=:)')
EVENT_END = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")


class Broken(AssertionError):
    """An input did what no answer may do."""


Decoder = OpenAiDecoder | AnthropicDecoder
Makers = Mapping[Api, Callable[..., Decoder]]
DECODERS: Makers = {"openai": OpenAiDecoder, "anthropic": AnthropicDecoder}


def decoder_of(api: Api, makers: Makers = DECODERS) -> Decoder:
    return makers[api](provider="p", model="m")


def outcome(
    api: Api, reads: Sequence[bytes], makers: Makers = DECODERS
) -> tuple[str, str, str, list[tuple[str, str, str]], str]:
    """(text, thinking, end, calls, error) of a body. Raises `Broken` where something came out that may not."""
    decoder = decoder_of(api, makers)
    chunks: list[Chunk] = []
    for read in reads:
        chunks += decoder.feed(read)
    chunks += decoder.rest()
    error = ""
    try:
        end = decoder.finish()
    except ProviderError as raised:
        # What an error quotes of a body depends on what had come by then.
        error = f"{type(raised).__name__}: {raised.message.partition(': ')[0]}"
        raised.message.encode()
        end = []
    if any(isinstance(chunk, CallChunk | FinishChunk) for chunk in chunks):
        raise Broken("the end came before the end")
    if not error and [type(chunk) for chunk in end].count(FinishChunk) != 1:
        raise Broken("a whole answer has one end")
    if not error and not isinstance(end[-1], FinishChunk):
        raise Broken("something came after the end")
    for chunk in (*chunks, *end):
        msgspec.json.encode(chunk)
    return summary(chunks, end, error)


def summary(chunks: list[Chunk], end: list[Chunk], error: str) -> tuple[str, str, str, list[tuple[str, str, str]], str]:
    text: list[str] = []
    thinking: list[str] = []
    for chunk in chunks:
        if isinstance(chunk, RestartChunk):
            text, thinking = [], []
        elif isinstance(chunk, TextChunk):
            text.append(chunk.text)
        elif isinstance(chunk, ThinkingChunk):
            thinking.append(chunk.text)
    calls = [(chunk.wire_id, chunk.name, chunk.args_json) for chunk in end if isinstance(chunk, CallChunk)]
    finish = end[-1].finish if end and isinstance(end[-1], FinishChunk) else ""
    return "".join(text), "".join(thinking), finish, calls, error


def check(api: Api, body: bytes, source: random.Random, *, thoroughly: bool = False, makers: Makers = DECODERS) -> str:
    """One input on one wire; what it came to, in a word. Raises `Broken`, or whatever a decoder raised."""
    whole = outcome(api, [body], makers)
    cut = outcome(api, cuts(body, source), makers)
    if whole != cut:
        raise Broken(f"reads matter: {whole!r} and {cut!r}"[:2000])
    if thoroughly:
        check_memory(api, body)
        reading = read_answer([body], api)
        if (reading.text, reading.failed) != (whole[0], bool(whole[4])):
            raise Broken("replay reads it otherwise")
        msgspec.to_builtins(reading)
    return whole[4].partition(":")[0] or whole[2]


def check_memory(api: Api, body: bytes) -> None:
    tracemalloc.start()
    try:
        outcome(api, [body])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    if peak > MEMORY_BASE_BYTES + MEMORY_PER_BYTE * len(body):
        raise Broken(f"{peak} bytes for an input of {len(body)}")


def cuts(body: bytes, source: random.Random) -> list[bytes]:
    if len(body) < 200 and source.random() < 0.2:
        return [body[at : at + 1] for at in range(len(body))]
    places = sorted(source.randrange(len(body) + 1) for _ in range(source.randrange(1, 6)))
    return [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True)]


# Inputs ---------------------------------------------------------------------------------------------------------------


def seeds() -> list[list[bytes]]:
    """Streams as lists of events."""
    corpus = Path(os.environ.get("TALKFIELD_CORPUS") or ROOT.parent / "shared" / "corpus")
    paths = [*(ROOT / "tests" / "providers" / "wire").rglob("*.sse"), *sorted(corpus.glob("*/*.sse"))]
    found = []
    for path in sorted(paths):
        events = [event for event in EVENT_END.split(path.read_bytes()) if event]
        found.append([event for event in events if len(event) <= MAX_SEED_BYTES] or [b"data: {}\n\n"])
    return found


class Mutator:
    """Makes inputs of seeds. The same source of chance gives the same inputs."""

    def __init__(self, streams: list[list[bytes]], source: random.Random) -> None:
        self.streams = streams
        self._source = source
        self._of_bytes: tuple[Callable[[bytes], bytes], ...] = (
            *(self.replace_value, self.replace_value, self.replace_value, self.replace_name, self.flip),
            *(self.insert_line, self.delete, self.double, self.cut_off, self.change_line_ends, self.swap_value),
        )

    def input(self) -> bytes:
        source = self._source
        events = self.some_events(source.choice(self.streams))
        if source.random() < 0.3:
            other = self.some_events(source.choice(self.streams))
            at = source.randrange(len(events) + 1)
            events = [*events[:at], *other, *events[at:]]
        if source.random() < 0.2:
            source.shuffle(events)
        body = b"".join(events)
        if source.random() < 0.05:  # an answer that is not streamed
            body = body.removeprefix(b"data: ").strip()
        for _ in range(source.choice((0, 1, 1, 2, 3, 5, 8))):
            body = source.choice(self._of_bytes)(body)
        return body[:MAX_INPUT_BYTES]

    def some_events(self, stream: list[bytes]) -> list[bytes]:
        """A beginning, a few from the middle, and the end: the end is where it is decided what an answer is."""
        source = self._source
        count = source.randrange(1, 5)
        at = source.randrange(len(stream))
        middle = stream[at : at + source.randrange(4)]
        return [*stream[:count], *middle, *stream[-source.randrange(1, 4) :]]

    def replace_value(self, body: bytes) -> bytes:
        return self.substitute(VALUE, body, self._source.choice(VALUES))

    def swap_value(self, body: bytes) -> bytes:
        found = VALUE.findall(body)
        return self.substitute(VALUE, body, self._source.choice(found)) if found else body

    def replace_name(self, body: bytes) -> bytes:
        return self.substitute(NAME, body, self._source.choice(NAMES))

    def substitute(self, pattern: re.Pattern[bytes], body: bytes, new: bytes) -> bytes:
        found = pattern.search(body, self._source.randrange(len(body) + 1)) or pattern.search(body)
        return body[: found.start()] + new + body[found.end() :] if found else body

    def flip(self, body: bytes) -> bytes:
        if not body:
            return body
        at = self._source.randrange(len(body))
        return body[:at] + bytes([self._source.randrange(256)]) + body[at + 1 :]

    def insert_line(self, body: bytes) -> bytes:
        at = self._source.randrange(len(body) + 1)
        if self._source.random() < 0.7:
            at = body.find(b"\n\n", at) + 2 if b"\n\n" in body[at:] else at
        return body[:at] + self._source.choice(LINES) + body[at:]

    def delete(self, body: bytes) -> bytes:
        at = self._source.randrange(len(body) + 1)
        return body[:at] + body[at + self._source.choice((1, 1, 2, 5, 20, 200)) :]

    def double(self, body: bytes) -> bytes:
        at = self._source.randrange(len(body) + 1)
        piece = body[at : at + self._source.randrange(1, 400)]
        return body[:at] + piece * self._source.choice((2, 2, 3, 20)) + body[at:]

    def cut_off(self, body: bytes) -> bytes:
        return body[: self._source.randrange(len(body) + 1)]

    def change_line_ends(self, body: bytes) -> bytes:
        return body.replace(b"\n", self._source.choice((b"\r\n", b"\r")))


def inputs(seed: int) -> Iterator[tuple[Api, bytes]]:
    """Endless, the same for the same seed."""
    source = random.Random(seed)
    mutator = Mutator(seeds(), source)
    while True:
        body = mutator.input()
        for api in APIS:
            yield api, body


# Runs -----------------------------------------------------------------------------------------------------------------


def run(count: int, seconds: float, seed: int, keep: Path, makers: Makers = DECODERS) -> int:
    """So many inputs, or so long; the exit status."""
    began = time.monotonic()
    source = random.Random(-seed)
    ends: Counter[str] = Counter()
    done = size = 0
    for api, body in inputs(seed):
        try:
            ends[check(api, body, source, thoroughly=done % MEMORY_EACH == 0, makers=makers)] += 1
        except Exception as error:
            path = keep / f"{api}-{seed}-{done}.sse"
            path.write_bytes(body)
            print(
                f"{type(error).__name__} after {done:,} inputs: {error}\n--replay {path} --api {api}", file=sys.stderr
            )
            return 1
        done += 1
        size += len(body)
        if done >= count or (done % 1000 == 0 and time.monotonic() - began > seconds):
            break
    took = time.monotonic() - began
    print(
        f"{done:,} inputs of {size / done:,.0f} bytes, each read twice, in {took:,.0f} s: {done / took:,.0f} a second"
    )
    print(", ".join(f"{end} {number:,}" for end, number in ends.most_common()))
    return 0


def guided(arguments: list[str]) -> None:
    """Inputs chosen by coverage; does not return."""
    import atheris  # type: ignore[import-untyped]  # never a dependency

    def one(data: bytes) -> None:
        for api in APIS:
            check(api, data[1:], random.Random(data[:1]))

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000, help="how many")
    parser.add_argument("--seconds", type=float, default=1e9, help="or for how long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path(), help="folder for a failing input")
    parser.add_argument("--replay", type=Path, help="read this one file instead")
    parser.add_argument("--api", choices=APIS, default="openai")
    parser.add_argument("--atheris", nargs=argparse.REMAINDER)
    given: Any = parser.parse_args()
    if given.atheris is not None:
        guided(given.atheris)
    if given.replay is not None:
        print(check(given.api, given.replay.read_bytes(), random.Random(given.seed), thoroughly=True))
        return 0
    return run(given.inputs, given.seconds, given.seed, given.keep)


if __name__ == "__main__":
    sys.exit(main())
