"""The first minute without any key: the embedded model answers for real (Z2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from e2e.conftest import Pages
from e2e.installation import Installation, has_embedded_model
from e2e.server_process import ServerProcess
from e2e.test_together import SCRIPT, choose_models, of_all


@pytest.fixture
def server(installation: Installation, start: Callable[..., ServerProcess]) -> ServerProcess:
    if not has_embedded_model(installation):
        pytest.skip("the embedded model is not installed on this machine")
    return start().ready()


@pytest.mark.local_model
def test_Z2_the_first_chat_works_without_a_key(server: ServerProcess, open_page: Pages) -> None:
    canvas = open_page(server)
    chat = canvas.ask_first("What is the capital of France? Answer with one word.")
    chat.says("Paris", timeout_s=60)
    chat.idle(timeout_s=60)
    expect(chat.part("tokens")).not_to_be_empty()

    chat.send("Write a long story about a lighthouse and the sea.")
    chat.busy()
    expect(chat.reply.get_by_test_id("message-content")).to_contain_text("e", timeout=60_000)
    canvas.reload()
    chat = canvas.chat(0)
    chat.busy()
    other = open_page(server).chat(0)
    other.busy()
    chat.stop()
    chat.idle()
    other.idle()
    text = chat.reply.inner_text()
    assert text
    expect(other.reply).to_have_text(text, use_inner_text=True)

    canvas.undo()
    expect(chat.of_role("user")).to_have_count(1)
    canvas.redo()
    expect(chat.of_role("user")).to_have_count(2)


@pytest.mark.local_model
def test_L4_three_scripted_models_and_the_embedded_one_are_asked_compared_merged_and_all_undone(
    installation: Installation, start: Callable[..., ServerProcess], open_page: Pages
) -> None:
    if not has_embedded_model(installation):
        pytest.skip("the embedded model is not installed on this machine")
    canvas = open_page(start(TALKFIELD_SCRIPTED=str(SCRIPT)).ready())
    nodes = canvas.page.locator(".react-flow__minimap-node")
    canvas.page.keyboard.press("Control+k")
    canvas.page.keyboard.type("several models")
    canvas.page.keyboard.press("Enter")
    canvas.part("fan-out-text").fill("In what order? Say it in five words.")
    choose_models(canvas, "scripted-2", "scripted-3", "smollm2")
    expect(canvas.part("fan-out-send")).to_have_text("Ask 4 models")
    canvas.part("fan-out-compare").click()
    columns = canvas.part("compare-column")
    expect(columns).to_have_count(4)
    expect(columns.nth(1)).to_contain_text("61 tokens")
    expect(columns.nth(3)).to_contain_text("tokens", timeout=120_000)
    expect(canvas.page.get_by_test_id("stop")).to_have_count(0, timeout=120_000)
    canvas.page.keyboard.press("Escape")
    of_all(canvas, "merge the last")
    canvas.part("merge-send").click()
    expect(nodes).to_have_count(5)
    expect(canvas.chats.filter(has_text="Merge of 4")).to_be_visible()
    expect(canvas.page.get_by_test_id("stop")).to_have_count(0)
    canvas.undo()
    expect(nodes).to_have_count(4)
    canvas.undo()
    expect(nodes).to_have_count(0)
    canvas.redo()
    expect(nodes).to_have_count(4)
