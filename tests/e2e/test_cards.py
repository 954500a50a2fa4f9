"""Cards: what a tool would do is shown as it is, and decided by pointer or keyboard, in the chat or in the inbox."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.canvas_page import CanvasPage, ChatNode
from e2e.conftest import Pages
from e2e.server_process import ServerProcess
from e2e.test_accessibility import violations


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project folder with a file in it."""
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\n\nold line\n")
    return folder


@pytest.fixture
def garden(folder: Path, start: Callable[..., ServerProcess], open_page: Pages) -> CanvasPage:
    """A page on the canvas of the folder's project."""
    return open_page(start(str(folder), "--port", "0", TALKFIELD_SCRIPTED="1").ready())


def write(text: str) -> str:
    return f"call write_file {json.dumps({'path': 'notes.md', 'content': text})}"


def run(*command: str) -> str:
    return f"call run_command {json.dumps({'command': command})}"


def printing(word: str) -> tuple[str, ...]:
    """A command that is there whatever programs the server finds by their names."""
    return (sys.executable, "-I", "-c", f"print({word!r})")


def asked(garden: CanvasPage, *calls: str) -> ChatNode:
    """A chat with these calls on open cards."""
    chat = garden.ask_first("\n".join(calls))
    expect(chat.node.locator('[data-testid="tool-card"][data-status="awaiting"]')).to_have_count(len(calls))
    return chat


def test_T9_a_change_of_a_file_is_shown_and_made_when_approved(garden: CanvasPage, folder: Path) -> None:
    chat = asked(garden, write("# Notes\n\nnew line\n"))
    card = chat.part("tool-card")
    for line in ("-old line", "+new line"):
        expect(card.get_by_text(line, exact=True)).to_be_visible()
    card.get_by_test_id("approve").click()
    chat.idle()
    expect(card).to_have_attribute("data-status", "done")
    assert (folder / "notes.md").read_text() == "# Notes\n\nnew line\n"


def test_T6_a_long_change_is_approved_only_after_all_of_it_was_shown(garden: CanvasPage, folder: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(80))
    chat = asked(garden, write(text))
    card = chat.part("tool-card")
    approve = card.get_by_test_id("approve")
    expect(approve).to_have_text("Show all of it")
    expect(card.get_by_text("+line 79", exact=True)).to_have_count(0)
    card.focus()
    garden.page.keyboard.press("a")
    expect(card.get_by_text("+line 79", exact=True)).to_have_count(1)
    expect(approve).to_have_text("Approve")
    assert (folder / "notes.md").read_text() == "# Notes\n\nold line\n"
    scrolls = "part => /auto|scroll/.test(getComputedStyle(part).overflowY) && part.scrollHeight > part.clientHeight"
    assert card.evaluate(f"card => [...card.querySelectorAll('*')].filter({scrolls}).length") == 0
    garden.page.keyboard.press("a")
    chat.idle()
    assert (folder / "notes.md").read_text() == text


def test_U8_cards_are_decided_by_keyboard_in_the_inbox(garden: CanvasPage, folder: Path) -> None:
    chat = asked(garden, run("rm", "-rf", "build"), write("# Notes\n\nnew line\n"))
    keyboard = garden.page.keyboard
    garden.part("inbox").focus()
    keyboard.press("Enter")
    cards = garden.part("inbox-card").get_by_test_id("tool-card")
    expect(cards).to_have_count(2)
    expect(cards.first).to_be_focused()
    expect(cards.first).to_contain_text("rm -rf build")
    keyboard.press("d")
    keyboard.type("no deleting")
    keyboard.press("Enter")
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("+new line")
    expect(cards).to_be_focused()
    keyboard.press("a")
    expect(garden.part("inbox")).to_have_count(0)
    chat.says("no deleting")
    chat.idle()
    assert (folder / "notes.md").read_text() == "# Notes\n\nnew line\n"


def test_T6_what_runs_is_what_was_edited(garden: CanvasPage) -> None:
    chat = asked(garden, run(*printing("one")))
    card = chat.part("tool-card")
    card.focus()
    garden.page.keyboard.press("e")
    card.get_by_role("textbox").fill(json.dumps({"command": printing("two")}))
    garden.page.keyboard.press("Control+Enter")
    chat.says("two")
    chat.idle()
    expect(card).to_have_attribute("data-status", "done")


def test_T7_a_remembered_decision_is_not_asked_again(garden: CanvasPage) -> None:
    chat = asked(garden, run(*printing("one")))
    expect(chat.node).not_to_contain_text("Working out")  # what may be remembered is known when the card is whole
    remember = chat.part("remember")
    remember.select_option(index=1)
    chat.part("approve").click()
    chat.idle()
    chat.send(run(*printing("one")))
    expect(chat.part("tool-card")).to_have_count(2)
    chat.idle()
    for card in chat.part("tool-card").all():
        expect(card).to_have_attribute("data-status", "done")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_U9_cards_are_accessible(garden: CanvasPage, scheme: str) -> None:
    garden.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    asked(garden, run("rm", "-rf", "build"), write("# Notes\n\nnew line\n"))
    expect(garden.page.get_by_text("+new line", exact=True)).to_be_visible()
    assert violations(garden) == []
    garden.part("inbox").click()
    expect(garden.part("inbox-card")).to_have_count(2)
    assert violations(garden) == []
