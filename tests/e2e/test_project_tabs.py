"""Projects side by side, as tabs of the top bar."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from e2e.canvas_page import CanvasPage
from e2e.test_accessibility import violations


def open_tab(canvas: CanvasPage) -> Locator:
    return canvas.part("project-tab").filter(has=canvas.page.locator('[aria-current="page"]'))


def test_U6_projects_are_tabs_that_the_browser_remembers(canvas: CanvasPage) -> None:
    canvas.ask_first("hello").says("echo: hello")
    canvas.part("project-tab-add").click()
    canvas.page.get_by_role("menuitem", name="New project").click()
    expect(canvas.page.get_by_label("Title of the new project")).to_be_focused()
    canvas.page.keyboard.type("Atlas")
    canvas.page.keyboard.press("Enter")
    expect(open_tab(canvas)).to_have_text("Atlas")
    expect(canvas.part("first-composer")).to_be_visible()

    canvas.part("project-tab").filter(has_text="My canvas").get_by_role("button").first.click()
    canvas.chat(0).says("echo: hello")
    canvas.page.keyboard.press("Alt+PageDown")
    expect(open_tab(canvas)).to_have_text("Atlas")
    open_tab(canvas).get_by_role("button").first.press("Shift+ArrowLeft")
    expect(canvas.part("project-tab")).to_have_text(["Atlas", "My canvas"])
    canvas.reload()
    expect(canvas.part("project-tab")).to_have_text(["Atlas", "My canvas"])
    expect(open_tab(canvas)).to_have_text("Atlas")
    assert violations(canvas) == []

    open_tab(canvas).get_by_label("Close the tab of Atlas").click()
    canvas.chat(0).says("echo: hello")
    expect(canvas.part("project-tab")).to_have_text(["My canvas"])
