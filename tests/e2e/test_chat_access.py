"""The chat's own parts for everybody: what axe-core finds on them, and all of them by keyboard (U9)."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.test_accessibility import AXE, violations
from e2e.test_chat_files import PNG, pick

with_axe = pytest.mark.skipif(not AXE.exists(), reason="web packages are not installed")


@with_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_U9_files_receipts_and_parameters_are_accessible(canvas: CanvasPage, tmp_path: Path, scheme: str) -> None:
    canvas.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    picture, sound = tmp_path / "picture.png", tmp_path / "voice.wav"
    picture.write_bytes(PNG)
    sound.write_bytes(b"RIFF\x24\0\0\0WAVEfmt ")
    chat = canvas.ask_first("think then answer")
    chat.says("I thought about it")
    chat.idle()
    pick(canvas, chat.part("attach"), picture)
    chat.send("look")
    chat.says("echo: look")
    chat.idle()
    pick(canvas, chat.part("attach"), picture, sound)
    expect(chat.part("not-taken")).to_be_visible()
    assert violations(canvas) == []
    chat.reply.hover()
    chat.reply.get_by_test_id("receipt-open").click()
    expect(canvas.part("receipt")).to_be_visible()
    assert violations(canvas) == []
    canvas.page.keyboard.press("Escape")
    chat.part("parameters").click()
    expect(canvas.page.get_by_label("Temperature")).to_be_focused()
    assert violations(canvas) == []
    canvas.page.keyboard.press("Escape")
    chat.part("send").hover()
    expect(canvas.part("send-estimate").first).to_be_visible()
    assert violations(canvas) == []
    chat.part("model-picker").click()
    assert violations(canvas) == []


def test_U9_the_chat_can_be_used_by_keyboard_alone(canvas: CanvasPage) -> None:
    keyboard = canvas.page.keyboard
    keyboard.type("hello")
    keyboard.press("Enter")
    chat = canvas.chat(0)
    chat.says("echo: hello")
    chat.idle()
    expect(chat.composer).to_be_focused()
    keyboard.press("Shift+Tab")
    expect(chat.part("attach")).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Tab")
    keyboard.press("Tab")
    expect(chat.part("parameters")).to_be_focused()
    keyboard.press("Enter")
    expect(canvas.page.get_by_label("Temperature")).to_be_focused()
    keyboard.type("0.5")
    keyboard.press("Escape")
    expect(chat.part("parameters")).to_be_focused()
    expect(chat.part("parameters")).to_have_attribute("aria-label", "Parameters: temperature 0.5")
    chat.composer.focus()
    keyboard.type("again")
    keyboard.press("Tab")
    keyboard.press("Tab")
    keyboard.press("Tab")
    expect(chat.part("send")).to_be_focused()
    expect(canvas.part("send-estimate").first).to_be_visible()
    keyboard.press("Enter")
    chat.says("echo: again")
    chat.idle()
    expect(chat.composer).to_be_focused()
    chat.reply.get_by_test_id("copy").focus()
    for part in ("receipt-open", "branch", "regenerate", "delete-message"):
        keyboard.press("Tab")
        expect(chat.reply.get_by_test_id(part)).to_be_focused()
        expect(chat.reply.get_by_test_id(part)).to_be_visible()
