"""D2: a body is split into events on bytes, the same for every segmentation."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talkfield.errors import ProviderGarbled
from talkfield.providers.sse import SseDecoder, SseEvent


def read(*reads: bytes, max_event_bytes: int = 1 << 20) -> list[SseEvent]:
    decoder = SseDecoder(max_event_bytes=max_event_bytes)
    events = [event for data in reads for event in decoder.feed(data)]
    return events + decoder.finish()


def plain(body: bytes) -> list[SseEvent]:
    """The standard's algorithm on a whole body, as slowly and as plainly as it is written there."""
    events: list[SseEvent] = []
    name, data = b"", None
    for line in [*re.split(rb"\r\n|\n|\r", body.removeprefix(b"\xef\xbb\xbf")), b""]:
        if not line:
            if data is not None:
                events.append((name, data))
            name, data = b"", None
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data = value if data is None else data + b"\n" + value
        elif field == b"event":
            name = value
    return events


def cut(body: bytes, *, seed: int, cuts: int) -> list[bytes]:
    source = random.Random(seed)
    places = sorted(source.randrange(len(body) + 1) for _ in range(cuts))
    return [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True)]


PIECES = [b"data: one", b"data:two", b"data:  three", b"data", b"data:", b"event: name", b"event:other", b"id: 7"]
PIECES += [b": comment", b"retry: 1", b" data: lost", b"nonsense", b"xdata: no", b'data: {"a": "\xe2\x80\xa8\xc3\xa9"}']

bodies = st.lists(
    st.tuples(st.sampled_from([*PIECES, b"", b""]), st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r"])), max_size=30
).map(lambda lines: b"".join(line + end for line, end in lines))


@settings(max_examples=200, deadline=None)
@given(body=bodies, mark=st.booleans(), tail=st.sampled_from([b"", b"data: tail", b"eve"]), seed=st.integers(0, 999))
def test_D2_any_cut_of_a_body_gives_the_events_of_the_standard(body: bytes, mark: bool, tail: bytes, seed: int) -> None:
    whole = (b"\xef\xbb\xbf" if mark else b"") + body + tail
    expected = plain(whole)
    assert read(whole) == expected
    assert read(*(whole[i : i + 1] for i in range(len(whole)))) == expected
    assert read(*cut(whole, seed=seed, cuts=6)) == expected


@settings(max_examples=100, deadline=None)
@given(
    lines=st.lists(st.sampled_from([b"data: a", b"event: n", b": c", b"data: bb", b""]), max_size=40),
    seed=st.integers(0, 999),
)
def test_D2_the_fast_road_and_the_slow_road_agree(lines: list[bytes], seed: int) -> None:
    body = b"\n".join(lines) + b"\n"
    assert read(*cut(body, seed=seed, cuts=3)) == plain(body)


def test_D2_an_event_is_given_as_soon_as_its_blank_line_is_there() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\r\n\r") == [(b"", b"1")]
    assert decoder.feed(b"\ndata: 2\r\r") == [(b"", b"2")]
    assert decoder.feed(b"data: 3\n") == []
    assert decoder.feed(b"\n") == [(b"", b"3")]
    decoder = SseDecoder()
    assert [decoder.feed(read) for read in (b"data: 4\n", b"\n", b"data: 5\n\n")] == [[], [(b"", b"4")], [(b"", b"5")]]


def test_D2_only_three_line_ends_exist() -> None:
    text = "\u2028\u2029\x85\x0b\x0c\x1c\x1e"
    assert read(f'data: "{text}"\n\n'.encode()) == [(b"", f'"{text}"'.encode())]


def test_D2_comments_are_counted_and_are_no_events() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b": OPENROUTER PROCESSING\n\n: ping\n\n") == []
    assert (decoder.comments, decoder.ignored_lines) == (2, 0)


def test_D2_a_line_that_means_nothing_is_counted_and_ignored() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b' data: {"lost": 1}\n\ndata: kept\n\n') == [(b"", b"kept")]
    assert decoder.ignored_lines == 1


@pytest.mark.parametrize("body", [b"event: x\nda", b"\nevent: x\nda", b"data: {}\n\ndat", b"id: 1\r\nretr", b"ev"])
def test_D2_a_cut_within_the_name_of_a_field_means_nothing_however_it_came(body: bytes) -> None:
    """Found by fuzzing: in one read it counted as a line of another format."""
    for at in range(len(body) + 1):
        decoder = SseDecoder()
        events = [*decoder.feed(body[:at]), *decoder.feed(body[at:]), *decoder.finish()]
        assert (len(events), decoder.ignored_lines) == (body.count(b"{}"), 0), at


def test_D4_an_error_in_the_place_of_a_field_name_is_an_error_event() -> None:
    assert read(b'error: {"code": 500}\n\n') == [(b"error", b'{"code": 500}')]


def test_D7_an_event_over_the_bound_is_refused_with_bounded_memory() -> None:
    decoder = SseDecoder(max_event_bytes=1000)
    for _ in range(10):
        decoder.feed(b"data: " + b"x" * 94)
    with pytest.raises(ProviderGarbled) as raised:
        decoder.feed(b"x")
    assert raised.value.code == "too_large"


def test_D7_an_event_over_the_bound_is_refused_in_one_piece_as_well() -> None:
    with pytest.raises(ProviderGarbled):
        read(b"data: " + b"x" * 2000 + b"\n\n", max_event_bytes=1000)


def test_check_08_D7_many_events_in_one_read_are_not_one_large_event() -> None:
    body = b"data: " + b"x" * 94 + b"\n\n"
    assert len(read(body * 50, max_event_bytes=1000)) == 50
