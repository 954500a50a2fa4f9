"""Projects, files in and out, usage and prices, as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import Sins
from e2e.server_process import ServerProcess
from e2e.test_accessibility import violations


def open_by_menu(canvas: CanvasPage, name: str) -> None:
    canvas.part("projects-menu").click()
    canvas.page.get_by_role("menuitem", name=name).click()


def test_U6_a_project_is_copied_archived_binned_brought_back_and_destroyed(canvas: CanvasPage) -> None:
    canvas.ask_first("hello").says("echo: hello")
    open_by_menu(canvas, "All projects")
    rows = canvas.part("project-row")
    rows.get_by_label("Duplicate: My canvas", exact=True).click()
    copy = rows.filter(has_text="My canvas (copy)")
    copy.get_by_label("Archive: My canvas (copy)").click()
    expect(copy).to_have_attribute("data-state", "archived")
    copy.get_by_label("Move to the bin: My canvas (copy)").click()
    expect(copy).to_have_attribute("data-state", "binned")
    copy.get_by_label("Bring back: My canvas (copy)").click()
    expect(copy).to_have_attribute("data-state", "active")
    copy.get_by_text("My canvas (copy)").click()
    expect(canvas.part("projects")).to_have_count(0)
    expect(canvas.page.locator('[data-testid="project-tab"] [aria-current="page"]')).to_have_text("My canvas (copy)")
    canvas.chat(0).says("echo: hello")
    open_by_menu(canvas, "All projects")
    mine = rows.filter(has_text="My canvas").filter(has_not_text="copy")
    mine.get_by_label("Move to the bin: My canvas", exact=True).click()
    expect(mine).to_have_attribute("data-state", "binned")
    mine.get_by_label("Delete for good: My canvas", exact=True).click()
    mine.get_by_role("button", name="Delete for good", exact=True).click()
    expect(rows).to_have_count(1)


def test_U6_a_folder_is_opened(canvas: CanvasPage, tmp_path: Path) -> None:
    folder = tmp_path / "atlas"
    folder.mkdir()
    open_by_menu(canvas, "All projects")
    canvas.page.get_by_label("Folder to open").fill(str(folder))
    canvas.page.keyboard.press("Enter")
    expect(canvas.part("projects-menu")).to_contain_text("atlas")


def test_check_47_U13_a_canvas_is_exported_as_a_page_that_can_do_nothing(canvas: CanvasPage) -> None:
    canvas.ask_first("say\n<script>alert(1)</script> ok").says("ok")
    canvas.chat(0).idle()
    with canvas.page.expect_download() as caught:
        open_by_menu(canvas, "Export the canvas as HTML")
    text = Path(caught.value.path()).read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script" not in text
    assert caught.value.suggested_filename == "My canvas.html"
    with canvas.page.expect_download() as caught:
        open_by_menu(canvas, "Export the canvas as Markdown")
    assert "**You**" in Path(caught.value.path()).read_text()


CHAT = {
    "title": "Holidays",
    "current_node": "a2",
    "create_time": 1700000000,
    "mapping": {
        "u1": {"message": {"author": {"role": "user"}, "content": {"parts": ["Where to?"]}}},
        "a1": {"parent": "u1", "message": {"author": {"role": "assistant"}, "content": {"parts": ["Rome."]}}},
        "a2": {"parent": "u1", "message": {"author": {"role": "assistant"}, "content": {"parts": ["Oslo."]}}},
    },
}


def test_U13_an_export_of_another_tool_is_shown_before_it_is_added(canvas: CanvasPage) -> None:
    canvas.ask_first("hello").says("echo: hello")
    open_by_menu(canvas, "Import conversations")
    other = {**CHAT, "title": "Other"}
    file = FilePayload(
        name="conversations.json", mimeType="application/json", buffer=json.dumps([CHAT, other]).encode()
    )
    canvas.part("import-file").set_input_files(file)
    rows = canvas.part("import-row")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("2 messages, 1 branch")
    expect(canvas.chats).to_have_count(1)
    rows.filter(has_text="Other").get_by_role("checkbox").uncheck()
    canvas.part("import-add").click()
    expect(canvas.part("import-dialog")).to_have_count(0)
    canvas.part("fit").click()
    expect(canvas.page.locator(".react-flow__node-chat")).to_have_count(3)
    expect(canvas.page.locator(".react-flow__edge.lineage")).to_have_count(1)
    canvas.undo()
    expect(canvas.page.locator(".react-flow__node-chat")).to_have_count(1)


def test_ST10_a_backup_is_made_and_restored_by_the_next_start(
    canvas: CanvasPage, server: ServerProcess, sins: Sins, tmp_path: Path
) -> None:
    sins.allow("WebSocket|ERR_CONNECTION")
    canvas.ask_first("before").says("echo: before")
    canvas.chat(0).idle()
    canvas.part("settings-open").click()
    canvas.page.get_by_role("tab", name="Data").click()
    with canvas.page.expect_download() as caught:
        canvas.part("back-up").click()
    backup = tmp_path / "backup.zip"
    caught.value.save_as(backup)
    canvas.page.keyboard.press("Escape")
    canvas.chat(0).send("after")
    canvas.chat(0).says("echo: after")
    canvas.chat(0).idle()
    canvas.part("settings-open").click()
    canvas.page.get_by_role("tab", name="Data").click()
    canvas.part("restore-file").set_input_files(backup)
    expect(canvas.part("data-settings")).to_contain_text("2 messages")
    canvas.part("restore-confirm").click()
    expect(canvas.part("restore-waiting")).to_be_visible()
    assert violations(canvas) == []
    server.stop()
    again = server.again()
    try:
        assert "The backup is restored" in again.said
        canvas.reload()
        canvas.chat(0).says("echo: before")
        expect(canvas.chat(0).messages).to_have_count(2)
    finally:
        again.kill()


def test_U12_usage_is_shown_by_model_and_by_chat(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    chat.idle()
    open_by_menu(canvas, "Usage")
    expect(canvas.part("usage-total")).to_contain_text("tokens in 1 call,")
    expect(canvas.part("usage-row")).to_have_count(1)
    canvas.page.get_by_label("Sums by").select_option("chat")
    expect(canvas.part("usage-row")).to_contain_text("hello")


def test_P2_a_price_of_ones_own_is_saved_and_used(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    canvas.part("settings-open").click()
    canvas.page.get_by_role("tab", name="Prices").click()
    canvas.page.get_by_role("button", name="Add a price").click()
    canvas.part("prices-save").click()
    expect(canvas.part("settings").get_by_role("alert")).to_contain_text("beginning of a model")
    line = canvas.part("price-line")
    line.get_by_label("Model id begins with").fill("scripted")
    line.get_by_label("Input").fill("1000000")
    line.get_by_label("Output").fill("0")
    canvas.part("prices-save").click()
    expect(canvas.page.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    canvas.page.keyboard.press("Escape")
    chat.send("and again")
    chat.says("echo: and again")
    expect(chat.part("cost")).to_contain_text("$")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_U9_the_windows_of_projects_are_accessible(canvas: CanvasPage, scheme: str) -> None:
    canvas.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    chat.idle()
    canvas.page.evaluate("document.activeElement?.blur()")
    canvas.page.keyboard.press("Control+a")
    canvas.page.keyboard.press("g")
    expect(canvas.part("group-node")).to_have_count(1)
    chat.part("fold").click()
    assert violations(canvas) == []
    for name, window in (("All projects", "projects"), ("Import conversations", "import-dialog"), ("Usage", "usage")):
        open_by_menu(canvas, name)
        expect(canvas.part(window)).to_be_visible()
        if window == "usage":
            expect(canvas.part("usage-row")).to_have_count(1)
        assert violations(canvas) == []
        canvas.page.keyboard.press("Escape")
    canvas.page.keyboard.press("?")
    expect(canvas.part("keyboard-map")).to_be_visible()
    assert violations(canvas) == []
    canvas.page.keyboard.press("Escape")
    canvas.part("settings-open").click()
    canvas.page.get_by_role("tab", name="Prices").click()
    canvas.page.get_by_role("button", name="Add a price").click()
    assert violations(canvas) == []


def looks_on_map(canvas: CanvasPage, count: int) -> None:
    """Waits until the chats on the map have so many looks."""
    canvas.page.wait_for_function(
        "count => new Set([...document.querySelectorAll('.react-flow__minimap-node')]"
        ".map(node => getComputedStyle(node).fill)).size === count",
        arg=count,
    )


def test_U7_the_map_shows_which_chats_answer(canvas: CanvasPage) -> None:
    canvas.ask_first("hello").says("echo: hello")
    canvas.chat(0).idle()
    canvas.add_chat()
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(2)
    looks_on_map(canvas, 1)
    canvas.chat(1).send("stream 400 words at 60/s")
    canvas.chat(1).busy()
    looks_on_map(canvas, 2)
    canvas.chat(1).stop()
