"""The canvas under fingers, on a phone: one chat at a time, the canvas as overview (U6, U7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, CDPSession, expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import watched


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A phone."""
    size = {"width": 390, "height": 844}
    phone: dict[str, Any] = {"viewport": size, "has_touch": True, "is_mobile": True}
    context = watched(browser.new_context(locale="en-GB", **phone))
    yield context
    context.close()


def touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    places = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})


def drag(session: CDPSession, *moves: tuple[tuple[float, float], ...]) -> None:
    """Fingers go down at the first places, move over the others, and go up."""
    touch(session, "touchStart", *moves[0])
    for points in moves[1:]:
        touch(session, "touchMove", *points)
    touch(session, "touchEnd")


def test_U7_a_phone_shows_one_chat_and_the_canvas_as_overview(canvas: CanvasPage) -> None:
    window = canvas.part("full-screen")
    canvas.part("first-composer").fill("hello")
    canvas.page.get_by_label("Start the chat").tap()
    expect(window).to_contain_text("echo: hello")
    canvas.part("leave-full-screen").tap()
    expect(window).to_have_count(0)
    canvas.part("fit").tap()
    before = canvas.still()
    session = canvas.page.context.new_cdp_session(canvas.page)
    drag(session, ((200, 700),), ((200, 690),), ((200, 660),), ((200, 640),))
    panned = canvas.still()
    assert panned != before
    drag(session, ((150, 700), (250, 700)), ((140, 700), (260, 700)), ((100, 700), (300, 700)))
    zoomed = canvas.still()
    assert zoomed.partition("scale")[2] != panned.partition("scale")[2]
    canvas.part("fit").tap()
    canvas.still()
    canvas.part("chat-card").tap()
    expect(window).to_contain_text("echo: hello")
    canvas.part("leave-full-screen").tap()
    touch(session, "touchStart", (200, 740))
    expect(canvas.page.get_by_role("menuitem", name="New chat here")).to_be_visible()
    touch(session, "touchEnd")
    canvas.page.get_by_role("menuitem", name="New note here").tap()
    expect(canvas.page.locator(".react-flow__node-sticky")).to_have_count(1)
