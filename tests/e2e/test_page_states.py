"""Twelve states of the page, light and dark: axe finds nothing in them (U9). Their pictures are in test-results/."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import RESULTS
from e2e.test_accessibility import AXE, violations

pytestmark = pytest.mark.skipif(not AXE.exists(), reason="web packages are not installed")


class Album:
    """Twelve pictures in both themes, each of a page in which axe finds nothing."""

    def __init__(self, canvas: CanvasPage, *, before: int = 0) -> None:
        self.canvas, self.taken = canvas, before
        canvas.page.emulate_media(reduced_motion="reduce")

    def take(self, name: str, *, but: str = "nothing") -> None:
        """A picture in each theme. What is open stays open. `but`: a rule that does not hold there."""
        self.taken += 1
        RESULTS.mkdir(exist_ok=True)
        for scheme in ("light", "dark"):
            self.canvas.page.emulate_media(
                color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
            )
            path = RESULTS / f"state-{self.taken:02}-{name}-{scheme}.png"
            self.canvas.page.screenshot(path=path, animations="disabled", caret="hide")
            found = [each for each in violations(self.canvas) if not each.startswith(but)]
            assert found == [], f"{name}, {scheme}"


def chats(canvas: CanvasPage, album: Album) -> None:
    """Of one chat after the other."""
    album.take("empty-canvas")
    first = canvas.ask_first("markdown")
    first.says("A formula")
    first.idle()
    album.take("reply")
    first.send("call get_time {}")
    expect(first.node.get_by_test_id("tool-card").first).to_be_visible()
    album.take("tool-card")
    failed = canvas.add_chat()
    failed.send("fail 429")
    failed.idle()
    album.take("error")
    long = canvas.add_chat()
    long.send("stream 3000 words at 5/s")
    long.says("word-2")
    album.take("streaming")
    long.stop()
    long.idle()
    album.take("stopped")
    long.composer.fill("/")
    expect(canvas.part("slash-menu")).to_be_visible()
    album.take("slash-menu")
    long.composer.fill("")


def windows(canvas: CanvasPage, album: Album) -> None:
    """What opens over the canvas."""
    page = canvas.page
    shows: dict[str, tuple[Callable[[], None], str]] = {
        "palette": (lambda: page.keyboard.press("Control+k"), "palette"),
        "settings": (lambda: canvas.part("settings-open").click(), "settings"),
        "shelf": (lambda: canvas.part("shelf-open").click(), "shelf"),
        "keyboard": (lambda: page.keyboard.press("?"), "keyboard-map"),
    }
    for name, (open_it, part) in shows.items():
        open_it()
        expect(canvas.part(part)).to_be_visible()
        album.take(name)
        page.keyboard.press("Escape")
        expect(canvas.part(part)).to_have_count(0)
    canvas.part("fit").click()
    canvas.still()
    album.take("whole-canvas", but="target-size")  # from afar all is smaller: whoever needs it larger comes nearer


def test_U9_seven_states_of_chats_in_both_themes(canvas: CanvasPage) -> None:
    album = Album(canvas)
    chats(canvas, album)
    assert album.taken == 7


def test_U9_five_states_of_the_canvas_in_both_themes(canvas: CanvasPage) -> None:
    canvas.ask_first("hello").says("echo: hello")
    canvas.page.keyboard.press("Escape")  # out of the composer, where keys are text
    album = Album(canvas, before=7)
    windows(canvas, album)
    assert album.taken == 12
