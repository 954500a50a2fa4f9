"""What one does with several things on the canvas: groups, copies, layouts, ways back, by mouse and keys."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from e2e.canvas_page import CanvasPage, ChatNode


def press_on_canvas(canvas: CanvasPage, keys: str) -> None:
    """With the focus on nothing in particular."""
    canvas.page.evaluate("document.activeElement?.blur()")
    canvas.page.keyboard.press(keys)


def free_point(page: Page) -> tuple[float, float]:
    """A point of the page where only the canvas is."""
    found = page.evaluate(
        """() => {
          for (let y = 120; y < innerHeight - 160; y += 30)
            for (let x = 60; x < innerWidth - 200; x += 30)
              if (document.elementFromPoint(x, y)?.classList.contains("react-flow__pane")) return [x, y];
        }"""
    )
    return found[0], found[1]


def two_chats(canvas: CanvasPage) -> tuple[ChatNode, ChatNode]:
    first = canvas.ask_first("hello")
    first.says("echo: hello")
    first.idle()
    second = canvas.add_chat()
    press_on_canvas(canvas, "f")
    canvas.still()
    return first, second


def places(canvas: CanvasPage) -> dict[str, str]:
    return dict(
        canvas.page.locator(".react-flow__node").evaluate_all(
            "nodes => nodes.map(node => [node.dataset.id, node.style.transform])"
        )
    )


def test_U6_duplicates_come_with_their_conversation_and_go_by_one_undo(canvas: CanvasPage) -> None:
    two_chats(canvas)
    press_on_canvas(canvas, "Control+a")
    canvas.page.keyboard.press("Control+d")
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(4)
    press_on_canvas(canvas, "f")
    expect(canvas.part("chat-node")).to_have_count(4)
    expect(canvas.page.locator(".react-flow__node.selected")).to_have_count(2)
    press_on_canvas(canvas, "Control+z")
    expect(canvas.part("chat-node")).to_have_count(2)


def test_U6_copy_and_paste_by_the_clipboard_also_from_a_text(canvas: CanvasPage) -> None:
    first, _ = two_chats(canvas)
    canvas.page.keyboard.press("Escape")
    first.node.locator("header").click(position={"x": 200, "y": 45})
    press_on_canvas(canvas, "Control+c")
    press_on_canvas(canvas, "Control+v")
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(3)
    canvas.page.evaluate("navigator.clipboard.writeText('# A note\\n\\nfrom elsewhere')")
    press_on_canvas(canvas, "Control+v")
    expect(canvas.page.locator(".react-flow__minimap-node")).to_have_count(4)
    press_on_canvas(canvas, "f")
    expect(canvas.part("sticky-node")).to_contain_text("from elsewhere")
    press_on_canvas(canvas, "Control+z")
    expect(canvas.part("sticky-node")).to_have_count(0)


def test_U6_a_group_takes_along_what_stands_on_it(canvas: CanvasPage) -> None:
    two_chats(canvas)
    press_on_canvas(canvas, "Control+a")
    canvas.page.keyboard.press("g")
    group = canvas.part("group-node")
    expect(group).to_have_count(1)
    press_on_canvas(canvas, "f")
    canvas.still()
    before = places(canvas)
    box = group.locator("header").bounding_box()
    assert box
    mouse = canvas.page.mouse
    mouse.move(box["x"] + box["width"] - 4, box["y"] + 5)
    mouse.down()
    for step in range(1, 11):
        mouse.move(box["x"] + box["width"] - 4 + 9 * step, box["y"] + 5 + 4 * step)
    mouse.up()
    canvas.page.wait_for_function(
        "before => [...document.querySelectorAll('.react-flow__node')]"
        ".every(node => node.style.transform !== before[node.dataset.id])",
        arg=before,
    )
    shifts = {
        tuple(round(float(b) - float(a)) for a, b in zip(numbers(old), numbers(new), strict=True))
        for old, new in ((before[node], place) for node, place in places(canvas).items())
    }
    assert len(shifts) == 1
    canvas.answered()
    press_on_canvas(canvas, "Control+z")
    canvas.page.wait_for_function(
        "before => [...document.querySelectorAll('.react-flow__node')]"
        ".every(node => node.style.transform === before[node.dataset.id])",
        arg=before,
    )


def numbers(transform: str) -> list[str]:
    return re.findall(r"-?[\d.]+", transform)


def test_U6_tidying_is_one_undo_step(canvas: CanvasPage) -> None:
    first, second = two_chats(canvas)
    canvas.move(second, 130, 90)
    canvas.answered()
    before = places(canvas)
    press_on_canvas(canvas, "t")
    canvas.page.wait_for_function(
        "([id, place]) => document.querySelector(`[data-id='${id}']`)?.style.transform !== place",
        arg=[second.id, before[second.id]],
    )
    tops = {numbers(place)[1] for place in places(canvas).values()}
    assert len(tops) == 1
    press_on_canvas(canvas, "Control+z")
    canvas.at(second, before[second.id])
    canvas.at(first, before[first.id])


def test_U6_a_line_shows_what_a_moving_chat_stands_in_line_with(canvas: CanvasPage) -> None:
    _, second = two_chats(canvas)
    box = second.node.locator("header").bounding_box()
    assert box
    x, y = box["x"] + box["width"] * 0.55, box["y"] + box["height"] * 0.75
    mouse = canvas.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 30, y + 2, steps=5)
    expect(canvas.part("guide").first).to_be_attached()
    mouse.up()
    expect(canvas.part("guide")).to_have_count(0)
    assert len({numbers(place)[1] for place in places(canvas).values()}) == 1


def test_U6_a_chat_is_folded_to_its_header_and_back(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    chat.part("fold").click()
    expect(chat.composer).to_have_count(0)
    canvas.page.wait_for_function(
        "id => document.querySelector(`[data-node-id='${id}']`).offsetHeight < 80", arg=chat.id
    )
    canvas.reload()
    chat = canvas.chat(0)
    expect(chat.composer).to_have_count(0)
    chat.part("fold").click()
    chat.says("echo: hello")


def test_U6_one_chat_over_the_whole_window_and_back(canvas: CanvasPage) -> None:
    first, second = two_chats(canvas)
    first.part("full-screen-open").click()
    window = canvas.part("full-screen")
    expect(window).to_be_visible()
    box = window.bounding_box()
    assert box
    assert (box["width"], box["height"]) == (1280, 800)
    composer = window.get_by_test_id("composer")
    expect(composer).to_be_focused()
    composer.fill("from here")
    composer.press("Enter")
    expect(window.locator('[data-testid="message"][data-role="assistant"]').last).to_contain_text("echo: from here")
    canvas.part("leave-full-screen").click()
    expect(window).to_have_count(0)
    first.says("echo: from here")
    expect(first.composer).to_be_focused()
    expect(second.composer).to_be_visible()


def test_U6_ways_back_and_forward_through_places(canvas: CanvasPage) -> None:
    two_chats(canvas)
    here = canvas.still()
    for _ in range(4):
        canvas.page.get_by_label("Zoom in").click()
        there = canvas.still()
    assert there != here
    press_on_canvas(canvas, "f")
    canvas.view_is(here)
    press_on_canvas(canvas, "Alt+ArrowLeft")
    canvas.view_is(there)
    canvas.part("forward").click()
    canvas.view_is(here)


def test_U6_the_palette_finds_a_message_and_flies_to_it(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("the word is zirconium")
    chat.says("echo: the word is zirconium")
    chat.send("stream 600 words at once")
    chat.says("word-600")
    chat.idle()
    canvas.add_chat()
    press_on_canvas(canvas, "/")
    canvas.page.keyboard.type("zirconium")
    expect(canvas.part("search-hit")).to_have_count(2)
    canvas.page.keyboard.press("ArrowDown")
    canvas.page.keyboard.press("ArrowUp")
    canvas.part("search-hit").filter(has_text="echo").click()
    expect(canvas.part("palette")).to_have_count(0)
    found = chat.messages.filter(has_text="echo: the word is zirconium")
    expect(found).to_be_in_viewport()


def test_U9_the_map_of_keys_is_shown(canvas: CanvasPage) -> None:
    canvas.ask_first("hello").idle()
    press_on_canvas(canvas, "?")
    expect(canvas.part("keyboard-map")).to_contain_text("Back and forward")
    canvas.page.keyboard.press("Escape")
    expect(canvas.part("keyboard-map")).to_have_count(0)


def test_U6_several_are_boxed_and_closed_by_their_menu(canvas: CanvasPage) -> None:
    two_chats(canvas)
    left, top = 4.0, 80.0
    canvas.page.keyboard.down("Shift")
    canvas.page.mouse.move(left, top)
    canvas.page.mouse.down()
    canvas.page.mouse.move(1270, 700, steps=8)
    canvas.page.mouse.up()
    canvas.page.keyboard.up("Shift")
    expect(canvas.page.locator(".react-flow__node.selected")).to_have_count(2)
    canvas.page.locator(".react-flow__nodesselection-rect").click(button="right")
    canvas.page.get_by_role("menuitem", name="Close 2 nodes").click()
    expect(canvas.chats).to_have_count(0)
    assert free_point(canvas.page)
