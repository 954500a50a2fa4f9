"""A limit on spending: set on the page, it ends a turn for which there is no room, and the turn goes on (P8)."""

from __future__ import annotations

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage


def test_P8_a_reply_that_no_limit_has_room_for_says_so_and_goes_on_when_it_is_let(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    chat.idle()
    chat.part("budget").click()
    limit = canvas.page.get_by_label("Limit on this chat, in dollars")
    limit.fill("1.5")
    limit.press("Enter")
    canvas.answered("setBudget")
    allow = canvas.page.get_by_role("checkbox", name="Let models without a known price answer")
    expect(allow).to_be_visible()
    canvas.page.keyboard.press("Escape")
    expect(chat.part("budget")).to_have_attribute("data-set", "true")
    chat.send("more")
    expect(chat.reply).to_contain_text("this model has no known price")
    chat.reply.page.get_by_role("button", name="Raise the limit").click()
    allow.click()
    canvas.answered("setBudget")
    canvas.page.keyboard.press("Escape")
    canvas.page.get_by_role("button", name="Continue").click()
    chat.says("echo: more")
    canvas.reload()
    expect(canvas.chat().part("budget")).to_have_attribute("data-set", "true")
