"""Several chats at once: one prompt for several models, their replies side by side, and what they say together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import Pages
from e2e.server_process import ServerProcess

SCRIPT = Path(__file__).resolve().parent / "together_script.toml"


def choose_models(canvas: CanvasPage, *names: str) -> None:
    window = canvas.part("fan-out")
    for name in names:
        window.get_by_role("searchbox").fill(name)
        window.get_by_test_id("model-choice").filter(has_text=name).locator("input").first.click()


def test_L4_three_models_are_asked_compared_and_all_of_it_undone(
    start: Callable[..., ServerProcess], open_page: Pages
) -> None:
    canvas = open_page(start(TALKFIELD_SCRIPTED=str(SCRIPT)).ready())
    canvas.page.keyboard.press("Control+k")
    canvas.page.keyboard.type("several models")
    canvas.page.keyboard.press("Enter")
    canvas.part("fan-out-text").fill("In what order?")
    expect(canvas.part("fan-out-send")).to_have_text("Ask 1 model")  # the default is chosen
    choose_models(canvas, "scripted-2", "scripted-3")
    canvas.part("fan-out-compare").click()
    compare = canvas.part("compare")
    expect(canvas.part("compare-column")).to_have_count(3)
    expect(compare).to_contain_text("whatever the colour.")
    expect(compare.locator("mark").filter(has_text="large")).to_have_count(1)
    expect(canvas.part("compare-column").nth(1)).to_contain_text("61 tokens")
    compare.locator("select").select_option("close")
    canvas.part("compare-pick").nth(1).click()
    expect(compare).to_have_count(0)
    expect(canvas.chats).to_have_count(1)
    canvas.chat(0).says("everything is green")
    canvas.undo()
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(3)
    canvas.undo()
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(0)
    canvas.redo()
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(3)
