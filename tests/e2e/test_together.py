"""Several chats at once: one prompt for several models, their replies side by side, and what they say together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import Pages
from e2e.server_process import ServerProcess
from e2e.test_canvas_operations import press_on_canvas

SCRIPT = Path(__file__).resolve().parent / "together_script.toml"


def choose_models(canvas: CanvasPage, *names: str) -> None:
    window = canvas.part("fan-out")
    for name in names:
        window.get_by_role("searchbox").fill(name)
        window.get_by_test_id("model-choice").filter(has_text=name).locator("input").first.click()


def of_all(canvas: CanvasPage, command: str) -> None:
    """Selects everything and takes a command from the palette."""
    press_on_canvas(canvas, "Control+a")
    canvas.page.keyboard.press("Control+k")
    canvas.page.keyboard.type(command)
    canvas.page.keyboard.press("Enter")


def merged(canvas: CanvasPage) -> None:
    """What the three say goes into a fourth, whose reply cites them; and away again by one undo."""
    of_all(canvas, "merge the last")
    expect(canvas.part("merge").get_by_role("listitem")).to_have_count(4)  # three parts, one model
    canvas.part("merge-send").click()
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(4)
    made = canvas.page.get_by_test_id("chat-node").filter(has_text="Merge of 3")
    expect(made).to_contain_text("begin with the tests")
    expect(made.get_by_test_id("citation")).to_have_count(3)
    made.get_by_test_id("citation").last.click()
    expect(canvas.page.locator(".react-flow__node.selected")).to_have_count(1)
    canvas.undo()
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(3)


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
    canvas.page.keyboard.press("Escape")
    merged(canvas)
    of_all(canvas, "compare replies")
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
