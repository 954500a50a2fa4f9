"""The canvas under fingers, on a phone: one chat at a time, the canvas as overview (U6, U7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, CDPSession, Locator, expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import watched

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1180, "height": 820}


@pytest.fixture
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A phone, or what a test is parametrized with."""
    size = getattr(request, "param", PHONE)
    device: dict[str, Any] = {"viewport": size, "has_touch": True, "is_mobile": True}
    context = watched(browser.new_context(locale="en-GB", **device))
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


@pytest.mark.parametrize("context", [TABLET], indirect=True)
def test_U6_chats_are_moved_joined_and_read_by_finger(canvas: CanvasPage) -> None:
    first = canvas.ask_first("one\n" * 60)
    first.idle()
    second = canvas.add_chat()
    canvas.part("fit").tap()
    canvas.still()
    session = canvas.page.context.new_cdp_session(canvas.page)

    before, view = canvas.place(second), canvas.still()
    x, y = middle(second.node.locator("header"), down=0.75)
    drag(session, ((x, y),), *(((x + 4 * step, y + 3 * step),) for step in range(1, 20)))
    canvas.page.wait_for_function(
        '([id, place]) => document.querySelector(`.react-flow__node:has([data-node-id="${id}"])`)'
        "?.style.transform !== place",
        arg=[second.id, before],
    )
    assert canvas.still() == view

    second.node.locator("header").tap()
    ends = canvas.page.locator(f'.react-flow__node:has([data-node-id="{second.id}"]) .react-flow__handle')
    expect(ends.first).to_have_css("opacity", "1")
    from_x, from_y = middle(ends.first)
    to_x, to_y = middle(first.node)
    steps = [((from_x + (to_x - from_x) * part / 10, from_y + (to_y - from_y) * part / 10),) for part in range(11)]
    drag(session, *steps)
    expect(canvas.page.locator(".react-flow__edge")).to_have_count(1)

    text = first.node.get_by_label("Conversation")
    text.evaluate("element => (element.scrollTop = 0)")
    x, y = middle(text)
    drag(session, ((x, y),), *(((x, y - 8 * step),) for step in range(1, 15)))
    canvas.page.wait_for_function("element => element.scrollTop > 40", arg=text.element_handle())
    assert canvas.still() == view


def middle(element: Locator, down: float = 0.5) -> tuple[float, float]:
    box = element.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] * down
