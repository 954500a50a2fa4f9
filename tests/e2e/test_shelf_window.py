"""The shelf: what was taken away can be searched, read, brought back, and destroyed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from e2e.canvas_page import CanvasPage, ChatNode
from e2e.test_accessibility import violations


def two_things_taken_away(canvas: CanvasPage) -> ChatNode:
    """A chat whose last two questions were undone, one after the other."""
    chat = canvas.ask_first("kept")
    chat.says("echo: kept")
    chat.idle()
    for said in ("about apples", "about pears"):
        chat.send(said)
        chat.says(f"echo: {said}")
        chat.idle()
        canvas.undo()
        expect(chat.of_role("user")).to_have_text(["kept"])
        expect(chat.composer).to_have_value(said)
        chat.composer.fill("")
    return chat


def entries(canvas: CanvasPage) -> Locator:
    return canvas.part("shelf").get_by_test_id("shelf-entry")


def test_W14_what_was_undone_is_found_read_and_brought_back(canvas: CanvasPage) -> None:
    two_things_taken_away(canvas)
    canvas.part("shelf-open").click()
    expect(entries(canvas)).to_have_count(2)
    canvas.part("shelf-search").fill("apples")
    expect(entries(canvas)).to_have_count(1)
    entries(canvas).click()
    expect(canvas.part("shelf-reader")).to_contain_text("echo: about apples")
    canvas.part("shelf-restore").click()
    expect(canvas.part("shelf")).to_have_count(0)
    expect(canvas.chats).to_have_count(2)
    restored = canvas.page.locator('[data-testid="chat-node"]', has_text="echo: about apples")
    expect(restored.get_by_test_id("composer")).to_be_focused()
    expect(canvas.page.locator(".react-flow__edge.lineage")).to_have_count(1)
    canvas.part("shelf-open").click()
    expect(entries(canvas)).to_have_count(1)
    expect(entries(canvas)).to_contain_text("pears")


def test_W14_it_is_destroyed_only_when_told_twice(canvas: CanvasPage) -> None:
    two_things_taken_away(canvas)
    canvas.part("shelf-open").click()
    expect(entries(canvas)).to_have_count(2)
    entries(canvas).first.click()
    canvas.part("shelf-discard").click()
    canvas.page.keyboard.press("Escape")
    expect(canvas.part("shelf")).to_be_visible()
    canvas.part("shelf-discard").click()
    canvas.part("shelf-discard-sure").click()
    expect(entries(canvas)).to_have_count(1)
    canvas.reload()
    canvas.part("shelf-open").click()
    expect(entries(canvas)).to_have_count(1)
    expect(entries(canvas)).to_contain_text("apples")


def test_U9_the_shelf_by_keyboard(canvas: CanvasPage) -> None:
    two_things_taken_away(canvas)
    keyboard = canvas.page.keyboard
    keyboard.press("Control+k")
    keyboard.type("shelf")
    keyboard.press("Enter")
    expect(canvas.part("shelf-search")).to_be_focused()
    expect(entries(canvas)).to_have_count(2)
    keyboard.press("Tab")
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(canvas.part("shelf-reader")).to_contain_text("echo: about apples")
    keyboard.press("Escape")
    expect(canvas.part("shelf")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_U9_the_shelf_is_accessible(canvas: CanvasPage, scheme: str) -> None:
    canvas.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    two_things_taken_away(canvas)
    canvas.part("shelf-open").click()
    expect(entries(canvas)).to_have_count(2)
    entries(canvas).first.click()
    expect(canvas.part("shelf-reader")).to_contain_text("echo: about pears")
    assert violations(canvas) == []
