"""Files in a chat: picked, pasted, dropped; shown from this Talkfield alone; sent with the message (U11)."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from e2e.canvas_page import CanvasPage, ChatNode

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"
)

BRING = """([kinds, base64, target]) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
  const element = document.querySelector(target);
  for (const kind of kinds) {
    const event = kind === "paste"
      ? new ClipboardEvent(kind, { clipboardData: data, bubbles: true, cancelable: true })
      : new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
    element.dispatchEvent(event);
  }
}"""


def bring(canvas: CanvasPage, *kinds: str, target: str) -> None:
    """Files by clipboard or drag, which no browser lets a test begin outside of it."""
    canvas.page.evaluate(BRING, [list(kinds), base64.b64encode(PNG).decode(), target])


def pick(canvas: CanvasPage, attach: Locator, *files: Path) -> None:
    with canvas.page.expect_file_chooser() as chooser:
        attach.click()
    chooser.value.set_files([str(file) for file in files])


def drawn(picture: Locator) -> None:
    """The image came, and is one."""
    picture.page.wait_for_function("image => image.complete && image.naturalWidth === 10", arg=picture.element_handle())


def test_U11_picked_files_go_with_the_message_and_are_shown_on_it(canvas: CanvasPage, tmp_path: Path) -> None:
    picture, text, sound = tmp_path / "picture.png", tmp_path / "notes.txt", tmp_path / "voice.wav"
    picture.write_bytes(PNG)
    text.write_text("12345678")
    sound.write_bytes(b"RIFF\x24\0\0\0WAVEfmt ")
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    chat.idle()
    pick(canvas, chat.part("attach"), picture, text, sound)
    chips = chat.node.locator("textarea[data-composer]").locator("xpath=ancestor::div[2]").get_by_test_id("file")
    expect(chips).to_have_count(3)
    expect(chips.filter(has_text="picture.png")).to_contain_text(re.compile(r"\d+ B"))
    drawn(chips.filter(has_text="picture.png").locator("img"))
    expect(chat.part("not-taken")).to_contain_text("no sound")
    chips.filter(has_text="voice.wav").get_by_test_id("file-remove").click()
    expect(chips).to_have_count(2)
    expect(chat.part("not-taken")).to_have_count(0)
    chat.send("recall")
    chat.says("file notes.txt (text/plain, 8 bytes)")
    chat.says(f"file picture.png (image/png, {len(PNG)} bytes)")
    chat.idle()
    expect(chips).to_have_count(0)
    said = chat.of_role("user").last
    expect(said.get_by_test_id("file")).to_have_count(2)
    drawn(said.locator("img"))
    canvas.reload()
    drawn(canvas.chat(0).of_role("user").last.locator("img"))


def test_U11_U10_pasted_and_dropped_files_wait_in_the_draft_over_a_reload(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.says("echo: hello")
    chat.idle()
    chat.composer.fill("look at this")
    bring(canvas, "paste", target="textarea[data-composer]")
    expect(chat.part("file")).to_have_count(1)
    bring(canvas, "dragover", target="[data-testid=chat-node] section")
    expect(chat.part("file-drop")).to_be_visible()
    bring(canvas, "dragleave", "drop", target="[data-testid=chat-node] section")
    expect(chat.part("file-drop")).to_have_count(0)
    expect(chat.part("file")).to_have_count(1)  # the same bytes by the same name are there already
    canvas.reload()
    chat = canvas.chat(0)
    expect(chat.composer).to_have_value("look at this")
    expect(chat.part("file")).to_have_text(re.compile("pasted.png"))
    chat.composer.press("Enter")
    expect(chat.of_role("user").last.get_by_test_id("file")).to_have_count(1)
    chat.idle()
    canvas.undo()
    expect(chat.composer).to_have_value("look at this")
    expect(chat.part("file")).to_have_count(1)


def test_U11_a_file_that_is_dropped_beside_a_chat_starts_one_and_is_a_message_alone(canvas: CanvasPage) -> None:
    chat = canvas.ask_first("hello")
    chat.idle()
    first = chat.id
    bring(canvas, "dragover", "drop", target=".react-flow__pane")
    expect(canvas.chats).to_have_count(2)
    made = ChatNode(canvas.page.locator(f'[data-testid="chat-node"]:not([data-node-id="{first}"])'))
    expect(made.part("file")).to_have_count(1)
    expect(canvas.chat_of(first).part("file")).to_have_count(0)
    canvas.still()
    made.composer.press("Enter")
    expect(made.of_role("user")).to_have_count(1)
    made.idle()
    expect(made.of_role("user").last.get_by_test_id("message-content")).to_have_text("")
