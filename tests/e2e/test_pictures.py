"""The pictures of the README and of the tour (docs/tour.md), taken of the real thing: `make pictures`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage, ChatNode
from e2e.conftest import Pages
from e2e.server_process import ServerProcess
from e2e.test_canvas_operations import press_on_canvas
from e2e.test_links import add_note, connect
from e2e.test_together import choose_models

HERE = Path(__file__).resolve().parent
TARGET = os.environ.get("TALKFIELD_PICTURES")
FOLDER = Path(TARGET).resolve() if TARGET else HERE.parents[1] / "test-results"
README = "# Lighthouse\n\nTODO: write something here\n"
PRICES = {"scripted-1": ("3", "15"), "scripted-2": ("0.4", "1.6"), "scripted-3": ("0.15", "0.6")}
"""In USD for a million tokens of input and output, so that there is money to be seen."""


def take(canvas: CanvasPage, name: str) -> None:
    """A picture, as soon as nothing moves."""
    canvas.answered()
    canvas.still()
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.png"
    canvas.page.screenshot(path=path, animations="disabled", caret="hide")
    assert path.stat().st_size > 10_000


def priced(home: Path) -> None:
    """A data folder whose settings have prices."""
    home.mkdir(parents=True, exist_ok=True)
    overrides = [{"prefix": model, "input": each[0], "output": each[1]} for model, each in PRICES.items()]
    (home / "settings.json").write_text(json.dumps({"version": 1, "settings": {"priceOverrides": overrides}}))


def test_U1_a_canvas_with_three_chats(start: Callable[..., ServerProcess], open_page: Pages, own_home: Path) -> None:
    priced(own_home)
    canvas = open_page(start(TALKFIELD_SCRIPTED=str(HERE / "readme_script.toml")).ready())
    canvas.page.set_viewport_size({"width": 1440, "height": 860})
    sky = canvas.ask_first("Why is the sky blue?")
    sky.says("forty times longer")
    sky.idle()
    table = canvas.add_chat()
    table.send("How does a hash map grow?")
    table.says("amortised")
    table.idle()
    weekend = canvas.add_chat()
    weekend.send("Plan a weekend in Lisbon for someone who likes to walk")
    canvas.part("fit").click()
    weekend.says("Evening in Bairro Alto")
    take(canvas, "canvas")
    weekend.stop()
    weekend.idle()


def first_chat(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("What does a good README say, and in what order?")
    chat.says("it is documentation")
    chat.idle()
    take(canvas, "tour-1-first-chat")


def three_models(canvas: CanvasPage) -> None:
    canvas.page.keyboard.press("Control+k")
    canvas.page.keyboard.type("several models")
    canvas.page.keyboard.press("Enter")
    canvas.part("fan-out-text").fill("Write the first sentence of the README of Lighthouse, which watches backups.")
    choose_models(canvas, "scripted-2", "scripted-3")
    take(canvas, "tour-2-three-models")
    canvas.part("fan-out-compare").click()
    compare = canvas.part("compare")
    expect(compare).to_contain_text("can wait for the next line")
    expect(canvas.page.get_by_test_id("stop")).to_have_count(0)
    take(canvas, "tour-3-comparison")
    canvas.page.keyboard.press("Escape")


def merged(canvas: CanvasPage) -> ChatNode:
    expect(canvas.page.locator(".react-flow__node.selected")).to_have_count(3)
    press_on_canvas(canvas, "Control+k")
    canvas.page.keyboard.type("merge the last")
    canvas.page.keyboard.press("Enter")
    canvas.part("merge-send").click()
    made = canvas.page.get_by_test_id("chat-node").filter(has_text="Merge of 3")
    expect(made).to_contain_text("no server to run")
    take(canvas, "tour-4-merge")
    return ChatNode(made)


def linked(canvas: CanvasPage, chat: ChatNode) -> None:
    note = add_note(canvas, "Readers are in a hurry. Three lines, and one command to paste.")
    press_on_canvas(canvas, "Escape")
    connect(canvas, note, chat.node)
    expect(canvas.page.locator(".react-flow__edge")).to_have_count(4)
    canvas.page.locator(".react-flow__edge").last.focus()
    canvas.page.keyboard.press("Enter")
    inspector = canvas.part("link-inspector")
    inspector.get_by_test_id("link-run").click()
    expect(inspector).to_contain_text("Up to date")
    expect(chat.of_role("user").last).to_contain_text("Readers are in a hurry")
    take(canvas, "tour-5-link")
    canvas.page.keyboard.press("Escape")


def approved(canvas: CanvasPage, chat: ChatNode, folder: Path) -> None:
    chat.send("Write it to README.md")
    card = chat.node.locator('[data-testid="tool-card"][data-status="awaiting"]')
    expect(card).to_be_visible()
    chat.part("full-screen-open").click()
    card = canvas.part("full-screen").locator('[data-testid="tool-card"][data-status="awaiting"]')
    expect(card).to_be_visible()
    take(canvas, "tour-6-card")
    card.get_by_test_id("approve").click()
    canvas.part("leave-full-screen").click()
    chat.says("before it says anything else")
    chat.idle()
    assert "and tells you when one is missing" in (folder / "README.md").read_text()


def paid(canvas: CanvasPage, chat: ChatNode) -> None:
    chat.reply.hover()
    chat.part("receipt-open").last.click()
    expect(canvas.part("receipt")).to_be_visible()
    take(canvas, "tour-7-receipt")
    canvas.page.keyboard.press("Escape")


def test_U1_the_tour(start: Callable[..., ServerProcess], open_page: Pages, tmp_path: Path, own_home: Path) -> None:
    priced(own_home)
    folder = tmp_path / "lighthouse"
    folder.mkdir()
    (folder / "README.md").write_text(README)
    script = str(HERE / "tour_script.toml")
    canvas = open_page(start(str(folder), "--port", "0", TALKFIELD_SCRIPTED=script).ready())
    canvas.page.set_viewport_size({"width": 1280, "height": 800})
    first_chat(canvas)
    three_models(canvas)
    chat = merged(canvas)
    linked(canvas, chat)
    approved(canvas, chat, folder)
    paid(canvas, chat)
    canvas.page.emulate_media(color_scheme="dark")
    press_on_canvas(canvas, "Escape")
    canvas.part("fit").click()
    take(canvas, "tour-8-whole-canvas")
    assert (folder / "talkfield.json").exists()
    for nodes in (6, 6, 6, 5, 4, 1):  # the turn, the link, what the note says, the note, the merge, the three chats
        canvas.undo()
        expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(nodes)
