"""What waits to be sent while a reply runs: it is shown, edited, put in another order, taken back, sent."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage, ChatNode
from e2e.conftest import Pages, Sins
from e2e.server_process import ServerProcess


def waiting_for(canvas: CanvasPage, *texts: str) -> ChatNode:
    """A chat that never answers, with these texts behind it."""
    chat = canvas.ask_first("slow")
    chat.busy()
    for number, text in enumerate(texts, 1):
        chat.send(text)
        expect(chat.part("queued")).to_have_count(number)
    return chat


def test_W12_what_waits_is_edited_in_its_place(canvas: CanvasPage) -> None:
    chat = waiting_for(canvas, "one", "two", "three")
    chat.part("queued-edit").nth(1).click()
    canvas.page.keyboard.press("End")
    canvas.page.keyboard.type(" and a half")
    canvas.page.keyboard.press("Enter")
    expect(chat.part("queued")).to_have_text(["one", "two and a half", "three"])


def test_W12_the_order_is_changed_by_arrow_keys_and_the_focus_stays(canvas: CanvasPage) -> None:
    chat = waiting_for(canvas, "one", "two", "three")
    chat.part("queued-grip").first.focus()
    for place in (1, 2):
        canvas.page.keyboard.press("ArrowDown")
        expect(chat.part("queued").nth(place)).to_have_text("one")
        expect(chat.part("queued-grip").nth(place)).to_be_focused()
    expect(chat.part("queued")).to_have_text(["two", "three", "one"])
    canvas.page.keyboard.press("ArrowDown")
    expect(chat.part("queued")).to_have_text(["two", "three", "one"])


def test_W12_the_order_is_changed_by_dragging(canvas: CanvasPage) -> None:
    chat = waiting_for(canvas, "one", "two", "three")
    grips = [grip.bounding_box() for grip in chat.part("queued-grip").all()]
    first, last = grips[0], grips[2]
    assert first
    assert last
    mouse = canvas.page.mouse
    mouse.move(first["x"] + 8, first["y"] + 8)
    mouse.down()
    mouse.move(last["x"] + 8, last["y"] + 8, steps=8)
    expect(chat.part("queued")).to_have_text(["two", "three", "one"])
    mouse.up()
    canvas.answered("editQueued")
    canvas.reload()
    expect(canvas.chat(0).part("queued")).to_have_text(["two", "three", "one"])


def test_W12_what_is_left_after_a_restart_is_sent_when_asked(
    server: ServerProcess, open_page: Pages, sins: Sins
) -> None:
    sins.allow("WebSocket|ERR_CONNECTION_REFUSED|Failed to load resource")
    canvas = open_page(server)
    waiting_for(canvas, "first of all", "then this")
    server.kill()
    again = server.again()
    try:
        canvas.page.goto(again.link)
        canvas.loaded()
        chat = canvas.chat(0)
        chat.idle()
        expect(chat.part("queued")).to_have_text(["first of all", "then this"])
        chat.part("queued-edit").first.click()
        canvas.page.keyboard.press("End")
        canvas.page.keyboard.type("!")
        canvas.page.keyboard.press("Enter")
        expect(chat.part("queued")).to_have_text(["first of all!", "then this"])
        chat.part("queued-send").click()
        expect(chat.of_role("assistant").filter(has_text=re.compile("echo: first of all!"))).to_have_count(1)
        chat.says("echo: then this")
        expect(chat.part("queued")).to_have_count(0)
    finally:
        again.kill()


def test_W12_taken_back_it_stands_in_the_composer(canvas: CanvasPage) -> None:
    chat = waiting_for(canvas, "one", "two")
    chat.part("queued-remove").first.click()
    expect(chat.part("queued")).to_have_text(["two"])
    expect(chat.composer).to_have_value("one")
    chat.stop()
    chat.idle()
    expect(chat.composer).to_have_value(re.compile("two"))
