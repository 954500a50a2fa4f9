"""What a server's answer is to a model, and what of it is shown (T10)."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace
from typing import Any

import pytest

from talkfield.tools.mcp.result import pictures_of, text_of

PIXEL = base64.b64encode(b"\x89PNG").decode()


def text(words: str) -> Any:
    return SimpleNamespace(type="text", text=words)


def image(data: str = PIXEL) -> Any:
    return SimpleNamespace(type="image", data=data, mime_type="image/png")


def result(*content: Any, structured: Any = None, is_error: bool = False) -> Any:
    return SimpleNamespace(content=list(content), structured_content=structured, is_error=is_error)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (result(), "(no output)"),
        (result(text("a"), text("b")), "a\n\nb"),
        (result(structured={"count": 1}), '{"count": 1}'),
        (result(text("one"), structured={"count": 1}), 'one\n\n{"count": 1}'),
        (result(text(json.dumps({"count": 1}, indent=2)), structured={"count": 1}), '{\n  "count": 1\n}'),
        (result(text("3"), structured={"result": 3}), "3"),
        (result(text("hi"), structured={"result": "hi"}), "hi"),
        (result(image()), "[image: image/png, 6 bytes, for the user to see]"),
        (result(SimpleNamespace(type="audio", data=PIXEL, mime_type="a/b")), "[audio: a/b, 6 bytes; it is not shown]"),
        (result(SimpleNamespace(type="resource_link", uri="file:///x")), "[resource: file:///x]"),
        (result(SimpleNamespace(type="resource", resource=SimpleNamespace(text="t"))), "t"),
        (result(SimpleNamespace(type="resource", resource=SimpleNamespace(uri="u"))), "[resource: u; it is no text]"),
        (result(SimpleNamespace(type="hologram")), "[hologram; it is not shown]"),
    ],
)
def test_T10_everything_in_an_answer_is_told_once(told: Any, words: str) -> None:
    assert text_of(told) == (words, False)


def test_T10_pictures_are_shown_and_what_is_none_is_left_out() -> None:
    assert list(pictures_of(result(text("a"), image(), image("no base64!"), is_error=True))) == [
        ("picture 2", "image/png", b"\x89PNG")
    ]
    assert text_of(result(is_error=True)) == ("(no output)", True)
