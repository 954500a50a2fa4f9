"""What can be done with single messages: copying, saying something else, another reply, deleting."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from e2e.canvas_page import CanvasPage, ChatNode


def lineage(canvas: CanvasPage) -> Locator:
    return canvas.page.locator(".react-flow__edge.lineage")


def branch_of(canvas: CanvasPage, chat: ChatNode) -> ChatNode:
    """The other of two chats."""
    expect(canvas.chats).to_have_count(2)
    ids = canvas.chats.evaluate_all("nodes => nodes.map(node => node.dataset.nodeId)")
    (other,) = set(ids) - {chat.id}
    return canvas.chat_of(other)


def answered(canvas: CanvasPage) -> ChatNode:
    """A chat of two turns."""
    chat = canvas.ask_first("first")
    chat.says("echo: first")
    chat.idle()
    chat.send("second")
    chat.says("echo: second")
    chat.idle()
    return chat


def test_W13_an_edited_message_is_asked_and_the_old_way_stands_beside_it(canvas: CanvasPage) -> None:
    chat = answered(canvas)
    said = chat.of_role("user").first
    said.hover()
    said.get_by_test_id("edit-message").click()
    editor = chat.part("message-editor").get_by_role("textbox")
    expect(editor).to_be_focused()
    editor.fill("another first")
    canvas.page.keyboard.press("Enter")
    chat.says("echo: another first")
    chat.idle()
    expect(chat.of_role("user")).to_have_text(["another first"])
    expect(chat.composer).to_be_focused()
    branch = branch_of(canvas, chat)
    expect(branch.of_role("user")).to_have_text(["first", "second"])
    expect(lineage(canvas)).to_have_count(1)
    canvas.undo()
    expect(chat.of_role("user")).to_have_text(["first", "second"])
    expect(canvas.chats).to_have_count(1)


def test_W13_editing_by_keyboard_alone_and_not_after_all(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("kept")
    chat.says("echo: kept")
    chat.idle()
    edit = chat.part("edit-message")
    edit.focus()
    expect(edit.locator("xpath=..")).to_have_css("opacity", "1")
    canvas.page.keyboard.press("Enter")
    canvas.page.keyboard.type(" not")
    expect(chat.part("message-editor").get_by_role("textbox")).to_have_value("kept not")
    canvas.page.keyboard.press("Escape")
    expect(chat.part("message-editor")).to_have_count(0)
    expect(chat.of_role("user")).to_have_text(["kept"])
    expect(canvas.chats).to_have_count(1)


def test_W13_another_reply_keeps_the_one_there_was(canvas: CanvasPage) -> None:
    chat = answered(canvas)
    chat.reply.hover()
    chat.reply.get_by_test_id("regenerate").click()
    chat.says("echo: second")
    chat.idle()
    expect(chat.messages).to_have_count(4)
    branch = branch_of(canvas, chat)
    expect(branch.reply).to_contain_text("echo: second")
    expect(lineage(canvas)).to_have_count(1)


def test_W4_a_deleted_message_comes_back_by_undo(canvas: CanvasPage) -> None:
    chat = answered(canvas)
    said = chat.of_role("user").first
    said.hover()
    said.get_by_test_id("delete-message").click()
    expect(chat.of_role("user")).to_have_text(["second"])
    canvas.undo()
    expect(chat.of_role("user")).to_have_text(["first", "second"])


def test_check_50_U5_copying_gives_the_original_text(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("**stars** and `ticks`")
    chat.says("echo: stars and ticks")
    chat.idle()
    chat.reply.hover()
    chat.reply.get_by_test_id("copy").click()
    expect(chat.reply.get_by_role("button", name="Copied")).to_be_visible()
    assert canvas.page.evaluate("navigator.clipboard.readText()") == "echo: **stars** and `ticks`"


def test_U1_showing_what_can_be_done_moves_nothing(canvas: CanvasPage) -> None:
    chat = answered(canvas)
    chat.composer.hover()
    before = [message.bounding_box() for message in chat.messages.all()]
    for number, message in enumerate(chat.messages.all()):
        message.hover()
        expect(message.get_by_test_id("delete-message")).to_be_visible()
        assert [each.bounding_box() for each in chat.messages.all()] == before, f"message {number} moved something"


def test_U6_the_palette_goes_to_a_chat_with_the_cursor_in_its_composer(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("find me")
    chat.idle()
    other = canvas.add_chat()
    expect(other.composer).to_be_focused()
    canvas.page.keyboard.press("Control+k")
    canvas.page.keyboard.type("find me")
    canvas.page.keyboard.press("Enter")
    expect(chat.composer).to_be_focused()
