"""Links on the canvas: drawn from node to node, opened by a click, out of date when their source changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, expect

from e2e.canvas_page import CanvasPage, ChatNode
from e2e.conftest import Pages
from e2e.server_process import ServerProcess


def add_note(canvas: CanvasPage, text: str) -> Locator:
    canvas.part("add-sticky").click()
    note = canvas.part("sticky-node").last
    expect(note).to_be_visible()
    write(canvas, note, text)
    return note


def write(canvas: CanvasPage, note: Locator, text: str) -> None:
    field = note.locator("textarea")
    if not field.count():
        note.dblclick()
    field.fill(text)
    field.blur()
    expect(note).to_contain_text(text)
    canvas.answered("editSticky")


def connect(canvas: CanvasPage, source: Locator, target: Locator) -> None:
    """Drags from a side of the one that looks at the other."""
    canvas.still()
    start, end = source.bounding_box(), target.bounding_box()
    assert start
    assert end
    source.hover()
    mouse = canvas.page.mouse
    right = start["x"] < end["x"]
    mouse.move(start["x"] + (start["width"] if right else 0), start["y"] + start["height"] / 2)
    mouse.down()
    to_x, to_y = end["x"] + (0 if right else end["width"]), end["y"] + end["height"] / 2
    for step in range(1, 11):
        mouse.move(
            start["x"] + (to_x - start["x"]) * step / 10,
            start["y"] + start["height"] / 2 + (to_y - start["y"]) * step / 20,
        )
    mouse.move(to_x, to_y)
    mouse.up()


def open_link(canvas: CanvasPage) -> Locator:
    edge = canvas.page.locator(".react-flow__edge")
    edge.first.focus()
    canvas.page.keyboard.press("Enter")
    inspector = canvas.part("link-inspector")
    expect(inspector).to_be_visible()
    return inspector


def given(chat: ChatNode) -> Locator:
    return chat.of_role("user")


def test_L1_L3_a_note_is_linked_to_a_chat_updated_when_it_changes_and_there_once(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.idle()
    note = add_note(canvas, "use tabs")
    connect(canvas, note, chat.node)
    expect(canvas.page.locator(".react-flow__edge")).to_have_count(1)
    inspector = open_link(canvas)
    inspector.get_by_test_id("link-run").click()
    expect(inspector).to_contain_text("Up to date")
    expect(given(chat)).to_have_count(2)
    expect(given(chat).last).to_contain_text("use tabs")
    expect(given(chat).last).to_contain_text("Context from")
    canvas.page.keyboard.press("Escape")
    write(canvas, note, "use spaces")
    expect(chat.node.get_by_test_id("stale-link")).to_be_visible()
    expect(canvas.page.locator(".react-flow__edge")).to_have_class(re.compile("changed"))
    chat.node.get_by_test_id("stale-link").get_by_role("button").click()
    expect(given(chat).last).to_contain_text("use spaces")
    expect(given(chat)).to_have_count(2)
    expect(chat.node.get_by_test_id("stale-link")).to_have_count(0)
    inspector = open_link(canvas)
    inspector.get_by_test_id("link-delete").click()
    expect(canvas.page.locator(".react-flow__edge")).to_have_count(0)
    canvas.undo()
    expect(canvas.page.locator(".react-flow__edge")).to_have_count(1)


def test_L1_nothing_connects_that_could_carry_nothing(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.idle()
    note = add_note(canvas, "idea")
    connect(canvas, chat.node, note)
    canvas.answered()
    expect(canvas.page.locator(".react-flow__edge")).to_have_count(0)


def test_L1_L3_a_chain_of_automatic_links_passes_a_change_through_to_its_end(canvas: CanvasPage) -> None:
    first = canvas.ask_first("hello")
    first.idle()
    second = canvas.add_chat()
    note = add_note(canvas, "use tabs")
    canvas.page.keyboard.press("Escape")
    canvas.page.locator(".react-flow__pane").click(position={"x": 5, "y": 300})
    canvas.page.keyboard.press("f")
    canvas.still()
    for count, (source, target) in enumerate([(note, first.node), (first.node, second.node)], start=1):
        connect(canvas, source, target)
        expect(canvas.page.locator(".react-flow__edge")).to_have_count(count)
    edges = canvas.page.locator(".react-flow__edge")

    def passed_on(text: str) -> Locator:
        return canvas.page.locator('[data-role="user"]').filter(has_text=text)

    for number in range(2):
        edges.nth(number).focus()
        canvas.page.keyboard.press("Enter")
        inspector = canvas.part("link-inspector")
        if inspector.locator("option[value=conversation]").count():
            inspector.get_by_label("What", exact=True).select_option("conversation")
        inspector.get_by_label("Run by itself").click()
        expect(inspector.get_by_label("Run by itself")).to_be_checked()
        canvas.page.keyboard.press("Escape")
    expect(passed_on("use tabs")).to_have_count(2, timeout=15_000)
    for left in (2, 2, 2, 1, 0):
        canvas.undo()
        canvas.answered("undo")
        expect(edges).to_have_count(left)
    expect(passed_on("use tabs")).to_have_count(2)
    for there in (1, 2, 2, 2, 2):
        canvas.redo()
        canvas.answered("redo")
        expect(edges).to_have_count(there)
    write(canvas, note, "use spaces")
    expect(passed_on("use spaces")).to_have_count(2, timeout=15_000)
    expect(passed_on("use tabs")).to_have_count(0)


def test_L1_T9_a_link_writes_to_a_file_asked_once_for_each_way_and_tells_what_it_cannot_write(
    start: Callable[..., ServerProcess], open_page: Pages, tmp_path: Path
) -> None:
    folder = tmp_path / "garden"
    folder.mkdir()
    file = folder / "notes" / "plan.md"
    canvas = open_page(start("--port", "0", str(folder), TALKFIELD_SCRIPTED="1").ready())
    chat = canvas.ask_first("hello")
    chat.idle()
    note = add_note(canvas, "use tabs")
    connect(canvas, note, chat.node)
    inspector = open_link(canvas)
    run = inspector.get_by_test_id("link-run")
    inspector.get_by_label("Does").select_option("writeFile")
    path = inspector.get_by_label("File", exact=True)
    path.fill("notes/plan.md")
    path.press("Enter")
    expect(inspector).to_contain_text("allows this link to add to notes/plan.md")
    assert not file.exists()
    run.click()
    expect(inspector).to_contain_text("made notes/plan.md")
    assert file.read_text() == "## Untitled\n\nuse tabs\n"
    expect(run).to_have_text("Run now")
    run.click()
    expect(inspector).to_contain_text("added to notes/plan.md")
    assert file.read_text() == "## Untitled\n\nuse tabs\n\n## Untitled\n\nuse tabs\n"

    inspector.get_by_label("How").select_option("overwrite")
    inspector.get_by_label("With the source's title above it").click()
    expect(inspector.get_by_label("With the source's title above it")).not_to_be_checked()
    expect(run).to_have_text("Allow and run")
    run.click()
    expect(inspector).to_contain_text("replaced notes/plan.md")
    assert file.read_text() == "use tabs\n"

    path.fill("../plan.md")
    path.press("Enter")
    expect(inspector).to_contain_text("allows this link to overwrite ../plan.md")
    run.click()
    expect(inspector.get_by_role("status")).to_contain_text("'..' is not allowed")
    assert [each.name for each in tmp_path.iterdir() if each.name == "plan.md"] == []
    assert file.read_text() == "use tabs\n"
    canvas.page.keyboard.press("Escape")
    canvas.undo()
    canvas.answered("undo")
    inspector = open_link(canvas)
    expect(inspector.get_by_label("File", exact=True)).to_have_value("notes/plan.md")
    assert file.read_text() == "use tabs\n"


def test_L1_L3_a_summary_is_made_when_asked_for_and_is_out_of_date_when_its_source_changes(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.idle()
    note = add_note(canvas, "use tabs")
    connect(canvas, note, chat.node)
    inspector = open_link(canvas)
    inspector.get_by_label("What", exact=True).select_option("summary")
    expect(inspector).to_contain_text("There is no summary yet")
    expect(inspector.get_by_test_id("link-run")).to_be_disabled()
    inspector.get_by_test_id("link-summarize").click()
    expect(inspector).to_contain_text("A summary of what the source says now", timeout=20_000)
    expect(canvas.chats).to_have_count(2)
    inspector.get_by_test_id("link-run").click()
    expect(given(chat).last).to_contain_text("Summary of")
    canvas.page.keyboard.press("Escape")
    write(canvas, note, "use spaces")
    expect(chat.part("stale-link")).to_contain_text("Summarise anew")
    expect(canvas.chats).to_have_count(2)


def test_L1_L3_a_file_of_the_project_is_linked_and_what_changes_in_it_shows(
    start: Callable[..., ServerProcess], open_page: Pages, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    plan = tmp_path / "docs" / "plan.md"
    plan.write_text("Ship on **Monday**.")
    (tmp_path / ".env").write_text("KEY=1")
    canvas = open_page(start("--port", "0", str(tmp_path), TALKFIELD_SCRIPTED="1").ready())
    chat = canvas.ask_first("hello")
    chat.idle()
    canvas.page.keyboard.press("Escape")
    canvas.page.keyboard.press("Control+k")
    canvas.page.keyboard.type("file of the project")
    canvas.page.keyboard.press("Enter")
    file = canvas.part("file-node")
    expect(file.get_by_test_id("file-path")).to_be_focused()
    canvas.page.keyboard.type("plan")
    expect(file.locator("datalist option")).to_have_count(1)
    expect(file.locator("datalist option")).to_have_attribute("value", "docs/plan.md")
    file.get_by_test_id("file-path").fill("docs/plan.md")
    canvas.page.keyboard.press("Enter")
    expect(file.get_by_test_id("file-text").locator("strong")).to_have_text("Monday")
    connect(canvas, file, chat.node)
    expect(canvas.page.locator(".react-flow__edge")).to_have_count(1)
    inspector = open_link(canvas)
    inspector.get_by_role("button", name="Run now").click()
    expect(chat.of_role("user").last).to_contain_text("Ship on **Monday**.")
    canvas.page.keyboard.press("Escape")

    plan.write_text("Ship on **Friday**.")
    expect(file.get_by_test_id("file-text").locator("strong")).to_have_text("Friday")
    expect(chat.part("stale-link")).to_contain_text("docs/plan.md has changed")
    chat.part("stale-link").get_by_role("button", name="Update").click()
    expect(chat.of_role("user").last).to_contain_text("Ship on **Friday**.")
    expect(chat.of_role("user")).to_have_count(2)

    file.get_by_label("Choose another file").click()
    file.get_by_test_id("file-path").fill(".env")
    canvas.page.keyboard.press("Enter")
    expect(file.get_by_role("status")).to_contain_text("usually holds secrets is not shown here")
