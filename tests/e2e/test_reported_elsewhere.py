"""What users of other tools have reported as faults, tried here by real input; each says whose report it was."""

from __future__ import annotations

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage


def test_U4_taking_words_back_in_the_composer_of_a_selected_chat_takes_no_chat(canvas: CanvasPage) -> None:
    """xyflow#3328 and #3416."""
    chat = canvas.ask_first("hello")
    chat.idle()
    chat.node.locator("header").click(position={"x": 8, "y": 8})
    expect(canvas.page.locator(".react-flow__node.selected")).to_have_count(1)
    chat.composer.fill("one two three")
    chat.composer.press("Control+Backspace")
    expect(chat.composer).to_have_value("one two ")
    chat.composer.press("Shift+Backspace")
    expect(chat.composer).to_have_value("one two")
    chat.composer.press("Control+Delete")
    expect(canvas.page.locator(".react-flow__node.selected")).to_have_count(1)
    chat.send("still here")
    chat.says("echo: still here")


def test_U4_the_wheel_over_a_transcript_scrolls_it_and_never_the_canvas_not_at_its_ends_either(
    canvas: CanvasPage,
) -> None:
    """aqm857886159/Nomi#747."""
    chat = canvas.ask_first("stream 300 words at once")
    chat.idle()
    view = canvas.still()
    chat.reply.hover()
    mouse = canvas.page.mouse
    mouse.wheel(0, -200)
    expect(chat.part("latest")).to_be_visible()
    for _ in range(3):  # to its end, and on
        mouse.wheel(0, 5000)
    expect(chat.part("latest")).to_have_count(0)
    for _ in range(3):  # to its beginning, and on
        mouse.wheel(0, -5000)
    expect(chat.part("latest")).to_be_visible()
    assert canvas.still() == view


def test_U3_the_input_methods_enter_chooses_no_command_and_ends_no_title(canvas: CanvasPage) -> None:
    """gwdg/chat-ai#167 and workadventure#5629, in the list of commands and in a title."""
    chat = canvas.ask_first("hello")
    chat.idle()
    chat.composer.fill("/")
    expect(chat.part("slash-menu")).to_be_visible()
    canvas.compose("こ", "こす")
    canvas.choose("コスト")
    expect(chat.composer).to_have_value("/コスト")
    expect(chat.of_role("user")).to_have_count(1)
    chat.part("chat-title").dblclick()
    field = chat.node.get_by_role("textbox", name="Title")
    field.fill("")
    canvas.compose("た", "たび")
    canvas.choose("旅")
    expect(field).to_have_value("旅")
    field.press("Enter")
    expect(chat.node.get_by_role("button", name="旅", exact=True)).to_be_visible()


def test_U2_one_notch_of_the_wheel_stops_following_and_the_end_resumes_it(canvas: CanvasPage) -> None:
    """janhq/jan#4253."""
    chat = canvas.ask_first("stream 100000 words at 200/s")
    chat.says("word-300 ")
    canvas.still()
    box = chat.node.bounding_box()
    assert box
    canvas.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    canvas.page.mouse.wheel(0, -100)
    expect(chat.part("latest")).to_be_visible()
    chat.says("word-600 ")
    expect(chat.part("latest")).to_be_visible()
    canvas.page.mouse.wheel(0, 1_000_000)
    expect(chat.part("latest")).to_have_count(0)
    chat.says("word-1200 ")
    expect(chat.part("latest")).to_have_count(0)
    chat.stop()
    chat.idle()
