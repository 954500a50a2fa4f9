"""The canvas: places, sizes, keys, scrolling, input methods."""

from __future__ import annotations

from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage
from e2e.conftest import Pages, Sins
from e2e.server_process import ServerProcess


def test_U6_layout_survives_reload_and_restart(server: ServerProcess, open_page: Pages, sins: Sins) -> None:
    sins.allow("WebSocket|ERR_CONNECTION")
    canvas = open_page(server)
    first = canvas.ask_first("hello")
    first.says("echo: hello")
    second = canvas.add_chat()
    places = {first.id: canvas.place(first), second.id: canvas.move(second, 90, 60)}
    expect(canvas.part("undo")).to_be_enabled()
    canvas.answered("placeNodes")
    canvas.reload()
    for node, place in places.items():
        canvas.at(canvas.chat_of(node), place)
    server.stop()
    again = server.again()
    canvas.page.goto(again.link)
    canvas.loaded()
    for node, place in places.items():
        canvas.at(canvas.chat_of(node), place)
    again.kill()


def test_U6_undo_takes_a_move_back_and_leaves_the_rest(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.idle()
    before = canvas.place(chat)
    after = canvas.move(chat, 60, 40)
    canvas.undo()
    canvas.at(chat, before)
    canvas.redo()
    canvas.at(chat, after)
    expect(chat.of_role("user")).to_have_text(["hello"])


def test_U4_keys_and_wheel_inside_a_node_do_not_reach_the_canvas(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("stream 300 words at once")
    chat.idle()
    before = canvas.still()
    chat.composer.focus()
    for key in ("n", "s", "f", "Delete", "Backspace", "Control+z"):
        canvas.page.keyboard.press(key)
    expect(canvas.chats).to_have_count(1)
    expect(canvas.part("sticky-node")).to_have_count(0)
    box = chat.reply.bounding_box()
    assert box
    canvas.page.mouse.move(box["x"] + 20, box["y"] + 20)
    canvas.page.mouse.wheel(0, -120)
    assert canvas.still() == before
    expect(chat.of_role("user")).to_have_count(1)


def test_U3_enter_does_not_send_while_an_input_method_composes(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.idle()
    chat.composer.fill("にほん")
    for detail in ("isComposing: true", "keyCode: 229"):
        chat.composer.evaluate(
            "field => field.dispatchEvent(new KeyboardEvent('keydown', "
            f"{{key: 'Enter', bubbles: true, cancelable: true, {detail}}}))"
        )
    expect(chat.of_role("user")).to_have_count(1)
    expect(chat.composer).to_have_value("にほん")
    chat.composer.press("Shift+Enter")
    chat.composer.press("Enter")
    expect(chat.of_role("user")).to_have_count(2)


def test_U2_the_transcript_follows_its_end_until_one_scrolls_up(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("stream 400 words at 60/s")
    chat.says("word-200 ")
    expect(chat.part("latest")).to_have_count(0)
    box = chat.reply.bounding_box()
    assert box
    canvas.page.mouse.move(box["x"] + 20, box["y"] + 20 if box["y"] > 0 else 300)
    canvas.page.mouse.wheel(0, -400)
    expect(chat.part("latest")).to_be_visible()
    chat.says("word-400")
    expect(chat.part("latest")).to_be_visible()
    chat.part("latest").click()
    expect(chat.part("latest")).to_have_count(0)


def test_U14_nothing_is_loaded_from_elsewhere(canvas: CanvasPage) -> None:
    """The page's own watch fails the test on any other host; markdown with a link and an image is the temptation."""
    chat = canvas.ask_first("say\n![pixel](http://192.0.2.1/pixel.png) <img src='http://192.0.2.1/x.png'>\nmarkdown")
    chat.says("A heading")
    chat.idle()
